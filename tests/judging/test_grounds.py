"""Semantics 21: outcome and cause of all grounds that there can be, by a table written down a second time."""

from itertools import product

import pytest
from tests.judging.kit import unread

from exactchange.diff import Change
from exactchange.judging.outcome import Grounds, bounds, outcome
from exactchange.snapshot import Cause, Unread
from exactchange.verdict import Finding, Outcome, Truth

TRUTHS: tuple[Truth, ...] = (True, False, None)
SOME: list[tuple[Truth, ...]] = [(), *((truth,) for truth in TRUTHS), *product(TRUTHS, repeat=2)]
CHANGE = Change("s", "added", "a", ("a",), None, 1, {})
CONTENT, MACHINE = unread("a", cause="content"), unread("b", cause="infrastructure")
UNREADS: list[tuple[Unread, ...]] = [(), (CONTENT,), (MACHINE,), (MACHINE, MACHINE), (CONTENT, MACHINE)]


def findings(truths: tuple[Truth, ...]) -> list[Finding]:
    return [Finding("must", "", "", truth, "") for truth in truths]


def wanted(grounds: Grounds) -> tuple[Outcome, Cause | None]:
    """The rule in the words of the task language, one after the other."""
    given, vetoes, musts = (
        {finding.holds for finding in part} for part in (grounds.given, grounds.vetoes, grounds.musts)
    )
    if True in vetoes:
        return "vetoed", None
    if grounds.failure is not None or given - {True}:
        return "undecided", "infrastructure"
    if False in musts or grounds.certain:
        return "unmet", None
    told = musts == {True} and vetoes <= {False}
    if told and grounds.complete and not grounds.unread and not grounds.unexplained:
        return "passed", None
    causes = {item.cause for item in grounds.unread}
    return "undecided", "infrastructure" if causes == {"infrastructure"} else "content"


@pytest.mark.parametrize("given", [(), (True,), (False,), (None,), (True, False), (True, True), (None, True)])
def test_every_ground_gives_the_outcome_and_the_cause_that_the_rule_says(given: tuple[Truth, ...]) -> None:
    failures = (None, "", "the browser died")
    seen: set[Outcome] = set()
    for vetoes, musts, left, certain, lost in product(SOME, SOME, ([], [CHANGE]), (False, True), UNREADS):
        for failure, complete in product(failures, (True, False)):
            told = findings(given), findings(vetoes), findings(musts)
            grounds = Grounds(*told, left, certain, lost, failure, complete)
            assert outcome(grounds) == wanted(grounds), grounds
            seen.add(outcome(grounds)[0])
    assert seen == ({"vetoed", "undecided"} if set(given) - {True} else {"vetoed", "undecided", "unmet", "passed"})


def open_to(grounds: Grounds, result: Outcome) -> tuple[Outcome, Outcome]:
    """Worst and best that there could be: what is decided stays, of a broken or unfinished episode all is open."""
    if result in ("passed", "vetoed"):
        return result, result
    if grounds.failure is not None or any(item.holds is not True for item in grounds.given) or not grounds.complete:
        return "vetoed", "passed"
    worst: Outcome = "vetoed" if None in [item.holds for item in grounds.vetoes] else "unmet"
    return worst, "unmet" if result == "unmet" else "passed"


def test_every_ground_leaves_open_what_the_rule_says() -> None:
    seen: set[tuple[Outcome, Outcome, Outcome]] = set()
    for given, vetoes, musts in product([(), (True,), (False,), (None, True)], SOME, SOME):
        for certain, failure, complete in product((False, True), (None, "the browser died"), (True, False)):
            told = findings(given), findings(vetoes), findings(musts)
            grounds = Grounds(*told, [], certain, [], failure, complete)
            result = outcome(grounds)[0]
            found = bounds(grounds, result, (), passed=60)
            assert (found.worst, found.best) == open_to(grounds, result), grounds
            assert found.score_at_most == (100 if found.best == "passed" else 0)
            seen.add((result, found.worst, found.best))
    assert len(seen) == 7
