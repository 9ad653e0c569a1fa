"""Semantics 6 to 13: how many changes a must takes, what it explains, and what is left over."""

import pathlib
from collections.abc import Sequence

import pytest
from tests.judging.kit import (
    PLAIN,
    TABLES,
    Data,
    allow,
    case,
    change,
    database,
    finding,
    judged,
    left,
    seen,
    source,
    unread,
    value,
)

from exactchange.judging import BrokenTask
from exactchange.values import ABSENT, Value
from exactchange.verdict import Verdict

SHOP = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT, state TEXT DEFAULT 'draft', note TEXT, total INT AS (1));
CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INT REFERENCES orders(id) ON DELETE CASCADE, item TEXT);
CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT, at TEXT);
INSERT INTO orders (id, item, state) VALUES (1, 'ink', 'new'), (2, 'ink', 'new'), (3, 'pen', 'paid');
INSERT INTO lines VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
"""


def shop(folder: pathlib.Path, edit: str, *must: Data, **sections: Sequence[Data]) -> Verdict:
    return judged(case(database("s", folder, [SHOP, edit])), *must, sources=(), **sections)


def test_a_must_takes_one_change_and_further_ones_stay_unexplained() -> None:
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    verdict = judged(run, change("*", to=2))
    assert (verdict.outcome, finding(verdict, "must").holds, left(verdict)) == ("unmet", True, ["b"])
    assert judged(run, change("*", to=2, count=2)).outcome == "passed"
    verdict = judged(run, change("*", to=2, count=3))
    assert (finding(verdict, "must").why, left(verdict)) == ("only 2 of 3 such changes", [])


COUNTS: list[tuple[Value, int, str]] = [
    ({"ge": 1}, 0, "unmet"), ({"ge": 1}, 3, "passed"), ({"ge": 1, "le": 2}, 2, "passed"),
    ({"ge": 1, "le": 2}, 3, "unmet"), ({"le": 2}, 2, "passed"), ({"le": 2}, 3, "unmet"), ({"le": 2}, 0, "passed"),
    (0, 0, "passed"), (0, 1, "unmet"),
]  # fmt: skip


@pytest.mark.parametrize(("count", "changed", "outcome"), COUNTS)
def test_a_must_takes_as_many_changes_as_its_count_says(count: Value, changed: int, outcome: str) -> None:
    before: Value = {"go": 1, "t": dict.fromkeys("abc", 1)}
    after: Value = {"go": 2, "t": {name: 2 if number < changed else 1 for number, name in enumerate("abc")}}
    run = case(source("s", [before, after]))
    assert judged(run, change("go"), change("t.*", count=count)).outcome == outcome


def test_count_all_wants_a_change_at_every_place_that_was_selected_at_the_start(tmp_path: pathlib.Path) -> None:
    rule = change("orders[*].state", from_="new", to="paid", count="all")
    assert shop(tmp_path / "a", "UPDATE orders SET state = 'paid'", rule).outcome == "passed"
    verdict = shop(tmp_path / "b", "UPDATE orders SET state = 'paid' WHERE id = 1", rule)
    assert verdict.outcome == "unmet"
    assert finding(verdict, "must").why == "only 1 of 2 such changes; 1 place stayed as before"


@pytest.fixture(autouse=True)
def _folders(tmp_path: pathlib.Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()


def test_count_all_is_not_met_by_new_rows_in_place_of_the_old_ones(tmp_path: pathlib.Path) -> None:
    edit = (
        "DELETE FROM orders WHERE id < 3; INSERT INTO orders VALUES (7, 'ink', 'paid', NULL), (8, 'ink', 'paid', NULL);"
    )
    rule = change("orders[*].state", to="paid", count="all")
    verdict = shop(
        tmp_path,
        edit.replace("orders VALUES", "orders (id, item, state, note) VALUES"),
        rule,
        allow=[allow("**", rest="any")],
    )
    assert (verdict.outcome, finding(verdict, "must").holds) == ("unmet", False)


def test_count_all_that_selects_nothing_is_a_broken_task(tmp_path: pathlib.Path) -> None:
    with pytest.raises(BrokenTask, match="selects nothing at the start"):
        shop(tmp_path, "UPDATE orders SET state = 'x'", change("invoices[*].state", count="all"))
    with pytest.raises(BrokenTask):
        shop(tmp_path / "a", "UPDATE orders SET state = 'x'", change("orders[*].state", from_="lost", count="all"))


def test_count_all_of_what_was_unread_at_the_start_is_undecided() -> None:
    start = seen({"t": {}}, unread("t", "a"))
    verdict = judged(case(source("s", [start, {"t": {"a": 1}}])), change("t.*", count="all"))
    assert verdict.outcome == "undecided"
    with pytest.raises(BrokenTask):
        judged(case(source("s", [seen({"t": {}}, unread("u")), {"t": {"a": 1}}])), change("t.*", count="all"))


def test_a_change_that_two_musts_could_take_goes_where_both_are_met() -> None:
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    for musts in ([change("*", to=2), change("a", to=2)], [change("a", to=2), change("*", to=2)]):
        verdict = judged(run, *musts)
        assert verdict.outcome == "passed"
        explains = {item.name: [c.address for c in item.explains] for item in verdict.findings}
        assert explains == {"change in s: *": ["b"], "change in s: a": ["a"]}


def test_one_change_cannot_meet_two_musts() -> None:
    verdict = judged(case(source("s", [{"a": 1}, {"a": 2}])), change("a", to=2), change("*", to=2))
    assert [item.holds for item in verdict.findings] == [True, False]


def test_a_chain_of_musts_is_shifted_until_every_one_has_its_change() -> None:
    run = case(source("s", [dict.fromkeys("abcd", 1), dict.fromkeys("abcd", 2)]))
    musts = [change("*", to=2, count=2), change("a"), change("b")]
    assert judged(run, *musts).outcome == "passed"
    musts = [change("*", count={"le": 2}), change("*", count={"le": 2})]
    assert judged(run, *musts, change("x", count=0)).outcome in ("passed",)


def test_same_makes_values_of_several_changes_agree(tmp_path: pathlib.Path) -> None:
    edit = """INSERT INTO orders (id, item) VALUES (9, 'ink'), (10, 'pen');
    INSERT INTO lines VALUES (4, 10, 'x'); INSERT INTO lines VALUES (5, {}, 'y');"""
    musts = [
        change("orders[*]", op="added", row={"id": {"same": "o"}, "item": {"not": "zzz"}}),
        change("orders[*]", op="added", row={"item": {"not": "zzz"}}),
        change("lines[*]", op="added", row={"order_id": {"same": "o"}, "item": "x"}),
        change("lines[*]", op="added", row={"order_id": {"same": "o"}, "item": "y"}),
    ]
    assert shop(tmp_path / "a", edit.format(10), *musts).outcome == "passed"
    verdict = shop(tmp_path / "b", edit.format(9), *musts)
    assert (verdict.outcome, sum(item.holds is False for item in verdict.findings)) == ("unmet", 1)


def test_a_name_that_one_row_would_bind_twice_must_be_the_same_value_there() -> None:
    def run(a: int, b: int) -> str:
        states: list[Value] = [{"t": {}}, {"t": {"id=1": {"id": 1, "a": a, "b": b}}}]
        rule = change("t[*]", op="added", row={"a": {"same": "n"}, "b": {"same": "n"}})
        return judged(case(source("s", states, kind=TABLES)), rule).outcome

    assert [run(1, 1), run(1, 2)] == ["passed", "unmet"]


def test_a_name_in_a_value_or_an_allow_agrees_with_nothing_so_it_proves_and_allows_nothing() -> None:
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    named = change("a", to={"same": "n"})
    assert judged(run, named, value("b", {"same": "n"}), allow=[allow("b")]).outcome == "undecided"
    assert judged(run, named, allow=[allow("b", to={"same": "n"})]).outcome == "undecided"


def test_too_many_names_to_try_are_undecided() -> None:
    rows: Value = {f"id={n}": {"id": n, "a": n, "b": -n, "c": 2 * n} for n in range(1, 60)}
    run = case(source("s", [{"t": {}}, {"t": rows}], kind=TABLES))
    row: Value = {"a": {"same": "x"}, "b": {"same": "y"}, "c": {"same": "z"}}
    other: Value = {"a": {"same": "y"}, "b": {"same": "z"}, "c": {"same": "x"}}
    verdict = judged(
        run,
        change("t[*]", op="added", row=row),
        change("t[*]", op="added", row=other),
        allow=[allow("t.**", rest="any")],
    )
    assert verdict.outcome == "undecided"


def test_an_added_row_explains_what_it_lists_its_key_and_what_the_schema_fills_in(tmp_path: pathlib.Path) -> None:
    rule = change("orders[*]", op="added", row={"item": "ink"})
    assert shop(tmp_path / "a", "INSERT INTO orders (item) VALUES ('ink')", rule).outcome == "passed"
    verdict = shop(tmp_path / "b", "INSERT INTO orders (item, state, note) VALUES ('ink', 'paid', 'x')", rule)
    assert (verdict.outcome, left(verdict)) == ("unmet", ["orders[id=4].note", "orders[id=4].state"])
    assert shop(tmp_path / "c", "INSERT INTO orders (item) VALUES ('pen')", rule).outcome == "unmet"


def test_rest_any_frees_unlisted_columns_and_the_verdict_lists_them(tmp_path: pathlib.Path) -> None:
    rule = change("orders[*]", op="added", rest="any", row={"item": "ink"})
    verdict = shop(tmp_path, "INSERT INTO orders (item, state, note) VALUES ('ink', 'paid', 'x')", rule)
    assert verdict.outcome == "passed"
    assert [(item.address, item.value) for item in verdict.freed] == [
        ("s:orders[id=4].note", "x"), ("s:orders[id=4].state", "paid"),
    ]  # fmt: skip


def test_a_removed_row_is_explained_whole(tmp_path: pathlib.Path) -> None:
    edit = "PRAGMA foreign_keys = ON; DELETE FROM orders WHERE id = 3"
    assert shop(tmp_path, edit, change("orders[id=3]", op="removed", row={"item": "pen"})).outcome == "passed"


def test_a_cascade_is_an_ordinary_change_to_be_expected_or_allowed(tmp_path: pathlib.Path) -> None:
    edit = "PRAGMA foreign_keys = ON; DELETE FROM orders WHERE id = 1"
    rule = change("orders[id=1]", op="removed")
    assert left(shop(tmp_path / "a", edit, rule)) == ["lines[id=1]", "lines[id=2]"]
    expected: Data = {
        "change": {"in": "s", "table": "lines", "where": {"order_id": 1}, "op": "removed", "count": "all"}
    }
    assert shop(tmp_path / "b", edit, rule, expected).outcome == "passed"
    assert shop(tmp_path / "c", edit, rule, allow=[allow("lines[*]", op="removed")]).outcome == "passed"


HAS: list[tuple[Value, Value, list[str]]] = [
    ({"has": {"x": 1}}, {"x": 1}, []), ({"has": {"x": 1}}, {"x": 1, "y": 2}, ["a.y"]),
    ({"has": {"x": {"has": {"p": 1}}}}, {"x": {"p": 1, "q": 2}}, ["a.x.q"]),
    ({"has": {"x": {"not": 5}}}, {"x": {"p": 1, "q": 2}}, []),
    ({"one_of": [{"has": {"x": 9}}, {"has": {"x": 1}}]}, {"x": 1, "y": 2}, ["a.y"]),
    ({"items": [{"has": {"x": 1}}, 5]}, [{"x": 1, "y": 2}, 5], ["a[0].y"]),
    ({"has": {"x": 1}, "type": "mapping"}, {"x": 1, "y": 2}, ["a.y"]),
    ({"exactly": {"x": 1, "y": 2}}, {"x": 1, "y": 2}, []), ({"type": "mapping"}, {"x": 1, "y": 2}, []),
    ({"has": {"x": {"absent": True}}}, {"y": 2}, ["a.y"]),
]  # fmt: skip


@pytest.mark.parametrize(("to", "after", "rest"), HAS)
def test_a_mapping_that_has_fits_is_explained_as_far_as_it_is_listed(to: Value, after: Value, rest: list[str]) -> None:
    for before in ({}, {"a": "off"}):
        verdict = judged(case(source("s", [before, {"a": after}])), change("a", to=to))
        assert finding(verdict, "must").holds is True
        assert left(verdict) == rest
    verdict = judged(case(source("s", [{}, {"a": after}])), change("a", to=to, rest="any"))
    assert (verdict.outcome, [item.address for item in verdict.freed]) == ("passed", [f"s:{name}" for name in rest])


def test_a_row_that_must_be_exactly_so_is_explained_whole() -> None:
    row: Value = {"id": 1, "n": 5}
    run = case(source("s", [{"t": {}}, {"t": {"id=1": row}}], kind=TABLES))
    assert judged(run, change("t[*]", to={"exactly": row})).outcome == "passed"
    assert left(judged(run, change("t[*]", to={"has": {"id": 1}}))) == ["t[id=1].n"]


def test_row_speaks_of_rows_only() -> None:
    run = case(source("s", [{}, {"a": {"x": 1}}]))
    assert judged(run, change("a", op="added", row={"x": 1})).outcome == "unmet"


def test_under_any_the_choice_that_leaves_nothing_unexplained_passes() -> None:
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    either: Data = {"any": [change("a"), {"all": [change("a"), change("b")]}]}
    assert judged(run, either).outcome == "passed"
    worse: Data = {"any": [change("x"), change("a"), {"all": [change("a"), change("x")]}]}
    verdict = judged(run, worse)
    assert (verdict.outcome, left(verdict)) == ("unmet", ["b"])


def test_of_several_choices_that_leave_something_the_one_that_leaves_least_is_shown() -> None:
    run = case(source("s", [dict.fromkeys("abc", 1), dict.fromkeys("abc", 2)]))
    verdict = judged(run, {"any": [change("a"), {"all": [change("b"), change("c")]}]})
    assert left(verdict) == ["a"]


def test_too_many_ways_to_choose_are_undecided_unless_one_of_those_tried_passes() -> None:
    names = [f"k{number}" for number in range(20)]
    pairs = [{"any": [value(name, 9), value(name, 2)]} for name in names]
    run = case(source("s", [{"go": 1, **dict.fromkeys(names, 1)}, {"go": 2, **dict.fromkeys(names, 2)}]))
    verdict = judged(run, change("go"), *pairs, allow=[allow("k*")])
    assert verdict.outcome == "undecided"
    turned = [{"any": [value(name, 2), value(name, 9)]} for name in names]
    assert judged(run, change("go"), *turned, allow=[allow("k*")]).outcome == "passed"


def test_as_many_ways_as_are_tried_decide_when_all_of_them_fail() -> None:
    names = [f"k{number}" for number in range(8)]
    states: list[Value] = [dict.fromkeys(names, 1), dict.fromkeys(names, 2)]
    pairs = [{"any": [value(name, 8), value(name, 9)]} for name in names]
    assert judged(case(source("s", states)), *pairs, allow=[allow("k*")]).outcome == "unmet"


def test_what_stands_under_not_and_order_and_in_veto_and_bonus_explains_nothing() -> None:
    run = case(source("s", [{"a": 1, "go": 1}, {"a": 2, "go": 1}, {"a": 2, "go": 2}]))
    ordered: Data = {"order": [change("a"), change("go")]}
    assert left(judged(run, ordered)) == ["a", "go"]
    negated: Data = {"not": change("a", to=9)}
    assert left(judged(run, change("go"), negated)) == ["a"]
    assert left(judged(run, change("go"), veto=[change("a", to=9)], bonus=[change("a")])) == ["a"]
    assert left(judged(run, change("go"), change("a", when="ever"))) == ["a"]


def test_a_change_goes_to_a_must_before_an_allow_and_an_allow_meets_no_must() -> None:
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    verdict = judged(run, change("a"), allow=[allow("*", max=1)])
    assert (verdict.outcome, [item.change.address for item in verdict.allowed]) == ("passed", ["b"])
    verdict = judged(run, change("c"), allow=[allow("**")])
    assert (verdict.outcome, finding(verdict, "must").holds, left(verdict)) == ("unmet", False, [])


def test_max_bounds_how_many_changes_an_allow_tolerates() -> None:
    run = case(source("s", [{"go": 1, "t": {}}, {"go": 2, "t": {"a": 1, "b": 1, "c": 1}}]))
    assert left(judged(run, change("go"), allow=[allow("t.*", max=2)])) == ["t.c"]
    assert left(judged(run, change("go"), allow=[allow("t.*", max=0)])) == ["t.a", "t.b", "t.c"]
    assert judged(run, change("go"), allow=[allow("t.*", max=2), allow("t.c")]).outcome == "passed"


def test_a_wrong_value_in_the_right_place_is_a_near_miss_and_stays_unexplained_once() -> None:
    verdict = judged(case(source("s", [{"a": 20}, {"a": 31}])), change("a", to=30))
    assert [item.change.address for item in finding(verdict, "must").near] == ["a"]
    assert left(verdict) == ["a"]


def test_a_veto_reads_the_changes_before_ignore() -> None:
    run = case(source("s", [{"go": 1, "log": 1}, {"go": 2, "log": 2}]))
    assert judged(run, change("go"), ignore=[allow("log")]).outcome == "passed"
    verdict = judged(run, change("go"), ignore=[allow("log")], veto=[change("log")])
    assert (verdict.outcome, [item.change.address for item in verdict.ignored]) == ("vetoed", ["log"])


def test_what_is_ignored_meets_no_must() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    assert judged(run, change("a"), ignore=[allow("a")]).outcome == "unmet"


def test_an_unread_place_is_undecided_where_a_must_looks_and_where_the_world_is_closed() -> None:
    run = case(source("s", [{"go": 1}, seen({"go": 2}, unread("x"))]))
    assert judged(run, change("go")).outcome == "undecided"
    run = case(source("s", [{"go": 1}, seen({"go": 2}, unread("@x"))]))
    assert judged(run, change("go")).outcome == "passed"
    run = case(source("s", [{"go": 1}, seen({"go": 2}, unread("@x"))], params={"closed": ["x"]}))
    assert judged(run, change("go")).outcome == "undecided"


def test_nothing_outside_the_closed_facets_has_to_be_explained_but_a_veto_sees_it() -> None:
    states: list[Value] = [{"go": 1, "@text": "a"}, {"go": 2, "@text": "b"}]
    assert judged(case(source("s", states)), change("go")).outcome == "passed"
    closed = case(source("s", states, kind=PLAIN, params={"closed": ["text"]}))
    assert left(judged(closed, change("go"))) == ["@text"]
    assert judged(case(source("s", states)), change("go"), veto=[change("@text")]).outcome == "vetoed"


def test_a_source_that_was_never_there_is_undecided_unless_that_may_be() -> None:
    there = source("s", [{"go": 1}, {"go": 2}])
    assert judged(case(there, source("t", [ABSENT, ABSENT])), change("go")).outcome == "undecided"
    assert (
        judged(case(there, source("t", [ABSENT, ABSENT], params={"missing": "ok"})), change("go")).outcome == "passed"
    )
    made = source("t", [ABSENT, {"x": 1}])
    assert judged(case(there, made), change("go"), change("**", source="t")).outcome == "passed"


def test_a_deleted_source_is_a_change_of_everything_in_it() -> None:
    verdict = judged(case(source("s", [{"a": 1, "b": {"c": 1}}, ABSENT])), change("a", to=2))
    assert (verdict.outcome, left(verdict)) == ("unmet", ["a", "b.c"])
    assert (
        judged(case(source("s", [{"a": True}, ABSENT])), change("x"), veto=[change("", op="removed")]).outcome
        == "vetoed"
    )


@pytest.mark.parametrize(("names", "outcome"), [("xy", "unmet"), ("xyz", "undecided")])
def test_beyond_a_counted_number_of_ways_among_any_nobody_can_tell(
    names: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactchange.judging.musts.MOST_WAYS", 2)
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    assert judged(run, {"any": [change(name) for name in names]}, allow=[allow("a")]).outcome == outcome


def test_what_does_not_fit_a_must_that_cannot_be_told_is_certainly_left() -> None:
    before: Value = {"pw": {"@secret": "a"}, "b": 1}
    for b, outcome in ((1, "undecided"), (2, "unmet")):
        run = case(source("s", [before, {"pw": {"@secret": "b"}, "b": b}]))
        assert judged(run, change("*", to="x")).outcome == outcome
