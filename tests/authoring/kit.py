"""Tours made by hand: the verdicts that runs of one state and several later ones give."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.judging.kit import PLAIN, TABLES, Data, case, source, task

from exactchange.authoring.noise import propose
from exactchange.authoring.proposal import Proposal, Rule
from exactchange.authoring.tour import calibrated, touring
from exactchange.conditions import Allowed
from exactchange.judging import judge
from exactchange.sources.registry import AnyKind
from exactchange.task import SourceSpec, Task
from exactchange.values import Value
from exactchange.verdict import Verdict

Tree = dict[str, Value]
SOMETHING: Data = {"value": {"in": "answer", "at": "", "is": "done"}}
__all__ = ["PLAIN", "TABLES", "calibrated", "ignoring", "lines", "noise", "some_task", "toured"]


def some_task(*must: Data, **sections: Sequence[Data]) -> Task:
    made = task(*(must or (SOMETHING,)), **sections)  # type: ignore[arg-type]  # sections by name
    return replace(made, sources={"s": SourceSpec("s", "file", {"path": "s.json"}, "")})


def toured(work: Task, before: Tree, afters: Sequence[Tree], *, kind: AnyKind = PLAIN) -> list[Verdict]:
    """What tours of this task give that begin with one state and end with these, of a source `s`."""
    return [judge(touring(work), case(source("s", [before, after], kind=kind))) for after in afters]


def noise(
    before: Tree, *afters: Tree, kind: AnyKind = PLAIN, refuse: Callable[[Allowed], str | None] | None = None
) -> Proposal:
    tours = toured(some_task(), before, afters, kind=kind)
    return propose(tours, styles={"s": kind.style}, refuse=refuse or (lambda _: None))


def lines(found: Proposal) -> list[str]:
    """`added a.b (2)`: the rules, and in how many runs each was found."""
    return [f"{rule.example.op} {rule.at} ({rule.runs})" for rule in found.rules]


def ignoring(*rules: Rule) -> Task:
    """A task that ignores what these rules take."""
    said = [rule.pattern.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True) for rule in rules]
    return some_task(ignore=said)
