"""The account of everything that changed: ignored, explained, allowed, or left over without leave."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

from exactchange.case import Evidence
from exactchange.conditions import Allowed, Atom, Evaluation, Hit, Unit, atoms, explained, hits, whole_units
from exactchange.conditions.documents import apart, is_apart
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.noise import by_rule, noise
from exactchange.conditions.units import below, opened, own_atoms, sides
from exactchange.diff import Change
from exactchange.errors import OverBudget
from exactchange.judging.musts import Way
from exactchange.judging.sharing import MOST_STEPS, Offer, Taker, share
from exactchange.limits import CountedBudget
from exactchange.sources import Recognised
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
    noise: tuple[Settled, ...] = ()
    """What a rule of its source takes for noise, and no must or `ignore` speaks of."""
    freed: tuple[Freed, ...] = ()


@dataclass(frozen=True)
class Books:
    """What every way of fulfilling the musts is settled against, found once.

    `changes`: every unit that changed in scope. `containers`: what came or went as a whole and is no row, with the
    range of its units in `changes`. `ignored`: units that `ignore` takes out before anything but the vetoes
    is judged. `noise`: what the sources' own rules take of what the musts leave. `allow`: the patterns, each with the
    units that fit it. `doubtful`: what may fit a pattern; nobody can tell. `untold`: whether for some pattern nobody
    can even tell what stands in its place.
    """

    changes: Sequence[Counted]
    containers: Sequence[tuple[Whole, range]]
    ignored: Sequence[tuple[Unit, str]]
    ignored_atoms: frozenset[Atom]
    noise: Mapping[Atom, str]
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

    @cached_property
    def bounded(self) -> Sequence[tuple[int, int, frozenset[Atom]]]:
        """What each pattern with `max`, by its number, would explain of each unit that fits it, by its number there."""
        return [
            (number, place, explained(pattern, unit, where=where, evaluation=self.evaluation).atoms)
            for number, ((pattern, where), units) in enumerate(self.allow)
            if pattern.max is not None
            for place, (unit, _) in enumerate(units)
        ]

    @cached_property
    def tolerated(self) -> frozenset[Atom]:
        """What is ignored, noise, or allowed without a `max`."""
        free = (
            explained(pattern, unit, where=where, evaluation=self.evaluation).atoms
            for (pattern, where), units in self.allow
            if pattern.max is None
            for unit, _ in units
        )
        return self.ignored_atoms.union(self.noise, *free)

    @cached_property
    def contested(self) -> frozenset[Atom]:
        """All that a pattern with `max` may explain."""
        return frozenset[Atom]().union(*(atoms_ for *_, atoms_ in self.bounded))

    def left_over(self, settled: AbstractSet[Atom]) -> frozenset[Atom]:
        """What is left over once this is settled, and what is tolerated without a `max`."""
        return frozenset[Atom]().union(*(everything - settled for _, everything in self.changes)) - self.tolerated

    def to_settle(self) -> list[frozenset[Atom]]:
        """What has to be explained, or allowed within a `max`, of each unit."""
        return [everything - self.tolerated for _, everything in self.changes]

    def takers(self) -> list[Taker]:
        """The patterns of `allow`, by their numbers, as takers of what they are bounded in."""
        return [Taker(pattern.max or 0) for (pattern, _), _ in self.allow]

    def account(self, way: Way) -> Account:
        """What a way of fulfilling the musts leaves over, after `allow`. A change goes to a must if it can.

        Patterns with `max` take what they can so that the fewest are left over; of equal ways the first.
        """
        settled, allowed, freed = self._allowed(way.explained, {})
        untried = way.untried
        if not self.contested.isdisjoint(self.left_over(settled)):
            try:
                settled, allowed, freed = self._allowed(way.explained, self._chosen(way.explained))
            except OverBudget:
                untried = True
        left = [change for counted in self.changes for change in _rest(counted, settled)]
        doubtful = settled | self.doubtful | way.doubtful | (self.contested if untried else frozenset[Atom]())
        certain = not (way.untold or self.untold) and any(not everything <= doubtful for _, everything in self.changes)
        untouched = (
            whole
            for whole, units in self.containers
            if all(settled.isdisjoint(self.changes[number][1]) for number in units)
        )
        found = tuple(self._noise(way.explained))
        return Account(tuple(left), tuple(untouched), certain, tuple(allowed), found, tuple(freed))

    def _noise(self, explained_: AbstractSet[Atom]) -> Iterator[Settled]:
        """What is noise of the changes that no must explains and no `ignore` takes."""
        spoken = explained_ | self.ignored_atoms
        for unit, everything in self.changes if self.noise else ():
            rule = self.noise.get(unit.spot)
            if rule is not None and not everything <= spoken:
                yield by_rule(Recognised(unit.change, rule))

    def _chosen(self, explained_: AbstractSet[Atom]) -> Mapping[int, Collection[int]]:
        """The numbers of the units that each pattern with `max` takes, so that the fewest are left over."""
        settled = explained_ | self.tolerated
        offers = [Offer(number, atoms_) for number, _, atoms_ in self.bounded]
        units = [everything - settled for _, everything in self.changes]
        found = share(self.takers(), offers, units, budget=CountedBudget(max_nodes=MOST_STEPS))
        chosen: dict[int, set[int]] = {}
        for item in sorted(found.taken):
            number, place, _ = self.bounded[item]
            chosen.setdefault(number, set()).add(place)
        return chosen

    def _allowed(
        self, explained_: AbstractSet[Atom], chosen: Mapping[int, Collection[int]]
    ) -> tuple[set[Atom], list[Settled], list[Freed]]:
        """All that is settled, what the patterns allow, and what they free: in file order, what is chosen first."""
        settled = {*explained_, *self.ignored_atoms, *self.noise}
        allowed: list[Settled] = []
        freed: list[Freed] = []
        for number, ((pattern, where), units) in enumerate(self.allow):
            mine = chosen.get(number, ())
            room = None if pattern.max is None else pattern.max - len(mine)
            for place, (unit, everything) in enumerate(units):
                if everything <= settled or (room == 0 and place not in mine):
                    continue
                found = explained(pattern, unit, where=where, evaluation=self.evaluation)
                settled |= found.atoms
                freed += found.freed
                allowed.append(Settled(unit.change, where))
                if room is not None and place not in mine:
                    room -= 1
        return settled, allowed, freed


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
        noise=noise(unit for unit, _ in changes),
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
        found = hits(pattern, evaluation, 0, last) if last > 0 else ()
        documents = apart(evaluation, pattern.in_)
        if not documents:
            return found
        rest = (
            hit for hit in found if not all(is_apart(evaluation, pattern.in_, path) for _, path, _ in atoms(hit.unit))
        )
        return [*rest, *(hit for document in documents for hit in document.hits(pattern))]
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
            find = partial(_in_scope_of, evaluation, evidence, last)
            yield from _by_documents(evaluation, name, evaluation.case.remembered(name, 0, last, "in scope", find))


def _in_scope_of(evaluation: Evaluation, evidence: Evidence, last: int) -> list[tuple[Change, list[Counted]]]:
    between = sides(evidence, 0, last)
    out: list[tuple[Change, list[Counted]]] = []
    for change in evaluation.diff(evidence.name, 0, last).changes:
        units = (unit for unit in whole_units(change, between) if not opened(unit.change))
        inside = (unit for unit in units if evidence.kind.in_scope(unit.change.path, evidence.params))
        out.append((change, [(unit, own_atoms(unit)) for unit in inside]))
    return out


def _by_documents(
    evaluation: Evaluation, name: str, whole: Sequence[tuple[Change, list[Counted]]]
) -> Iterator[tuple[Change, list[Counted]]]:
    """The same with the changes of documents that came or left, in place of what came or left with them."""
    documents = apart(evaluation, name)
    if not documents:
        yield from whole
        return
    for change, counted in whole:
        yield change, [item for item in counted if not is_apart(evaluation, name, item[0].change.path)]
    for document in documents:
        for unit in document.units():
            if not opened(unit.change):
                yield unit.change, [(unit, own_atoms(unit))]


def _rest(counted: Counted, settled: AbstractSet[Atom]) -> list[Change]:
    """The unit when nothing of it is settled; of a row that is settled in part, the columns that are not."""
    unit, everything = counted
    left = everything - settled
    if not left:
        return []
    if unit.row is None or left == everything:
        return [unit.change]
    return [part.change for part in below(unit) if atoms(part) & left]
