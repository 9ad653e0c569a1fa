"""Semantics 1 to 5: the leaf view, the op of a leaf, the identity of rows, the side of `where`, typed values."""

import pathlib

import pytest
from tests.judging.kit import TABLES, allow, case, change, database, finding, judged, left, seen, source, unread

from exactchange.diff import diff_values
from exactchange.values import ABSENT, State, Value

NEW: list[tuple[State, State]] = [
    ({"a": {}}, {"a": {"b": 30}}),
    ({}, {"a": {"b": 30}}),
    (ABSENT, {"a": {"b": 30}}),
    ({"a": None}, {"a": {"b": 30}}),
    ({"a": "off"}, {"a": {"b": 30}}),
    ({"a": [1]}, {"a": {"b": 30}}),
]


@pytest.mark.parametrize(("before", "after"), NEW)
def test_a_leaf_is_met_in_a_new_key_a_new_section_and_a_new_file_alike(before: State, after: State) -> None:
    run = case(source("s", [before, after]))
    assert finding(judged(run, change("a.b", to=30)), "must").holds is True
    assert finding(judged(run, change("a.b", to=30, op="added")), "must").holds is True
    assert finding(judged(run, change("a.b", to=31)), "must").holds is False


GONE: list[tuple[State, State]] = [
    ({"a": {"b": True, "c": 1}}, {"a": {"c": 1}}),
    ({"a": {"b": True}}, {}),
    ({"a": {"b": True}}, ABSENT),
    ({"a": {"b": True}}, {"a": None}),
    ({"a": {"b": True}}, {"a": "off"}),
    ({"a": {"b": True}}, {"a": []}),
    ({"a": {"b": True}}, {"a": [{"b": True}]}),
    ({"a": {"b": True}}, "off"),
]


@pytest.mark.parametrize(("before", "after"), GONE)
def test_a_veto_on_a_leaf_fires_when_what_it_stands_in_goes_or_gives_way(before: State, after: State) -> None:
    run = case(source("s", [before, after]))
    for rule in (
        change("a.*", to={"not": True}),
        change("a.b", op="removed"),
        change("a.b", from_=True),
        change("**.b"),
    ):
        assert judged(run, change("x"), veto=[rule]).outcome == "vetoed"


def test_a_container_is_explained_when_all_its_leaves_are() -> None:
    run = case(source("s", [{}, {"a": {"b": 1, "c": {"d": 2}}}]))
    assert judged(run, change("a.b"), change("a.c.d")).outcome == "passed"
    assert judged(run, change("a")).outcome == "passed"
    assert left(judged(run, change("a.b"))) == ["a.c.d"]
    assert left(judged(run, change("a.c"))) == ["a.b"]


def test_what_gave_way_to_something_else_is_explained_as_a_whole_or_leaf_by_leaf() -> None:
    run = case(source("s", [{"a": {"b": 1, "c": 2}}, {"a": "off"}]))
    assert judged(run, change("a", to="off")).outcome == "passed"
    assert left(judged(run, change("a.b", op="removed"))) == ["a", "a.c"]
    run = case(source("s", [{"a": {"b": 1}}, {"a": [7]}]))
    assert left(judged(run, change("a.b", op="removed"))) == ["a[0]"]
    assert judged(run, change("a.b", op="removed"), change("a[0]", to=7)).outcome == "passed"


def test_an_empty_container_is_a_leaf() -> None:
    empties: list[Value] = [{}, []]
    for empty in empties:
        run = case(source("s", [{}, {"a": empty}]))
        assert left(judged(run, change("x"))) == ["a"]
        assert judged(run, change("a", to={"exactly": empty})).outcome == "passed"
        run = case(source("s", [{"a": empty}, {"a": {"b": 1}}]))
        assert left(judged(run, change("x"))) == (["a.b"] if isinstance(empty, dict) else ["a", "a.b"])


OPS: list[tuple[State, State, str]] = [
    ({}, {"a": 1}, "added"), ({"a": 1}, {}, "removed"), ({"a": 1}, {"a": 2}, "modified"), ({}, {"a": None}, "added"),
    ({"a": None}, {}, "removed"), ({"a": None}, {"a": 1}, "modified"), ({"a": 1}, {"a": None}, "modified"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "op"), OPS)
def test_the_op_of_a_leaf_tells_on_which_sides_a_value_stands(before: State, after: State, op: str) -> None:
    run = case(source("s", [before, after]))
    for name in ("added", "removed", "modified"):
        assert finding(judged(run, change("a", op=name)), "must").holds is (name == op)
    assert finding(judged(run, change("a")), "must").holds is True


def test_null_is_a_value_and_never_absent() -> None:
    cleared, deleted = case(source("s", [{"a": 1}, {"a": None}])), case(source("s", [{"a": 1}, {}]))
    assert judged(cleared, change("a", to=None)).outcome == "passed"
    assert judged(deleted, change("a", to=None)).outcome == "unmet"
    assert judged(deleted, change("a", to={"absent": True})).outcome == "passed"
    assert judged(cleared, change("a", to={"absent": True})).outcome == "unmet"
    assert judged(case(source("s", [{}, {"a": 1}])), change("a", from_={"absent": True}, to=1)).outcome == "passed"
    assert (
        judged(case(source("s", [{"a": None}, {"a": 1}])), change("a", from_={"absent": True}, to=1)).outcome == "unmet"
    )


SCHEMA = """
CREATE TABLE keyed (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE named (code TEXT UNIQUE, v INT);
CREATE TABLE loose (a TEXT, b INT);
INSERT INTO keyed VALUES (1, 'one'), (2, 'two');
INSERT INTO named VALUES ('x', 1), (NULL, 1), (NULL, 2);
INSERT INTO loose VALUES ('same', 1), ('same', 1);
"""


def test_rows_are_told_apart_by_primary_key_then_by_unique_columns_without_null_then_by_content(
    tmp_path: pathlib.Path,
) -> None:
    edits = """UPDATE keyed SET name = 'ONE' WHERE id = 1; UPDATE named SET v = 9 WHERE code = 'x';
    UPDATE named SET v = 8 WHERE code IS NULL AND v = 2; DELETE FROM loose WHERE rowid = 1;"""
    run = case(database("s", tmp_path, [SCHEMA, edits]))
    verdict = judged(run, change("keyed[id=1].name", from_="one", to="ONE"), change("named[code=x].v", from_=1, to=9))
    assert finding(verdict, "must", 0).holds is True
    assert finding(verdict, "must", 1).holds is True
    ops = [(item.op, item.path[0], str(item.path[1])[:1]) for item in verdict.unexplained]
    assert sorted(ops) == [("added", "named", "#"), ("removed", "loose", "#"), ("removed", "named", "#")]


def test_a_key_that_changes_is_a_row_removed_and_a_row_added(tmp_path: pathlib.Path) -> None:
    run = case(database("s", tmp_path, [SCHEMA, "UPDATE keyed SET id = 7 WHERE id = 2;"]))
    verdict = judged(run, change("keyed[id=2]", op="removed"), change("keyed[id=7]", op="added", row={"name": "two"}))
    assert verdict.outcome == "passed"


def test_where_is_read_before_for_what_was_removed_or_modified_and_after_for_what_was_added(
    tmp_path: pathlib.Path,
) -> None:
    start = "CREATE TABLE t (id INTEGER PRIMARY KEY, kind TEXT, n INT); INSERT INTO t VALUES (1,'old',1),(2,'old',1);"
    edit = """UPDATE t SET kind = 'new', n = 5 WHERE id = 1; DELETE FROM t WHERE id = 2;
    INSERT INTO t VALUES (3, 'new', 5);"""
    run = case(database("s", tmp_path, [start, edit]))

    def hit(op: str, kind: str) -> bool | None:
        rule: dict[str, Value] = {"in": "s", "table": "t", "where": {"kind": kind}, "op": op}
        if op == "modified":
            rule["column"] = "n"
        return finding(judged(run, {"change": {**rule, "rest": "any"}}), "must").holds

    assert [hit("modified", "old"), hit("modified", "new")] == [True, False]
    assert [hit("removed", "old"), hit("removed", "new")] == [True, False]
    assert [hit("added", "old"), hit("added", "new")] == [False, True]


def test_a_row_in_which_where_names_no_column_is_not_chosen() -> None:
    run = case(source("s", [{"t": {"id=1": {"id": 1, "n": 1}}}, {"t": {"id=1": {"id": 1, "n": 2}}}], kind=TABLES))
    rule: Value = {"in": "s", "table": "t", "where": {"kind": "x"}, "column": "n"}
    assert finding(judged(run, {"change": rule}), "must").holds is False


TYPED: list[tuple[Value, Value]] = [
    (30, "30"),
    (30, 30.0),
    (True, 1),
    ("true", True),
    (0.0, -0.0),
    (None, ""),
    ("a", b"a"),
]


@pytest.mark.parametrize(("wanted", "got"), TYPED)
def test_values_compare_with_type(wanted: Value, got: Value) -> None:
    run = case(source("s", [{"a": "x"}, {"a": got}]))
    assert judged(run, change("a", to={"exactly": wanted})).outcome == "unmet"
    assert judged(run, change("a", to={"exactly": got})).outcome == "passed"


def test_a_near_miss_says_the_wanted_and_the_found_value_with_type() -> None:
    verdict = judged(case(source("s", [{"a": 20}, {"a": "30"}])), change("a", to=30))
    (near,) = finding(verdict, "must").near
    assert (near.wanted, near.got) == ("to 30", '"30" (str)')
    assert finding(verdict, "must").why == "no such change; something near it did change"
    long = judged(case(source("s", [{"a": 20}, {"a": "x" * 5000}])), change("a", to=30))
    assert finding(long, "must").near[0].got == '"' + "x" * 199 + "… (5002 characters) (str)"
    gone = judged(case(source("s", [{"a": 20}, {}])), change("a", to=30))
    assert finding(gone, "must").near[0].got == "nothing"


def test_a_near_miss_of_a_row_names_the_column_that_does_not_fit() -> None:
    run = case(source("s", [{"t": {}}, {"t": {"id=1": {"id": 1, "a": 1, "b": 2}}}], kind=TABLES))
    verdict = judged(run, change("t[*]", op="added", row={"a": 1, "b": 3}))
    assert [(near.wanted, near.got) for near in finding(verdict, "must").near] == [("b: 3", "b: 2 (int)")]
    assert judged(run, change("t[*]", op="added", row={"a": 1, "c": None})).findings[0].near[0].got == "c: nothing"


def test_a_list_item_is_met_by_its_identity_and_its_move_is_a_change_without_values() -> None:
    jobs: list[Value] = [{"name": "a", "on": True}, {"name": "b", "on": True}]
    run = case(source("s", [{"jobs": jobs}, {"jobs": [{"name": "b", "on": False}, {"name": "a", "on": True}]}]))
    verdict = judged(run, change("jobs[name=b].on", from_=True, to=False))
    assert finding(verdict, "must").holds is True
    assert [(item.op, item.address) for item in verdict.unexplained] == [("moved", "jobs[name=a]")]
    assert judged(run, change("jobs[name=b].on"), allow=[allow("jobs[*]")]).outcome == "passed"
    assert judged(run, change("jobs[name=b].on"), allow=[allow("jobs[*]", to={"absent": False})]).outcome == "unmet"


def test_a_secret_that_changed_is_one_change_of_which_only_equality_is_known() -> None:
    run = case(source("s", [{"pw": {"@secret": "aa"}}, {"pw": {"@secret": "bb"}}]))
    assert judged(run, change("pw")).outcome == "passed"
    assert judged(run, change("pw", to="hunter2")).outcome == "undecided"
    assert judged(run, change("x"), veto=[change("pw", to={"not": "hunter2"})]).outcome == "unmet"

    assert left(judged(run, change("x"))) == ["pw"]


def test_what_could_not_be_read_is_no_change_and_is_never_lost() -> None:
    before, after = seen({"a": 1, "b": 1}), seen({"a": 2, "b": 1}, unread("a"))
    verdict = judged(case(source("s", [before, after])), change("b", to=2))
    assert left(verdict) == []
    assert [(name, item.address) for name, item in verdict.unread] == [("s", "a")]


def test_an_unread_item_of_a_list_hides_itself_and_not_its_neighbours() -> None:
    old: Value = {"jobs": [{"id": 1, "on": True}, {"id": 2, "on": True}]}
    new: Value = {"jobs": [{"id": 1, "on": False}, {"id": 2, "on": False}]}
    verdict = judged(case(source("s", [old, seen(new, unread("jobs", "id=1", "on"))])), change("x"))
    assert left(verdict) == ["jobs[id=2].on"]
    assert [item.address for _, item in verdict.unread] == ["jobs.id=1.on"]
    verdict = judged(case(source("s", [old, seen(new, unread("jobs", "id=1"))])), change("x"))
    assert left(verdict) == ["jobs[id=2].on"]


def test_an_unread_position_of_a_list_makes_the_list_unread() -> None:
    verdict = judged(case(source("s", [{"l": [1, 2, 3]}, seen({"l": [5, 2]}, unread("l", 1))])), change("l[0]", to=5))
    assert verdict.outcome == "undecided"
    assert [item.address for _, item in verdict.unread] == ["l"]


LOOKED: list[tuple[dict[str, object], State, State, list[str]]] = [
    ({"only": ["a"]}, {"a": 1, "b": 1}, {"a": 2, "b": 2}, ["a"]),
    ({"only": ["a.b"]}, {"a": {"b": 1, "c": 1}}, {}, ["a.b"]),
    ({"only": ["a.b"]}, {}, {"a": {"b": 1, "c": 1}}, ["a.b"]),
    ({"only": ["a.b"]}, {}, {"a": {"c": 1}}, []),
    ({"only": ["a.b"]}, {"a": {"c": 1}}, {}, []),
    ({"only": ["**.b"]}, {}, {"a": {"x": {"b": 1}, "c": 1}}, ["a.x.b"]),
    ({"except": ["a.b"]}, {}, {"a": {"b": 1, "c": 1}}, ["a.c"]),
    ({"except": ["a.b"]}, {}, {"a": {"b": 1}}, []),
    ({"except": ["a"]}, {"a": {"b": 1}, "c": 1}, {"a": {"b": 2}, "c": 2}, ["c"]),
    ({"except": ["a.*"]}, {"a": {"b": 1}}, {"a": {"b": 2}}, []),
    ({"except": ["l[*].t"]}, {"l": []}, {"l": [{"id": 1, "t": 5, "v": 1}]}, ["l[id=1].id", "l[id=1].v"]),
    ({"except": ["l[1]"]}, {}, {"l": [5, 6, 7]}, ["l[0]", "l[1]"]),
    ({"only": ["a"], "except": ["a.b"]}, {}, {"a": {"b": 1, "c": 1}, "d": 1}, ["a.c"]),
    ({"only": ["a.b"]}, {"a": 1}, {"a": 2}, ["a"]),
    ({"except": ["a"]}, ABSENT, {"a": 1, "b": 1}, ["b"]),
    ({"except": ["a"]}, ABSENT, {"a": 1}, [""]),
]  # fmt: skip


@pytest.mark.parametrize(("limits", "before", "after", "expected"), LOOKED)
def test_only_and_except_reach_into_what_came_or_went_as_a_whole(
    limits: dict[str, object], before: State, after: State, expected: list[str]
) -> None:
    verdict = judged(case(source("s", [before, after], params=limits)), change("nothing"))
    assert left(verdict) == expected


def test_a_diff_of_values_speaks_of_the_same_addresses_as_a_verdict() -> None:
    before: Value = {"a": {"b": 1}, "l": [{"id": 7, "v": 1}]}
    after: Value = {"a": {"b": 2}, "l": [{"id": 7, "v": 2}]}
    verdict = judged(case(source("s", [before, after])), change("x"))
    assert left(verdict) == [item.address for item in diff_values(before, after).changes] == ["a.b", "l[id=7].v"]


BUILD: Value = {"name": "build", "on": True}
DEPLOY: Value = {"name": "deploy", "on": True}
OFF: Value = {"name": "build", "on": False}
EVASIONS: list[tuple[list[Value], list[Value]]] = [
    ([BUILD, DEPLOY], [OFF, DEPLOY]),
    ([BUILD, DEPLOY], [OFF, DEPLOY, {}]),
    ([BUILD, DEPLOY], [OFF, DEPLOY, "x"]),
    ([BUILD, DEPLOY], [OFF, DEPLOY, {"name": "build", "on": True}]),
    ([BUILD, DEPLOY], [{"id": 1, "name": "build", "on": False}, {"id": 2, "name": "deploy", "on": True}]),
    ([BUILD, DEPLOY], [{"name": 5, "on": True}, OFF]),
    ([BUILD, DEPLOY], [{"name": "deploy", "on": True}, OFF, None]),
]


@pytest.mark.parametrize(("before", "after"), EVASIONS)
def test_a_rule_on_an_item_still_means_it_when_others_make_the_list_lose_its_identities(
    before: list[Value], after: list[Value]
) -> None:
    run = case(source("s", [{"jobs": before}, {"jobs": after}]))
    verdict = judged(run, change("x"), veto=[change("jobs[name=build].on", to={"not": True})])
    assert verdict.outcome == "vetoed"
    assert judged(run, change("x"), veto=[change("jobs[name=test].on")]).outcome == "unmet"


def test_a_rule_on_a_nested_item_means_it_in_a_list_of_positions_too() -> None:
    old: Value = {"a": [{"k": [{"id": 1, "v": 1}]}, 5]}
    new: Value = {"a": [{"k": [{"id": 1, "v": 2}, {}]}, 5]}
    run = case(source("s", [old, new]))
    assert finding(judged(run, change("a[0].k[id=1].v", to=2)), "must").holds is True
    assert finding(judged(run, change("a[0].k[id=2].v", to=2)), "must").holds is False
