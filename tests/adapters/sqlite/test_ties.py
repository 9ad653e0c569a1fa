"""A LIMIT that cuts through rows which ORDER BY leaves in one place has no answer: which it takes, nobody said."""

import pathlib
import sqlite3
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import edit, many, rows, snapshot

from exactchange.errors import OverBudget, UsageError
from exactchange_adapters.sqlite.ties import tie_breakers

TABLE = "CREATE TABLE log(who TEXT COLLATE NOCASE, n REAL, k)"
ENTRIES = [("ada", 1.0, 1), ("bob", 2.0, 2), ("Bob", 2.0, 3), ("bob", 2.0, 4), ("cyd", 3.0, 5), ("cyd", 3.0, 5)]
TOLD = [
    "SELECT who FROM log ORDER BY n LIMIT 1",
    "SELECT k FROM log ORDER BY n LIMIT 4",
    "SELECT k FROM log ORDER BY n, k LIMIT 2",
    "SELECT k FROM log ORDER BY n DESC LIMIT 1",  # two rows tie there, and are the same
    "SELECT k FROM log ORDER BY n DESC LIMIT 1 OFFSET 1",
    "SELECT k FROM log ORDER BY n LIMIT -1",
    "SELECT k FROM log ORDER BY n LIMIT 0",
    "SELECT k FROM log ORDER BY n LIMIT 100",
    "SELECT k FROM log ORDER BY n LIMIT 1, 3",
    "SELECT k FROM log ORDER BY n",
    "SELECT who, count(*) AS x FROM log GROUP BY who ORDER BY x DESC LIMIT 1 -- the most",
    "SELECT n FROM log ORDER BY n LIMIT 2;",
    "SELECT EXISTS(SELECT 1 FROM log ORDER BY n LIMIT 2) AS x",
    "SELECT k FROM (SELECT * FROM log ORDER BY n LIMIT 4) ORDER BY k LIMIT 2",
    "WITH top AS (SELECT * FROM log ORDER BY n LIMIT 1) SELECT who FROM top",
    "SELECT n FROM log UNION SELECT k FROM log ORDER BY 1 LIMIT 2",
]
CUT = [
    "SELECT k FROM log ORDER BY n LIMIT 2",
    "SELECT * FROM log ORDER BY n LIMIT 3",
    "SELECT who FROM log ORDER BY n LIMIT 2",  # Bob, or bob
    "SELECT k FROM log ORDER BY who LIMIT 2",
    "SELECT k FROM log ORDER BY n LIMIT 1 OFFSET 1",
    "SELECT k FROM log ORDER BY n LIMIT 1 OFFSET 2",  # the one in the middle, from above as from below
    "SELECT k FROM log ORDER BY n LIMIT 2, 1",
    "SELECT k FROM log ORDER BY n LIMIT :most",
    "SELECT k FROM log ORDER BY n LIMIT (SELECT 2)",
    "SELECT (SELECT k FROM log ORDER BY n DESC LIMIT 1 OFFSET 2) AS x",
    "SELECT sum(k) AS x FROM (SELECT * FROM log ORDER BY n LIMIT 2)",
    "WITH top AS (SELECT k FROM log ORDER BY n LIMIT 3) SELECT max(k) AS x FROM top",
    "SELECT who FROM log WHERE k IN (SELECT k FROM log ORDER BY n LIMIT 2)",
    "SELECT n, k FROM log ORDER BY n NULLS LAST LIMIT 2;",
]


ONE_VALUE = [
    "SELECT (SELECT k FROM log ORDER BY n) AS x",
    "SELECT n FROM log WHERE k = (SELECT k FROM log ORDER BY n DESC)",
    "SELECT max((SELECT k FROM log ORDER BY n)) AS x FROM log",
    "SELECT coalesce(((SELECT k FROM log ORDER BY n)), 1) AS x",
]
ROWS = [
    "SELECT k FROM (SELECT * FROM log ORDER BY n)",
    "SELECT count(*) AS x FROM log JOIN (SELECT k AS j FROM log ORDER BY n) ON j = k",
    "SELECT who FROM log WHERE k IN (SELECT k FROM log ORDER BY n)",
    "SELECT EXISTS(SELECT k FROM log ORDER BY n) AS x",
    "WITH w AS (SELECT k FROM log ORDER BY n) SELECT max(k) AS x FROM w",
    "SELECT (SELECT k FROM log ORDER BY k LIMIT 1) AS x",
]


@pytest.mark.parametrize("sql", ONE_VALUE)
def test_one_value_by_an_order_needs_the_limit_that_sqlite_thinks_there(sql: str, tmp_path: pathlib.Path) -> None:
    snap = snapshot(edit(tmp_path / "a.db", TABLE, many("INSERT INTO log VALUES(?, ?, ?)", ENTRIES)))
    with pytest.raises(UsageError, match="needs its LIMIT 1"):
        rows(snap, sql)


@pytest.mark.parametrize("sql", ROWS)
def test_rows_in_some_order_need_no_limit(sql: str, tmp_path: pathlib.Path) -> None:
    snap = snapshot(edit(tmp_path / "a.db", TABLE, many("INSERT INTO log VALUES(?, ?, ?)", ENTRIES)))
    assert rows(snap, sql)


@pytest.mark.parametrize("sql", TOLD)
def test_where_no_equals_are_cut_apart_there_is_an_answer(sql: str, tmp_path: pathlib.Path) -> None:
    snap = snapshot(edit(tmp_path / "a.db", TABLE, many("INSERT INTO log VALUES(?, ?, ?)", ENTRIES)))
    assert rows(snap, sql) is not None


@pytest.mark.parametrize("sql", CUT)
def test_what_a_limit_takes_of_equals_is_no_answer(sql: str, tmp_path: pathlib.Path) -> None:
    snap = snapshot(edit(tmp_path / "a.db", TABLE, many("INSERT INTO log VALUES(?, ?, ?)", ENTRIES)))
    with pytest.raises(OverBudget, match="LIMIT cuts through rows that ORDER BY puts in one place"):
        rows(snap, sql, most=2)


def test_a_limit_whose_columns_cannot_be_told_is_no_answer(tmp_path: pathlib.Path) -> None:
    snap = snapshot(edit(tmp_path / "a.db", TABLE, many("INSERT INTO log VALUES(?, ?, ?)", ENTRIES)))
    sql = "SELECT (SELECT k FROM log AS i WHERE i.n = o.n ORDER BY who LIMIT 1) AS x FROM log AS o"
    with pytest.raises(OverBudget, match="cannot be told"):
        rows(snap, sql)


PAIRS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=5)


@settings(max_examples=60, deadline=None)
@given(entries=PAIRS, most=st.integers(-1, 5), skipped=st.integers(-1, 5))
def test_there_is_an_answer_if_and_only_if_every_order_of_storing_gives_the_same(
    entries: list[tuple[int, int]], most: int, skipped: int
) -> None:
    sql = f"SELECT b FROM t ORDER BY a LIMIT {most} OFFSET {skipped}"

    def asked(query: str, stored: list[tuple[int, int]]) -> tuple[tuple[object, int], ...]:
        with sqlite3.connect(":memory:") as base:
            base.execute("CREATE TABLE t(a, b)")
            base.executemany("INSERT INTO t VALUES(?, ?)", stored)
            found = Counter(base.execute(query).fetchall())
        base.close()
        return tuple(sorted(found.items(), key=repr))

    answers = {asked(sql, list(order)) for order in set(permutations(entries))}
    pairs = tie_breakers(sql, lambda text: 1)
    agree = all(asked(upwards, entries) == asked(downwards, entries) for upwards, downwards in pairs)
    assert agree is (len(answers) == 1)
