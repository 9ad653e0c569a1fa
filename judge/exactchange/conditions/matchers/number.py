"""Numbers compared exactly, also where they stand in a text: `number`, `gt`, `ge`, `lt`, `le`."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from exactchange.conditions.matchers.base import NO, UNKNOWN, MatchContext, Matched, Test, answer
from exactchange.conditions.matchers.figures import measures, readings
from exactchange.values import State

_LONGEST = 400


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

    A text is read in the figures of its source's locale. Where that is not known, it is read as English, and what some
    other locale reads otherwise, so that it would or would not fit, cannot be told.
    """

    wanted: Decimal
    within: Decimal
    unit: str | None

    def match(self, value: State, context: MatchContext) -> Matched:
        if not isinstance(value, str):
            return answer(self._near(decimal_of(value)))
        own, others = readings(value, self.unit, context.figures)
        fits = self._near(own)
        if own is None:  # with a locale as well: an input of type number holds 1.5 in every one
            return UNKNOWN if any(map(self._near, others)) else NO
        return answer(fits) if all(self._near(other) is fits for other in others) else UNKNOWN

    def _near(self, found: Decimal | None) -> bool:
        # Fractions: the arithmetic of decimals rounds at 28 digits.
        return found is not None and abs(Fraction(found) - Fraction(self.wanted)) <= Fraction(self.within)


def doubt(tests: Iterable[Test], value: State, context: MatchContext) -> str:
    """What to say beside a text that is no number for certain, for want of a locale; empty where that is not why."""
    doubtful = isinstance(value, str) and not context.figures
    if doubtful and any(isinstance(test, Number) and test.match(value, context).truth is None for test in tests):
        return "; give the source its `locale`"
    return ""


@dataclass(frozen=True, slots=True)
class Bound:
    """Greater or smaller than a number. Not a number: does not fit; NaN: cannot be told.

    A text is no number, and `check` refuses a bound on a source of texts. Of the parts of a URL, a text that is a
    number is one; with anything beside it, such as a unit, it cannot be told: else a veto would not see `200x`.
    """

    how: Literal["gt", "ge", "lt", "le"]
    limit: Decimal

    def match(self, value: State, context: MatchContext) -> Matched:
        if isinstance(value, str):
            return self._of_text(value, context) if context.texts else NO
        found = decimal_of(value)
        if found is None:
            return UNKNOWN if isinstance(value, int | float) and not isinstance(value, bool) else NO
        return answer(self._holds(found))

    def _of_text(self, text: str, context: MatchContext) -> Matched:
        own, others = readings(text, None, context.figures)
        fits = {self._holds(found) for found in (own, *others) if found is not None}
        if len(fits) == 1 and (own is not None or fits == {False}):
            return answer(fits == {True})
        return UNKNOWN if fits or measures(text) else NO

    def _holds(self, found: Decimal) -> bool:
        holds = {
            "gt": found > self.limit,
            "ge": found >= self.limit,
            "lt": found < self.limit,
            "le": found <= self.limit,
        }
        return holds[self.how]
