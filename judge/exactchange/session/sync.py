"""The session for runners that are not asynchronous: the same calls, blocking."""

import asyncio
import pathlib
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from exactchange.actions import Reporter
from exactchange.case import Ended
from exactchange.episode import RunWorld
from exactchange.session.decision import Decision
from exactchange.session.loop import LoopThread
from exactchange.session.online import Session
from exactchange.values import Value
from exactchange.verdict import Verdict

if TYPE_CHECKING:
    from exactchange.task import Task


class SyncSession:
    """A Session in a thread and an event loop of its own. Use as a context manager, or call `close` at the end.

    Any thread may call it, also one in which an event loop runs; calls wait for each other.
    """

    def __init__(
        self,
        task: "Task",
        *,
        world: RunWorld,
        record: pathlib.Path | None = None,
        deadline_s: float = 15.0,
        settle_s: float = 0.2,
    ) -> None:
        self._session = Session(task, world=world, record=record, deadline_s=deadline_s, settle_s=settle_s)
        self._loop = LoopThread("exactchange-session")
        self._closed = False

    def start(self) -> Decision:
        """As `Session.start`."""
        return self._loop.run(self._session.start())

    def before(self, raw: Mapping[str, Value], *, reported_by: Reporter = "runner") -> Decision:
        """As `Session.before`."""
        return self._loop.run(self._session.before(raw, reported_by=reported_by))

    def after(self, *, error: str | None = None) -> Decision:
        """As `Session.after`."""
        return self._loop.run(self._session.after(error=error))

    def event(self, raw: Mapping[str, Value], *, reported_by: Reporter = "runner") -> Decision:
        """As `Session.event`."""
        return self._loop.run(self._session.event(raw, reported_by=reported_by))

    def observed(self, raw: Mapping[str, Value], *, reported_by: Reporter = "agent") -> None:
        """As `Session.observed`."""
        self._loop.run(self._session.observed(raw, reported_by=reported_by))

    def finish(
        self, answer: str | None = None, ended: Ended = "done", *, before_final: Callable[[], None] | None = None
    ) -> Verdict:
        """As `Session.finish`; `before_final` runs in a thread of its own."""
        close = None if before_final is None else _in_thread(before_final)
        return self._loop.run(self._session.finish(answer, ended, before_final=close))

    def close(self) -> None:
        """Let go of everything; safe to call twice."""
        if self._closed:
            return
        try:
            self._loop.run(self._session.aclose())
        finally:
            self._closed = True
            self._loop.close()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _in_thread(call: Callable[[], None]) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        await asyncio.to_thread(call)

    return close
