"""A database that nobody wrote since is not read again; whoever wrote is noticed, however fast and however slyly."""

import asyncio
import os
import pathlib
import shutil
import sqlite3
import time
from collections.abc import Callable

import pytest
from tests.adapters.sqlite.support import ORDERS, edit, found

from exactchange.snapshot import Mark
from exactchange.values import ABSENT
from exactchange_adapters.sqlite import SqliteParams, SqliteSnapshot, reader
from exactchange_adapters.sqlite.files import LiveDatabase
from exactchange_adapters.sqlite.reader import SqliteReader
from exactchange_adapters.sqlite.stillness import now_ns, traced

DEADLINE_S = 20.0


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each capture that read the files."""
    made: list[int] = []
    captured = reader.captured

    def counted(live: LiveDatabase, params: SqliteParams, **more: object) -> SqliteSnapshot:
        made.append(len(made))
        return captured(live, params, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "captured", counted)
    return made


def wait_until_still(path: pathlib.Path) -> None:
    """Until times can tell something of the files."""
    live = LiveDatabase(path)
    end = time.monotonic() + DEADLINE_S
    trace = traced(live)
    while trace is None or not trace.still(now_ns()):
        assert time.monotonic() < end
        trace = traced(live)
    live.close()


def nothing() -> None:
    """Nobody does anything."""


def status(snapshot: SqliteSnapshot) -> object:
    if snapshot.image is None:
        return ABSENT if snapshot.absent else "unread"
    return found(snapshot, "orders[id=1].status")[0].value


def run(path: pathlib.Path, *steps: Callable[[], object]) -> list[object]:
    """What the status of the first order is at a capture before each step and after the last one."""

    async def captures() -> list[object]:
        live = SqliteReader(path, SqliteParams(path=str(path)))
        previous: SqliteSnapshot | None = None
        seen: list[object] = []
        for number, step in enumerate([*steps, nothing]):
            previous = await live.capture(mark=Mark(number), previous=previous, deadline_s=DEADLINE_S)
            seen.append(status(previous))
            step()
        await live.aclose()
        return seen

    return asyncio.run(captures())


def test_what_nobody_wrote_is_read_once(tmp_path: pathlib.Path, readings: list[int]) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    wait_until_still(path)
    assert run(path, *[nothing] * 20) == ["new"] * 21
    assert readings == [0]


def test_a_fresh_file_is_read_until_its_times_tell_something(tmp_path: pathlib.Path, readings: list[int]) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    run(path, nothing, lambda: wait_until_still(path), nothing, nothing)
    assert readings == [0, 1, 2]


@pytest.mark.parametrize("mode", ["delete", "persist", "truncate", "memory", "wal"])
def test_whoever_writes_at_once_is_noticed(mode: str, tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", f"PRAGMA journal_mode={mode}", ORDERS)
    application = sqlite3.connect(path, isolation_level=None)
    application.execute(f"PRAGMA journal_mode={mode}")
    wait_until_still(path)

    def write(number: int) -> Callable[[], object]:
        return lambda: application.execute("UPDATE orders SET status = ? WHERE id = 1", (f"s{number}",))

    assert run(path, *[write(number) for number in range(40)]) == ["new", *(f"s{number}" for number in range(40))]
    application.close()


def test_a_program_that_puts_the_time_back_is_noticed(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    wait_until_still(path)
    state = path.stat()
    at = path.read_bytes().rindex(b"new")  # the first row stands last in its page

    def write(number: int) -> Callable[[], object]:
        def in_place() -> None:
            with path.open("r+b") as file:
                file.seek(at)
                file.write(b"%03d" % number)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

        return in_place

    assert run(path, *[write(number) for number in range(30)]) == ["new", *(f"{number:03d}" for number in range(30))]


@pytest.mark.parametrize(
    ("kind", "then"),
    [("replaced", "other"), ("removed", ABSENT), ("link", "unread"), ("journal", "new"), ("log", "new")],
)
def test_files_that_come_go_or_change_places_are_noticed(
    kind: str, then: object, tmp_path: pathlib.Path, readings: list[int]
) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    other = edit(tmp_path / "b.db", ORDERS, "UPDATE orders SET status = 'other'")
    shutil.copystat(path, other)
    wait_until_still(path)

    def happen() -> None:
        if kind == "replaced":
            other.rename(path)
        elif kind in ("removed", "link"):
            path.unlink()
            if kind == "link":
                path.symlink_to(other)
        else:
            (tmp_path / f"a.db-{'wal' if kind == 'log' else 'journal'}").write_bytes(b"\0" * 600)

    assert run(path, nothing, happen) == ["new", "new", then]
    assert readings == [0, 1]
