"""Outcome and score. A pass is built here and nowhere else, from complete evidence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactchange.conditions import Condition
from exactchange.diff import Change
from exactchange.snapshot import Cause, Unread
from exactchange.verdict import Bounds, Finding, Outcome, Truth


@dataclass(frozen=True, slots=True)
class Grounds:
    """All that decides an outcome. `certain`: whether some change is unexplained, whatever cannot be told."""

    given: Sequence[Finding]
    vetoes: Sequence[Finding]
    musts: Sequence[Finding]
    unexplained: Sequence[Change]
    certain: bool
    unread: Sequence[Unread]
    failure: str | None
    complete: bool


def outcome(grounds: Grounds) -> tuple[Outcome, Cause | None]:
    """The outcome, and the cause where it is undecided.

    In this order: a veto that holds; no verdict where the world was broken; a must that fails or a change that nothing
    explains; anything that cannot be told. What is left passed.
    """
    if any(finding.holds is True for finding in grounds.vetoes):
        return "vetoed", None
    if _void(grounds):
        return "undecided", "infrastructure"
    if grounds.certain or any(finding.holds is False for finding in grounds.musts):
        return "unmet", None
    doubtful = [*grounds.vetoes, *grounds.musts]
    if (
        any(finding.holds is None for finding in doubtful)
        or grounds.unexplained
        or grounds.unread
        or not grounds.complete
        or not grounds.musts
    ):
        return "undecided", _cause(grounds.unread)
    return "passed", None


def score(
    result: Outcome, cause: Cause | None, bonus: Sequence[tuple[Condition, Finding]], *, passed: int
) -> Fraction | None:
    """0 unless passed; then `passed`, and up to 100 by the weight of the bonus met; 100 where there is none."""
    if result != "passed":
        return None if cause == "infrastructure" else Fraction(0)
    return _of_a_pass(bonus, (True,), passed)


def bounds(grounds: Grounds, result: Outcome, bonus: Sequence[tuple[Condition, Finding]], *, passed: int) -> Bounds:
    """What is not excluded: the outcomes and the score that there could be, were all known that cannot be told.

    An episode that is not over, or that ran in a broken world, excludes nothing but the taking back of a veto.
    """
    if result == "passed":
        return Bounds(result, result, _of_a_pass(bonus, (True, None), passed))
    if result == "vetoed":
        return Bounds(result, result, Fraction(0))
    if _void(grounds) or not grounds.complete:
        return Bounds("vetoed", "passed", Fraction(100))
    worst: Outcome = "vetoed" if any(finding.holds is None for finding in grounds.vetoes) else "unmet"
    return Bounds(worst, "unmet", Fraction(0)) if result == "unmet" else Bounds(worst, "passed", Fraction(100))


def _of_a_pass(bonus: Sequence[tuple[Condition, Finding]], counted: Collection[Truth], passed: int) -> Fraction:
    weights = [(Fraction(rule.weight or 1), finding.holds in counted) for rule, finding in bonus]
    total = sum((weight for weight, _ in weights), Fraction(0))
    if not total:
        return Fraction(100)
    return passed + (100 - passed) * sum((weight for weight, met in weights if met), Fraction(0)) / total


def _void(grounds: Grounds) -> bool:
    """Whether the world was broken, so that the episode says nothing of the agent."""
    return grounds.failure is not None or any(finding.holds is not True for finding in grounds.given)


def _cause(unread: Sequence[Unread]) -> Cause:
    return "infrastructure" if unread and all(item.cause == "infrastructure" for item in unread) else "content"
