"""Shares changes out among those who may take them, so that the musts get the most and then the fewest are left over.

Exact: what is contested is tried in every way that matters, by counted steps. Of equal ways the one in which the first
taker gets the first offer is taken.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Final, TypeAlias

from exactchange.conditions import Atom
from exactchange.limits import CountedBudget

MOST_STEPS: Final = 50_000
Cost: TypeAlias = tuple[int, int, int, int]
"""How many that musts ask for are missing, how many they got (negative), and units and atoms that are left over."""


@dataclass(frozen=True, slots=True)
class Taker:
    """A must (`asked`), which needs `fewest` changes and gets as many as it can, or an `allow` with `max`."""

    most: int
    fewest: int = 0
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """What a taker would explain, were it given this. `spot`: musts share no spot; None where the taker is no must."""

    taker: int
    atoms: frozenset[Atom]
    spot: Atom | None = None


@dataclass(frozen=True, slots=True)
class Shared:
    """The offers that are taken, by their numbers, and what that leaves."""

    taken: frozenset[int]
    cost: Cost


@dataclass(frozen=True, slots=True)
class _Option:
    """One way to take up the offers of an item: how many each taker takes."""

    uses: tuple[tuple[int, int], ...]
    taken: tuple[int, ...]
    cost: Cost


_State: TypeAlias = tuple[int, ...]


def share(
    takers: Sequence[Taker], offers: Sequence[Offer], units: Iterable[frozenset[Atom]], *, budget: CountedBudget
) -> Shared:
    """Who takes what. `units`: what has to be explained, by rows and leaves. Raises OverBudget (a step is a node)."""
    rest = list(units)
    waiting, taken = _given_freely(takers, offers, rest)
    home = {atom: number for number, unit in enumerate(rest) for atom in unit}
    units_of = {n: {home[atom] for atom in offers[n].atoms if atom in home} for n in waiting}
    contested = {offers[n].taker for n in waiting}
    settled = [replace(taker, fewest=0) if n in contested else taker for n, taker in enumerate(takers)]
    open_ = {unit for found in units_of.values() for unit in found}
    cost = _settled_cost(settled, offers, taken, [unit for number, unit in enumerate(rest) if number not in open_])
    for problem in _connected(waiting, lambda n: [("taker", offers[n].taker), *_places(offers[n], units_of[n])]):
        items = _connected(problem, lambda n: _places(offers[n], units_of[n]))
        options = [_options(item, takers, offers, rest, units_of, budget) for item in items]
        found = _best(options, takers, sorted({offers[n].taker for n in problem}), budget)
        taken |= found.taken
        cost = _sum(cost, found.cost)
    return Shared(frozenset(taken), cost)


def _given_freely(
    takers: Sequence[Taker], offers: Sequence[Offer], rest: list[frozenset[Atom]]
) -> tuple[list[int], set[int]]:
    """The contested offers, and those of takers who can have all of theirs; `rest` loses what these explain."""
    waiting, taken = list(range(len(offers))), set[int]()
    while True:
        left = frozenset[Atom]().union(*rest)
        waiting = [n for n in waiting if takers[offers[n].taker].asked or not left.isdisjoint(offers[n].atoms)]
        many = Counter(offers[n].taker for n in waiting)
        spots = Counter(offers[n].spot for n in waiting if offers[n].spot is not None)
        bound = {offers[n].taker for n in waiting if spots[offers[n].spot] > 1}
        free = {taker for taker in many if many[taker] <= takers[taker].most and taker not in bound}
        if not free:
            return waiting, taken
        new = [n for n in waiting if offers[n].taker in free]
        taken |= set(new)
        waiting = [n for n in waiting if offers[n].taker not in free]
        gone = frozenset[Atom]().union(*(offers[n].atoms for n in new))
        rest[:] = [unit - gone for unit in rest]


def _settled_cost(
    takers: Sequence[Taker], offers: Sequence[Offer], taken: Collection[int], closed: Sequence[frozenset[Atom]]
) -> Cost:
    """What takers miss who wait for nothing more, and what is left of units that nobody else may take."""
    got = Counter(offers[n].taker for n in taken)
    missing = sum(max(0, taker.fewest - got[number]) for number, taker in enumerate(takers))
    given = sum(takers[offers[n].taker].asked for n in taken)
    left = [len(unit) for unit in closed if unit]
    return missing, -given, len(left), sum(left)


def _places(offer: Offer, units: Iterable[int]) -> Iterator[Hashable]:
    yield from (("unit", unit) for unit in units)
    if offer.spot is not None:
        yield "spot", offer.spot


def _connected(numbers: Sequence[int], keys_of: Callable[[int], Iterable[Hashable]]) -> list[list[int]]:
    """The numbers in groups that share keys, directly or through others; in the order of their first ones."""
    at: dict[Hashable, list[int]] = {}
    for number in numbers:
        for key in keys_of(number):
            at.setdefault(key, []).append(number)
    out: list[list[int]] = []
    seen: set[int] = set()
    for first in numbers:
        if first in seen:
            continue
        seen.add(first)
        group = [first]
        for number in group:
            for key in keys_of(number):
                new = [other for other in at.pop(key, ()) if other not in seen]
                seen.update(new)
                group += new
        out.append(sorted(group))
    return out


def _options(
    item: Sequence[int],
    takers: Sequence[Taker],
    offers: Sequence[Offer],
    rest: Sequence[frozenset[Atom]],
    units_of: Mapping[int, Iterable[int]],
    budget: CountedBudget,
) -> list[_Option]:
    """The ways to take up what is offered of one item, of those that use the same takers the best; first ones first."""
    spots: dict[Hashable, list[int | None]] = {}
    for n in item:
        spots.setdefault(n if offers[n].spot is None else offers[n].spot, []).append(n)
    choices = [[*numbers, None] for numbers in spots.values()]
    budget.spend(nodes=prod(map(len, choices)))
    units = [rest[unit] for unit in dict.fromkeys(unit for n in item for unit in units_of[n])]
    found: dict[tuple[tuple[int, int], ...], _Option] = {}
    for choice in product(*choices):
        taken = tuple(n for n in choice if n is not None)
        gone = frozenset[Atom]().union(*(offers[n].atoms for n in taken))
        left = [size for unit in units if (size := len(unit - gone))]
        given = sum(takers[offers[n].taker].asked for n in taken)
        uses = tuple(sorted(Counter(offers[n].taker for n in taken).items()))
        option = _Option(uses, taken, (0, -given, len(left), sum(left)))
        if uses not in found or option.cost < found[uses].cost:
            found[uses] = option
    return list(found.values())


def _best(
    items: Sequence[Sequence[_Option]], takers: Sequence[Taker], used: Sequence[int], budget: CountedBudget
) -> Shared:
    """The best way to choose an option for each item. `used`: the takers that they use."""
    place = {taker: number for number, taker in enumerate(used)}
    most = [takers[taker].most for taker in used]
    layers: list[dict[_State, dict[int, _State]]] = []
    states: Collection[_State] = [(0,) * len(used)]
    for options in items:
        budget.spend(nodes=len(states) * len(options))
        layers.append({state: dict(_next(state, options, place, most)) for state in states})
        states = {after: None for steps in layers[-1].values() for after in steps.values()}
    worth = {state: _final(state, [takers[taker].fewest for taker in used]) for state in states}
    chosen: list[dict[_State, int]] = []
    for options, layer in zip(reversed(items), reversed(layers), strict=True):
        later, worth = worth, dict[_State, Cost]()
        best = dict[_State, int]()
        for state, steps in layer.items():
            costs = {number: _sum(options[number].cost, later[after]) for number, after in steps.items()}
            best[state] = min(costs, key=costs.__getitem__)
            worth[state] = costs[best[state]]
        chosen.append(best)
    state = (0,) * len(used)
    cost = worth[state]
    taken: list[int] = []
    for options, layer, best in zip(items, layers, reversed(chosen), strict=True):
        taken += options[best[state]].taken
        state = layer[state][best[state]]
    return Shared(frozenset(taken), cost)


def _next(
    state: _State, options: Sequence[_Option], place: Mapping[int, int], most: Sequence[int]
) -> Iterator[tuple[int, _State]]:
    """Each option that the takers have room for, by its number, and how much they have then. None is always one."""
    for number, option in enumerate(options):
        have = list(state)
        for taker, count in option.uses:
            have[place[taker]] += count
        if all(got <= limit for got, limit in zip(have, most, strict=True)):
            yield number, tuple(have)


def _final(state: _State, fewest: Sequence[int]) -> Cost:
    return sum(max(0, wanted - got) for got, wanted in zip(state, fewest, strict=True)), 0, 0, 0


def _sum(one: Cost, other: Cost) -> Cost:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]
