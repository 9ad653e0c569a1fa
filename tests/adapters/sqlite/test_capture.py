"""Captures: what is read of live, broken, strange and hostile files, and what reading leaves behind (nothing)."""

import asyncio
import os
import pathlib
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable

import pytest
from tests.adapters.sqlite.support import bench_of, diff, edit, files, found, many, rows, shown, snapshot

from exactchange.errors import SnapshotClosed
from exactchange.snapshot import Mark
from exactchange.testing import check_adapter, footprint
from exactchange_adapters.sqlite import SqliteParams, SqliteSnapshot
from exactchange_adapters.sqlite.files import LiveFile
from exactchange_adapters.sqlite.reader import SqliteReader

ORDERS = "CREATE TABLE orders(id INTEGER PRIMARY KEY, status TEXT); INSERT INTO orders VALUES(1,'new'),(2,'new');"


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


def make_text(path: pathlib.Path) -> None:
    path.write_text("not a database, only text\n" * 500)


def make_truncated(path: pathlib.Path) -> None:
    edit(path, ORDERS, "CREATE TABLE x AS SELECT * FROM orders")
    os.truncate(path, 4096)


def make_encrypted(path: pathlib.Path) -> None:
    path.write_bytes(bytes((n * 37 + 11) % 256 for n in range(8192)))


def make_header_only(path: pathlib.Path) -> None:
    edit(path, ORDERS)
    path.write_bytes(path.read_bytes()[:100])


def make_flipped(path: pathlib.Path) -> None:
    edit(path, ORDERS, many("INSERT INTO orders(status) VALUES(?)", [("x" * 200,)] * 500))
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 3 + 12] = b"\x0d\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
    path.write_bytes(data)


def make_unsupported(path: pathlib.Path) -> None:
    edit(path, ORDERS)
    data = bytearray(path.read_bytes())
    data[18] = data[19] = 9
    path.write_bytes(data)


BROKEN: dict[str, Callable[[pathlib.Path], object]] = {
    "zero bytes": pathlib.Path.touch,
    "not an SQLite database": make_text,
    "corrupt": make_truncated,
    "encrypted": make_encrypted,
    "corrupt|cut": make_header_only,
    "corrupt: ": make_flipped,
    "not a database, or|SQLite": make_unsupported,
    "directory": pathlib.Path.mkdir,
    "symbolic link": lambda path: path.symlink_to(edit(path.with_name("other.db"), ORDERS)),
    "no regular file": os.mkfifo,
}


@pytest.mark.parametrize("reason", BROKEN)
def test_what_is_no_readable_database_is_unread_as_a_whole_with_its_reason(reason: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.db"
    BROKEN[reason](path)
    snap = snapshot(path)
    (item,) = snap.unread
    assert (item.path, item.address, item.cause) == ((), "", "content")
    assert any(part in item.reason for part in reason.split("|")), item.reason
    good = edit(tmp_path / "good.db", ORDERS)
    for result in (diff(good, path), diff(path, good), diff(path, path)):
        assert not result.complete and not result.changes


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_side_file_that_is_no_file_makes_the_database_unread(suffix: str, tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    (tmp_path / f"a.db{suffix}").mkdir()
    assert "directory" in snapshot(path).unread[0].reason


def test_a_database_larger_than_allowed_is_unread(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    assert "more than the 4096 allowed" in snapshot(path, largest=4096).unread[0].reason
    with path.open("r+b") as file:
        file.truncate(8 * 1024**3)
    assert "8589934592 bytes" in snapshot(path).unread[0].reason


def test_a_missing_file_is_absent_not_unread_and_not_empty(tmp_path: pathlib.Path) -> None:
    empty = edit(tmp_path / "empty.db", "CREATE TABLE t(a); DROP TABLE t")
    gone = tmp_path / "no" / "such.db"
    assert snapshot(gone).absent and not snapshot(gone).unread
    assert shown(diff(gone, gone)) == []
    assert [(c.op, c.path) for c in diff(gone, empty).changes] == [("added", ())]
    assert [(c.op, c.path) for c in diff(empty, gone).changes] == [("removed", ())]


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


def test_unchanged_captures_share_one_image_and_the_last_to_close_removes_it(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)

    async def captures() -> None:
        reader = SqliteReader(path, SqliteParams(path=str(path)))
        first = await reader.capture(mark=Mark(-1), previous=None, deadline_s=5)
        second = await reader.capture(mark=Mark(0), previous=first, deadline_s=5)
        edit(path, "DELETE FROM orders")
        third = await reader.capture(mark=Mark(1), previous=second, deadline_s=5)
        await reader.aclose()
        assert first.image is not None and first.image is second.image is not third.image
        home = first.image.directory
        assert stat.S_IMODE(home.stat().st_mode) == 0o700 and home.parent != tmp_path
        first.close()
        first.close()
        assert found(second, "orders[id=1].status")[0].value == "new" and home.exists()
        with pytest.raises(SnapshotClosed):
            found(first, "orders[id=1]")
        second.close()
        third.close()
        assert not home.exists()

    asyncio.run(captures())


@pytest.mark.parametrize("records", [0, 0xFFFFFFFF])
def test_a_journal_cannot_make_the_copy_huge(records: int, tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    header = bytes.fromhex("d9d505f920a163d7") + records.to_bytes(4, "big") + bytes(4) + (2**31).to_bytes(4, "big")
    (tmp_path / "a.db-journal").write_bytes(
        (header + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")).ljust(512, b"\0")
    )
    assert "claims 8796093022208 bytes" in snapshot(path).unread[0].reason


def test_a_capture_ends_with_its_time(tmp_path: pathlib.Path) -> None:
    rows = many("INSERT INTO orders(status) VALUES(?)", [("x" * 500,)] * 60_000)
    path = edit(tmp_path / "a.db", ORDERS, rows)
    assert path.stat().st_size > 30_000_000
    for deadline in (0.0, 0.005, 0.02):
        with bench_of(path).reading() as reader:
            snap = reader.capture(deadline_s=deadline)
        assert [item.path for item in snap.unread] == [()] and "within the time" in snap.unread[0].reason
    assert not snapshot(path).unread


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


def test_hundreds_of_snapshots_need_few_descriptors_and_all_answer(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS, "CREATE VIRTUAL TABLE r USING rtree(id, a, b)")
    taken: list[SqliteSnapshot] = []
    before = len(os.listdir("/proc/self/fd"))
    for step in range(60):
        edit(path, f"UPDATE orders SET status='{step}' WHERE id=1; INSERT INTO r VALUES({step},0,1)")
        taken.append(snapshot(path))
    assert len(os.listdir("/proc/self/fd")) - before < 50
    for step, snap in enumerate(taken):
        assert found(snap, "orders[id=1].status")[0].value == str(step)
        assert rows(snap, "SELECT count(*) AS n FROM r") == [{"n": step + 1}]
    changes = bench_of(path).diff(taken[0], taken[-1]).changes
    assert shown(changes)[0] == ("modified", "orders[id=1].status", "0", "59") and len(changes) == 60
    for snap in taken:
        snap.close()


def test_a_replaced_file_is_read_anew(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    other = edit(tmp_path / "b.db", ORDERS, "UPDATE orders SET status='swapped' WHERE id=2")
    with bench_of(path).reading() as reader:
        first = reader.capture()
        other.replace(path)
        second = reader.capture(previous=first)
        assert shown(bench_of(path).diff(first, second)) == [("modified", "orders[id=2].status", "new", "swapped")]


def test_a_journal_that_names_other_files_is_not_followed(tmp_path: pathlib.Path) -> None:
    """Rolling back would look at the super-journal that the journal names, and delete it when nobody needs it."""
    path = edit(tmp_path / "a.db", ORDERS)
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    name = str(victim).encode()
    record = name + len(name).to_bytes(4, "big") + (sum(name) & 0xFFFFFFFF).to_bytes(4, "big")
    header = bytes.fromhex("d9d505f920a163d7") + (0).to_bytes(4, "big") + bytes(4) + (2).to_bytes(4, "big")
    tail = (0x40000001).to_bytes(4, "big") + record + bytes.fromhex("d9d505f920a163d7")
    (tmp_path / "a.db-journal").write_bytes(
        (header + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")).ljust(512, b"\0") + tail
    )
    assert "several databases" in snapshot(path).unread[0].reason
    assert victim.read_bytes() == b"precious"
