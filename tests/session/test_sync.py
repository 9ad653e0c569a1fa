import asyncio
import pathlib
import threading

import pytest
from tests.episode.kit import CLICK, Desk, but_mode, kit_task, new_desk

from exactchange.errors import UsageError
from exactchange.session import SyncSession, judge_episode


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return new_desk(tmp_path / "work")


def _session_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "exactchange-session"]


def test_a_run_of_a_runner_that_is_not_asynchronous(desk: Desk, tmp_path: pathlib.Path) -> None:
    closed: list[str] = []
    with SyncSession(kit_task(), world=desk.world, record=tmp_path / "episode", settle_s=0) as session:
        assert session.event({"kind": "reply", "text": "please"}).go
        assert session.before(CLICK).go
        desk.write(a=2, b=1)
        assert session.after().go
        verdict = session.finish("done", before_final=lambda: closed.append("closed"))
    assert verdict.passed and closed == ["closed"]
    assert but_mode(judge_episode(kit_task(), tmp_path / "episode")) == but_mode(verdict)
    assert not _session_threads()


def test_it_can_be_called_where_an_event_loop_runs(desk: Desk) -> None:
    async def inside() -> str:
        with SyncSession(kit_task(), world=desk.world, settle_s=0) as session:
            session.before(CLICK)
            session.after()
            return session.finish().outcome

    assert asyncio.run(inside()) == "unmet"


def test_nothing_is_left_when_it_cannot_start(desk: Desk) -> None:
    with pytest.raises(UsageError, match="not an empty directory"):
        SyncSession(kit_task(), world=desk.world, record=desk.folder).__enter__()
    assert not _session_threads()


def test_closing_twice_is_harmless_and_asking_afterwards_is_wrong_usage(desk: Desk) -> None:
    session = SyncSession(kit_task(), world=desk.world)
    session.start()
    session.close()
    session.close()
    with pytest.raises(UsageError, match="closed"):
        session.before(CLICK)
    assert not _session_threads()


def test_one_that_was_never_started_leaves_nothing(desk: Desk) -> None:
    SyncSession(kit_task(), world=desk.world).close()
    assert not _session_threads()
