import asyncio
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

import pytest
from tests.episode.kit import CLICK, case_of, kit_task, lines_of, new_desk, recorded, told

from exactchange.episode import EpisodeRecorder, Header, read_header
from exactchange.episode.events import LONGEST_LINE
from exactchange.episode.header import Software, TaskRef, WorldText
from exactchange.errors import UsageError
from exactchange.session import Session, judge_episode


def _header() -> Header:
    return Header(
        id="1",
        task=TaskRef(id="kit", hash=kit_task().hash),
        world=WorldText(),
        runner=Software(name="test", version="1"),
        judge="0",
        started_ns=1,
    )


def test_an_episode_has_a_private_directory(tmp_path: pathlib.Path) -> None:
    episode = recorded(tmp_path)
    assert episode.stat().st_mode & 0o777 == 0o700
    assert {item.name for item in episode.iterdir()} == {"episode.json", "events.jsonl", "blobs", "verdict.json"}


def test_a_directory_that_holds_something_is_refused_and_left_alone(tmp_path: pathlib.Path) -> None:
    (tmp_path / "verdict.json").write_text("planted")
    with pytest.raises(UsageError, match="not an empty directory"):
        EpisodeRecorder(tmp_path, _header())
    assert [item.name for item in tmp_path.iterdir()] == ["verdict.json"]


def test_a_link_to_an_empty_directory_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    with pytest.raises(UsageError, match="not an empty directory"):
        EpisodeRecorder(tmp_path / "link", _header())
    assert not list((tmp_path / "empty").iterdir())


def test_two_recorders_cannot_share_a_directory(tmp_path: pathlib.Path) -> None:
    EpisodeRecorder(tmp_path / "episode", _header()).close()
    with pytest.raises(UsageError, match="not an empty directory"):
        EpisodeRecorder(tmp_path / "episode", _header())


def test_nothing_is_added_after_the_seal(tmp_path: pathlib.Path) -> None:
    recorder = EpisodeRecorder(tmp_path / "episode", _header())
    recorder.seal(ended="done", stopped_at=None)
    with pytest.raises(UsageError, match="closed"):
        recorder.event("note", {"kind": "late", "message": "too late"})


def test_every_event_can_be_read_while_the_run_goes_on(tmp_path: pathlib.Path) -> None:
    task, desk, episode = kit_task(), new_desk(tmp_path / "work"), tmp_path / "episode"

    async def run() -> None:
        async with Session(task, world=desk.world, record=episode, settle_s=0) as session:
            with case_of(episode) as case:
                assert case.ended == "crashed" and not case.actions
            await session.before(CLICK)
            with case_of(episode) as case:
                assert [action.kind for action in case.actions] == ["click"]
            await session.after(error="no such element")
            with case_of(episode) as case:
                assert case.actions[0].error == "no such element"
            assert judge_episode(task, episode).outcome == "undecided"
            await session.finish()

    asyncio.run(run())


_UNTIL_KILLED = """
    import asyncio, os, pathlib, signal, sys
    from tests.episode.kit import CLICK, Desk, kit_task
    from exactchange.session import Session

    async def run(folder):
        desk = Desk(folder / "work")
        async with Session(kit_task(), world=desk.world, record=folder / "episode", settle_s=0) as session:
            await session.before(CLICK)
            desk.write(a=2, b=1)
            if sys.argv[2] == "after":
                await session.after()
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(run(pathlib.Path(sys.argv[1])))
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_killed_recorder_leaves_an_episode_that_is_read_as_crashed_and_never_passes(
    tmp_path: pathlib.Path, when: str
) -> None:
    new_desk(tmp_path / "work")
    command = [sys.executable, "-c", textwrap.dedent(_UNTIL_KILLED), str(tmp_path), when]
    assert subprocess.run(command, timeout=60).returncode == -signal.SIGKILL
    episode = tmp_path / "episode"
    assert read_header(episode).end is None
    with case_of(episode) as case:
        assert case.ended == "crashed"
        assert [note.kind for note in case.notes] == ["crashed"]
        assert all(evidence.captures[-1].unread for evidence in case.sources.values())
    verdict = judge_episode(kit_task(), episode)
    assert verdict.outcome == "undecided"
    assert (verdict.cause, verdict.score) == ("infrastructure", None)


def test_large_events_are_stored_beside_the_log_and_read_back(tmp_path: pathlib.Path) -> None:
    task, desk, episode = kit_task(), new_desk(tmp_path / "work"), tmp_path / "episode"
    text = "long \u2028 " * 200_000

    async def run() -> None:
        async with Session(task, world=desk.world, record=episode, settle_s=0) as session:
            await session.before({"kind": "fill", "text": text})
            await session.after(error=text)
            await session.finish(text)

    asyncio.run(run())
    assert max(map(len, lines_of(episode))) < LONGEST_LINE
    with case_of(episode) as case:
        assert case.actions[0].text == text == case.actions[0].error == case.answer


def test_equal_state_costs_next_to_nothing(tmp_path: pathlib.Path) -> None:
    task, desk, episode = kit_task(), new_desk(tmp_path / "work"), tmp_path / "episode"
    desk.write(a=1, b=1, text=[os.urandom(8).hex() for _ in range(20_000)])

    async def run() -> None:
        async with Session(task, world=desk.world, record=episode, settle_s=0) as session:
            first = _size(episode)
            for _ in range(5):
                await session.before(CLICK)
                await session.after()
            assert _size(episode) - first < 40_000 < first
            await session.finish()

    asyncio.run(run())


def _size(folder: pathlib.Path) -> int:
    return sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())


def test_a_moved_wall_clock_is_said_and_changes_nothing_else(tmp_path: pathlib.Path) -> None:
    day = 86_400 * 10**9
    ticks = iter(range(10**9, 10**12, 10**9))
    moved = {"by": 0}

    def clock() -> tuple[int, int]:
        mono = next(ticks)
        return 10**18 + mono + moved["by"], mono

    task, desk, episode = kit_task(), new_desk(tmp_path / "work"), tmp_path / "episode"

    async def run() -> list[str]:
        async with Session(task, world=desk.world, record=episode, settle_s=0, clock=clock) as session:
            await session.before(CLICK)
            moved["by"] = -day
            desk.write(a=2, b=1)
            await session.after()
            moved["by"] = 365 * day
            verdict = await session.finish()
        assert verdict.passed
        return [item.message for item in verdict.warnings]

    said = asyncio.run(run())
    assert ["back by 86400 s" in said[0], "forward by" in said[1], len(said)] == [True, True, 2]
    assert [item.message for item in judge_episode(task, episode).warnings] == said


def test_reading_leaves_the_episode_as_it_was(tmp_path: pathlib.Path) -> None:
    episode = recorded(tmp_path)

    def state() -> dict[str, tuple[bytes, int, int]]:
        return {
            str(item): (item.read_bytes(), item.stat().st_mode, item.stat().st_mtime_ns)
            for item in episode.rglob("*")
            if item.is_file()
        }

    before = state()
    assert judge_episode(kit_task(), episode).passed
    assert state() == before


def test_reading_twice_tells_the_same(tmp_path: pathlib.Path) -> None:
    episode = recorded(tmp_path)
    with case_of(episode) as first, case_of(episode) as second:
        assert told(first) == told(second)


def test_the_header_says_what_was_run_and_how_it_ended(tmp_path: pathlib.Path) -> None:
    header = json.loads((recorded(tmp_path) / "episode.json").read_text())
    assert header["schema"] == "exactchange/episode/1"
    assert header["task"] == {"id": "kit", "hash": kit_task().hash}
    assert header["end"]["ended"] == "done"
    assert header["sources"]["doc"]["adapter"] == "file"
