"""A writer that never stops: whatever it does, a capture is never torn, and the writer never meets a lock."""

import pathlib
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from exactchange.snapshot import Mark
from exactchange_adapters.sqlite import SqliteParams, SqliteSnapshot, copying, rolling
from exactchange_adapters.sqlite.files import CHUNK, LiveDatabase
from exactchange_adapters.sqlite.patience import Patience
from exactchange_adapters.sqlite.reader import captured

# Every transaction sets all rows of both tables, spread over many pages, to the same new number; `timeout=0` makes
# the writer fail at once where somebody else's lock stands in its way.
WRITER = """
import os, random, sqlite3, sys, time
path, mode, habit = sys.argv[1:]
def connect():
    c = sqlite3.connect(path, timeout=0, isolation_level=None)
    for p in ("journal_mode=" + mode, "synchronous=off", "wal_autocheckpoint=60", "cache_size=20"):
        c.execute("pragma " + p)
    return c
c = connect()
print("ready", flush=True)
n = 0
while True:
    n += 1
    c.execute("begin immediate")
    c.execute("update left_side set n=?", (n,))
    if n % 210 == 0:
        c.execute("delete from log")
    elif n % 7 == 0:
        c.execute("insert into log select ?, randomblob(3000) from left_side limit 5", (n,))
    c.execute("update right_side set n=?", (n,))
    c.execute("commit")
    if habit == "rest": time.sleep(0.005)
    if habit == "checkpoint" and n % 5 == 0:
        c.execute("pragma wal_checkpoint(" + random.choice(("truncate", "restart", "full")) + ")")
    if habit == "vacuum" and n % 20 == 0: c.execute("delete from log"); c.execute("vacuum")
    if habit == "reopen" and n % 3 == 0: c.close(); c = connect()
    if habit == "switch" and n % 10 == 0:
        mode = "delete" if mode == "wal" else "wal"; c.execute("pragma journal_mode=" + mode)
"""
TABLES = """CREATE TABLE left_side(id INTEGER PRIMARY KEY, n, pad);
    CREATE TABLE right_side(id INTEGER PRIMARY KEY, n, pad);
    CREATE TABLE log(n, what);"""


@contextmanager
def writing(path: pathlib.Path, mode: str, habit: str) -> "Generator[subprocess.Popen[str]]":
    import sqlite3

    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    for side in ("left_side", "right_side"):
        connection.executemany(f"INSERT INTO {side} VALUES(?,0,?)", [(n, "x" * 700) for n in range(60)])
    connection.commit()
    connection.close()
    command = [sys.executable, "-c", WRITER, str(path), mode, habit]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        yield writer
    finally:
        writer.kill()
        writer.communicate()


def numbers(snapshot: SqliteSnapshot) -> set[int]:
    assert snapshot.image is not None
    sql = "SELECT n FROM left_side UNION SELECT n FROM right_side"
    return {row[0] for row in snapshot.image.engine.rows(sql) if isinstance(row[0], int)}


def captures(
    path: pathlib.Path, tries: int, writer: "subprocess.Popen[str]", *, patience_s: float
) -> tuple[int, int, list[int]]:
    """How many captures were whole, and unread, and the states seen."""
    live, params = LiveDatabase(path), SqliteParams(path=str(path))
    previous: SqliteSnapshot | None = None
    whole = unread = 0
    seen: list[int] = []
    for _ in range(tries):
        snapshot = captured(live, params, mark=Mark(), previous=previous, patience=Patience.of(patience_s))
        if snapshot.image is None:
            assert snapshot.unread and "corrupt" not in snapshot.unread[0].reason, snapshot.unread
            unread += 1
            continue
        (number,) = numbers(snapshot)  # more than one number: torn
        seen.append(number)
        whole += 1
        if previous is not None:
            previous.close()
        previous = snapshot
    if previous is not None:
        previous.close()
    live.close()
    assert writer.poll() is None, writer.communicate()[1]  # it never met a lock
    return whole, unread, seen


HABITS = [
    ("wal", ""),
    ("wal", "checkpoint"),
    ("wal", "vacuum"),
    ("wal", "reopen"),
    ("wal", "switch"),
    ("delete", "rest"),
    ("delete", "vacuum"),
    ("delete", "reopen"),
    ("truncate", "rest"),
    ("persist", "rest"),
    ("memory", "rest"),
    ("off", "rest"),
    ("persist", ""),
    ("memory", ""),
]
"""Without a log there is a state to be read only between two transactions: who leaves no time there may be unread."""


@pytest.mark.parametrize(("mode", "habit"), HABITS)
def test_a_capture_beside_a_writer_is_never_torn(
    mode: str, habit: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read in small pieces, so that the writer comes between them: copying without looking again is torn at once."""
    for module in (copying, rolling):
        monkeypatch.setattr(module, "CHUNK", 4096)
    _check(tmp_path / "a.db", mode, habit, tries=80)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("piece", [4096, CHUNK])
@pytest.mark.parametrize(("mode", "habit"), HABITS)
def test_thousands_of_captures_beside_a_writer_are_never_torn(
    mode: str, habit: str, piece: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (copying, rolling):
        monkeypatch.setattr(module, "CHUNK", piece)
    _check(tmp_path / "a.db", mode, habit, tries=4000)


def _check(path: pathlib.Path, mode: str, habit: str, *, tries: int) -> None:
    has_states = mode == "wal" or habit == "rest"
    with writing(path, mode, habit) as writer:
        whole, unread, seen = captures(path, tries, writer, patience_s=5 if has_states else 0.2)
    assert whole + unread == tries and (not has_states or whole > tries * 0.9), (whole, unread)
    assert seen == sorted(seen) and (not has_states or len(set(seen)) > 3)  # never back in time
