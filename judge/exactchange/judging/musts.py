"""The musts: every way to choose among `any`, and what each way finds and explains."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from exactchange.conditions import Condition, Evaluation, Hit, Result, explained
from exactchange.conditions.logic import all_of
from exactchange.conditions.units import Atom
from exactchange.diff import Change
from exactchange.judging.assign import assign
from exactchange.judging.broken import BrokenTask
from exactchange.judging.demands import demand_of, met
from exactchange.verdict import Finding, Freed

MOST_WAYS = 256


@dataclass(frozen=True)
class Way:
    """One way to choose among the `any` of the musts: the findings it gives, and what it explains."""

    findings: tuple[Finding, ...]
    explained: frozenset[Atom] = frozenset()
    freed: tuple[Freed, ...] = ()
    vacuous: bool = False
    """Whether all that it asks for held before the first action."""


@dataclass(frozen=True)
class _Judged:
    """One condition inside a must, with the changes that it was given."""

    must: int
    condition: Condition
    result: Result
    given: tuple[Hit, ...] = ()


def ways(musts: Sequence[Condition], evaluation: Evaluation, ignored: frozenset[Atom]) -> list[Way]:
    """Every way to choose, in the task's order; beyond MOST_WAYS one more that is undecided.

    Raises BrokenTask when every way asks only for what held before the first action.
    """
    choices = list(islice(product(*(_alternatives(must) for must in musts)), MOST_WAYS + 1))
    found = [_way(musts, choice, evaluation, ignored) for choice in choices[:MOST_WAYS]]
    if found and all(way.vacuous for way in found):
        raise BrokenTask(f"{musts[0].where}: every must held before the first action: doing nothing would pass")
    if len(choices) > MOST_WAYS:
        why = f"more than {MOST_WAYS} ways to choose among `any`"
        found.append(Way(tuple(Finding("must", must.title(), must.where, None, why) for must in musts)))
    return found


def _alternatives(condition: Condition) -> list[tuple[Condition, ...]]:
    """The sets of conditions that would fulfil a must: `all` takes every part, `any` one of them."""
    if condition.all is not None:
        parts = [_alternatives(part) for part in condition.all]
        return [tuple(leaf for part in choice for leaf in part) for choice in islice(product(*parts), MOST_WAYS + 1)]
    if condition.any is not None:
        return [choice for part in condition.any for choice in _alternatives(part)]
    return [(condition,)]


def _way(
    musts: Sequence[Condition],
    choice: Sequence[Sequence[Condition]],
    evaluation: Evaluation,
    ignored: frozenset[Atom],
) -> Way:
    judged = _judged(choice, evaluation, ignored)
    at_start = Evaluation(evaluation.case.at_start(), evaluation.arguments)
    held = [not item.given and item.condition.check(at_start, tier="must").truth is True for item in judged]
    vacuous = all(held)
    marked = [_marked(item, was, vacuous=vacuous) for item, was in zip(judged, held, strict=True)]
    findings = tuple(
        _finding(must, [item for item in marked if item.must == number]) for number, must in enumerate(musts)
    )
    parts = [
        explained(item.condition.change, hit.unit, where=item.condition.where)
        for item in judged
        for hit in item.given
        if item.condition.change is not None
    ]
    atoms = frozenset(atom for part in parts for atom in part.atoms)
    return Way(findings, atoms, tuple(free for part in parts for free in part.freed), vacuous)


def _judged(choice: Sequence[Sequence[Condition]], evaluation: Evaluation, ignored: frozenset[Atom]) -> list[_Judged]:
    leaves = [(number, leaf) for number, part in enumerate(choice) for leaf in part]
    demands = [demand_of(leaf, evaluation, ignored) for _, leaf in leaves]
    asked = [demand for demand in demands if demand is not None]
    assignment = assign(asked)
    given = iter(assignment.given)
    out: list[_Judged] = []
    for (number, leaf), demand in zip(leaves, demands, strict=True):
        if demand is None:
            out.append(_Judged(number, leaf, leaf.check(evaluation, tier="must")))
        else:
            hits = next(given)
            result = met(demand, hits, evaluation, exhausted=assignment.exhausted)
            out.append(_Judged(number, leaf, result, hits))
    return out


def _marked(item: _Judged, held: bool, *, vacuous: bool) -> _Judged:
    """A condition that held from the start only guards; where nothing else is asked for, it proves nothing."""
    if not held or item.result.truth is not True:
        return item
    if vacuous:
        return replace(item, result=replace(item.result, truth=None, why="held before the first action"))
    return replace(item, result=replace(item.result, why=f"{item.result.why} (a guard: it held from the start)"))


def _finding(must: Condition, judged: Sequence[_Judged]) -> Finding:
    result = all_of([item.result for item in judged])
    changes: tuple[Change, ...] = tuple(hit.unit.change for item in judged for hit in item.given)
    return Finding("must", must.title(), must.where, result.truth, result.why, result.evidence, changes, result.near)
