"""What may have made a change is told beside it, and explains nothing: cases of real databases, and a law."""

import ast
import json
import pathlib
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judging.kit import Data, allow, case, change, database, judged, left

from exactchange.case import Case
from exactchange.diff import Change
from exactchange.reports import render_diff, render_verdict, verdict_of
from exactchange.reports.explaining import about, render_about
from exactchange.values import Path
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json
from exactchange_adapters.sqlite import consequences

CASES = pathlib.Path(__file__).parents[2] / "fixtures" / "cases"
ON = "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF;"
SHOP = f"""{ON}
    CREATE TABLE users(id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT);
    CREATE TABLE orders(id INTEGER PRIMARY KEY, user REFERENCES users ON DELETE CASCADE, status TEXT, n INT DEFAULT 0);
    CREATE TABLE log(text);
    CREATE TRIGGER paid AFTER UPDATE OF status ON orders BEGIN
        INSERT INTO log VALUES(OLD.status); UPDATE orders SET n = n + 1 WHERE user = NEW.user; END;
    INSERT INTO users VALUES(1, 'a', 'Ada'), (2, 'b', 'Grace'), (3, 'c', 'Emmy');
    INSERT INTO orders(id, user, status) VALUES(10, 1, 'new'), (11, 1, 'new'), (20, 2, 'new');
"""
BY_USER = "ON DELETE CASCADE of orders.user, with users[id=1]"
BY_PAID = "trigger paid, AFTER UPDATE OF status ON orders"


def shop(folder: pathlib.Path, *scripts: str) -> Case:
    return case(database("db", folder, [SHOP, *(ON + script for script in scripts)]))


def told(changes: tuple[Change, ...]) -> dict[str, str]:
    return {item.address.partition("#")[0]: item.likely_cause for item in changes}


def test_a_parent_that_was_written_again_as_it_was_took_its_children_with_it(tmp_path: pathlib.Path) -> None:
    schema, before, after = _scripts(CASES / "c-06-replace-cascades" / "make.py")
    evidence = database("db", tmp_path, [ON + schema + before, ON + after])
    asked = {"value": {"in": "answer", "at": "", "is": "lamp"}}
    verdict = judged(case(evidence, answer="lamp"), asked, sources=["db"])
    assert verdict.outcome == "unmet"
    assert told(verdict.unexplained) == {
        f"image[id={number}]": "ON DELETE CASCADE of image.pid, if REPLACE wrote product[id=1] anew"
        for number in (10, 11)
    }


def _scripts(make: pathlib.Path) -> list[str]:
    """What the case's `make.py` builds its databases from."""
    lines = make.read_text().splitlines()
    return [
        str(ast.literal_eval(line.partition("=")[2]))
        for name in ("SCHEMA", "B", "A")
        for line in lines
        if line.startswith(f"{name}=")
    ]


def test_what_a_must_asks_for_does_not_explain_what_it_brought_about(tmp_path: pathlib.Path) -> None:
    asked = change("users[id=1]", source="db", op="removed")
    deleted = shop(tmp_path, "DELETE FROM users WHERE id = 1")
    verdict = judged(deleted, asked, sources=["db"])
    assert (verdict.outcome, told(verdict.unexplained)) == (
        "unmet",
        {"orders[id=10]": BY_USER, "orders[id=11]": BY_USER},
    )
    allowed = judged(deleted, asked, sources=["db"], allow=[allow("orders[*]", source="db", op="removed")])
    assert allowed.outcome == "passed"
    assert [item.change.likely_cause for item in allowed.allowed] == [BY_USER, BY_USER]
    assert [item.likely_cause for item in allowed.findings[0].explains] == [""]


def test_of_a_row_that_is_explained_in_part_the_rest_keeps_its_cause(tmp_path: pathlib.Path) -> None:
    schema = "CREATE TABLE wide(a INTEGER PRIMARY KEY, b, c);"
    trigger = "CREATE TRIGGER w AFTER INSERT ON log BEGIN INSERT INTO wide VALUES(1, 2, 3); END;"
    evidence = database("db", tmp_path, [SHOP + schema + trigger, "INSERT INTO log VALUES('x')"])
    some = allow("wide[a=1].b", source="db")
    verdict = judged(
        case(evidence), change("log[*]", source="db", op="added", row={"text": "x"}), sources=["db"], allow=[some]
    )
    assert left(verdict) == ["wide[a=1].a", "wide[a=1].c"]
    assert set(told(verdict.unexplained).values()) == {"trigger w, AFTER INSERT ON log"}


def test_a_cause_is_shown_below_its_change_and_kept_in_the_document(tmp_path: pathlib.Path) -> None:
    paid = shop(tmp_path, "UPDATE orders SET status = 'paid' WHERE id = 20")
    verdict = judged(paid, change("orders[id=20].status", source="db", to="paid"), sources=["db"])
    document = verdict_json(verdict)
    again = verdict_of(json.loads(json.dumps(document)), name="v")
    for text in (render_verdict(verdict), render_verdict(again), render_diff(paid.diff("db", 0, 1), source="db")):
        assert text.count(f"\n      likely cause: {BY_PAID}\n") == 2
    assert f"likely cause: {BY_PAID}" in render_about(about(verdict, "db:orders[id=20].n"))
    assert verdict_json(again) == document
    assert [item.likely_cause for item in verdict.findings[0].explains] == [""]
    assert "likely_cause" not in json.dumps(document["findings"])


STATEMENTS = st.sampled_from(
    [
        "DELETE FROM users WHERE id = 1",
        "DELETE FROM orders WHERE user = 1",
        "DELETE FROM orders WHERE id = 20",
        "REPLACE INTO users VALUES(1, 'a', 'Ada')",
        "REPLACE INTO users VALUES(9, 'b', 'Grace')",
        "UPDATE OR REPLACE users SET email = 'c' WHERE id = 2",
        "UPDATE users SET id = 33 WHERE id = 3",
        "UPDATE orders SET status = 'paid'",
        "UPDATE orders SET n = 7 WHERE id = 10",
        "INSERT INTO log VALUES('x')",
        "DELETE FROM log",
        "INSERT OR IGNORE INTO users VALUES(5, 'e', 'Sofia')",
        "INSERT OR IGNORE INTO orders SELECT 50, id, 'new', 1 FROM users WHERE id = 2",
        "DROP TRIGGER IF EXISTS paid",
    ]
)
RULES = st.sampled_from(
    [
        change("users[id=1]", source="db", op="removed"),
        change("orders[*].status", source="db", to="paid"),
        change("log[*]", source="db", op="added", row={"text": "x"}),
    ]
)


@settings(max_examples=15, deadline=None)
@given(st.lists(STATEMENTS, min_size=1, max_size=4), RULES, st.booleans())
def test_changes_and_verdicts_are_the_same_without_causes(statements: list[str], rule: Data, lax: bool) -> None:
    ways = {"allow": [allow("orders[*]", source="db"), allow("log[*]", source="db")]} if lax else {}
    with tempfile.TemporaryDirectory() as folder:
        found = shop(pathlib.Path(folder), "; ".join(statements))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(consequences, "likely_causes", _none)
            bare = found.with_captures("db", {})
            changes, verdict = bare.diff("db", 0, 1), judged(bare, rule, sources=["db"], **ways)
        fresh = case(*found.sources.values())
        assert fresh.diff("db", 0, 1) == changes
        assert not any(item.likely_cause for item in changes.changes)
        full = judged(fresh, rule, sources=["db"], **ways)
        assert full == verdict
        assert _without_causes(verdict_json(full)) == verdict_json(verdict)
        _check_causes(fresh.diff("db", 0, 1).changes)
        for snapshot in found.sources["db"].captures:
            snapshot.close()


def _none(*_: object) -> dict[Path, str]:
    return {}


def _without_causes(document: Json) -> Json:
    if isinstance(document, dict):
        return {name: _without_causes(item) for name, item in document.items() if name != "likely_cause"}
    return [_without_causes(item) for item in document] if isinstance(document, list) else document


def _check_causes(changes: tuple[Change, ...]) -> None:
    """What is named is among the changes, and some change is nobody's consequence."""
    rows = [item.address for item in changes]
    for item in changes:
        for word in (", with users", ", by users"):
            if word in item.likely_cause and "REPLACE wrote" not in item.likely_cause:
                named = "users" + item.likely_cause.partition(word)[2].split(",")[0]
                assert any(row.startswith(named) and row != item.address for row in rows)
    assert not changes or any(not item.likely_cause or "REPLACE wrote" in item.likely_cause for item in changes)
