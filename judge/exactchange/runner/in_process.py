"""A run in which the agent is Python code of the caller's: the world is up for a block, and every step is judged."""

import pathlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from exactchange.actions import Reporter
from exactchange.runner.run import finish
from exactchange.runner.stage import Stage, brought_up
from exactchange.session import Decision, Session
from exactchange.session.loop import LoopThread
from exactchange.values import Value
from exactchange.verdict import Verdict

if TYPE_CHECKING:
    from exactchange.task import Task


class LiveRun:
    """A task's world that is up: what the agent needs to know, and the calls around every action of its."""

    def __init__(self, stage: Stage, session: Session, loop: LoopThread) -> None:
        self._stage = stage
        self._session = session
        self._loop = loop

    @property
    def instruction(self) -> str:
        """What the agent is told."""
        return self._stage.task.instruction

    @property
    def cdp_url(self) -> str | None:
        """Address of the browser for `connect_over_cdp`; None when no source is a page."""
        return self._stage.world.cdp_url

    @property
    def workdir(self) -> pathlib.Path:
        """The directory in which the application keeps its state."""
        return self._stage.world.workdir

    def before(self, action: Mapping[str, Value]) -> Decision:
        """The agent is about to do this, in the plain dialect: `{"kind": "click", "target": {"css": "#save"}}`."""
        return self._loop.run(self._session.before(action))

    def after(self, *, error: str | None = None) -> Decision:
        """It is done, or went wrong: look at every source, and say whether the agent may go on."""
        self._stage.check()
        return self._loop.run(self._session.after(error=error))

    def event(self, action: Mapping[str, Value], *, reported_by: Reporter = "runner") -> Decision:
        """Something that the agent did not do, such as a person's reply: `{"kind": "reply", "text": "yes"}`."""
        return self._loop.run(self._session.event(action, reported_by=reported_by))

    def finish(self, answer: str | None = None) -> Verdict:
        """The agent is done: close the application, look once more, and judge."""
        return self._loop.run(finish(self._stage, self._session, answer=answer, ended="done", reported_by="runner"))


@contextmanager
def live(
    task: "Task",
    *,
    record: pathlib.Path | str | None = None,
    headless: bool = True,
    progress: Callable[[str], None] = lambda _text: None,
) -> Generator[LiveRun]:
    """Bring a task's world up for the block: application, browser, readers. Afterwards nothing of it is left.

    `record`: a new directory for the episode. Raises InfrastructureError when the world does not come up. Leaving the
    block without `finish` gives no verdict, and a record then counts as crashed.
    """
    loop = LoopThread("exactchange-live")
    stage = brought_up(task, headless=headless, keep=False, say=progress)
    try:
        up = loop.run(stage.__aenter__())
        try:
            session = Session(task, world=up.world, record=None if record is None else pathlib.Path(record))
            loop.run(session.start())
            try:
                yield LiveRun(up, session, loop)
            finally:
                loop.run(session.aclose())
        finally:
            loop.run(stage.__aexit__(None, None, None))
    finally:
        loop.close()
