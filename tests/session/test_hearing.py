"""When what a source saw was done: during which announced action, or during none; and how it is read back."""

import asyncio
import json
import pathlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest
from tests.episode.kit import CLICK, Desk, kit_task, new_desk
from tests.session.kinds import OddKind, OddReader, Trace, nothing, odd_task

from exactchange.case.hearing import Hearing
from exactchange.episode import read_episode
from exactchange.episode.events import EVENT, Witnessed, hearing_record
from exactchange.session import Session
from exactchange.snapshot import Mark
from exactchange.sources import SourceParams, World
from exactchange.sources.witnessing import Act, Heard
from exactchange.task import Task


@dataclass
class Ear:
    """What the next time of asking tells."""

    acts: list[Act] = field(default_factory=list[Act])
    unheard: tuple[str, ...] = ()

    def does(self, name: str) -> None:
        self.acts.append(Act("click", {"target": {"css": name}}))


class Listening(OddKind):
    """A source whose reader tells what an ear has heard."""

    def __init__(self, ear: Ear) -> None:
        super().__init__("page", Trace(), nothing)
        self.ear = ear

    def open(self, params: SourceParams, *, world: World) -> AbstractAsyncContextManager[OddReader]:
        return self._listening()

    @asynccontextmanager
    async def _listening(self) -> AsyncGenerator[OddReader]:
        yield _Reader(self)


class _Reader(OddReader):
    def __init__(self, kind: Listening) -> None:
        super().__init__(kind)
        self._ear = kind.ear

    def witnessed(self) -> Heard:
        acts, self._ear.acts = self._ear.acts, []
        return Heard(tuple(acts), self._ear.unheard)


Steps = Callable[[Session, Ear], Awaitable[object]]


async def in_steps(session: Session, ear: Ear) -> None:
    ear.does("#early")
    await session.before(CLICK)
    ear.does("#one")
    await session.after()
    ear.does("#between")
    await session.before(CLICK)
    ear.does("#two")
    await session.after()
    ear.does("#late")


async def under_way(session: Session, ear: Ear) -> None:
    await session.before(CLICK)
    ear.does("#one")


async def logged(session: Session, ear: Ear) -> None:
    ear.does("#somewhere")
    await session.observed(CLICK)
    await session.observed(CLICK)


async def replied(session: Session, ear: Ear) -> None:
    ear.does("#before")
    await session.event({"kind": "reply", "text": "yes"})


PLACED: list[tuple[Steps, list[tuple[str, int, int, bool]]]] = [
    (in_steps, [("#early", 0, 0, True), ("#one", 1, 1, False), ("#between", 1, 1, True), ("#two", 2, 2, False),
                ("#late", 2, 2, True)]),
    (under_way, [("#one", 1, 1, False)]),
    (logged, [("#somewhere", 0, 2, False)]),
    (replied, [("#before", 0, 0, True)]),
]  # fmt: skip


def heard_in(folder: pathlib.Path, steps: Steps, *, late: bool = False) -> tuple[tuple[Hearing, ...], Task]:
    """What the record of a run says was heard. `late`: an act is heard only while the last capture is taken."""
    ear = Ear()
    desk: Desk = new_desk(folder / "work")
    source = Listening(ear)

    def slow(mark: Mark) -> None:
        if mark.step > 0:
            ear.does("#slow")

    if late:
        source.happen = slow
    task = odd_task(source, task=kit_task())

    async def run() -> None:
        async with Session(task, world=desk.world, record=folder / "episode", settle_s=0) as session:
            await steps(session, ear)
            await session.finish("done")

    asyncio.run(run())
    return read_episode(folder / "episode", task).heard, task


@pytest.mark.parametrize(("steps", "placed"), PLACED)
def test_what_was_done_is_put_to_the_step_in_which_it_was(
    tmp_path: pathlib.Path, steps: Steps, placed: list[tuple[str, int, int, bool]]
) -> None:
    heard, _ = heard_in(tmp_path, steps)
    found = [(str(act.target["css"]), item.since, item.step, item.outside) for item in heard for act in item.acts]
    assert found == placed


def test_what_is_heard_late_of_a_log_that_is_read_at_the_end_is_still_of_its_actions(tmp_path: pathlib.Path) -> None:
    heard, _ = heard_in(tmp_path, logged, late=True)
    assert [(item.since, item.step, item.outside) for item in heard if item.acts] == [(0, 2, False), (0, 2, False)]


def test_a_source_that_heard_nothing_is_known_to_have_listened(tmp_path: pathlib.Path) -> None:
    async def nothing_done(session: Session, ear: Ear) -> None:
        """Nobody does anything."""

    heard, _ = heard_in(tmp_path, nothing_done)
    assert heard == (Hearing("page", 0, 0),)


HEARING = Hearing("page", 1, 2, False, (Act("fill", {"text": "a"}, False, {"nodes": "[]"}),), ("why",))


def test_a_hearing_reads_back_as_it_was() -> None:
    line = {**hearing_record(HEARING), "type": "witness", "seq": 1, "prev": "", "time_ns": 0, "mono_ns": 0}
    event = EVENT.validate_python(json.loads(json.dumps({**line, "reporter": "witness"})))
    assert isinstance(event, Witnessed) and event.hearing() == HEARING
