"""One-to-one assignment: which change is explained by which demand of the musts.

A maximum bipartite matching (augmenting paths), deterministic by the order of the task, then by address. Names bound by
`same:` are tried value by value, and each choice is a matching of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from exactchange.conditions import ChangeRule, Hit
from exactchange.values import State, canonical_bytes

MOST_BINDINGS = 2_000


@dataclass(frozen=True)
class Demand:
    """One `change` of the musts: what it may be met by, and how often. `most` None: as often as there is."""

    rule: ChangeRule
    where: str
    hits: tuple[Hit, ...]
    fewest: int
    most: int | None


@dataclass(frozen=True)
class Assignment:
    """The hits given to each demand, in the demands' order. `exhausted`: there were too many ways to try."""

    given: tuple[tuple[Hit, ...], ...]
    exhausted: bool = False

    def missing(self, demands: Sequence[Demand]) -> int:
        """How many required hits are missing."""
        return sum(max(0, d.fewest - len(got)) for d, got in zip(demands, self.given, strict=True))


def assign(demands: Sequence[Demand]) -> Assignment:
    """The assignment that leaves the fewest required hits missing; of equal ones the first."""
    best: Assignment | None = None
    for number, names in enumerate(_bindings(demands)):
        if number >= MOST_BINDINGS:
            return Assignment((best or _matching(demands, names)).given, exhausted=True)
        found = _matching(demands, names)
        if best is None or found.missing(demands) < best.missing(demands):
            best = found
        if best.missing(demands) == 0:
            return best
    assert best is not None  # there is always the choice of no names
    return best


def _bindings(demands: Sequence[Demand]) -> Iterator[Mapping[str, bytes]]:
    choices: dict[str, dict[bytes, None]] = {}
    for demand in demands:
        for hit in demand.hits:
            for name, value in hit.matched.bindings:
                choices.setdefault(name, {})[canonical_bytes(value)] = None
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def _agrees(bindings: Sequence[tuple[str, State]], names: Mapping[str, bytes]) -> bool:
    return all(canonical_bytes(value) == names[name] for name, value in bindings)


def _matching(demands: Sequence[Demand], names: Mapping[str, bytes]) -> Assignment:
    usable = [[hit for hit in demand.hits if _agrees(hit.matched.bindings, names)] for demand in demands]
    slots = [number for number, demand in enumerate(demands) for _ in range(demand.fewest)]
    owner: dict[object, int] = {}
    for slot in range(len(slots)):
        _augment(slot, slots, usable, owner)
    for number, demand in enumerate(demands):
        have = sum(1 for slot in owner.values() if slots[slot] == number)
        room = len(usable[number]) if demand.most is None else demand.most - demand.fewest
        for hit in usable[number]:
            if room > 0 and have >= demand.fewest and hit.unit.spot not in owner:
                owner[hit.unit.spot] = len(slots)
                slots.append(number)
                room -= 1
    given = tuple(
        tuple(h for h in hits if h.unit.spot in owner and slots[owner[h.unit.spot]] == number)
        for number, hits in enumerate(usable)
    )
    return Assignment(given)


def _augment(slot: int, slots: Sequence[int], usable: Sequence[Sequence[Hit]], owner: dict[object, int]) -> None:
    """Give a slot a hit, moving other slots along a shortest chain where needed (breadth first, no recursion)."""
    came_from: dict[object, tuple[int, object]] = {}
    queue: list[tuple[int, object]] = [(slot, None)]
    for current, held in queue:
        for hit in usable[slots[current]]:
            spot = hit.unit.spot
            if spot in came_from:
                continue
            came_from[spot] = (current, held)
            if spot not in owner:
                _shift(spot, came_from, owner)
                return
            queue.append((owner[spot], spot))


def _shift(spot: object, came_from: Mapping[object, tuple[int, object]], owner: dict[object, int]) -> None:
    here: object = spot
    while here is not None:
        taker, held = came_from[here]
        owner[here] = taker
        here = held
