"""Files with damaged bytes: read or unread, in bounded time, and never an exception of another kind."""

import functools
import pathlib
import sqlite3
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import bench_of, edit, found, many, rows, snapshot

from exactchange.errors import OverBudget, UsageError
from exactchange_adapters.sqlite import SqliteSnapshot

SCHEMA = """CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b, g AS (length(b)));
    CREATE TABLE l(x, y DEFAULT 'd'); CREATE TABLE w(k TEXT, n, PRIMARY KEY(k, n)) WITHOUT ROWID;
    CREATE INDEX i ON t(b); CREATE VIEW v AS SELECT a FROM t;
    CREATE VIRTUAL TABLE f USING fts5(title); CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
    CREATE TRIGGER g AFTER INSERT ON l BEGIN DELETE FROM t; END; INSERT INTO r VALUES(1,2,3);"""


@functools.cache
def sound() -> dict[str, bytes]:
    """A database with some of everything, its log, and a journal of a transaction that was under way."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.db"
        edit(path, "PRAGMA page_size=512; PRAGMA journal_mode=WAL", SCHEMA)
        for sql, values in (
            ("INSERT INTO t VALUES(?,?,?)", [(n, f"name {n}", "x" * (n * 9 % 700)) for n in range(60)]),
            ("INSERT INTO w VALUES(?,?)", [(f"k{n % 7}", n) for n in range(60)]),
            ("INSERT INTO f VALUES(?)", [(f"title {n}",) for n in range(20)]),
        ):
            edit(path, many(sql, values))
        application = sqlite3.connect(path, isolation_level=None)
        application.execute("PRAGMA wal_autocheckpoint=0")
        application.execute("UPDATE t SET b = b || 'wal' WHERE id < 20")
        parts = {"": path.read_bytes(), "-wal": path.with_name("a.db-wal").read_bytes()}
        application.close()
        application = sqlite3.connect(path, isolation_level=None)
        application.execute("PRAGMA journal_mode=DELETE")
        for sql in ("PRAGMA cache_size=1", "BEGIN", "UPDATE t SET b = b || 'journal'"):
            application.execute(sql)
        parts["-journal"] = path.with_name("a.db-journal").read_bytes()
        parts["half"] = path.read_bytes()
        application.close()
    return parts


def test_the_sound_files_are_read() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for names in (("", "-wal"), ("half", "-journal")):
            snap = put(pathlib.Path(folder), {suffix: sound()[suffix] for suffix in names})
            assert not snap.unread
            assert len(found(snap, "t[*].g")) == 60 and len(found(snap, "f[*]")) == 20
            assert len(found(snap, "t[*].b")) == 60
            assert not any(str(match.value).endswith("journal") for match in found(snap, "t[*].b"))


def put(folder: pathlib.Path, parts: dict[str, bytes]) -> SqliteSnapshot:
    for file in folder.iterdir():
        file.unlink()
    for suffix, data in parts.items():
        (folder / f"a.db{'' if suffix == 'half' else suffix}").write_bytes(data)
    return snapshot(folder / "a.db")


def ask(snap: SqliteSnapshot, whole: SqliteSnapshot, path: pathlib.Path) -> None:
    """Every kind of question; what cannot be answered says so."""
    assert snap.unread or snap.image is not None
    assert snap.digest
    for question in (
        lambda: found(snap, "**"),
        lambda: found(snap, "t[id=7].b"),
        lambda: rows(snap, "SELECT a, g FROM t JOIN w ON w.n = t.id ORDER BY a"),
        lambda: rows(snap, "SELECT title FROM f WHERE f MATCH 'title' LIMIT 3"),
    ):
        try:
            question()
        except OverBudget:
            pass
        except UsageError as error:
            raise AssertionError("damage is no mistake of the task's") from error
    for pair in ((snap, whole), (whole, snap)):
        result = bench_of(path).diff(*pair)
        assert result.complete or result.unread


places = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255), st.integers(1, 6)), min_size=1, max_size=6)
cuts = st.none() | st.floats(0, 1)
sets = st.sampled_from([("",), ("", "-wal"), ("half", "-journal"), ("half", "-journal", "-wal")])


def damaged(data: bytes, where: list[tuple[float, int, int]], cut: float | None) -> bytes:
    out = bytearray(data)
    for place, byte, count in where:
        # half of the damage goes where it tells most: into the first two pages
        span = len(out) if place > 0.5 else min(len(out), 1024)
        at = int((place * 2 % 1) * (span - 1))
        out[at : at + count] = bytes([byte]) * len(out[at : at + count])
    return bytes(out if cut is None else out[: int(cut * len(out))])


def _check(names: tuple[str, ...], where: list[tuple[float, int, int]], cut: float | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = put(pathlib.Path(folder), {"": sound()[""], "-wal": sound()["-wal"]})
        target = names[len(where) % len(names)]
        parts = {name: damaged(sound()[name], where, cut) if name == target else sound()[name] for name in names}
        snap = put(pathlib.Path(folder), parts)
        ask(snap, whole, pathlib.Path(folder) / "a.db")
        for item in (snap, whole):
            item.close()


@settings(max_examples=100, deadline=None)
@given(sets, places, cuts)
def test_damaged_files_are_read_or_unread_and_nothing_else(
    names: tuple[str, ...], where: list[tuple[float, int, int]], cut: float | None
) -> None:
    _check(names, where, cut)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@settings(max_examples=5000, deadline=None)
@given(sets, places, cuts)
def test_thousands_of_damaged_files_are_read_or_unread(
    names: tuple[str, ...], where: list[tuple[float, int, int]], cut: float | None
) -> None:
    _check(names, where, cut)
