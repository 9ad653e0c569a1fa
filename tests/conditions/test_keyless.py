"""Rows without a key: which rules nobody can tell of them, and what they are told of it."""

from collections.abc import Mapping

import pytest
from tests.judging.kit import TABLES, Data, allow, case, change, finding, judged, source

from exactchange.conditions import Condition, Evaluation, Result
from exactchange.conditions.keyless import asks_for_modification
from exactchange.conditions.patterns import hits
from exactchange.conditions.place import Pattern
from exactchange.values import State, Value
from exactchange.verdict import Truth

Row = Mapping[str, Value]


def table(**tables: Mapping[int, Row]) -> State:
    return {name: {f"#{number}": dict(row) for number, row in rows.items()} for name, rows in tables.items()}


def found(before: State, after: State, rule: Data) -> Result:
    run = case(source("s", [before, after], kind=TABLES))
    return Condition.model_validate(rule).check(Evaluation(run), tier="bonus")


def column(name: str, where: Data, **more: Value) -> Data:
    return {"change": {"in": "s", "table": "t", "where": where, "column": name, **more}}


ASKING: list[tuple[Data, bool]] = [
    ({"op": "modified"}, True), ({"op": "modified", "to": 2}, True), ({"from": 1, "to": 2}, True),
    ({"from": 1}, False), ({"to": 2}, False), ({}, False), ({"op": "added"}, False), ({"op": "removed"}, False),
    ({"op": "added", "from": 1, "to": 2}, False), ({"row": {"v": 1}}, False),
    ({"row": {"v": 1}, "from": 1, "to": 2}, False),
]  # fmt: skip


@pytest.mark.parametrize(("more", "expected"), ASKING)
def test_only_what_was_there_before_and_after_is_modified(more: Data, expected: bool) -> None:
    pattern = Pattern.model_validate({"in": "s", "at": "t[*].v", **more})
    assert asks_for_modification(pattern) is expected


TWO_BECAME_ONE = (
    table(t={1: {"v": 1, "k": "a"}, 2: {"v": 1, "k": "b"}}),
    table(t={3: {"v": 2, "k": "a"}}),
)
TOLD: list[tuple[Data, Truth, list[tuple[str, Value, Value]]]] = [
    (change("t[*].v", op="modified"), None, [("t[#3].v", 1, 2)]),
    (change("t[*].v", from_=1, to=2), None, [("t[#3].v", 1, 2)]),
    (change("t[*].v", op="modified", count=1), None, [("t[#3].v", 1, 2)]),
    (change("t[*].v", op="modified", count=2), False, [("t[#3].v", 1, 2)]),
    (change("t[*].v", to=2, count=1), True, [("t[#3].v", None, 2)]),
    (change("t[*].v", from_=1, count=2), True, [("t[#1].v", 1, None), ("t[#2].v", 1, None)]),
    (change("t[*].v", op="modified", to=3), False, []),
    (change("t[*].v", op="modified", from_=9), False, []),
    (change("u[*].v", op="modified"), False, []),
    (change("t[*].w", op="modified"), False, []),
    (change("t[*].k", op="modified"), None, [("t[#3].k", "b", "a")]),
    (change("t[*].k", op="modified", to="b"), False, []),
    (change("t[*].k", op="modified", from_="b", to="a"), None, [("t[#3].k", "b", "a")]),
    (change("t[*].k", op="modified", from_="a"), False, []),
    (column("v", {"k": "a"}, op="modified"), None, [("t[#3].v", 1, 2)]),
    (column("v", {"k": "z"}, op="modified"), False, []),
    (column("k", {"k": "b"}, op="modified"), None, [("t[#3].k", "b", "a")]),
    (column("k", {"k": "a"}, op="modified"), False, []),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "truth", "shown"), TOLD)
def test_a_row_that_came_may_be_any_that_went_and_whose_column_held_something_else(
    rule: Data, truth: Truth, shown: list[tuple[str, Value, Value]]
) -> None:
    result = found(*TWO_BECAME_ONE, rule)
    items = [(item["address"], item.get("before"), item.get("after")) for item in result.evidence]
    assert (result.truth, items) == (truth, shown)
    assert truth or all(item["op"] == "modified" for item in result.evidence)


def test_it_is_said_which_row_cannot_be_told_and_how_the_task_can_help() -> None:
    why = found(*TWO_BECAME_ONE, change("t[*].v", op="modified")).why
    assert why.startswith("s: rows without a key come and go, so whether t[#3] is one that was modified cannot be told")
    assert "name the `key:` of the source" in why


V: dict[str, Value] = {"v": 1}
ELSEWHERE: list[tuple[State, State, Truth]] = [
    (table(t={1: V}), table(t={}), False),  # it went and none came
    (table(t={}), table(t={1: V}), False),  # it came and none went
    (table(t={}, u={1: V}), table(t={2: {"v": 2}}, u={}), False),  # it went from another table
    (table(t={1: V}, u={}), table(t={}, u={2: {"v": 2}}), False),
    (table(t={1: V}, u={3: V}), table(t={4: {"v": 2}}, u={2: {"v": 2}}), None),
    (table(u={3: V}, t={1: V}), table(u={2: {"v": 2}}, t={4: {"v": 2}}), None),
    (table(t={1: {"w": 1}}), table(t={2: {"v": 2}}), False),  # it had no such column
    (table(t={1: {"w": 1}, 3: V}), table(t={2: {"v": 2}}), None),
    (table(t={1: V}), table(t={2: {"v": 1.0}}), None),  # another type is another value
    (table(t={1: V, 2: {"v": 5}}), table(t={3: {"v": 1}}), None),  # it may be the one that held 5
    (table(t={1: V, 2: V, 4: {"v": 5}}), table(t={3: {"v": 1}}), None),
    ({"t": {"id=1": {"id": 1, "v": 1}}}, {"t": {"id=2": {"id": 2, "v": 2}}}, False),  # a key tells them apart
    ({"t": {"#1": 5}}, {"t": {"#2": {"v": 2}}}, False),  # what is no row has no columns
    ({"t": {"#1": 5, "#3": V}}, {"t": {"#2": {"v": 2}}}, None),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "truth"), ELSEWHERE)
def test_only_a_row_that_went_from_the_same_table_can_have_become_another(
    before: State, after: State, truth: Truth
) -> None:
    assert found(before, after, change("t[*].v", op="modified")).truth is truth


def test_what_only_looks_like_a_row_without_a_key_is_known_by_its_name() -> None:
    before: State = {"t": {"#1": {"v": 1}}}
    run = case(source("s", [before, {"t": {"#2": {"v": 2}}}]))
    result = Condition.model_validate(change("t.*.v", op="modified")).check(Evaluation(run), tier="bonus")
    assert result.truth is False


def test_where_chooses_none_that_has_no_columns() -> None:
    assert found({"t": {"#1": 5}}, table(t={2: V}), column("v", {"v": 5}, op="modified")).truth is False


def test_the_first_of_them_stands_for_the_rows_that_came_and_went() -> None:
    before = table(t={1: {"v": 1, "w": 1}, 2: {"v": 1, "w": 1}})
    after = table(t={3: {"v": 2, "w": 2}, 4: {"v": 2, "w": 1}})
    evaluation = Evaluation(case(source("s", [before, after], kind=TABLES)))
    pattern = Pattern.model_validate({"in": "s", "at": "t[*].*", "op": "modified"})
    units = [[unit.change.address for unit in hit.units] for hit in hits(pattern, evaluation, 0, 1)]
    assert units == [["t[#3].v", "t[#3]", "t[#1]", "t[#2]"], ["t[#3].w"], ["t[#4].v", "t[#4]"]]


def test_of_several_rows_that_came_each_may_be_the_one() -> None:
    before = table(t={1: {"v": 1, "w": 1}, 2: {"v": 5, "w": 1}, 3: {"v": 6, "w": 1}})
    after = table(t={4: {"v": 2, "w": 2}, 5: {"v": 3, "w": 2}})
    for count, truth in ((1, None), (2, None), (3, False)):
        assert found(before, after, change("t[*].v", op="modified", count=count)).truth is truth
    shown = found(before, after, change("t[*].v", op="modified", count=1)).evidence
    assert [(item["address"], item["before"], item["after"]) for item in shown] == [
        ("t[#4].v", 1, 2), ("t[#5].v", 1, 3),
    ]  # fmt: skip


def test_of_a_row_that_may_have_been_modified_every_column_may_have_been() -> None:
    """A veto on four changes was not crossed by two rows without a key, of which two columns each had changed."""
    before = table(t={1: {"v": 1, "w": 1, "x": 1}, 2: {"v": 1, "w": 1, "x": 1}})
    after = table(t={3: {"v": 2, "w": 2, "x": 1}, 4: {"v": 2, "w": 2, "x": 1}})
    for at in ("t[*].*", "t[*]", "t"):
        for count, truth in ((1, None), (4, None), (5, False)):
            result = found(before, after, change(at, op="modified", count={"ge": count}))
            assert result.truth is truth, (at, count)
    shown = found(before, after, change("t[*].*", op="modified", count=4)).evidence
    assert [item["address"] for item in shown] == ["t[#3].v", "t[#3].w", "t[#4].v", "t[#4].w"]
    run = case(source("s", [before, after], kind=TABLES))
    rule = change("t", op="modified", count={"ge": 3})
    asked = change("t[*]", op="added", rest="any", count={"ge": 1})
    verdict = judged(run, asked, veto=[rule], allow=[allow("t[*]")])
    assert (verdict.outcome, finding(verdict, "veto").holds) == ("undecided", None)
    must = judged(run, change("t", op="modified", count=4))
    assert (must.outcome, finding(must, "must").holds) == ("undecided", None)
