"""What matching gives, and what a matcher may know beside the value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from exactchange.address import key
from exactchange.values import State, Value
from exactchange.values.locales import Figures

Truth: TypeAlias = bool | None


@dataclass(frozen=True, slots=True)
class Matched:
    """Whether a value fits (None: cannot be told), and which values it binds to names (`same:`)."""

    truth: Truth
    bindings: tuple[tuple[str, State], ...] = ()


YES: Final = Matched(True)
NO: Final = Matched(False)
UNKNOWN: Final = Matched(None)


def answer(truth: bool) -> Matched:
    """YES or NO."""
    return YES if truth else NO


@dataclass(frozen=True, slots=True)
class MatchContext:
    """The episode's window in ns since 1970 (0: not known), and the largest number that stood in a column before."""

    started_ns: int = 0
    ended_ns: int = 0
    largest_before: Callable[[], int | None] | None = None
    ends: bool = True
    """Whether `ended_ns` is the end; of an episode that still goes on it is only how far it has come."""
    figures: tuple[Figures, ...] = ()
    """The ways in which the source writes numbers in texts; none where the task does not say."""
    texts: bool = False
    """Whether the place holds no numbers but in texts, as the parts of a URL do."""


class Test(Protocol):
    """One test of a value."""

    def match(self, value: State, context: MatchContext) -> Matched: ...


def all_of(results: list[Matched]) -> Matched:
    """Kleene's and, with the bindings of all."""
    truths = [item.truth for item in results]
    truth = False if False in truths else None if None in truths else True
    return Matched(truth, tuple(pair for item in results for pair in item.bindings))


def any_of(results: list[Matched]) -> Matched:
    """Kleene's or, with the bindings of the first that holds."""
    for result in results:
        if result.truth:
            return result
    return UNKNOWN if any(result.truth is None for result in results) else NO


def unbound(found: Matched) -> Truth:
    """The truth where a name bound by `same:` can agree with nothing, so that it proves nothing."""
    return None if found.truth and found.bindings else found.truth


def spelt(value: Value) -> Value:
    """A literal of a task in the spelling of snapshots: mapping keys as path segments."""
    if isinstance(value, Mapping):
        return {key(name): spelt(item) for name, item in value.items()}
    if isinstance(value, list):
        return [spelt(item) for item in value]
    return value
