"""Counts in three-valued logic against every number that there may be, and evidence in bounded length."""

from itertools import product

import pytest

from exactchange.conditions.counting import MOST_EVIDENCE, Count, bounds, counted, shortened
from exactchange.conditions.place import Between
from exactchange.values import Value

BOUNDS: list[tuple[Count, tuple[int, int | None]]] = [
    (None, (1, None)), (0, (0, 0)), (3, (3, 3)), (Between(ge=2), (2, None)), (Between(le=2), (0, 2)),
    (Between(ge=1, le=4), (1, 4)), (Between(ge=0), (0, None)),
]  # fmt: skip


@pytest.mark.parametrize(("count", "expected"), BOUNDS)
def test_a_count_has_bounds(count: Count, expected: tuple[int, int | None]) -> None:
    assert bounds(count) == expected


@pytest.mark.parametrize("count", [count for count, _ in BOUNDS])
def test_a_count_is_told_where_every_number_that_there_may_be_says_the_same(count: Count) -> None:
    fewest, most = bounds(count)
    for sure, possible, more in product(range(6), range(4), (False, True)):
        numbers = range(sure, sure + possible + 1 + (20 if more else 0))
        fits = {fewest <= number and (most is None or number <= most) for number in numbers}
        expected = fits.pop() if len(fits) == 1 else None
        assert counted(sure, possible, count, more=more) is expected, (sure, possible, more)


@pytest.mark.parametrize("more", [0, 1, 5])
def test_the_first_items_of_evidence_are_shown_and_the_number_of_the_rest(more: int) -> None:
    items: list[dict[str, Value]] = [{"n": number} for number in range(MOST_EVIDENCE + more)]
    shown = shortened(items)
    assert list(shown[:MOST_EVIDENCE]) == items[:MOST_EVIDENCE]
    assert shown[MOST_EVIDENCE:] == (({"kind": "more", "count": more},) if more else ())


def test_so_much_is_shown() -> None:
    assert MOST_EVIDENCE == 20
