"""Blind replay: the good run under other params, and other good runs under these."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from exactchange.authoring.audit.culprits import Culprit
from exactchange.authoring.audit.explaining import said_of
from exactchange.authoring.audit.result import Slip, Tested
from exactchange.authoring.audit.trying import tested
from exactchange.authoring.audit.variants import Variant
from exactchange.case import Case
from exactchange.conditions import Condition
from exactchange.task import Task


@dataclass(frozen=True)
class OtherRun:
    """Another good run. `differs`: names of the params that are others; none for one of the same variant."""

    name: str
    task: Task
    case: Case
    differs: tuple[str, ...] = ()


def varied(task: Task, case: Case, variants: Sequence[Variant]) -> tuple[tuple[Tested, ...], list[Slip]]:
    """What the good run is under other params; a hole where it passes, and the rule that takes it for both."""
    out: list[Tested] = []
    slips: list[Slip] = []
    for variant in variants:
        if variant.task is None:
            slips.append(Slip(f"param {', '.join(variant.params)}", tuple(_unvaried(task, variant))))
            continue
        about = f"another {next(iter(variant.params))}" if len(variant.params) == 1 else "all params at once"
        found = tested(f"the same run under {variant.said}", variant.task, case, about=about)
        out.append(found)
        if found.passed:
            what = f"the same run with {variant.said}{f', {variant.what}' if variant.what else ''}"
            slips.append(Slip(what, tuple(_lets(task, variant.task, tuple(variant.params)))))
    return tuple(out), slips


def crossed(task: Task, case: Case, others: Sequence[OtherRun]) -> tuple[tuple[Tested, ...], list[Slip]]:
    """The end state of one variant judged under another, both ways: else blind replay could win."""
    out: list[Tested] = []
    slips: list[Slip] = []
    for other in (run for run in others if run.differs):
        pairs = ((f"the run {other.name}", task, other.case), (f"this run, by {other.name}", other.task, case))
        for name, by, run in pairs:
            found = tested(name, by, run)
            out.append(found)
            if found.passed:
                slips.append(Slip(name, tuple(_lets(task, other.task, other.differs))))
    return tuple(out), slips


def _unvaried(task: Task, variant: Variant) -> Iterator[Culprit]:
    found = Culprit(
        "param", f"it could not be varied: {variant.why}", task.where("params"), "explain it in `holes` by `param`"
    )
    yield from (replace(found, explained=said_of(task, param=param)) for param in variant.params)


def _lets(task: Task, other: Task, params: Sequence[str]) -> Iterator[Culprit]:
    """The rules that say something else under the other params but take the run all the same; else that none does."""
    rules = [(mine, its) for mine, its in zip(task.must, other.must, strict=True) if _told(mine) != _told(its)]
    said = [said_of(task, param=param) for param in params]
    for mine, _ in rules:
        what = f"must {mine.title()!r} takes the run of another {' and '.join(params)} as well"
        found = Culprit("param", what, mine.where, "ask for the exact value, or explain it in `holes`")
        own = said_of(task, rule=mine.title())
        yield replace(found, explained=own or (None if None in said else said[0]))
    if not rules:
        what = "no rule depends on this param, so that one run passes for all its values"
        where, close = task.where("params"), "use it in a must, or explain it in `holes` by `param`"
        yield from (Culprit("param", what, where, close, explained) for explained in said)


def _told(rule: Condition) -> object:
    return rule.model_dump(by_alias=True)
