"""All mutants of a good run, one after the other, so that no more than one is held at a time."""

from collections.abc import Iterator
from typing import Final

from exactchange.authoring.audit.forbidden import forbidden
from exactchange.authoring.audit.mutant import Made, Mutant, altered, editor, last
from exactchange.authoring.audit.wanted import near, tolerated, undone
from exactchange.case import Case
from exactchange.judging import judge
from exactchange.snapshot import unread_whole
from exactchange.task import Task
from exactchange.values import Path
from exactchange.verdict import Verdict

MOST: Final = 96
"""Alterations of each source that no rule speaks of."""


def mutants(task: Task, case: Case, *, verdict: Verdict | None = None) -> Iterator[Mutant]:
    """The mutants of a good run: what is wanted undone or nearly right, something else altered in each source, a red
    line crossed. Each is the caller's to close, and can be judged until then. `verdict`: of the good run.
    """
    case = case.remembering()
    for made in attempts(task, case, judge(task, case) if verdict is None else verdict):
        if isinstance(made, Mutant):
            yield made


def attempts(task: Task, case: Case, verdict: Verdict) -> Iterator[Made]:
    """The mutants, with what made no difference and what could not be made."""
    yield from undone(task, case, verdict)
    yield from near(task, case, verdict)
    yield from tolerated(task, case, verdict)
    yield from elsewhere(case, verdict)
    yield from forbidden(task, case)


def elsewhere(case: Case, verdict: Verdict) -> Iterator[Made]:
    """One other thing altered at the end, in each source: spread over all of it, and close to what was to change."""
    for name, evidence in case.sources.items():
        snapshot = evidence.captures[last(evidence)]
        kind = editor(evidence)
        if kind is None or unread_whole(snapshot):
            continue
        for suggestion in kind.suggestions(snapshot, near=_near(name, verdict), most=MOST):
            yield altered(case, name, suggestion.edits, sort="elsewhere", what=suggestion.what)


def _near(source: str, verdict: Verdict) -> list[Path]:
    """The places in which a change was wanted."""
    wanted = (change for finding in verdict.findings for change in finding.explains)
    return list(dict.fromkeys(change.path for change in wanted if change.source == source))
