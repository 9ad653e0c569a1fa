"""What a column can never hold, whatever is put into it: asked of SQLite itself, table by table."""

import pathlib
import tempfile
from typing import cast

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import edit, snapshot

from exactchange.sources import Holding
from exactchange.values import Value, type_name
from exactchange_adapters.sqlite import KIND, SqliteSnapshot
from exactchange_adapters.sqlite.engine import Cell

SHAPES = """CREATE TABLE t(id INTEGER PRIMARY KEY, year TEXT, price REAL, n INT, note, "any" ANY, flag BOOLEAN,
    day DATE, status TEXT CHECK (status IN ('Pending', 'Complete')), level INTEGER CHECK(level IN (1, 2, 3)),
    part TEXT CHECK(part IN ('a', lower('B'))), "odd name" TEXT CHECK ("odd name" IN ('x')));
  CREATE TABLE u(kind TEXT, CHECK (kind IN ('a', 'b') OR kind = 'c'), CHECK (length(kind) < 9));
  CREATE TABLE v(kind TEXT COLLATE NOCASE CHECK (kind IN ('a')));
  CREATE TABLE s(a ANY, b INT) STRICT;
  CREATE VIRTUAL TABLE f USING fts5(body);"""


@pytest.fixture
def shapes(tmp_path: pathlib.Path) -> SqliteSnapshot:
    return snapshot(edit(tmp_path / "a.db", SHAPES))


@pytest.mark.parametrize(
    ("table", "column", "value", "why"),
    [
        ("t", "year", 2019, 'the column is declared TEXT, which makes "2019" of it'),
        ("t", "year", 1.5, 'the column is declared TEXT, which makes "1.5" of it'),
        ("t", "n", "30", "the column is declared INT, which makes 30 of it"),
        ("t", "n", "3e1", "the column is declared INT, which makes 30 of it"),
        ("t", "n", 30.0, "the column is declared INT, which makes 30 of it"),
        ("t", "price", 30, "the column is declared REAL, which makes 30.0 of it"),
        ("t", "price", "1.5", "the column is declared REAL, which makes 1.5 of it"),
        ("t", "flag", "1", "the column is declared BOOLEAN, which makes 1 of it"),
        ("t", "note", 2**63, "SQLite has no whole number of this size"),
        ("t", "status", "Completed", 'its CHECK lets in only "Pending", "Complete"'),
        ("t", "status", "pending", 'its CHECK lets in only "Pending", "Complete"'),
        ("t", "level", 4, "its CHECK lets in only 1, 2, 3"),
        ("t", "odd name", "y", 'its CHECK lets in only "x"'),
        ("s", "b", "30", "the column is declared INT, which makes 30 of it"),
    ],
)
def test_a_value_that_a_column_turns_into_another_or_refuses_is_never_held(
    shapes: SqliteSnapshot, table: str, column: str, value: Value, why: str
) -> None:
    assert KIND.never_holds(shapes, (table, "*", column), value) == why


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("t", "year", "2019"),
        ("t", "year", b"2019"),
        ("t", "year", None),
        ("t", "n", 30),
        ("t", "n", 30.5),
        ("t", "n", "thirty"),
        ("t", "n", "0x1e"),
        ("t", "price", 30.0),
        ("t", "note", 30),
        ("t", "note", "30"),
        ("t", "any", "30"),
        ("t", "day", "2026-11-30"),
        ("t", "status", "Complete"),
        ("t", "status", None),
        ("t", "status", b"x"),
        ("t", "level", 3),
        ("t", "level", "x"),
        ("t", "part", "z"),
        ("t", "nosuch", 3),
        ("nosuch", "n", "3"),
        ("u", "kind", "d"),
        ("v", "kind", "A"),
        ("s", "a", "30"),
        ("f", "body", 3),
        ("t", "n", [1]),
    ],
)
def test_a_value_that_a_column_may_hold_is_not_called_impossible(
    shapes: SqliteSnapshot, table: str, column: str, value: Value
) -> None:
    assert KIND.never_holds(shapes, (table, "*", column), value) is None


def test_a_database_that_is_not_there_tells_nothing(tmp_path: pathlib.Path) -> None:
    assert isinstance(KIND, Holding)
    assert KIND.never_holds(snapshot(tmp_path / "none.db"), ("t", "*", "n"), "3") is None


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", "", "VARCHAR(3)", "BOOLEAN"]),
    st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), st.binary(max_size=4),
              st.sampled_from(["", "1", "1.0", "1e3", " 7 ", "x", "0x10", "-0", "9223372036854775808"])),
)  # fmt: skip
def test_whatever_sqlite_stores_is_not_called_impossible(declared: str, value: int | float | bytes | str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(f"CREATE TABLE t(c {declared})")
    connection.execute("INSERT INTO t VALUES(?)", (value,))
    ((stored,),) = cast("list[tuple[Cell]]", connection.execute("SELECT c FROM t").fetchall())
    connection.close()
    with tempfile.TemporaryDirectory() as folder:
        taken = snapshot(edit(pathlib.Path(folder) / "a.db", f"CREATE TABLE t(c {declared})"))
        assert KIND.never_holds(taken, ("t", "*", "c"), stored) is None
        kept = type_name(stored) == type_name(value) and stored == value
        assert (KIND.never_holds(taken, ("t", "*", "c"), value) is None) == kept
        taken.close()
