"""Numbers compared exactly, also where they stand in a text: `number`, `gt`, `ge`, `lt`, `le`."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from exactchange.conditions.matchers.base import NO, UNKNOWN, MatchContext, Matched, answer
from exactchange.conditions.matchers.text import readable
from exactchange.values import State

_LONGEST = 400
_NUMBER = r"[+\-\u2212]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?"
_IN_TEXT = re.compile(rf"(?P<front>[^\d\s+\-\u2212.,]*)\s*(?P<number>{_NUMBER})\s*(?P<back>[^\d.,]*)\Z")


def decimal_of(value: State) -> Decimal | None:
    """An int or finite float as an exact decimal (a float as it prints); None for anything else, bools included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return Decimal(value) if value.bit_length() < 4 * _LONGEST else None
    found = Decimal(repr(value))
    return found if found.is_finite() else None


@dataclass(frozen=True, slots=True)
class Number:
    """A number, or a text that is one number with at most this unit; `within` is the largest absolute difference.

    In a text digits are ASCII; commas group thousands, or there are none.
    """

    wanted: Decimal
    within: Decimal
    unit: str | None

    def match(self, value: State, context: MatchContext) -> Matched:
        found = self._in_text(value) if isinstance(value, str) else decimal_of(value)
        # Fractions: the arithmetic of decimals rounds at 28 digits.
        return answer(found is not None and abs(Fraction(found) - Fraction(self.wanted)) <= Fraction(self.within))

    def _in_text(self, text: str) -> Decimal | None:
        match = _IN_TEXT.match(text.strip()) if len(text) <= _LONGEST else None
        if match is None:
            return None
        units = {readable(part) for part in (match["front"], match["back"]) if part.strip()}
        if units and units != {readable(self.unit or "")}:
            return None
        return Decimal(match["number"].replace(",", "").replace("\u2212", "-"))


@dataclass(frozen=True, slots=True)
class Bound:
    """Greater or smaller than a number. Not a number: does not fit; NaN: cannot be told."""

    how: Literal["gt", "ge", "lt", "le"]
    limit: Decimal

    def match(self, value: State, context: MatchContext) -> Matched:
        found = decimal_of(value)
        if found is None:
            return UNKNOWN if isinstance(value, int | float) and not isinstance(value, bool) else NO
        return answer(
            {
                "gt": found > self.limit,
                "ge": found >= self.limit,
                "lt": found < self.limit,
                "le": found <= self.limit,
            }[self.how]
        )
