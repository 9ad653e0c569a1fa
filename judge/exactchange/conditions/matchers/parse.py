"""Matchers as a task writes them, and what is wrong with those that it writes wrongly."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from typing import Final

from exactchange.conditions.matchers import tests
from exactchange.conditions.matchers.base import UNKNOWN, MatchContext, Matched, Test, all_of, spelt
from exactchange.conditions.matchers.moments import At, WithinEpisode, parse_instant
from exactchange.conditions.matchers.number import Bound, Number, decimal_of
from exactchange.conditions.matchers.regex import check_pattern
from exactchange.conditions.matchers.url import PARTS, SameUrl, Url, split, written
from exactchange.errors import UsageError
from exactchange.values import State, Value, dumps, sealed, type_name

WITHIN_EPISODE: Final = "within_episode"


@dataclass(frozen=True)
class Matcher:
    """A matcher: `raw` is what the task wrote, `tests` what a value must fit, all of them."""

    raw: Value
    tests: tuple[Test, ...] = field(compare=False)

    def match(self, value: State, context: MatchContext) -> Matched:
        """Whether the value fits, with what it binds. Of a secret only equality and presence can be told."""
        hidden = sealed(value)
        return all_of(
            [UNKNOWN if hidden and not isinstance(t, _TOLD_OF_SECRETS) else t.match(value, context) for t in self.tests]
        )

    @property
    def about_absence(self) -> bool:
        """Whether it says, somewhere, that something is or is not there."""
        return _speaks(self.raw, "absent")

    def describe(self) -> str:
        """The matcher for people: the literal with its type, or the keys as written."""
        return WITHIN_EPISODE if self.raw == WITHIN_EPISODE else dumps(self.raw)

    def names(self) -> frozenset[str]:
        """The names that it may bind (`same:`)."""
        return frozenset(_names(self.raw))


def parse_matcher(raw: Value) -> Matcher:
    """The matcher of what a task wrote. Raises UsageError that says what to write instead."""
    if raw == WITHIN_EPISODE:
        return Matcher(raw, (WithinEpisode(),))
    if not isinstance(raw, Mapping):
        if isinstance(raw, list):
            raise UsageError("a list is written `exactly: [...]` (the whole value) or `items: [...]` (a matcher each)")
        return Matcher(raw, (tests.Equal(raw),))
    unknown = [name for name in raw if name not in PARSERS and name not in _OPTIONS]
    if unknown or not raw:
        raise UsageError(_unknown(unknown, raw))
    stray = [name for name in raw if name in _OPTIONS and "number" not in raw]
    if stray:
        raise UsageError(f"`{stray[0]}:` goes with `number:`; write {{number: 5, {stray[0]}: …}}")
    return Matcher(raw, tuple(PARSERS[name](body, raw) for name, body in raw.items() if name in PARSERS))


def _unknown(unknown: list[str], raw: Mapping[str, Value]) -> str:
    if not raw:
        return "an empty mapping is no matcher; write `exactly: {}` for a mapping without keys"
    near = get_close_matches(unknown[0], [*PARSERS, *_OPTIONS], 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return (
        f"unknown matcher {unknown[0]!r}{hint} A mapping as a value is written `exactly: {{…}}`, in part `has: {{…}}`"
    )


def _speaks(raw: Value, name: str) -> bool:
    if isinstance(raw, Mapping):
        return name in raw or any(_speaks(item, name) for item in raw.values())
    return any(_speaks(item, name) for item in raw) if isinstance(raw, list) else False


def _names(raw: Value) -> list[str]:
    if isinstance(raw, Mapping):
        found = [str(raw["same"])] if isinstance(raw.get("same"), str) else []
        return found + [name for item in raw.values() for name in _names(item)]
    return [name for item in raw for name in _names(item)] if isinstance(raw, list) else []


def _text(body: Value, name: str) -> str:
    if not isinstance(body, str):
        raise UsageError(f'`{name}:` takes a text, not {type_name(body)}; write {name}: "{body}"')
    return body


def _decimal(body: Value, name: str) -> Decimal:
    found = decimal_of(body)
    if found is None:
        raise UsageError(f"`{name}:` takes a finite number, not {dumps(body)}")
    return found


def _listed(body: Value, name: str) -> tuple[Matcher, ...]:
    if not isinstance(body, list) or (not body and name == "one_of"):
        raise UsageError(f"`{name}:` takes a list of matchers")
    return tuple(parse_matcher(item) for item in body)


def _has(body: Value, raw: Mapping[str, Value]) -> Test:
    if not isinstance(body, Mapping) or not body:
        raise UsageError("`has:` takes a mapping of keys to matchers")
    spelling = spelt(dict.fromkeys(body))
    assert isinstance(spelling, Mapping)
    return tests.Has({name: parse_matcher(item) for name, item in zip(spelling, body.values(), strict=True)})


def _number(body: Value, raw: Mapping[str, Value]) -> Test:
    unit = raw.get("unit")
    within = _decimal(raw.get("within", 0), "within")
    if within < 0:
        raise UsageError(f"`within:` is a distance, so 0 or more, not {within}")
    return Number(
        _decimal(body, "number"),
        within,
        None if unit is None else _text(unit, "unit"),
    )


def _time(body: Value, raw: Mapping[str, Value]) -> Test:
    instant = parse_instant(_text(body, "time"))
    if instant is None:
        raise UsageError(f"`time:` takes an ISO 8601 time such as 2026-11-30T09:00:00Z, not {body!r}")
    return At(instant)


def _matches(body: Value, raw: Mapping[str, Value]) -> Test:
    check_pattern(_text(body, "matches"))
    return tests.Matches(_text(body, "matches"))


def _url(body: Value, raw: Mapping[str, Value]) -> Test:
    if isinstance(body, str):
        if split(body) is None:
            raise UsageError(f"`url:` takes a URL or its parts {{scheme, host, port, path, query, rest}}, not {body!r}")
        return SameUrl(body)
    if not isinstance(body, Mapping) or not body:
        raise UsageError("`url:` takes a URL or its parts {scheme, host, port, path, query, rest}")
    unknown = [name for name in body if name not in (*PARTS, "rest")]
    query = body.get("query")
    if unknown or not isinstance(query, Mapping | None) or body.get("rest", "none") not in ("none", "any"):
        raise UsageError(f"`url:` knows {', '.join(PARTS)} (query: a mapping) and rest: none|any; not {unknown}")
    parts = tuple((n, parse_matcher(written(n, _port(n, b)))) for n, b in body.items() if n not in ("query", "rest"))
    pairs = None if query is None else tuple((name, parse_matcher(item)) for name, item in query.items())
    return Url(parts, pairs, body.get("rest") == "any")


def _port(name: str, body: Value) -> Value:
    return str(body) if name == "port" and isinstance(body, int) else body


def _word(name: str, words: tuple[str, ...]) -> Callable[[Value, Mapping[str, Value]], str]:
    def read(body: Value, raw: Mapping[str, Value]) -> str:
        if body not in words or not isinstance(body, str):
            raise UsageError(f"`{name}:` is one of {', '.join(words)}; not {dumps(body)}")
        return body

    return read


def _absent(body: Value, raw: Mapping[str, Value]) -> Test:
    if not isinstance(body, bool):
        raise UsageError("`absent:` is true or false")
    return tests.IsAbsent(body)


_TOLD_OF_SECRETS = (tests.Equal, tests.Not, tests.OneOf, tests.Same, tests.IsAbsent)
_TYPES = ("null", "bool", "int", "float", "str", "bytes", "datetime", "date", "time", "mapping", "list")
_OPTIONS = frozenset({"within", "unit"})
PARSERS: dict[str, Callable[[Value, Mapping[str, Value]], Test]] = {
    "exactly": lambda body, raw: tests.Equal(spelt(body)),
    "has": _has,
    "items": lambda body, raw: tests.Items(_listed(body, "items")),
    "one_of": lambda body, raw: tests.OneOf(_listed(body, "one_of")),
    "not": lambda body, raw: tests.Not(parse_matcher(body)),
    "gt": lambda body, raw: Bound("gt", _decimal(body, "gt")),
    "ge": lambda body, raw: Bound("ge", _decimal(body, "ge")),
    "lt": lambda body, raw: Bound("lt", _decimal(body, "lt")),
    "le": lambda body, raw: Bound("le", _decimal(body, "le")),
    "contains": lambda body, raw: tests.TextTest("contains", _text(body, "contains")),
    "text": lambda body, raw: tests.TextTest("text", _text(body, "text")),
    "mentions": lambda body, raw: tests.TextTest("mentions", _text(body, "mentions")),
    "matches": _matches,
    "number": _number,
    "time": _time,
    "url": _url,
    "json": lambda body, raw: tests.JsonText(parse_matcher(body)),
    "same": lambda body, raw: tests.Same(_text(body, "same")),
    "generated": lambda body, raw: tests.Generated(_word("generated", ("uuid", "next"))(body, raw)),
    "absent": _absent,
    "type": lambda body, raw: tests.TypeIs(_word("type", _TYPES)(body, raw)),
}
