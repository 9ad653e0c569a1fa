"""One-to-one assignment: which change is explained by which demand of the musts.

A maximum bipartite matching (augmenting paths), deterministic by the order of the task, then by address. Names bound by
`same:` are tried value by value, and each choice is a matching of its own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from exactchange.conditions import Atom, ChangeRule, Hit
from exactchange.values import Path, canonical_bytes

MOST_BINDINGS = 2_000


@dataclass(frozen=True)
class Demand:
    """One `change` of the musts: what it may be met by, and how often. `most` None: as often as there is.

    `chosen`: the places at which each it must be met, where `count: all` says so. `inside`: how many changes were found
    in the places that it names, which came or went as a whole in none of them.
    """

    rule: ChangeRule
    where: str
    hits: tuple[Hit, ...]
    fewest: int
    most: int | None
    chosen: Collection[Path] = ()
    inside: int = 0

    @property
    def room(self) -> int:
        """How many hits it can take."""
        return len(self.hits) if self.most is None else min(self.most, len(self.hits))


@dataclass(frozen=True)
class Assignment:
    """The hits given to each demand, in the demands' order. `exhausted`: there were too many ways to try.

    `names`: what the names of `same:` stand for, as canonical bytes. `untried`: whether another that gives as
    much may leave less unexplained.
    """

    given: tuple[tuple[Hit, ...], ...]
    exhausted: bool = False
    names: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    untried: bool = False

    @property
    def spots(self) -> frozenset[Atom]:
        """What is given to some demand."""
        return frozenset(unit.spot for given in self.given for hit in given for unit in hit.units)

    def missing(self, demands: Sequence[Demand]) -> int:
        """How many required hits are missing."""
        return sum(max(0, d.fewest - len(got)) for d, got in zip(demands, self.given, strict=True))

    def total(self) -> int:
        """How many hits are given."""
        return sum(map(len, self.given))


def assign(demands: Sequence[Demand]) -> Assignment:
    """The assignment that leaves the fewest required hits missing, then gives the most; of equal ones the first."""
    best: Assignment | None = None
    enough = sum(demand.room for demand in demands)
    for number, names in enumerate(bindings(demands)):
        if number >= MOST_BINDINGS:
            assert best is not None
            return replace(best, exhausted=True)
        found = matching(demands, names)
        if best is None or (found.missing(demands), -found.total()) < (best.missing(demands), -best.total()):
            best = found
        if best.missing(demands) == 0 and best.total() == enough:
            return best
    assert best is not None  # there is always the choice of no names
    return best


def bindings(demands: Sequence[Demand]) -> Iterator[Mapping[str, bytes]]:
    """Every choice of what the names of `same:` stand for, as canonical bytes."""
    choices: dict[str, dict[bytes, None]] = {}
    for demand in demands:
        for hit in demand.hits:
            for name, value in hit.matched.bindings:
                choices.setdefault(name, {})[canonical_bytes(value)] = None
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def agreeing(hit: Hit, names: Mapping[str, bytes]) -> bool:
    """Whether a hit binds no name to anything else."""
    return all(canonical_bytes(value) == names[name] for name, value in hit.matched.bindings)


def matching(demands: Sequence[Demand], names: Mapping[str, bytes]) -> Assignment:
    """The assignment with these names that leaves the fewest required hits missing, then gives the most."""
    usable = [[hit for hit in demand.hits if agreeing(hit, names)] for demand in demands]
    graph = _Graph([[hit.unit.spot for hit in hits] for hits in usable])
    have = [graph.take(number, demand.fewest) for number, demand in enumerate(demands)]
    for number, demand in enumerate(demands):
        if have[number] >= demand.fewest:
            graph.take(number, demand.room - demand.fewest)
    given = [tuple(h for h in hits if graph.owner.get(h.unit.spot) == number) for number, hits in enumerate(usable)]
    return Assignment(tuple(given), names=names)


class _Graph:
    """Takers and the spots that each can use. A spot once owned stays owned, though it may change its owner."""

    def __init__(self, usable: Sequence[Sequence[object]]) -> None:
        self.owner: dict[object, int] = {}
        self._usable = usable
        self._free = [0] * len(usable)

    def take(self, taker: int, most: int) -> int:
        """Give a taker so many more spots, moving others along shortest chains; the number that could be given."""
        taken = 0
        while taken < most and self._augment(taker):
            taken += 1
        return taken

    def _augment(self, taker: int) -> bool:
        """One more spot for a taker (breadth first over takers, so that each list is looked through once)."""
        came_from: dict[int, tuple[int, object]] = {}
        queue = [taker]
        for current in queue:
            spot = self._next_free(current)
            while spot is not None:
                self.owner[spot] = current
                if current == taker:
                    return True
                current, spot = came_from[current]
            for held in self._usable[current]:
                holder = self.owner[held]
                if holder != taker and holder not in came_from:
                    came_from[holder] = (current, held)
                    queue.append(holder)
        return False

    def _next_free(self, taker: int) -> object | None:
        spots = self._usable[taker]
        while self._free[taker] < len(spots) and spots[self._free[taker]] in self.owner:
            self._free[taker] += 1
        return spots[self._free[taker]] if self._free[taker] < len(spots) else None
