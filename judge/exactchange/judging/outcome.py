"""Outcome and score. A pass is built here and nowhere else, from complete evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactchange.conditions import Condition
from exactchange.diff import Change
from exactchange.snapshot import Cause, Unread
from exactchange.verdict import Finding, Outcome


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
    if grounds.failure is not None or any(finding.holds is not True for finding in grounds.given):
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


def score(result: Outcome, cause: Cause | None, bonus: Sequence[tuple[Condition, Finding]]) -> Fraction | None:
    """0 unless passed; then 60, and 40 more by the weight of the bonus that was met; 100 where there is none."""
    if result != "passed":
        return None if cause == "infrastructure" else Fraction(0)
    weights = [(Fraction(rule.weight or 1), finding.holds is True) for rule, finding in bonus]
    total = sum((weight for weight, _ in weights), Fraction(0))
    if not total:
        return Fraction(100)
    return 60 + 40 * sum((weight for weight, met in weights if met), Fraction(0)) / total


def _cause(unread: Sequence[Unread]) -> Cause:
    return "infrastructure" if unread and all(item.cause == "infrastructure" for item in unread) else "content"
