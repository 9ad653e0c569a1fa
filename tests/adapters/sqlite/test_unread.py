"""Broken, strange and hostile files: unread with a reason, in bounded time; a missing one is absent."""

import os
import pathlib
from collections.abc import Callable

import pytest
from tests.adapters.sqlite.support import ORDERS, bench_of, diff, edit, many, shown, snapshot


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
