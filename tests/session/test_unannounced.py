"""What an agent does between the steps that it announces is told from what its application does by itself."""

import asyncio
import pathlib
from collections.abc import Awaitable, Callable

import pytest
from tests.episode.kit import CLICK, Desk, but_mode, kit_task, new_desk

from exactchange.session import Session, judge_episode
from exactchange.verdict import Verdict

Steps = Callable[[Session, Desk], Awaitable[Verdict]]


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return new_desk(tmp_path / "work")


def _run(desk: Desk, steps: Steps) -> tuple[Verdict, Verdict]:
    """The online verdict and that of the record."""
    task, record = kit_task(), desk.folder.parent / "episode"

    async def run() -> Verdict:
        async with Session(task, world=desk.world, record=record, settle_s=0) as session:
            return await steps(session, desk)

    return asyncio.run(run()), judge_episode(task, record)


def test_what_is_done_after_the_last_announced_step_is_told_from_what_the_application_writes_when_it_closes(
    desk: Desk,
) -> None:
    async def close_application() -> None:
        desk.write(a=2, b=1, closed=True)

    async def steps(session: Session, desk: Desk) -> Verdict:
        await session.before(CLICK)
        await session.after()
        desk.write(a=2, b=1)
        return await session.finish(before_final=close_application)

    online, offline = _run(desk, steps)
    (warned,) = online.warnings
    assert warned.kind == "unannounced"
    assert "doc: a modified" in warned.message and "closed" not in warned.message
    assert but_mode(online) == but_mode(offline)


def test_what_is_done_between_before_and_the_end_is_the_step_that_was_announced(desk: Desk) -> None:
    async def close_application() -> None:
        return

    async def steps(session: Session, desk: Desk) -> Verdict:
        await session.before(CLICK)
        desk.write(a=2, b=1)
        return await session.finish(before_final=close_application, ended="crashed")

    online, offline = _run(desk, steps)
    assert online.passed and online.warnings == ()
    assert but_mode(online) == but_mode(offline)
