# ruff: noqa: E501  # a row of a table for every case
"""A verdict says so when its task asks for a value that no run could have brought about."""

import pathlib

import pytest
from tests.judging.kit import case, database, judged, source, unread

from exactchange.snapshot import TreeSnapshot
from exactchange.values import Value
from exactchange.verdict import Verdict

TABLE = (
    "CREATE TABLE orders(id INTEGER PRIMARY KEY, year TEXT, done INTEGER,"
    " status TEXT CHECK(status IN('Pending','Complete')));"
    "INSERT INTO orders VALUES(7, '2018', 0, 'Pending');"
)
DONE = "UPDATE orders SET status = 'Complete', year = '2019', done = 1;"


REST: list[dict[str, Value]] = [
    {"in": "db", "at": "orders[*].done", "to": 1}, {"in": "db", "at": "orders[*].status", "to": "Complete"}
]  # fmt: skip


def verdict(folder: pathlib.Path, *must: dict[str, Value], **sections: list[dict[str, Value]]) -> Verdict:
    return judged(case(database("db", folder, [TABLE, DONE])), *must, sources=["db"], **sections)


def change(at: str, **fields: Value) -> dict[str, Value]:
    return {"change": {"in": "db", "at": at, **{name.removesuffix("_"): item for name, item in fields.items()}}}


def impossible(found: Verdict) -> list[str]:
    return [item.message for item in found.warnings if item.kind == "impossible"]


def test_a_must_that_the_database_can_never_hold_fails_and_the_task_is_blamed(tmp_path: pathlib.Path) -> None:
    rules = [change("orders[id=7].year", to="2019"), change("orders[id=7].done", to=1)]
    found = verdict(tmp_path, change("orders[id=7].status", to="Completed"), *rules)
    assert found.outcome == "unmet"
    why = 'db: orders.status can never be "Completed": its CHECK lets in only "Pending", "Complete"'
    assert impossible(found) == [f": {why}"]


def test_the_same_must_with_what_can_be_held_passes_without_a_word(tmp_path: pathlib.Path) -> None:
    rules = [change("orders[id=7].year", to="2019"), change("orders[id=7].done", to=1)]
    found = verdict(tmp_path, change("orders[id=7].status", to="Complete"), *rules)
    assert (found.outcome, found.warnings) == ("passed", ())


WANTED = [
    change("orders[id=7].year", to=2019),
    change("orders[*].year", from_="2018", to={"one_of": [2019, 2020]}),
    change("orders[*]", op="added", row={"year": 2019}),
    {"change": {"in": "db", "table": "orders", "column": "year", "to": 2019}},
    {"change": {"in": "db", "table": "orders", "where": {"year": 2018}, "column": "done", "to": 1}},
    {"value": {"in": "db", "at": "orders[id=7].year", "is": 2019}},
    {"value": {"in": "db", "table": "orders", "column": "done", "is": "1"}},
    {"any": [change("orders[id=7].done", to="1"), change("orders[id=7].done", to=1)]},
    {"not": change("orders[id=7].done", to="1")},
]


@pytest.mark.parametrize("rule", WANTED)
@pytest.mark.parametrize("tier", ["must", "veto", "bonus", "given"])
def test_a_value_that_can_never_be_is_told_of_in_every_tier(
    tmp_path: pathlib.Path, tier: str, rule: dict[str, Value]
) -> None:
    reach = change("orders[id=7].status", to="Complete")
    found = verdict(tmp_path, reach, rule) if tier == "must" else verdict(tmp_path, reach, **{tier: [rule]})
    (said,) = impossible(found)
    assert " can never be " in said and "which makes" in said


@pytest.mark.parametrize("section", ["allow", "ignore"])
def test_a_pattern_for_a_value_that_can_never_be_is_told_of(tmp_path: pathlib.Path, section: str) -> None:
    pattern: dict[str, Value] = {"in": "db", "at": "orders[*].done", "to": "1"}
    found = verdict(tmp_path, change("orders[id=7].status", to="Complete"), **{section: [pattern]})
    assert len(impossible(found)) == 1


@pytest.mark.parametrize(
    "rule",
    [
        change("orders[id=7].year", to={"not": 2019}),
        change("orders[id=7].year", to={"one_of": [2019, "2019"]}),
        change("orders[id=7].year", to={"absent": True}),
        change("orders[id=7].year", to={"number": 2019}),
        change("orders", op="removed"),
        change("**", to=3),
        change("*[*].year", to=3),
        {"value": {"in": "db", "query": "SELECT year FROM orders", "is": 2019}},
        {"value": {"in": "answer", "at": "year", "is": 2019}},
        {"action": {"kind": "click"}},
    ],
)
def test_what_may_be_held_is_not_told_of(tmp_path: pathlib.Path, rule: dict[str, Value]) -> None:
    assert impossible(verdict(tmp_path, change("orders[id=7].status", to="Complete"), bonus=[rule])) == []


def test_a_source_that_knows_of_no_columns_or_was_not_read_tells_nothing() -> None:
    rule: dict[str, Value] = {"change": {"in": "s", "at": "orders[id=7].year", "to": 2019}}
    plain = source("s", [{"orders": {"id=7": {"year": "x"}}}] * 2)
    assert impossible(judged(case(plain), rule, sources=["s"])) == []
    assert impossible(judged(case(source("s", [], steps=[])), rule, sources=["s"])) == []


def test_a_database_that_could_not_be_read_at_the_start_tells_nothing(tmp_path: pathlib.Path) -> None:
    whole = database("db", tmp_path, [TABLE, DONE])
    broken = TreeSnapshot("plain", None, whole.captures[0].mark, (unread(),))
    late = type(whole)("db", whole.kind, whole.params, whole.captures[1:])
    rule = change("orders[id=7].year", to=2019)
    assert impossible(judged(case(late), rule, sources=["db"])) == []
    assert impossible(judged(case(type(whole)("db", whole.kind, whole.params, (broken,))), rule, sources=["db"])) == []


def misspelt(found: Verdict) -> list[str]:
    return [item.message for item in found.warnings if item.kind == "misspelt"]


NOWHERE: list[tuple[dict[str, Value], str]] = [
    (change("Orders[*].year"), "db has no table 'Orders' at the start or the end; did you mean 'orders'?"),
    (change("ordes"), "db has no table 'ordes' at the start or the end; did you mean 'orders'?"),
    (change("nosuch.**", op="removed"), "db has no table 'nosuch' at the start or the end"),
    (change("orders[*].yaer"), "db: orders has no column 'yaer' at the start or the end; did you mean 'year'?"),
    (change("orders[*]", op="added", row={"stats": "x"}), "db: orders has no column 'stats' at the start or the end; did you mean 'status'?"),
    ({"change": {"in": "db", "table": "orders", "where": {"zz": "2"}}}, "db: orders has no column 'zz' at the start or the end"),
    ({"value": {"in": "db", "table": "orders", "column": "yaer", "is": "1"}}, "db: orders has no column 'yaer' at the start or the end; did you mean 'year'?"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "said"), NOWHERE)
def test_a_veto_on_a_place_that_the_database_never_had_is_told_to_be_misspelt(
    rule: dict[str, Value], said: str, tmp_path: pathlib.Path
) -> None:
    """It can never fire, and the run would pass without a word."""
    found = verdict(tmp_path, change("orders[id=7].year", to="2019"), veto=[rule], allow=REST)
    assert (found.outcome, misspelt(found)) == ("passed", [f": {said}"])


@pytest.mark.parametrize(
    "rule",
    [change("orders"), change("orders[*].rowid"), change("*[*].nosuch"), change("**"), change("@schema.**"),
     {"value": {"in": "db", "query": "SELECT count(*) FROM orders", "is": 9}}, change("orders[id=7].year", to="1")],
)  # fmt: skip
def test_a_place_that_is_there_or_may_be_anywhere_is_not(rule: dict[str, Value], tmp_path: pathlib.Path) -> None:
    assert misspelt(verdict(tmp_path, change("orders[id=7].year", to="2019"), veto=[rule], allow=REST)) == []


LACKING: list[dict[str, Value]] = [
    {"change": {"in": "db", "at": "orders[*]", "op": "added", "rest": "any", "row": {"stats": {"not": "Pending"}}}},
    {"change": {"in": "db", "table": "orders", "op": "added", "where": {"stats": {"not": "x"}}}},
]


@pytest.mark.parametrize("rule", LACKING)
def test_of_a_column_that_is_not_there_nobody_can_tell_that_it_is_not_something(
    rule: dict[str, Value], tmp_path: pathlib.Path
) -> None:
    came = "INSERT INTO orders VALUES(8, '2020', 0, 'Pending');"
    run = case(database("db", tmp_path, [TABLE, came]))
    assert judged(run, rule, sources=["db"], allow=[{"in": "db", "rest": "any"}]).outcome == "undecided"
    known: dict[str, Value] = {
        "change": {"in": "db", "at": "orders[*]", "op": "added", "row": {"id": 8}, "rest": "any"}
    }
    assert judged(run, known, sources=["db"], veto=[rule]).outcome == "undecided"
