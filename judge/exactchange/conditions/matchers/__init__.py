"""Matchers: the few typed tests that a task puts a value to."""

from exactchange.conditions.matchers.base import NO, UNKNOWN, YES, MatchContext, Matched
from exactchange.conditions.matchers.field import MatcherField, OptionalMatcher
from exactchange.conditions.matchers.parse import Matcher, parse_matcher

__all__ = [
    "NO",
    "UNKNOWN",
    "YES",
    "MatchContext",
    "Matched",
    "Matcher",
    "MatcherField",
    "OptionalMatcher",
    "parse_matcher",
]
