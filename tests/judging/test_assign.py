"""Semantics 7: the assignment of changes to musts, against every assignment that there is."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judging.kit import Data, act, case, change, source

from exactchange.conditions import Condition, Evaluation
from exactchange.judging import assign as assigning
from exactchange.judging.assign import Assignment, Demand, assign
from exactchange.judging.demands import demand_of
from exactchange.values import Value, canonical_bytes

SPOTS = 4


def demands(states: Sequence[Value], *rules: Data) -> list[Demand]:
    evaluation = Evaluation(case(source("s", states), actions=[act("click", 1)]))
    found = [demand_of(Condition.model_validate(rule), evaluation, frozenset()) for rule in rules]
    return [demand for demand in found if demand is not None]


def given_to(assignment: Assignment) -> list[list[str]]:
    return [[hit.unit.change.address for hit in hits] for hits in assignment.given]


@st.composite
def wants(draw: st.DrawFn) -> tuple[set[int], int, int]:
    """Which of the changes fit, and how many at least and at most."""
    fewest = draw(st.integers(0, 2))
    return draw(st.sets(st.integers(0, SPOTS - 1))), fewest, draw(st.integers(max(fewest, 1), 3))


def best(wanted: Sequence[tuple[set[int], int, int]]) -> tuple[int, int]:
    """The fewest that can be missing, and the most that can be given then, by trying everything."""
    found: list[tuple[int, int]] = []
    for owners in product([None, *range(len(wanted))], repeat=SPOTS):
        have = [[spot for spot, owner in enumerate(owners) if owner == number] for number in range(len(wanted))]
        pairs = list(zip(have, wanted, strict=True))
        if all(set(got) <= fits and len(got) <= most for got, (fits, _, most) in pairs):
            missing = sum(max(0, fewest - len(got)) for got, (_, fewest, _) in pairs)
            found.append((missing, -sum(map(len, have))))
    missing, negative = min(found)
    return missing, -negative


@settings(max_examples=100, deadline=None)
@given(st.lists(wants(), min_size=1, max_size=3))
def test_the_fewest_are_missing_and_then_the_most_are_given(wanted: list[tuple[set[int], int, int]]) -> None:
    rules = [
        change("*", to={"one_of": [10 + spot for spot in sorted(fits)] or [0]}, count={"ge": fewest, "le": most})
        for fits, fewest, most in wanted
    ]
    states: list[Value] = [{f"k{n}": 0 for n in range(SPOTS)}, {f"k{n}": 10 + n for n in range(SPOTS)}]
    found = demands(states, *rules)
    assignment = assign(found)
    assert (assignment.missing(found), assignment.total()) == best(wanted)
    for hits, (fits, _, most) in zip(given_to(assignment), wanted, strict=True):
        assert {int(name[1:]) for name in hits} <= fits
        assert len(hits) <= most
    assert len(assignment.spots) == assignment.total()
    assert assign(found) == assignment
    assert not assignment.exhausted


TWO: list[Value] = [{"a": 1, "b": 1}, {"a": 2, "b": 2}]


def test_of_equal_assignments_the_first_by_the_tasks_order_then_by_address_is_taken() -> None:
    assert given_to(assign(demands(TWO, change("*"), change("*")))) == [["a"], ["b"]]
    assert given_to(assign(demands(TWO, change("*"), change("a")))) == [["b"], ["a"]]
    assert given_to(assign(demands(TWO, change("*", count={"ge": 1}), change("*", count={"le": 2})))) == [
        ["a", "b"],
        [],
    ]


def test_a_demand_has_room_for_what_it_takes_at_most() -> None:
    counts: list[Value] = [1, {"ge": 1}, {"le": 5}, {"ge": 1, "le": 1}]
    assert [demand.room for count in counts for demand in demands(TWO, change("*", count=count))] == [1, 2, 2, 1]


PAIRS: list[Value] = [{}, {"x": {"a": 1, "b": 2}, "y": {"a": 2, "b": 2}, "z": {"a": 1, "b": 1}}]


def test_a_name_stands_for_one_value_in_all_demands_and_is_told() -> None:
    found = demands(PAIRS, change("*.a", to={"same": "n"}), change("*.b", to={"same": "n"}, count=2))
    assignment = assign(found)
    assert given_to(assignment) == [["y.a"], ["x.b", "y.b"]]
    assert assignment.names == {"n": canonical_bytes(2)}
    assert assignment.missing(found) == 0


def test_names_are_tried_until_one_leaves_the_fewest_missing() -> None:
    found = demands(PAIRS, change("*.a", to={"same": "n"}, count=3), change("*.b", to={"same": "n"}, count=3))
    assert (assign(found).missing(found), assign(found).total()) == (3, 3)


def test_of_names_that_leave_nothing_missing_the_one_that_gives_most_is_taken() -> None:
    pairs: list[Value] = [{}, {"x": {"a": 1, "b": 1}, "y": {"a": 2, "b": 2}, "z": {"a": 2, "b": 2}}]
    some: Value = {"ge": 1}
    found = demands(pairs, change("*.a", to={"same": "n"}, count=some), change("*.b", to={"same": "n"}, count=some))
    assert given_to(assign(found)) == [["y.a", "z.a"], ["y.b", "z.b"]]
    assert assign(found).names == {"n": canonical_bytes(2)}
    turned: list[Value] = [{}, {"x": {"a": 2, "b": 2}, "y": {"a": 2, "b": 2}, "z": {"a": 1, "b": 1}}]
    found = demands(turned, change("*.a", to={"same": "n"}, count=some), change("*.b", to={"same": "n"}, count=some))
    assert given_to(assign(found)) == [["x.a", "y.a"], ["x.b", "y.b"]]


def test_of_names_that_give_as_much_the_first_is_taken() -> None:
    pairs: list[Value] = [{}, {"x": {"a": 1, "b": 1}, "y": {"a": 2, "b": 2}}]
    found = demands(pairs, change("*.a", to={"same": "n"}, count={"ge": 1}), change("*.b", to={"same": "n"}))
    assert given_to(assign(found)) == [["x.a"], ["x.b"]]


@pytest.mark.parametrize(("most", "exhausted"), [(1, True), (2, False), (3, False)])
def test_beyond_a_counted_number_of_names_the_best_so_far_is_given_as_such(
    most: int, exhausted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assigning, "MOST_BINDINGS", most)
    found = demands(PAIRS, change("*.a", to={"same": "n"}), change("*.b", to={"same": "n"}, count=2))
    assignment = assign(found)
    assert (assignment.exhausted, assignment.missing(found)) == (exhausted, 1 if exhausted else 0)
    assert assigning.MOST_BINDINGS == most


def test_where_all_is_given_that_can_be_no_other_names_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assigning, "MOST_BINDINGS", 1)
    for count in (1, {"le": 1}):
        found = demands(PAIRS, change("*.a", to={"same": "n"}, count=count))
        assignment = assign(found)
        assert (assignment.exhausted, assignment.missing(found), assignment.total()) == (False, 0, 1)


def test_so_many_names_are_tried() -> None:
    assert assigning.MOST_BINDINGS == 2_000
