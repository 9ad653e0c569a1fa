"""Captures: what is read of live files in every journal mode, and what reading leaves behind (nothing)."""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import pytest
from tests.adapters.sqlite.support import ORDERS, bench_of, edit, files, found, many, snapshot

from exactchange.testing import check_adapter, footprint
from exactchange_adapters.sqlite import SqliteSnapshot
from exactchange_adapters.sqlite.files import LiveFile


@pytest.mark.parametrize("mode", ["delete", "truncate", "persist", "wal", "memory", "off"])
@pytest.mark.parametrize("open_while_read", [False, True])
def test_the_adapter_contract_holds_in_every_journal_mode(
    mode: str, open_while_read: bool, tmp_path: pathlib.Path
) -> None:
    path = edit(tmp_path / "a.db", f"PRAGMA journal_mode={mode}", ORDERS)
    application = sqlite3.connect(path, isolation_level=None)
    application.execute(f"PRAGMA journal_mode={mode}")
    application.execute("SELECT count(*) FROM orders").fetchall()
    if not open_while_read:
        application.close()

    def change() -> None:
        edit(path, "UPDATE orders SET status = status || '!' WHERE id = 1; PRAGMA user_version = 4")

    def remove() -> None:
        application.close()
        for file in tmp_path.iterdir():
            file.unlink()

    check_adapter(
        bench_of(path), change=change, remove=remove, spoil=lambda: path.write_bytes(b"SQLite format 3\0" * 99)
    )


def test_committed_rows_that_live_only_in_the_wal_are_read_and_the_files_stay_as_they_are(
    tmp_path: pathlib.Path,
) -> None:
    path = edit(tmp_path / "a.db", "PRAGMA journal_mode=WAL", ORDERS)
    application = sqlite3.connect(path, isolation_level=None)
    application.execute("UPDATE orders SET status='paid' WHERE id=1")
    before = footprint(tmp_path)
    with bench_of(path).reading() as reader:
        first = reader.capture()
        assert [m.value for m in found(first, "orders[*].status")] == ["paid", "new"]  # type: ignore[arg-type]
        assert not before.differences(footprint(tmp_path))
    assert not before.differences(footprint(tmp_path))
    application.close()


def test_a_read_only_directory_with_a_wal_is_read(tmp_path: pathlib.Path) -> None:
    home = tmp_path / "live"
    home.mkdir()
    path = edit(home / "a.db", "PRAGMA journal_mode=WAL", ORDERS)
    application = sqlite3.connect(path, isolation_level=None)
    application.execute("UPDATE orders SET status='paid'")
    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    application.close()
    (copy / "a.db-shm").unlink()
    copy.chmod(0o555)
    try:
        assert [m.value for m in found(snapshot(copy / "a.db"), "orders[*].status")] == ["paid", "paid"]
        assert sorted(files(copy)) == ["a.db", "a.db-wal"]
    finally:
        copy.chmod(0o755)


def test_an_uncommitted_transaction_is_not_seen(tmp_path: pathlib.Path) -> None:
    for mode in ("wal", "delete"):
        path = edit(tmp_path / f"{mode}.db", f"PRAGMA journal_mode={mode}", ORDERS)
        application = sqlite3.connect(path, isolation_level=None)
        application.execute("BEGIN IMMEDIATE")
        application.execute("UPDATE orders SET status='paid'")
        assert [m.value for m in found(snapshot(path), "orders[*].status")] == ["new", "new"]
        application.execute("COMMIT")
        assert [m.value for m in found(snapshot(path), "orders[*].status")] == ["paid", "paid"]
        application.close()


SPILL = """
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
for p in ("journal_mode=" + sys.argv[2], "cache_size=5", "cache_spill=on"): c.execute("pragma " + p)
c.execute("begin immediate")
c.execute("update orders set status='paid'")
print("spilled", flush=True)
sys.stdin.read()
"""


def spilling(path: pathlib.Path, mode: str) -> "subprocess.Popen[str]":
    """A writer in the middle of a transaction whose pages are in the file already."""
    table = "PRAGMA page_size=1024; CREATE TABLE orders(id INTEGER PRIMARY KEY, status, pad);"
    rows = many("INSERT INTO orders VALUES(?,'pending',?)", [(n, "x" * 400) for n in range(500)])
    edit(path, f"{table} PRAGMA journal_mode={mode}", rows)
    command = [sys.executable, "-c", SPILL, str(path), mode]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None and writer.stdout.readline() == "spilled\n"
    return writer


@pytest.mark.parametrize("mode", ["delete", "persist", "truncate"])
@pytest.mark.parametrize("alive", [True, False])
def test_pages_of_a_transaction_that_was_not_committed_are_rolled_back_in_the_copy(
    mode: str, alive: bool, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "a.db"
    writer = spilling(path, mode)
    if not alive:
        writer.kill()
        writer.wait()
    assert b"paid" in path.read_bytes()
    before = footprint(tmp_path)
    snap = snapshot(path)
    assert [m.value for m in found(snap, "orders[*].status")] == ["pending"] * 500
    assert not before.differences(footprint(tmp_path))
    writer.communicate("")


@pytest.mark.parametrize("mode", ["memory", "off"])
def test_a_half_written_file_without_a_journal_is_unread_and_never_torn(mode: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.db"
    writer = spilling(path, mode)
    assert b"paid" in path.read_bytes()
    (item,) = snapshot(path).unread
    assert item.path == () and item.cause == "content" and "exclusive lock" in item.reason
    writer.communicate("")


@pytest.mark.parametrize("mode", ["wal", "truncate", "persist", "delete"])
def test_an_application_that_keeps_the_exclusive_lock_is_read_between_its_transactions(
    mode: str, tmp_path: pathlib.Path
) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    application = sqlite3.connect(path, isolation_level=None)
    for sql in ("PRAGMA locking_mode=EXCLUSIVE", f"PRAGMA journal_mode={mode}", "UPDATE orders SET status='paid'"):
        application.execute(sql).fetchall()
    assert [m.value for m in found(snapshot(path), "orders[*].status")] == ["paid", "paid"]
    application.close()


def test_asking_for_the_lock_takes_none_and_reading_drops_none(tmp_path: pathlib.Path) -> None:
    """POSIX locks of a connection in this very process fall when any descriptor of the file is closed."""
    path = edit(tmp_path / "a.db", ORDERS)
    application = sqlite3.connect(path, isolation_level=None)
    application.execute("BEGIN EXCLUSIVE")
    with bench_of(path).reading() as reader:
        snap = reader.capture(deadline_s=0.1)
        assert "exclusive lock" in snap.unread[0].reason
        other = sqlite3.connect(path, timeout=0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("SELECT * FROM orders").fetchall()
        other.close()
        application.execute("ROLLBACK")
        assert not reader.capture(deadline_s=5).unread
    application.close()
    with LiveFile(path) as file:
        assert file.exclusively_locked() is False


def test_same_size_and_same_time_is_not_the_same_content(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", "PRAGMA journal_mode=WAL", ORDERS)
    state = path.stat()
    with bench_of(path).reading() as reader:
        first = reader.capture()
        data = path.read_bytes().replace(b"new", b"old")
        with path.open("r+b") as file:
            file.write(data)
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert path.stat().st_mtime_ns == state.st_mtime_ns and path.stat().st_size == state.st_size
        second = reader.capture(previous=first)
        assert [c.after for c in bench_of(path).diff(first, second).changes] == ["old", "old"]


def test_rolling_a_copy_back_leaves_the_copy_before_alone(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.db"
    writer = spilling(path, "delete")
    with bench_of(path).reading() as reader:
        first = reader.capture()
        writer.kill()
        writer.communicate()
        second = reader.capture(previous=first)
        third = reader.capture(previous=second)
        for snap in (first, second, third):
            assert isinstance(snap, SqliteSnapshot)
            assert [m.value for m in found(snap, "orders[*].status")] == ["pending"] * 500
        assert first.digest == second.digest == third.digest
