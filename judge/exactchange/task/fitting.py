"""What can be told of a matcher without a value: which values it leaves, and whether two can fit one and the same."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias

from exactchange.conditions import Matcher, parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.conditions.matchers.base import spelt
from exactchange.conditions.matchers.number import decimal_of
from exactchange.conditions.matchers.parse import WITHIN_EPISODE
from exactchange.values import ABSENT, State, Value, same, type_name

NOTHING: Final = "absent"
"""Stands beside the names of types for a place where nothing stands."""
_NUMBERS: Final = frozenset({"int", "float"})
_TEXT: Final = frozenset({"str"})
_TIMES: Final = frozenset({"datetime", "date", "str", "int", "float"})
_TYPES_OF: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("contains", "text", "mentions", "matches", "url", "json"), _TEXT),
    **dict.fromkeys(("gt", "ge", "lt", "le"), _NUMBERS),
    "number": _NUMBERS | _TEXT,
    "time": _TIMES,
    "has": frozenset({"mapping"}),
    "items": frozenset({"list"}),
}
_CONTEXT: Final = MatchContext()
Types: TypeAlias = frozenset[str] | None
"""Names of types, None for any."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers from `low` to `high` (None: no bound), the bounds themselves in it where `low_in`, `high_in`."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_in: bool = True
    high_in: bool = True

    def both(self, other: "Limits") -> "Limits":
        """The numbers that both hold."""
        low, low_in = _tighter((self.low, self.low_in), (other.low, other.low_in), largest=True)
        high, high_in = _tighter((self.high, self.high_in), (other.high, other.high_in), largest=False)
        return Limits(low, high, low_in, high_in)

    def empty(self, *, whole: bool) -> bool:
        """Whether no number is in them; `whole`: no whole number."""
        if self.low is None or self.high is None:
            return False
        if self.low > self.high or (self.low == self.high and not (self.low_in and self.high_in)):
            return True
        first = math.ceil(self.low)
        first += first == self.low and not self.low_in
        return whole and (first > self.high or (first == self.high and not self.high_in))


def apart(left: Matcher, right: Matcher) -> bool:
    """Whether no value can fit both. Errs on the side of no."""
    for one, other in ((left, right), (right, left)):
        values = finite(one.raw)
        if values is not None:
            return all(other.match(value, _CONTEXT).truth is False for value in values)
    types = _common(types_of(left.raw), types_of(right.raw))
    if types is not None and not types:
        return True
    return _no_number(types, _limits(left.raw).both(_limits(right.raw)))


def takes_in(wide: Matcher | None, narrow: Matcher | None) -> bool:
    """Whether every value that fits `narrow` fits `wide` as well; None fits anything. Errs on the side of no."""
    if wide is None:
        return True
    if narrow is None:
        return False
    values = finite(narrow.raw)
    if values is None:
        return wide.raw == narrow.raw and not wide.names()
    return all(wide.match(value, _CONTEXT).truth is True for value in values)


def impossible(raw: Value) -> bool:
    """Whether what a matcher asks of a value as a whole cannot all be true; what it asks of parts is not looked at."""
    if not isinstance(raw, Mapping):
        return False
    values = finite(raw)
    if values is not None:
        return not values
    types = types_of(raw)
    if types is not None and not types:
        return True
    return _no_number(types, _limits(raw))


def finite(raw: Value) -> Sequence[State] | None:
    """The few values that a matcher leaves, where these can be listed; None where they cannot."""
    if not isinstance(raw, Mapping):
        return None if raw == WITHIN_EPISODE else (raw,)
    listed = _listed(raw)
    if listed is None:
        return None
    whole = parse_matcher(raw)
    return tuple(value for value in listed if whole.match(value, _CONTEXT).truth is not False)


def alone(matcher: Matcher | None) -> tuple[State] | None:
    """The one value that a matcher leaves; None where there may be others."""
    values = None if matcher is None else finite(matcher.raw)
    return (values[0],) if values and all(same(value, values[0]) for value in values) else None


def _no_number(types: Types, limits: Limits) -> bool:
    """Whether only a number could fit, and none is within the limits."""
    return types is not None and types <= _NUMBERS and limits.empty(whole="float" not in types)


def _listed(raw: Mapping[str, Value]) -> Sequence[State] | None:
    """Values of which every fitting one is one, by the one key of a matcher that lists them."""
    if "exactly" in raw:
        return (spelt(raw["exactly"]),)
    if raw.get("absent") is True:
        return (ABSENT,)
    choices = raw.get("one_of")
    if not isinstance(choices, list):
        return None
    found = [finite(item) for item in choices]
    return None if None in found else [value for values in found for value in values or ()]


def types_of(raw: Value) -> Types:
    """The types of the values that a matcher may fit, as far as its own keys tell; None for any."""
    if not isinstance(raw, Mapping):
        return _TIMES if raw == WITHIN_EPISODE else frozenset({type_name(raw)})
    return reduce(_common, (_of_test(name, body) for name, body in raw.items()), None)


def _of_test(name: str, body: Value) -> Types:
    if name == "generated":
        return _TEXT if body == "uuid" else frozenset({"int"})
    if name == "type":
        return frozenset({str(body)})
    if name == "exactly":
        return frozenset({type_name(body)})
    if name == "absent":
        return frozenset({NOTHING}) if body is True else None
    if name == "one_of" and isinstance(body, list):
        found = [types_of(item) for item in body]
        return None if None in found else frozenset(name for item in found for name in item or ())
    return _TYPES_OF.get(name)


def _common(left: Types, right: Types) -> Types:
    if left is None or right is None:
        return right if left is None else left
    return left & right


def _limits(raw: Value) -> Limits:
    """The bounds on a number that a matcher names itself."""
    out = Limits()
    for name, body in raw.items() if isinstance(raw, Mapping) else ():
        number = decimal_of(body)
        if number is None:
            continue
        limit = Fraction(number)
        if name in ("gt", "ge"):
            out = out.both(Limits(low=limit, low_in=name == "ge"))
        elif name in ("lt", "le"):
            out = out.both(Limits(high=limit, high_in=name == "le"))
        elif name == "number" and isinstance(raw, Mapping):
            within = Fraction(decimal_of(raw.get("within", 0)) or 0)
            out = out.both(Limits(limit - within, limit + within))
    return out


def _tighter(
    left: tuple[Fraction | None, bool], right: tuple[Fraction | None, bool], *, largest: bool
) -> tuple[Fraction | None, bool]:
    if left[0] is None or right[0] is None:
        return right if left[0] is None else left
    if left[0] == right[0]:
        return left[0], left[1] and right[1]
    return left if (left[0] > right[0]) == largest else right
