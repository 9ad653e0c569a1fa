"""What a verdict becomes when its recording fails or was damaged: docs/failures.md, the last table."""

import json
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
from tests.disks import full_disk
from tests.docs.failing import as_stated, played, reach
from tests.episode.kit import CLICK, Desk, lines_of, rechain, recorded, write_lines
from tests.runner.kit import task_on_disk

from exactchange.cli.episodes import Job, judge_all
from exactchange.reports import Entry
from exactchange.session import Session, judge_episode
from exactchange.values.jsonform import Json
from exactchange.verdict import Verdict

ROOT = pathlib.Path(__file__).parents[2]


def test_a_disk_that_is_full_for_a_while(tmp_path: pathlib.Path) -> None:
    async def drive(session: Session, desk: Desk) -> None:
        reach(desk)
        with full_disk():
            decision = await session.before(CLICK)
        assert not decision.go and decision.failure is not None and "the recording ends there" in decision.failure

    entry = played(tmp_path, reach, drive=drive)
    as_stated("disk-full", entry)
    assert entry.task is not None
    again = judge_episode(entry.task, tmp_path / "episode")  # what was recorded has no end
    as_stated("disk-full", Entry("again", again))


def test_a_disk_that_is_full_to_the_end(tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> None:
    async def drive(session: Session, desk: Desk) -> None:
        full = full_disk()
        full.__enter__()
        request.addfinalizer(lambda: full.__exit__(None, None, None))
        desk.write(a=2, b=2)
        assert not (await session.before(CLICK)).go

    entry = played(tmp_path, reach, drive=drive)
    as_stated("disk-full-late", entry)
    assert entry.failed is not None and "the verdict cannot be written" in entry.failed
    assert not (tmp_path / "episode" / "verdict.json").exists()


def test_no_room_for_the_copy_of_a_database_that_is_read(tmp_path: pathlib.Path) -> None:
    async def drive(session: Session, desk: Desk) -> None:
        assert (await session.before(CLICK)).go
        reach(desk)
        desk.sql("INSERT INTO t VALUES (10, hex(zeroblob(200000)))")
        with full_disk(most=100_000):
            decision = await session.after()
        assert not decision.go and decision.failure is not None and "could not be copied" in decision.failure

    as_stated("no-room", played(tmp_path, drive=drive))


_KILLED = """
import asyncio, os, pathlib, signal, sys
from tests.episode.kit import CLICK, kit_task, new_desk
from exactchange.session import Session

async def run():
    folder = pathlib.Path(sys.argv[1])
    desk = new_desk(folder / "work")
    async with Session(kit_task(), world=desk.world, record=folder / "episode", settle_s=0) as session:
        await session.before(CLICK)
        desk.write(a=2, b=1)
        await session.after()
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(run())
"""


def _killed(folder: pathlib.Path) -> pathlib.Path:
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", _KILLED, str(folder)], cwd=ROOT, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    return folder / "episode"


def _without_last_captures(records: list[dict[str, Json]]) -> None:
    records[:] = [item for item in records if (item["type"], item.get("source"), item.get("step")) != _LAST]


_LAST = ("capture", "doc", 2)


def test_recordings_that_are_damaged(tmp_path: pathlib.Path) -> None:
    """All by one worker, as `exactchange judge` does it."""
    task = task_on_disk(tmp_path)
    whole = recorded(tmp_path, task)
    damaged = {name: tmp_path / name for name in ("cut", "altered", "added", "version", "capture", "blob", "nothing")}
    for path in damaged.values():
        shutil.copytree(whole, path)
    lines = lines_of(whole)
    write_lines(damaged["cut"], lines[:-1])
    write_lines(damaged["altered"], [lines[0].replace(b"runner", b"witness"), *lines[1:]])
    write_lines(damaged["added"], [*lines, lines[-1]])
    header = json.loads((whole / "episode.json").read_text())
    (damaged["version"] / "episode.json").write_text(json.dumps({**header, "schema": "exactchange/episode/9"}))
    rechain(damaged["capture"], _without_last_captures)
    next((damaged["blob"] / "blobs").iterdir()).unlink()
    shutil.rmtree(damaged["nothing"])
    damaged["nothing"].mkdir()
    damaged["killed"] = _killed(tmp_path / "dead")
    damaged["torn"] = pathlib.Path(shutil.copytree(damaged["killed"], tmp_path / "torn"))
    with (damaged["torn"] / "events.jsonl").open("ab") as log:
        log.write(b'{"seq": 99, "pr')
    jobs = [Job(path, task.file, write=False) for path in (whole, *damaged.values())]
    first, *entries = judge_all(jobs, processes=1, news=lambda _: None)
    assert first.outcome == "passed"
    found = dict(zip(damaged, entries, strict=True))
    for name in ("cut", "altered", "added"):
        as_stated("cut", found[name])
    as_stated("version", found["version"])
    as_stated("capture-missing", found["capture"])
    as_stated("blob-missing", found["blob"])
    as_stated("not-there", found["nothing"])
    as_stated("killed", found["killed"])
    as_stated("torn", found["torn"])
    assert {"torn", "crashed"} <= {item.kind for item in _verdict(found["torn"]).warnings}


def _verdict(entry: Entry) -> Verdict:
    assert entry.verdict is not None
    return entry.verdict


def test_a_clock_that_is_moved(tmp_path: pathlib.Path) -> None:
    """Back by a day, then forward by a year."""
    ticks = iter(range(10**6))

    def clock() -> tuple[int, int]:
        now = next(ticks)
        moved = -86_400 if 6 < now < 12 else 365 * 86_400 if now >= 12 else 0
        return (1_790_000_000 + now + moved) * 10**9, now * 10**9

    entry = played(tmp_path, reach, clock=clock)
    as_stated("clock", entry)
    assert [item.kind for item in _verdict(entry).warnings] == ["clock", "clock"]
