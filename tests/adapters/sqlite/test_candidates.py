"""The rows that may differ, told from pages: none is missed, and the answer is that of going through all rows."""

import pathlib
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.pairs import Pair
from tests.adapters.sqlite.support import Edit, edit, many, snapshot

from exactchange.limits import CountedBudget
from exactchange.sources import Narrowed
from exactchange_adapters.sqlite import SqliteSnapshot, narrow
from exactchange_adapters.sqlite.candidates import candidates
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.narrow import narrowed
from exactchange_adapters.sqlite.params import NamedKeys

SEEDS = 60
BLOCK = 250
LONG = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, c BLOB)"
ROWS = many(
    "INSERT INTO t VALUES(?, ?, zeroblob(?))", [(n, f"row {n}", 20_000 if n % 50 == 0 else 9) for n in range(500)]
)


def images(
    folder: pathlib.Path, before: Sequence[Edit], after: Sequence[Edit]
) -> tuple[SqliteSnapshot, SqliteSnapshot]:
    """A database and what became of it, read."""
    first = edit(folder / "before.db", *before)
    second = folder / "after.db"
    second.write_bytes(first.read_bytes())
    edit(second, *after)
    return snapshot(first), snapshot(second)


def near(pair: tuple[SqliteSnapshot, SqliteSnapshot]) -> Mapping[str, Sequence[int]]:
    assert pair[0].image is not None and pair[1].image is not None
    return candidates(pair[0].image, pair[1].image)


def both_ways(old: SqliteSnapshot, new: SqliteSnapshot) -> tuple[Narrowed, Narrowed, Mapping[str, Sequence[int]]]:
    """The answer by pages, the one of the reference, and what the pages told."""
    told: dict[str, Sequence[int]] = {}

    def kept(left: Image, right: Image) -> Mapping[str, Sequence[int]]:
        told.update(candidates(left, right))
        return told

    def nothing(left: Image, right: Image) -> Mapping[str, Sequence[int]]:
        return {}

    with patch.object(narrow, "candidates", kept):
        fast = narrowed(old, new, NamedKeys(), CountedBudget())
    with patch.object(narrow, "candidates", nothing):
        return fast, narrowed(old, new, NamedKeys(), CountedBudget()), told


def check(folder: pathlib.Path, number: int) -> int:
    """Of one random pair both ways give the same; how many tables the pages told of."""
    old, new = map(snapshot, Pair(folder, number).make())
    try:
        assert not old.unread and not new.unread
        fast, reference, told = both_ways(old, new)
        assert repr(fast) == repr(reference), f"pair {number}"
        return len(told)
    finally:
        old.close()
        new.close()
        for file in folder.iterdir():
            file.unlink()


def test_no_row_that_differs_is_missed_and_none_is_added(tmp_path: pathlib.Path) -> None:
    assert sum(check(tmp_path, number) for number in range(SEEDS)) > SEEDS  # it is the pages that were asked


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(80))
def test_no_row_is_missed_in_twenty_thousand_pairs(tmp_path: pathlib.Path, block: int) -> None:
    for number in range(block * BLOCK, (block + 1) * BLOCK):
        check(tmp_path, 1_000_000 + number)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ("", []),
        ("UPDATE t SET a = 'new' WHERE id IN (7, 300)", [7, 300]),
        ("DELETE FROM t WHERE id = 499", [499]),
        ("INSERT INTO t VALUES(1000, 'one more', NULL)", [1000]),
        ("UPDATE t SET a = a", []),
        ("VACUUM", []),
        ("UPDATE t SET a = 'gone' WHERE id % 50; UPDATE t SET a = 'row ' || id WHERE id % 50", []),
        ("UPDATE t SET id = -5 WHERE id = 5", [-5, 5]),
    ],
)  # fmt: skip
def test_the_rows_that_may_differ_are_those_that_do(tmp_path: pathlib.Path, after: str, told: list[int]) -> None:
    assert near(images(tmp_path, [LONG, ROWS], [after])) == {"t": told}


def test_a_long_value_that_is_written_over_where_it_stands_is_found(tmp_path: pathlib.Path) -> None:
    def write(connection: sqlite3.Connection) -> None:
        with connection.blobopen("t", "c", 350) as blob:
            blob.seek(19_990)
            blob.write(b"x")

    if not hasattr(sqlite3.Connection, "blobopen"):
        pytest.skip("this Python writes no part of a value")
    pair = images(tmp_path, [LONG, ROWS], [write])
    assert near(pair) == {"t": [350]}
    fast, reference, _ = both_ways(*pair)
    assert repr(fast) == repr(reference) and fast.before


def test_a_table_whose_columns_differ_is_left_to_the_reference(tmp_path: pathlib.Path) -> None:
    pair = images(tmp_path, [LONG, ROWS, "CREATE TABLE u(a)"], ["ALTER TABLE t ADD COLUMN d"])
    assert near(pair) == {"u": []}


def test_a_table_by_key_alone_is_told_equal_or_left_to_the_reference(tmp_path: pathlib.Path) -> None:
    before = ["CREATE TABLE k(a PRIMARY KEY, b) WITHOUT ROWID", "INSERT INTO k VALUES(1, 2)", "CREATE TABLE u(a)"]
    assert near(images(tmp_path, before, ["INSERT INTO u VALUES(1)"])) == {"k": [], "u": [1]}
    (tmp_path / "again").mkdir()
    assert near(images(tmp_path / "again", before, ["UPDATE k SET b = 3"])) == {"u": []}


def test_equal_rows_without_a_key_are_numbered_among_all(tmp_path: pathlib.Path) -> None:
    rows = many("INSERT INTO log VALUES(?, ?)", [("same", n % 2) for n in range(400)])
    pair = images(
        tmp_path, ["CREATE TABLE log(a COLLATE NOCASE, b)", rows], ["INSERT INTO log VALUES('same', 1),('SAME', 1)"]
    )
    fast, reference, told = both_ways(*pair)
    assert told == {"log": [401, 402]} and repr(fast) == repr(reference)
    assert isinstance(fast.after, Mapping)
    come = fast.after["log"]
    assert isinstance(come, Mapping) and sorted(segment[9:] for segment in come) == ["", "~201"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40 * 512 - 1), st.integers(0, 255)), min_size=1, max_size=12))
def test_pages_that_make_no_sense_are_left_to_the_reference(changes: list[tuple[int, int]]) -> None:
    """SQLite has checked an image; still no byte of one leads to a fault or an endless walk."""
    with tempfile.TemporaryDirectory() as name:
        pair = images(pathlib.Path(name), ["PRAGMA page_size = 512", LONG, ROWS], ["UPDATE t SET a = 'n' WHERE id = 7"])
        image = pair[1].image
        assert image is not None and image.schema.tables
        data = bytearray(image.main.read_bytes())
        for at, byte in changes:
            data[512 + at] = byte
        image.main.write_bytes(data)
        assert near(pair).keys() <= {"t"}
        pair[0].close()
        pair[1].close()
