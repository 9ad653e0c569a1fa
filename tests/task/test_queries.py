"""A query that no database could ever answer is a mistake of the task, and told before anything runs."""

import pathlib

import pytest
from tests.task.writing import HEAD, load, one


def rule(query: str) -> str:
    return f'{HEAD}must:\n  - {{value: {{in: db, query: "{query}", is: 1}}}}\n'


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("DELETE FROM t", "one SELECT"), ("SELECT 1; SELECT 2", "one SELECT"), ("PRAGMA user_version", "one SELECT"),
        ("SELECT FROM WHERE", "understood: it stops making sense at 'WHERE'"),
        ("SELEC 1", "one SELECT"), ("SELECT (1", "not understood"),
        ("SELECT readfile('x')", "may not use readfile()"), ("SELECT zeroblob(9)", "may not use zeroblob()"),
        ("SELECT date('now')", "ask for the time"), ("SELECT datetime('NOW')", "ask for the time"),
        ("SELECT date()", "ask for the time"),
        ("SELECT julianday()", "ask for the time"), ("SELECT strftime('%s', 'now')", "ask for the time"),
        ("SELECT strftime('%s')", "ask for the time"), ("SELECT date(due, 'localtime') FROM t", "ask for the time"),
        ("SELECT timediff('now', due) FROM t", "ask for the time"), ("SELECT CURRENT_TIMESTAMP", "ask for the time"),
    ],
)  # fmt: skip
def test_a_query_that_has_no_answer_is_refused_at_its_place(query: str, what: str, tmp_path: pathlib.Path) -> None:
    found = one(tmp_path, rule(query))
    assert found.startswith("10:29: ") and what in found, found


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM t WHERE state = 'now'", "SELECT max(date(due)) FROM t",
        "SELECT date('2024-01-01', '+1 day')",
        "SELECT instr(a, 'utc') FROM t", "SELECT time('12:00')", "WITH c AS (SELECT 1 AS n) SELECT sum(n) FROM c",
        "SELECT count(*) FROM nosuch", "SELECT strftime('%Y', due) FROM t", "SELECT value FROM json_each('[1]')",
    ],
)  # fmt: skip
def test_a_query_that_some_database_can_answer_is_no_mistake(query: str, tmp_path: pathlib.Path) -> None:
    assert load(tmp_path, rule(query)).must
