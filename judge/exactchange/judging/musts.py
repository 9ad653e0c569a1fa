"""The musts: every way to choose among `any`, and what each way finds and explains."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TypeAlias, TypeVar

from exactchange.conditions import Condition, Evaluation, Hit, Result, explained
from exactchange.conditions.logic import all_of
from exactchange.conditions.units import Atom
from exactchange.diff import Change
from exactchange.errors import OverBudget
from exactchange.judging.assign import Assignment, Demand, assign
from exactchange.judging.broken import BrokenTask
from exactchange.judging.demands import demand_of, doubtful, met
from exactchange.judging.spoken import spoken
from exactchange.verdict import Finding, Freed, Truth

T = TypeVar("T")

MOST_WAYS = 256


@dataclass(frozen=True)
class Way:
    """One way to choose among the `any` of the musts: the findings it gives, and what it explains."""

    findings: tuple[Finding, ...]
    explained: frozenset[Atom] = frozenset()
    freed: tuple[Freed, ...] = ()
    vacuous: bool = False
    """Whether all that it asks for held before the first action."""
    doubtful: frozenset[Atom] = frozenset()
    """What may be a change that a must still misses: nobody can tell."""
    untold: bool = False
    """Whether nobody can tell what it may explain; it may stand for all the ways that were too many to try."""
    untried: bool = False
    """Whether its changes may be shared out otherwise so that fewer are left over; that was too much to try."""


@dataclass(frozen=True)
class _Judged:
    """One condition inside a must, with the changes that it was given, and whether it held at the start."""

    must: int
    condition: Condition
    result: Result
    given: tuple[Hit, ...] = ()
    before: Truth = False
    doubtful: frozenset[Atom] = frozenset()
    untold: bool = False
    """Whether nobody can tell which changes it may ask for."""
    demand: Demand | None = None
    """What it demands, where it explains anything."""


Refine: TypeAlias = Callable[[Sequence[Demand], Assignment], Assignment]
"""Finds, of the assignments that give the musts as much, the one that leaves the fewest changes unexplained."""


def ways(musts: Sequence[Condition], evaluation: Evaluation, ignored: frozenset[Atom], *, refine: Refine) -> list[Way]:
    """Every way to choose, in the task's order; beyond MOST_WAYS one more that is undecided.

    Raises BrokenTask when every way asks only for what held before the first action.
    """
    choices = list(islice(product(*(_alternatives(must) for must in musts)), MOST_WAYS + 1))
    start = Evaluation(evaluation.case.at_start(), evaluation.arguments, prefix=True)
    leaves = _Leaves(evaluation, start, ignored, refine)
    found = [_way(musts, choice, leaves) for choice in choices[:MOST_WAYS]]
    if not musts:
        raise BrokenTask("the task has no must: doing nothing would pass")
    if all(way.vacuous for way in found):
        raise BrokenTask(f"{musts[0].where}: every must held before the first action: doing nothing would pass")
    if len(choices) > MOST_WAYS:
        why = f"more than {MOST_WAYS} ways to choose among `any`"
        found.append(Way(tuple(Finding("must", must.title(), must.where, None, why) for must in musts), untold=True))
    return found


@dataclass(frozen=True)
class _Leaves:
    """What the conditions inside the musts give, each found once, however many ways use it."""

    evaluation: Evaluation
    start: Evaluation
    ignored: frozenset[Atom]
    refine: Refine

    def demand(self, leaf: Condition) -> Demand | Result | None:
        """What a condition demands; a result where that cannot be told; None when it is judged by itself."""
        return self.evaluation.kept(
            ("demand", id(leaf)), lambda: _told(lambda: demand_of(leaf, self.evaluation, self.ignored))
        )

    def check(self, leaf: Condition) -> Result:
        return self.evaluation.kept(("check", id(leaf)), lambda: self._checked(leaf, self.evaluation))

    def held(self, leaf: Condition) -> Truth:
        return self.start.kept(("check", id(leaf)), lambda: self._checked(leaf, self.start)).truth

    def _checked(self, leaf: Condition, evaluation: Evaluation) -> Result:
        result = _told(lambda: leaf.check(evaluation, tier="must"))
        assert result is not None
        return result


def _told(find: Callable[[], T]) -> T | Result:
    """What is found, or that it cannot be told where there is too much to look through."""
    try:
        return find()
    except OverBudget as error:
        return Result(None, f"too much to look through: {error}")


def _alternatives(condition: Condition) -> list[tuple[Condition, ...]]:
    """The sets of conditions that would fulfil a must: `all` takes every part, `any` one of them."""
    if condition.all is not None:
        parts = [_alternatives(part) for part in condition.all]
        return [tuple(leaf for part in choice for leaf in part) for choice in islice(product(*parts), MOST_WAYS + 1)]
    if condition.any is not None:
        return [choice for part in condition.any for choice in _alternatives(part)]
    return [(condition,)]


def _way(musts: Sequence[Condition], choice: Sequence[Sequence[Condition]], leaves: _Leaves) -> Way:
    judged, untried = _judged(choice, leaves)
    before = [item.before for item in judged]
    marked = [_marked(item, new=False in before) for item in judged]
    findings = tuple(
        _finding(must, [item for item in marked if item.must == number]) for number, must in enumerate(musts)
    )
    parts = [
        explained(item.condition.change, unit, where=item.condition.where, evaluation=leaves.evaluation)
        for item in judged
        for hit in item.given
        for unit in hit.units
        if item.condition.change is not None
    ]
    atoms = frozenset(atom for part in parts for atom in part.atoms)
    freed = tuple(free for part in parts for free in part.freed)
    doubtful = frozenset(atom for item in judged for atom in item.doubtful)
    inside = [spoken(item.demand, atoms, leaves.evaluation) for item in judged if item.demand is not None]
    freed += tuple(free for part in inside for free in part.freed)
    atoms = atoms.union(*(part.explained for part in inside))
    doubtful = doubtful.union(*(part.doubtful for part in inside))
    untold = any(item.untold for item in judged) or any(part.untold for part in inside)
    vacuous = all(truth is True for truth in before)
    return Way(findings, atoms, freed, vacuous, doubtful, untold, untried)


def _judged(choice: Sequence[Sequence[Condition]], leaves: _Leaves) -> tuple[list[_Judged], bool]:
    named = [(number, leaf) for number, part in enumerate(choice) for leaf in part]
    demands = [leaves.demand(leaf) for _, leaf in named]
    wanted = [demand for demand in demands if isinstance(demand, Demand)]
    assignment = leaves.refine(wanted, assign(wanted))
    given = iter(assignment.given)
    out: list[_Judged] = []
    for (number, leaf), demand in zip(named, demands, strict=True):
        if isinstance(demand, Demand):
            hits = next(given)
            result = met(demand, hits, leaves.evaluation, assignment)
            held = False if hits else leaves.held(leaf)
            doubt = doubtful(demand, hits, leaves.evaluation, assignment)
            out.append(_Judged(number, leaf, result, hits, held, doubt, demand=demand))
        else:
            result = demand or leaves.check(leaf)
            out.append(_Judged(number, leaf, result, before=leaves.held(leaf), untold=demand is not None))
    return out, assignment.untried


def _marked(item: _Judged, *, new: bool) -> _Judged:
    """A condition that held from the start only guards; where nothing else is asked for, it proves nothing.

    `new`: whether something is asked for that certainly did not hold at the start.
    """
    if item.before is False or item.result.truth is not True:
        return item
    if not new:
        why = "held before the first action" if item.before else "nobody knows whether it held before the first action"
        return replace(item, result=replace(item.result, truth=None, why=why))
    guard = "a guard: it held from the start" if item.before else "a guard: nobody knows whether it held from the start"
    return replace(item, result=replace(item.result, why=f"{item.result.why} ({guard})"))


def _finding(must: Condition, judged: Sequence[_Judged]) -> Finding:
    result = all_of([item.result for item in judged])
    changes: tuple[Change, ...] = tuple(unit.change for item in judged for hit in item.given for unit in hit.units)
    return Finding("must", must.title(), must.where, result.truth, result.why, result.evidence, changes, result.near)
