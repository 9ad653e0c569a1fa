"""Runs that are as good as the good one: the same state written otherwise, or one look more; each must pass, too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exactchange.actions import Action
from exactchange.authoring.audit.mutant import difference, edited, last
from exactchange.authoring.audit.renumbered import with_actions
from exactchange.authoring.audit.result import Tested
from exactchange.authoring.audit.trying import outcome
from exactchange.case import Case
from exactchange.errors import OverBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.sources import CannotEdit, Rewritable, Suggestion
from exactchange.task import Task
from exactchange.verdict import Verdict

ABOUT: Final = "as good, but otherwise"


@dataclass(frozen=True)
class Equal:
    """A run that is as good. `made`: snapshots of its own."""

    what: str
    case: Case
    made: tuple[Snapshot, ...] = ()

    def close(self) -> None:
        """Free its snapshots."""
        for snapshot in self.made:
            snapshot.close()


def equals(case: Case) -> Iterator[Equal]:
    """Runs that no task may tell from the good one; each is the caller's to close."""
    for name, evidence in case.sources.items():
        kind: object = evidence.kind
        end = last(evidence)
        snapshot = evidence.captures[end]
        if not isinstance(kind, Rewritable) or unread_whole(snapshot):
            continue
        suggestions: Sequence[Suggestion] = kind.rewritten(snapshot)
        for suggestion in suggestions:
            try:
                new = edited(evidence, snapshot, suggestion.edits)
            except CannotEdit:
                continue
            try:
                differs = difference(evidence, snapshot, new)
            except OverBudget:
                new.close()
                continue
            if (
                differs.changes or differs.unread
            ):  # then it is a state of its own, as where a file is compared by its text
                new.close()
                continue
            yield Equal(f"{name}: {suggestion.what}", case.with_captures(name, {end: new}), (new,))
    looking = _looking(case)
    if looking is not None:
        yield Equal("one look more", looking)


def _looking(case: Case) -> Case | None:
    """The run in which the agent also looked, in the middle."""
    middle = len(case.actions) // 2
    look = Action(0, "observe", {}, '{"kind":"observe"}', "runner")
    return with_actions(case, [*case.actions[:middle], look, *case.actions[middle:]])


def told_alike(task: Task, case: Case) -> tuple[Tested, ...]:
    """What came of each; one that does not pass is a false fail, and `broken` says by which rule."""
    out: list[Tested] = []
    for equal in equals(case):
        verdict, broken = outcome(task, equal.case)
        equal.close()
        found = Tested(equal.what, None if verdict is None else verdict.outcome, broken, ABOUT)
        out.append(found if verdict is None or found.passed else replace(found, broken=_rules(verdict)))
    return tuple(out)


def _rules(verdict: Verdict) -> str:
    told = [f for f in verdict.findings if f.holds is not (f.tier != "veto") and f.tier in ("veto", "must", "given")]
    return "; ".join(f"{f.tier} {f.name!r}: {f.why}" for f in told[:3]) or verdict.outcome
