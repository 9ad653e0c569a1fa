"""The account of everything that changed: ignored, explained, allowed, or left over without leave."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from exactchange.case import Evidence
from exactchange.conditions import Allowed, Atom, Evaluation, Hit, Unit, atoms, explained, hits, whole_units
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.units import below, opened, own_atoms, sides
from exactchange.diff import Change
from exactchange.errors import OverBudget
from exactchange.judging.musts import Way
from exactchange.verdict import Freed, Settled, Whole

Placed: TypeAlias = tuple[Allowed, str]
"""A pattern of `allow` or `ignore`, and its `file:line:column`."""
Counted: TypeAlias = tuple[Unit, frozenset[Atom]]
"""A unit and everything that has to be explained of it."""


@dataclass(frozen=True)
class Account:
    """What became of every change between start and end, in the sources' order."""

    unexplained: tuple[Change, ...] = ()
    whole: tuple[Whole, ...] = ()
    """Containers that came or went as a whole, of which every leaf is unexplained."""
    certain: bool = False
    """Whether some unexplained change is certainly none that a must or an allow speaks of."""
    allowed: tuple[Settled, ...] = ()
    freed: tuple[Freed, ...] = ()


@dataclass(frozen=True)
class Books:
    """What every way of fulfilling the musts is settled against, found once.

    `changes`: every unit that changed in scope. `containers`: what came or went as a whole and is no row, with the
    range of its units in `changes`. `ignored`: units that `ignore` takes out before anything but the vetoes
    is judged. `allow`: the patterns, each with the units that fit it. `doubtful`: what may fit a pattern; nobody can
    tell. `untold`: whether for some pattern nobody can even tell what stands in its place.
    """

    changes: Sequence[Counted]
    containers: Sequence[tuple[Whole, range]]
    ignored: Sequence[tuple[Unit, str]]
    ignored_atoms: frozenset[Atom]
    allow: Sequence[tuple[Placed, Sequence[Counted]]]
    doubtful: frozenset[Atom]
    untold: bool
    evaluation: Evaluation

    def ignored_changes(self) -> tuple[Settled, ...]:
        """The changes that are ignored, each with the first rule that ignores it."""
        found: dict[Atom, Settled] = {}
        for unit, where in self.ignored:
            found.setdefault(unit.spot, Settled(unit.change, where))
        return tuple(found.values())

    def account(self, way: Way) -> Account:
        """What a way of fulfilling the musts leaves over, after `allow`. A change goes to a must if it can."""
        settled = set(way.explained | self.ignored_atoms)
        allowed: list[Settled] = []
        freed: list[Freed] = []
        for (pattern, where), units in self.allow:
            room = pattern.max
            for unit, everything in units:
                if everything <= settled or room == 0:
                    continue
                found = explained(pattern, unit, where=where, evaluation=self.evaluation)
                settled |= found.atoms
                freed += found.freed
                allowed.append(Settled(unit.change, where))
                room = None if room is None else room - 1
        left = [change for counted in self.changes for change in _rest(counted, settled)]
        doubtful = settled | self.doubtful | way.doubtful
        certain = not (way.untold or self.untold) and any(not everything <= doubtful for _, everything in self.changes)
        untouched = (
            whole
            for whole, units in self.containers
            if all(settled.isdisjoint(self.changes[number][1]) for number in units)
        )
        return Account(tuple(left), tuple(untouched), certain, tuple(allowed), tuple(freed))


def books(ignore: Sequence[Placed], allow: Sequence[Placed], evaluation: Evaluation) -> Books:
    """All changes between start and end, and what the patterns of a task find among them."""
    taken = [(pattern, where, unit) for pattern, where in ignore for unit in _fitting(pattern, evaluation)]
    found = [_told(pattern, evaluation) for pattern, _ in (*ignore, *allow)]
    maybe = (hit.unit for each in found for hit in each or () if unbound(hit.matched) is None)
    changes, containers = _changed(evaluation)
    return Books(
        changes=changes,
        containers=containers,
        ignored=[(unit, where) for _, where, unit in taken],
        ignored_atoms=frozenset(atom for item in taken for atom in _ignored(*item, evaluation)),
        allow=[(placed, [(unit, atoms(unit)) for unit in _fitting(placed[0], evaluation)]) for placed in allow],
        doubtful=frozenset(atom for unit in maybe for atom in atoms(unit)),
        untold=None in found,
        evaluation=evaluation,
    )


def _ignored(pattern: Allowed, where: str, unit: Unit, evaluation: Evaluation) -> AbstractSet[Atom]:
    """What an `ignore` drops of a unit: all of it, or what it asks for where it says what a row or value holds."""
    if not pattern.tests_values:
        return atoms(unit)
    return explained(pattern, unit, where=where, evaluation=evaluation).atoms


def _told(pattern: Allowed, evaluation: Evaluation) -> Sequence[Hit] | None:
    """What stands in a pattern's place and how it fits; None where that cannot be told."""
    last = len(evaluation.case.evidence(pattern.in_).captures) - 1
    try:
        return hits(pattern, evaluation, 0, last) if last > 0 else ()
    except OverBudget:
        return None


def _fitting(pattern: Allowed, evaluation: Evaluation) -> list[Unit]:
    """Units that certainly fit a pattern. A name that it binds can agree with nothing, so it fits nothing."""
    return [hit.unit for hit in _told(pattern, evaluation) or () if unbound(hit.matched) is True]


def _changed(evaluation: Evaluation) -> tuple[list[Counted], list[tuple[Whole, range]]]:
    """The units that changed in scope, and the containers among the changes that have several of them."""
    found: list[Counted] = []
    containers: list[tuple[Whole, range]] = []
    for change, counted in _in_scope(evaluation):
        begin = len(found)
        found += counted
        if change.op in ("added", "removed") and len(found) > begin + 1:
            whole = Whole(change.source, change.op, change.address, change.path)
            containers.append((whole, range(begin, len(found))))
    return found, containers


def _in_scope(evaluation: Evaluation) -> Iterator[tuple[Change, list[Counted]]]:
    for name, evidence in evaluation.case.sources.items():
        last = len(evidence.captures) - 1
        if last >= 1:
            yield from evaluation.case.remembered(
                name, 0, last, "in scope", partial(_in_scope_of, evaluation, evidence, last)
            )


def _in_scope_of(evaluation: Evaluation, evidence: Evidence, last: int) -> list[tuple[Change, list[Counted]]]:
    between = sides(evidence, 0, last)
    out: list[tuple[Change, list[Counted]]] = []
    for change in evaluation.diff(evidence.name, 0, last).changes:
        units = (unit for unit in whole_units(change, between) if not opened(unit.change))
        inside = (unit for unit in units if evidence.kind.in_scope(unit.change.path, evidence.params))
        out.append((change, [(unit, own_atoms(unit)) for unit in inside]))
    return out


def _rest(counted: Counted, settled: AbstractSet[Atom]) -> list[Change]:
    """The unit when nothing of it is settled; of a row that is settled in part, the columns that are not."""
    unit, everything = counted
    left = everything - settled
    if not left:
        return []
    if unit.row is None or left == everything:
        return [unit.change]
    return [part.change for part in below(unit) if atoms(part) & left]
