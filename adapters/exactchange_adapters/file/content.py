"""A file's bytes as the keys and facets of its snapshot: parsed, doubtful places unread, secrets sealed."""

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from exactchange.address import AddressPattern, parse_pattern, unkey
from exactchange.errors import OverBudget
from exactchange.limits import Budget, CountedBudget
from exactchange.values import Path, Value, dumps, loads
from exactchange_adapters import secrets
from exactchange_adapters.file.arrangement import Arrangement, by_content
from exactchange_adapters.file.dialects import Dialect, parser_for
from exactchange_adapters.file.dialects.parsed import (
    DEEPEST,
    LARGEST_TEXT,
    MOST_NODES,
    Also,
    Parsed,
    Raw,
    Unparsable,
    Unusable,
)
from exactchange_adapters.file.dialects.plain import binary_facets, text_facets

ALSO: Final = "@also"
"""Hidden facet: `{dialect: {path as JSON: value}}`, what another plausible dialect reads where it differs."""
LAYOUT: Final = "@layout"
"""Hidden facet: the sealed bytes and the encoding, of which only notes are made."""
HIDDEN: Final = frozenset({ALSO, LAYOUT})

Compare: TypeAlias = Literal["meaning", "text", "bytes"]
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with BOM"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32 BE"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16 BE"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be understood. Patterns are addresses in the file.

    `secret`: which values are sealed. `unordered`: lists in which order is nothing. `key`: what identifies list items.
    """

    dialect: Dialect | None = None
    compare: Compare = "meaning"
    secret: Literal["none", "auto"] | tuple[str, ...] = "auto"
    unordered: tuple[str, ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """Keys and facets of one file, and what of it could not be read, as paths in it (() is all of it) and reasons."""

    keys: Mapping[str, Value]
    unread: tuple[tuple[Path, str], ...] = ()


def understand(data: bytes, name: str, reading: Reading, *, text_limit: int = LARGEST_TEXT) -> Content:
    """The content of a regular file. `name` tells the dialect where none is declared. Never raises for content.

    Text without a dialect that is longer than `text_limit` bytes or not UTF-8 is told by its hash.
    """
    if reading.compare == "bytes" or reading.dialect == "binary":
        return Content(binary_facets(data))
    parse = parser_for(reading.dialect, name) if reading.compare == "meaning" else None
    try:
        text, encoding = _decoded(data)
    except Unparsable as error:
        undeclared = parse is None and reading.dialect != "text" and reading.compare != "text"
        return Content(binary_facets(data)) if undeclared else _unread(str(error))
    if parse is None:
        return _plain_text(data, text, encoding, reading, text_limit)
    budget = CountedBudget(max_bytes=LARGEST_TEXT, max_nodes=MOST_NODES, max_depth=DEEPEST)
    try:
        budget.spend(bytes=len(data))
        parsed = parse(text, budget)
        return _settled(parsed, reading, _layout(data, text, encoding))
    except Unparsable as error:
        return _unread(str(error))
    except OverBudget as error:
        return _unread(str(error))


def wants_text(name: str, reading: Reading) -> bool:
    """Whether a file's text is asked for, so that its hash would not be an answer."""
    if reading.compare == "text" or reading.dialect == "text":
        return True
    return reading.compare == "meaning" and parser_for(reading.dialect, name) is not None


def _decoded(data: bytes) -> tuple[str, str]:
    found = [(codec, name) for bom, codec, name in _BOMS if data.startswith(bom)]
    codec, name = found[0] if found else ("utf-8", "UTF-8")
    try:
        return data.decode(codec), name
    except UnicodeDecodeError as error:
        raise Unparsable(f"not {name}: byte {error.start} ({error.reason})") from error


def _plain_text(data: bytes, text: str, encoding: str, reading: Reading, limit: int) -> Content:
    declared = reading.dialect == "text" or reading.compare == "text"
    if not declared and (len(data) > limit or "\0" in text):
        return Content(binary_facets(data))
    if len(data) > LARGEST_TEXT:
        return _unread(f"more than {LARGEST_TEXT} bytes of text")
    facets = text_facets(text)
    if encoding != "UTF-8":
        facets["@encoding"] = encoding
    if reading.secret != "none":
        facets["@text"] = _sealed_text(text, facets["@text"])
    return Content(facets)


def _sealed_text(text: str, lines: Value) -> Value:
    """The lines with sealed passwords; of a file that is a key or a vault as a whole, one seal."""
    if secrets.is_key_material(text):
        return secrets.seal(text)
    assert isinstance(lines, list)
    return [secrets.seal(line) if secrets.holds_secret(str(line)) else line for line in lines]


def _layout(data: bytes, text: str, encoding: str) -> Value:
    returns, newlines = text.count("\r\n"), text.count("\n")
    ends = "LF" if not returns else "CRLF" if returns == newlines else "mixed"
    return {"bytes": secrets.seal_bytes(data), "encoding": encoding, "newlines": ends}


def _unread(reason: str) -> Content:
    return Content({}, (((), reason),))


def _settled(parsed: Parsed, reading: Reading, layout: Value) -> Content:
    settler = _Settler(_Secrets(reading.secret), Arrangement.of(reading.unordered, reading.key))
    root = parsed.root
    if isinstance(root, Also) or not isinstance(root, Mapping):
        root = {"@value": root}
    keys = settler.mapping(root, secret=False)
    hidden: dict[str, Value] = {LAYOUT: layout}
    if settler.others:
        hidden[ALSO] = settler.others
    return Content({**parsed.facets, **keys, **hidden}, tuple(dict.fromkeys(settler.unread)))


class _Secrets:
    """Which places hold secrets, by the task's word for it."""

    def __init__(self, rule: Literal["none", "auto"] | tuple[str, ...]) -> None:
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
            self.others.setdefault(dialect, {})[_spelt(self.path)] = sealed

    def _record_key(self, keys: Mapping[str, Value], segment: str) -> None:
        for dialect, value in keys.items():
            self.others.setdefault(dialect, {})[_spelt([*self.path[:-1], "@keys", segment])] = value


def _spelt(path: "Sequence[str | int]") -> str:
    return dumps(list(path))


def path_of(text: str) -> list[str | int]:
    """The path that a key of the `@also` facet spells."""
    return cast("list[str | int]", loads(text))
