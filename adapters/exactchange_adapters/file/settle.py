"""From a raw tree to a value tree: marks become unread places or other dialects' readings, secrets become seals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from exactchange.address import AddressPattern, parse_pattern, unkey
from exactchange.errors import UsageError
from exactchange.limits import Budget, CountedBudget
from exactchange.values import Path, Value, dumps, loads
from exactchange_adapters import secrets
from exactchange_adapters.file.arrangement import Arrangement, by_content
from exactchange_adapters.file.dialects.parsed import DEEPEST, MOST_NODES, Also, Parsed, Raw, Unusable

SecretRule: TypeAlias = Literal["none", "auto"] | tuple[str, ...]
"""Which values are sealed: none, those that look secret, or those at these address patterns."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Keys and facets; the unread places with reasons; and per dialect, by spelt path, what it reads otherwise."""

    keys: Mapping[str, Value]
    unread: tuple[tuple[Path, str], ...]
    others: Mapping[str, Mapping[str, Value]]


def are_addresses(texts: "tuple[str, ...] | str") -> None:
    """Raises ValueError where one of several texts is no address pattern; a word such as `auto` is none of them."""
    try:
        for text in () if isinstance(texts, str) else texts:
            parse_pattern(text)
    except UsageError as error:
        raise ValueError(str(error)) from error


def settle(parsed: Parsed, *, secret: SecretRule, arrangement: Arrangement) -> Settled:
    """The tree of a parsed file. What is no mapping stands under `@value`. Raises OverBudget."""
    settler = _Settler(_Secrets(secret), arrangement)
    root = parsed.root
    keys = settler.mapping(root if isinstance(root, Mapping) else {"@value": root}, secret=False)
    return Settled({**parsed.facets, **keys}, tuple(dict.fromkeys(settler.unread)), settler.others)


class _Secrets:
    """Which places hold secrets, by the task's word for it."""

    def __init__(self, rule: SecretRule) -> None:
        self._auto = rule == "auto"
        self._patterns: list[AddressPattern] = [] if isinstance(rule, str) else [parse_pattern(text) for text in rule]

    def under(self, segment: str | int) -> bool:
        name = unkey(segment) if isinstance(segment, str) else None
        return self._auto and name is not None and secrets.looks_secret(name)

    def sealed(self, value: Value, path: Path, *, secret: bool) -> Value:
        """The value, or its seal. Null, the empty text and switches tell nothing that must be kept."""
        if value is None or isinstance(value, bool) or value == "":
            return value
        if any(pattern.matches(path) for pattern in self._patterns):
            return secrets.seal_value(value)
        if isinstance(value, str):
            return secrets.seal(value) if secret or (self._auto and secrets.holds_secret(value)) else value
        if secret and not _is_amount(path):
            return secrets.seal_value(value)
        return value


def _is_amount(path: Path) -> bool:
    name = next((unkey(segment) for segment in reversed(path) if isinstance(segment, str)), None)
    return name is not None and secrets.counts_something(name)


@dataclass(slots=True)
class _Settler:
    """Makes a value tree of a raw tree: marks become unread places or other dialects' readings, secrets seals."""

    secrets: _Secrets
    arrangement: Arrangement
    budget: Budget = field(default_factory=lambda: CountedBudget(max_nodes=MOST_NODES, max_depth=DEEPEST))
    path: list[str | int] = field(default_factory=list["str | int"])
    unread: list[tuple[Path, str]] = field(default_factory=list["tuple[Path, str]"])
    others: dict[str, dict[str, Value]] = field(default_factory=dict[str, "dict[str, Value]"])

    def mapping(self, raw: Mapping[str, Raw], *, secret: bool) -> dict[str, Value]:
        out: dict[str, Value] = {}
        for segment, item in raw.items():
            self.path.append(segment)
            self._entry(out, segment, item, secret=secret or self.secrets.under(segment))
            self.path.pop()
        return out

    def _entry(self, out: dict[str, Value], segment: str, item: Raw, *, secret: bool) -> None:
        if isinstance(item, Also):
            self._record(item.others, secret=secret)
            self._record_key(item.keys, segment)
            item = item.value
        if isinstance(item, Unusable):
            self._give_up(item.reason)
        else:
            out[segment] = self._value(item, secret=secret)

    def _value(self, item: Raw, *, secret: bool) -> Value:
        self.budget.spend(nodes=1, depth=len(self.path))
        if isinstance(item, Also):
            self._record(item.others, secret=secret)
            item = item.value
        if isinstance(item, Unusable):
            self._give_up(item.reason)
            return None  # stands in a list that is left out as a whole
        if isinstance(item, Mapping):
            return self.mapping(item, secret=secret)
        if isinstance(item, Sequence) and not isinstance(item, str | bytes):
            return self._list(item, secret=secret)
        return self.secrets.sealed(cast("Value", item), tuple(self.path), secret=secret)

    def _list(self, items: "Sequence[Raw]", *, secret: bool) -> Value:
        segments = self.arrangement.identities(items)
        if segments is not None:
            return self.mapping(dict(zip(segments, items, strict=True)), secret=secret)
        if self.arrangement.is_unordered(tuple(self.path)):
            return self._unordered(items, secret=secret)
        out: list[Value] = []
        for number, item in enumerate(items):
            self.path.append(number)
            out.append(self._value(item, secret=secret))
            self.path.pop()
        return out

    def _unordered(self, items: "Sequence[Raw]", *, secret: bool) -> Value:
        """A list as a mapping by content, so that it is a multiset; what other dialects read is part of an item."""
        outside = self.others
        pairs: list[tuple[Value, Value]] = []
        for number, item in enumerate(items):
            self.others = {}
            self.path.append(number)
            pairs.append((self._value(item, secret=secret), list(self._readings_below())))
            self.path.pop()
        self.others = outside
        return by_content(pairs)

    def _readings_below(self) -> Iterator[Value]:
        for dialect, table in sorted(self.others.items()):
            for path, value in sorted(table.items()):
                yield [dialect, path_of(path)[len(self.path) :], value]

    def _give_up(self, reason: str) -> None:
        # Positions and identities in a list with an unread item are not known either: the list as a whole is unread.
        whole = next((n for n, segment in enumerate(self.path) if isinstance(segment, int)), len(self.path))
        self.unread.append((tuple(self.path[:whole]), reason))

    def _record(self, others: Mapping[str, Value], *, secret: bool) -> None:
        for dialect, value in others.items():
            sealed = self.secrets.sealed(value, tuple(self.path), secret=secret)
            self.others.setdefault(dialect, {})[spell_path(self.path)] = sealed

    def _record_key(self, keys: Mapping[str, Value], segment: str) -> None:
        for dialect, value in keys.items():
            self.others.setdefault(dialect, {})[spell_path([*self.path[:-1], "@keys", segment])] = value


def spell_path(path: Sequence[str | int]) -> str:
    """The key of the `@also` facet for a path."""
    return dumps(list(path))


def path_of(text: str) -> list[str | int]:
    """The path that `spell_path` spelt."""
    return cast("list[str | int]", loads(text))
