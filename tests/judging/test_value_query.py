"""`value` with a `query`: any capture answers, and what the database cannot answer is neither true nor false."""

import pathlib
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.adapters.sqlite.support import snapshot
from tests.judging.kit import Data, act, action, case, change, database, finding, judged

from exactchange.case import Case
from exactchange.limits import Budget
from exactchange.snapshot import Mark
from exactchange.values import Value
from exactchange.verdict import Outcome
from exactchange_adapters.sqlite import engine, query
from exactchange_adapters.sqlite.image import Image

BOOKED = "SELECT count(*) FROM bookings WHERE state = 'paid'"
SCRIPTS = [
    "CREATE TABLE bookings(id INTEGER PRIMARY KEY, state TEXT); INSERT INTO bookings VALUES(1, 'draft'), (2, 'draft')",
    "UPDATE bookings SET state = 'paid' WHERE id = 1",
    "UPDATE bookings SET state = 'draft' WHERE id = 1",
    "UPDATE bookings SET state = 'held' WHERE id = 2",
]
HELD = change("bookings[id=2].state", source="db", to="held")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Paid in step 1, taken back in step 2, held in step 3."""
    return case(database("db", tmp_path_factory.mktemp("db"), SCRIPTS))


def asks(query: str, is_: Value, **more: Value) -> Data:
    return {"value": {"in": "db", "query": query, "is": is_, **more}}


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        (asks(BOOKED, 0), "passed"),
        (asks(BOOKED, 1), "unmet"),
        (asks(BOOKED, 1, when="ever"), "passed"),
        (asks(BOOKED, 2, when="ever"), "unmet"),
        (asks(BOOKED, {"le": 1}, when="always"), "passed"),
        (asks(BOOKED, 0, when="always"), "unmet"),
        ({"not": asks(BOOKED, 1, when="ever")}, "unmet"),
        (asks("SELECT state FROM bookings", "held", pick="any"), "passed"),
        (asks("SELECT state FROM bookings", {"not": "paid"}, pick="every"), "passed"),
        (asks("SELECT state FROM bookings", {"not": "paid"}, pick="every", when="always"), "unmet"),
        (asks("SELECT id, state FROM bookings WHERE id = 2", {"has": {"state": "held"}}), "passed"),
    ],
)
def test_a_query_is_answered_on_any_capture(rule: Data, outcome: Outcome, run: Case) -> None:
    assert judged(run, HELD, rule).outcome == outcome


def test_a_veto_looks_at_the_answers_of_every_step(run: Case) -> None:
    verdict = judged(run, HELD, veto=[asks(BOOKED, {"ge": 1})])
    assert verdict.outcome == "vetoed" and finding(verdict, "veto").evidence[0]["step"] == 1


def test_an_answer_has_a_moment(run: Case) -> None:
    paid, draft = asks(BOOKED, 1, when="ever"), action("click", count={"ge": 3})
    assert judged(run, HELD, {"order": [paid, HELD]}).outcome == "passed"
    assert judged(run, HELD, {"order": [HELD, paid]}).outcome == "unmet"
    assert judged(run, HELD, draft).outcome == "passed"


def test_many_rows_where_one_is_asked_for_are_no_answer_in_whatever_order(run: Case) -> None:
    for order in ("", " ORDER BY id", " ORDER BY id DESC"):
        found = finding(judged(run, HELD, asks(f"SELECT state FROM bookings{order}", "held")), "must", 1)
        assert found.holds is None and "2 values" in found.why


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM bookings LIMIT 1",
        "SELECT count(*) FROM nosuch",
        "SELECT nosuch FROM bookings",
        "SELECT random() AS x",
        "SELECT date('now') AS x",
        "SELECT :who AS x",
        "DELETE FROM bookings RETURNING id",
    ],
)
@pytest.mark.parametrize("wanted", [0, {"not": 0}, {"absent": True}, {"absent": False}, {"type": "int"}, "x"])
def test_what_has_no_answer_neither_holds_nor_fails(query: str, wanted: Value, run: Case) -> None:
    rules = [asks(query, wanted, **more) for more in ({}, {"pick": "any"}, {"pick": "every"}, {"when": "ever"})]
    for rule in [*rules, {"not": rules[0]}, {"all": [rules[0], asks("SELECT 1 AS x", 1)]}]:
        verdict = judged(run, HELD, rule, veto=[rule], bonus=[rule])
        assert [item.holds for item in verdict.findings] == [None, True, None]
        assert verdict.outcome == "undecided"


def test_a_query_that_never_ends_has_no_answer_and_is_asked_once_of_each_capture(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counting(image: Image, sql: str, arguments: Mapping[str, Value], budget: Budget) -> list[Value]:
        asked.append(sql)
        return ask(image, sql, arguments, budget)

    ask = query.query
    monkeypatch.setattr(query, "query", counting)
    monkeypatch.setattr(engine, "_LEAST_OPS", 100_000)
    run = case(database("db", tmp_path, SCRIPTS))
    endless = asks("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c", 0)
    many = [endless, {"not": endless}, {"any": [endless, endless]}]
    found = judged(run, HELD, endless, bonus=many, veto=many).findings
    assert [item.holds for item in found] == [None, None, None, True, None]
    assert "steps" in found[4].why
    assert len(asked) == len(SCRIPTS) + 1  # and once of the start, as the end of an agent that did nothing


@pytest.mark.parametrize("content", [b"no database at all", None])
def test_a_database_that_is_broken_answers_nothing_and_one_that_is_gone_no_row(
    content: bytes | None, tmp_path: pathlib.Path
) -> None:
    good = database("db", tmp_path, SCRIPTS[:1])
    file = tmp_path / "db.db"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    after = replace(snapshot(file), mark=Mark(1))
    run = case(replace(good, captures=(good.captures[0], after)), actions=[act("click", 1)])
    for wanted in (0, {"ge": 0}, {"type": "int"}):
        verdict = judged(run, asks(BOOKED, 5), veto=[asks(BOOKED, wanted, when="end")])
        assert finding(verdict, "veto").holds is (None if content else False)
