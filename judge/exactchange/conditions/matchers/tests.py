"""The tests of values that need no room of their own."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

from exactchange.conditions.matchers.base import NO, UNKNOWN, MatchContext, Matched, all_of, answer, any_of, spelt
from exactchange.conditions.matchers.regex import full_match
from exactchange.conditions.matchers.text import mentions, readable
from exactchange.errors import OverBudget, UsageError
from exactchange.values import ABSENT, State, Value, parse_json, same, sealed, type_name

if TYPE_CHECKING:
    from exactchange.conditions.matchers.parse import Matcher


@dataclass(frozen=True)
class Equal:
    """The same value: equal with type."""

    wanted: Value

    def match(self, value: State, context: MatchContext) -> Matched:
        return Matched(_equal(value, self.wanted))


@dataclass(frozen=True)
class Has:
    """A mapping in which these keys fit; others may stand beside them."""

    wanted: Mapping[str, "Matcher"]

    def match(self, value: State, context: MatchContext) -> Matched:
        if not isinstance(value, Mapping):
            return NO
        return all_of([m.match(value.get(name, ABSENT), context) for name, m in self.wanted.items()])


@dataclass(frozen=True)
class Items:
    """A list of just these items in this order."""

    wanted: tuple["Matcher", ...]

    def match(self, value: State, context: MatchContext) -> Matched:
        if not _is_list(value) or len(value) != len(self.wanted):
            return NO
        return all_of([m.match(item, context) for m, item in zip(self.wanted, value, strict=True)])


@dataclass(frozen=True)
class OneOf:
    """At least one of these fits; what the first that does binds is bound."""

    choices: tuple["Matcher", ...]

    def match(self, value: State, context: MatchContext) -> Matched:
        return any_of([choice.match(value, context) for choice in self.choices])


@dataclass(frozen=True)
class Not:
    """The inner matcher does not fit. It binds nothing."""

    inner: "Matcher"

    def match(self, value: State, context: MatchContext) -> Matched:
        truth = self.inner.match(value, context).truth
        return UNKNOWN if truth is None else answer(not truth)


@dataclass(frozen=True)
class TextTest:
    """`contains`, `text` or `mentions`."""

    how: str
    wanted: str

    def match(self, value: State, context: MatchContext) -> Matched:
        if not isinstance(value, str):
            return NO
        if self.how == "contains":
            return answer(self.wanted in value)
        if self.how == "text":
            return answer(readable(value) == readable(self.wanted))
        return answer(mentions(value, self.wanted))


@dataclass(frozen=True)
class Matches:
    """The whole text fits the author's pattern, in time linear in the text (RE2)."""

    pattern: str

    def match(self, value: State, context: MatchContext) -> Matched:
        return answer(isinstance(value, str) and full_match(self.pattern, value))


@dataclass(frozen=True)
class JsonText:
    """A text that is strict JSON and fits as data. What only some readers take for JSON, nobody can tell."""

    inner: "Matcher"

    def match(self, value: State, context: MatchContext) -> Matched:
        if not isinstance(value, str):
            return NO
        try:
            data = parse_json(value)
        except UsageError:
            return UNKNOWN if _loose_json(value) else NO
        return self.inner.match(spelt(data), replace(context, texts=False))  # numbers of its own


@dataclass(frozen=True)
class Same:
    """Whatever it is, it is the same everywhere this name stands."""

    name: str

    def match(self, value: State, context: MatchContext) -> Matched:
        return NO if value is ABSENT else Matched(True, ((self.name, value),))


@dataclass(frozen=True)
class Generated:
    """A value that the system made: a UUID, or a number above all that stood there before."""

    how: str

    def match(self, value: State, context: MatchContext) -> Matched:
        if self.how == "uuid":
            return answer(isinstance(value, str) and _is_uuid(value))
        if isinstance(value, bool) or not isinstance(value, int):
            return NO
        if context.largest_before is None:
            return UNKNOWN
        try:
            largest = context.largest_before()
        except OverBudget:  # what stood there before could not be read
            return UNKNOWN
        return answer(largest is None or value > largest)


@dataclass(frozen=True)
class IsAbsent:
    """Known not to be there."""

    wanted: bool

    def match(self, value: State, context: MatchContext) -> Matched:
        return answer((value is ABSENT) == self.wanted)


@dataclass(frozen=True)
class TypeIs:
    """A value of this type."""

    wanted: str

    def match(self, value: State, context: MatchContext) -> Matched:
        return answer(type_name(value) == self.wanted)


def _loose_json(text: str) -> bool:
    """Whether some readers take a text for JSON: with a key twice, a byte order mark, NaN, or nested beyond measure."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _is_uuid(text: str) -> bool:
    """Whether a text is a UUID as usually written, and none of the two that nobody generates: all 0, all 1."""
    try:
        found = uuid.UUID(text)
    except ValueError:
        return False
    return str(found) == text.casefold() and found.int not in (0, 2**128 - 1)


def _equal(value: State, wanted: Value) -> bool | None:
    """Whether two values are the same; None when it depends on a secret of which only a hash was kept."""
    if same(value, wanted):
        return True
    if sealed(value):
        return False if sealed(wanted) else None
    if isinstance(value, Mapping) and isinstance(wanted, Mapping) and value.keys() == wanted.keys():
        truths = [_equal(value[name], wanted[name]) for name in wanted]
    elif _is_list(value) and _is_list(wanted) and len(value) == len(wanted):
        truths = [_equal(item, other) for item, other in zip(value, wanted, strict=True)]
    else:
        return False
    return False if False in truths else None


def _is_list(value: State) -> TypeGuard[Sequence[Value]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
