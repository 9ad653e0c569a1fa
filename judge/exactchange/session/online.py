"""A session: one run of one task, watched, recorded and judged while it happens."""

import asyncio
import pathlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from exactchange import __version__
from exactchange.actions import Reporter, normalise
from exactchange.actions.plain import with_error
from exactchange.case import Ended
from exactchange.episode import RunWorld
from exactchange.episode.header import Software
from exactchange.episode.recorder import Clock, system_clock
from exactchange.errors import InfrastructureError, UsageError
from exactchange.session.decision import GO, Decision
from exactchange.session.journal import Journal, new_journal
from exactchange.session.offline import judged
from exactchange.session.texts import check_text, write
from exactchange.session.watching import Taken, Watch
from exactchange.snapshot import Mark, Note
from exactchange.values import Value
from exactchange.verdict import Verdict

if TYPE_CHECKING:
    from exactchange.task import Task

_SELF = Software(name="exactchange", version=__version__)
_STILL_MOVING_S = 5.0


class Session:
    """Watches one run: `start`, then `before` and `after` around every action, then `finish`.

    A decision to stop is sticky: whatever is asked afterwards, the answer is stop. `record`: a new directory for the
    episode. `deadline_s`: how long one capture of a source may take. `settle_s`: how long the sources that are no
    pages must stand still, at the end, before their state counts.

    As a context manager it starts on entry; on exit it lets go of everything, finished or not.
    """

    def __init__(
        self,
        task: "Task",
        *,
        world: RunWorld,
        record: pathlib.Path | None = None,
        deadline_s: float = 15.0,
        settle_s: float = 0.2,
        runner: Software = _SELF,
        clock: Clock = system_clock,
    ) -> None:
        self._task = task
        self._record = record
        self._clock = clock
        self._settle_s = settle_s
        self._sources = {name: (spec.kind, spec.params(world.expand)) for name, spec in task.sources.items()}
        self._world = world.with_claims(self._sources.values())
        self._watch = Watch(self._sources, deadline_s=deadline_s)
        self._runner = runner
        self._journal: Journal | None = None
        self._pending = False
        self._waiting: list[tuple[Mapping[str, Value], Reporter]] = []
        self._over: Decision | None = None
        self._finished = self._closed = False

    async def start(self) -> Decision:
        """Open all readers and capture every source before the first action.

        Raises UsageError when the record's directory holds something, InfrastructureError when a reader cannot open.
        """
        if self._journal is not None:
            raise UsageError("this session has started already; make a new one for every run")
        await self._watch.open(self._world)
        try:
            self._journal = new_journal(
                self._task,
                self._sources,
                world=self._world,
                record=self._record,
                runner=self._runner,
                clock=self._clock,
                hear=self._watch.hear,
            )
            await self._capture(self._sources)
        except BaseException:
            await self.aclose()
            raise
        return self._decide(judge_now=False)

    async def before(self, raw: Mapping[str, Value], *, reported_by: Reporter = "runner") -> Decision:
        """An action is about to be done: whether it may be. `raw`: the call in the plain dialect."""
        journal = self._running()
        raw = await self._watch.concealed(raw)
        if self._pending:
            raise UsageError("the action before this one is not over; call `after` first")
        if self._over is not None:
            return self._over
        journal.attempt(normalise(raw, seq=journal.last + 1, reported_by=reported_by))
        decision = self._decide(judge_now=True)
        self._pending = decision.go
        return decision

    async def after(self, *, error: str | None = None, reported_by: Reporter = "runner") -> Decision:
        """The action is done, or went wrong: capture every source, and say whether the agent may go on."""
        journal = self._running()
        if not self._pending:
            if self._over is not None:
                return self._over
            raise UsageError("no action is under way; call `before` first")
        check_text("error", error)
        self._pending = False
        error = None if error is None else await self._watch.without(error)
        journal.done(with_error(journal.actions[-1], error), reporter=reported_by)
        await self._capture(self._sources)
        decision = self._decide(judge_now=True)
        for raw, reporter in self._waiting:
            decision = await self._take_event(raw, reporter)
        self._waiting.clear()
        return decision

    async def event(self, raw: Mapping[str, Value], *, reported_by: Reporter = "runner") -> Decision:
        """Something that happened and is no action of the agent's, such as a reply of the person.

        While an action is under way it is put behind that action: it cannot have led to it.
        """
        journal = self._running()
        if self._pending:
            normalise(raw, seq=journal.last + 1, reported_by=reported_by)  # what is none is refused now, not later
            self._waiting.append((dict(raw), reported_by))
            return GO
        return self._over if self._over is not None else await self._take_event(raw, reported_by)

    async def observed(self, raw: Mapping[str, Value], *, reported_by: Reporter = "agent") -> None:
        """An action that is only known from a log, when it is long over: recorded, with no capture of its own."""
        journal = self._running()
        raw = await self._watch.concealed(raw)
        action = normalise(raw, seq=journal.last + 1, reported_by=reported_by)
        journal.attempt(action, announced=False)
        journal.done(action, reporter=reported_by)

    def note(self, kind: str, message: str) -> None:
        """Something that the verdict shall warn of."""
        if self._journal is None or self._closed:
            raise UsageError("this session has not started, or is over")
        self._journal.note(Note(kind, message))

    def fail(self, message: str) -> None:
        """The infrastructure failed: there will be no verdict, unless a veto holds already."""
        self._running().fail(message)
        self._decide(judge_now=False)

    async def finish(
        self,
        answer: str | None = None,
        ended: Ended = "done",
        *,
        before_final: Callable[[], Awaitable[None]] | None = None,
        reported_by: Reporter = "runner",
    ) -> Verdict:
        """Take the last captures, seal the record and judge.

        Pages are captured first, while the application lives; then `before_final` closes it; then everything else is
        captured, since some applications write when they close. With a record, `verdict.json` is written.
        Raises VerdictNotWritten, which holds the verdict, where it cannot be.
        """
        journal = self._running()
        check_text("answer", answer)
        self._finished = True
        try:
            journal.ending(under_way=self._pending)
            if answer is not None:
                journal.answered(await self._watch.without(answer), reporter=reported_by)
            pages = [name for name, (kind, _) in self._sources.items() if kind.needs_browser]
            await self._capture(pages)
            others = [name for name in self._sources if name not in pages]
            if before_final is not None:
                # Tells what changed since the last step from what the application writes when it closes, which counts.
                await self._capture([name for name in others if journal.read_since(name)], if_read=True)
            await self._close_application(before_final)
            await self._settle(others)
            verdict = judged(self._task, journal.finished(ended))
        finally:
            await self.aclose()
        if self._record is not None:
            write(verdict, self._record)
        return verdict

    async def aclose(self) -> None:
        """Let go of everything. Without `finish`, a record counts as crashed."""
        self._finished = self._closed = True
        try:
            await self._watch.close()
        finally:
            if self._journal is not None:
                self._journal.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def failure(self) -> str | None:
        """What failed in the infrastructure."""
        return self._journal.failure if self._journal is not None else None

    @property
    def stopped(self) -> bool:
        """Whether the agent was told to stop."""
        return self._over is not None

    def _running(self) -> Journal:
        if self._journal is None:
            raise UsageError("this session has not started; call `start` first")
        if self._finished:
            raise UsageError("this session is over; make a new one for every run")
        return self._journal

    async def _take_event(self, raw: Mapping[str, Value], reporter: Reporter) -> Decision:
        self._running().listen(outside=True)
        await self.observed(raw, reported_by=reporter)
        await self._capture(self._sources)
        return self._decide(judge_now=True)

    async def _capture(self, names: Iterable[str], *, if_read: bool = False) -> None:
        for taken in await self._take(names):
            self._keep(taken, if_read=if_read)

    async def _take(self, names: Iterable[str]) -> list[Taken]:
        assert self._journal is not None
        wall_ns, mono_ns = self._clock()
        return await self._watch.capture(Mark(self._journal.last, wall_ns, mono_ns), names)

    def _keep(self, taken: Taken, *, if_read: bool = False) -> None:
        assert self._journal is not None
        if if_read and (taken.failure is not None or taken.snapshot.unread):
            return self._journal.hold(taken.snapshot)
        self._journal.captured(taken.source, taken.snapshot)
        if taken.failure is not None:
            self._journal.fail(taken.failure)

    async def _close_application(self, close: Callable[[], Awaitable[None]] | None) -> None:
        assert self._journal is not None
        if close is None:
            return
        try:
            await close()
        except InfrastructureError as error:
            self._journal.fail(str(error))

    async def _settle(self, names: list[str]) -> None:
        """Capture until nothing moves for `settle_s`; the last state counts, and what still moves is said."""
        assert self._journal is not None
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _STILL_MOVING_S
        taken = await self._take(names)
        moving, late = names if self._settle_s > 0 else [], False  # a first look that took long has a second one, too
        while moving and not late:
            await asyncio.sleep(self._settle_s)
            again = await self._take(names)
            moving = [new.source for old, new in zip(taken, again, strict=True) if _differ(old, new)]
            for item in taken:
                self._journal.hold(item.snapshot)
            taken, late = again, loop.time() >= deadline
        for item in taken:
            self._keep(item)
        if moving and names:
            text = f"still changing {_STILL_MOVING_S:g} s after the end: {', '.join(moving)}; the last state counts"
            self._journal.note(Note("moving", text))

    def _decide(self, *, judge_now: bool) -> Decision:
        assert self._journal is not None
        if self._over is None and self._journal.failure is not None:
            self._over = Decision(go=False, failure=self._journal.failure)
        if self._over is None and judge_now:
            from exactchange.judging import vetoed_so_far  # loads the rules: only when something is judged

            found = vetoed_so_far(self._task, self._journal.so_far())
            if found:
                self._journal.stop()
                self._over = Decision(go=False, because=found)
        return self._over if self._over is not None else GO


def _differ(old: Taken, new: Taken) -> bool:
    return old.snapshot.digest != new.snapshot.digest
