"""Changes are shared out so that the musts get the most and then the fewest are left: against every way there is."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.conditions import Atom
from exactchange.errors import OverBudget
from exactchange.judging.sharing import MOST_STEPS, Cost, Offer, Taker, share
from exactchange.limits import CountedBudget

WIDTHS = {"a": 3, "b": 2, "c": 1}
ROWS = {row: frozenset(("s", (row, column), False) for column in "xyz"[:width]) for row, width in WIDTHS.items()}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Taker], list[Offer]]:
    """A few takers, and offers of rows, of a part of one, or of two together."""
    takers: list[Taker] = []
    for _ in range(draw(st.integers(1, 3))):
        fewest = draw(st.integers(0, 2))
        asked = draw(st.booleans())
        takers.append(Taker(draw(st.integers(max(1, fewest), 3)), fewest if asked else 0, asked))
    offers: list[Offer] = []
    known: set[tuple[int, str]] = set()
    for _ in range(draw(st.integers(0, 7))):
        taker, row = draw(st.integers(0, len(takers) - 1)), draw(st.sampled_from("abc"))
        if (taker, row) in known:
            continue
        known.add((taker, row))
        rows = {row, *draw(st.sets(st.sampled_from("abc"), max_size=1))}
        atoms = sorted(atom for name in rows for atom in ROWS[name])
        part = frozenset(draw(st.sets(st.sampled_from(atoms))))
        offers.append(Offer(taker, part, ("s", (row,), False) if takers[taker].asked else None))
    return takers, offers


def cost(takers: Sequence[Taker], offers: Sequence[Offer], taken: Sequence[int]) -> Cost | None:
    """What a way costs; None where it is none, since a taker has too much or two musts have one thing."""
    got = Counter(offers[n].taker for n in taken)
    spots = Counter(offers[n].spot for n in taken if offers[n].spot is not None)
    if any(got[number] > taker.most for number, taker in enumerate(takers)) or any(n > 1 for n in spots.values()):
        return None
    gone = frozenset[Atom]().union(*(offers[n].atoms for n in taken))
    left = [len(row - gone) for row in ROWS.values() if row - gone]
    missing = sum(max(0, taker.fewest - got[number]) for number, taker in enumerate(takers))
    return missing, -sum(takers[offers[n].taker].asked for n in taken), len(left), sum(left)


@settings(max_examples=400, deadline=None)
@given(worlds())
def test_no_other_way_to_share_out_is_better(world: tuple[list[Taker], list[Offer]]) -> None:
    takers, offers = world
    every = [taken for size in range(len(offers) + 1) for taken in combinations(range(len(offers)), size)]
    found = share(takers, offers, ROWS.values(), budget=CountedBudget(max_nodes=MOST_STEPS))
    costs = [price for taken in every if (price := cost(takers, offers, taken)) is not None]
    assert found.cost == min(costs)
    assert cost(takers, offers, sorted(found.taken)) == found.cost
    assert found == share(takers, offers, ROWS.values(), budget=CountedBudget(max_nodes=MOST_STEPS))


def test_of_equal_ways_the_first_taker_has_the_first_offer() -> None:
    rows = [Offer(taker, ROWS[row]) for taker in (0, 1) for row in ("a", "b", "c")]
    same = [frozenset({("s", (row,), False)}) for row in "abc"]
    offers = [Offer(offer.taker, same[number % 3]) for number, offer in enumerate(rows)]
    found = share([Taker(1), Taker(1)], offers, same, budget=CountedBudget(max_nodes=MOST_STEPS))
    assert found.taken == {0, 4}


def test_what_takes_more_steps_than_there_may_be_is_over_budget() -> None:
    offers = [Offer(taker, ROWS["a"], ("s", (n,), False)) for taker in (0, 1) for n in range(9)]
    musts = [Taker(4, 4, asked=True)] * 2
    with pytest.raises(OverBudget):
        share(musts, offers, ROWS.values(), budget=CountedBudget(max_nodes=100))
    assert share(musts, offers, ROWS.values(), budget=CountedBudget(max_nodes=MOST_STEPS)).cost[:2] == (0, -8)


def test_many_that_nobody_else_may_take_cost_no_step() -> None:
    rows = [frozenset({("s", (n,), False)}) for n in range(3_000)]
    offers = [Offer(0, row) for row in rows]
    assert share([Taker(3_000)], offers, rows, budget=CountedBudget(max_nodes=0)).cost == (0, 0, 0, 0)
    spots = [Offer(0, row, ("s", (number,), False)) for number, row in enumerate(rows)]
    musts = [Taker(3_000, 3_000, asked=True)]
    assert share(musts, spots, rows, budget=CountedBudget(max_nodes=0)).cost == (0, -3_000, 0, 0)
    assert share([Taker(1)], offers, [], budget=CountedBudget(max_nodes=0)).taken == frozenset()  # nothing is left
