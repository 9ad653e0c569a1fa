import asyncio
import pathlib
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from tests.episode.kit import CLICK, Desk, but_mode, case_of, kit_task, new_desk
from tests.session.kinds import OddKind, OddReader, Trace, nothing, odd_task

from exactchange.errors import InfrastructureError, UsageError
from exactchange.session import Session, judge_episode
from exactchange.snapshot import Mark
from exactchange.sources import SourceParams, World
from exactchange.task import Task
from exactchange.verdict import Verdict

Steps = Callable[[Session, Desk], Awaitable[Verdict]]


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return new_desk(tmp_path / "work")


def _run(desk: Desk, steps: Steps, *, task: Task | None = None, deadline_s: float = 10.0) -> tuple[Verdict, Verdict]:
    """The online verdict and that of the record."""
    task = task or kit_task()
    record = desk.folder.parent / "episode"

    async def run() -> Verdict:
        session = Session(task, world=desk.world, record=record, settle_s=0, deadline_s=deadline_s)
        async with session:
            return await steps(session, desk)

    return asyncio.run(run()), judge_episode(task, record)


async def _nothing_done(session: Session, desk: Desk) -> Verdict:
    return await session.finish("done")


async def _done(session: Session, desk: Desk) -> Verdict:
    if (await session.before(CLICK)).go:
        desk.write(a=2, b=1)
        await session.after()
    return await session.finish()


async def _done_in_two(session: Session, desk: Desk) -> Verdict:
    await session.before(CLICK)
    await session.after()
    return await _done(session, desk)


async def _veto_before(session: Session, desk: Desk) -> Verdict:
    await session.before(CLICK)
    await session.after()
    decision = await session.before({"kind": "tool", "tool": "explode"})
    assert not decision.go and "nothing explodes" in decision.reasons[0]
    assert session.stopped
    return await session.finish(ended="stopped")


async def _veto_after(session: Session, desk: Desk) -> Verdict:
    assert (await session.before(CLICK)).go
    desk.write(a=1, b=2)
    decision = await session.after()
    assert not decision.go and [item.name for item in decision.because] == ["b stays"]
    return await session.finish(ended="stopped")


async def _reverted(session: Session, desk: Desk) -> Verdict:
    await session.before(CLICK)
    desk.sql("DELETE FROM t WHERE id = 2")
    await session.after()
    await session.before(CLICK)
    desk.sql("INSERT INTO t VALUES (2, 'two')")
    await session.after()
    await session.before(CLICK)
    desk.write(a=2, b=1)
    await session.after()
    return await session.finish()


async def _timeout(session: Session, desk: Desk) -> Verdict:
    await session.before(CLICK)
    desk.write(a=2, b=1)
    return await session.finish(ended="timeout")


async def _deleted(session: Session, desk: Desk) -> Verdict:
    await session.before(CLICK)
    (desk.folder / "doc.json").unlink()
    await session.after()
    return await session.finish()


async def _corrupt(session: Session, desk: Desk) -> Verdict:
    await session.before(CLICK)
    desk.write(a=2, b=1)
    (desk.folder / "app.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    await session.after(error="boom")
    return await session.finish()


async def _failed(session: Session, desk: Desk) -> Verdict:
    await session.before(CLICK)
    desk.write(a=2, b=1)
    session.fail("the disk is full")
    await session.after()
    return await session.finish(ended="crashed")


@pytest.mark.parametrize(
    ("steps", "outcome", "score", "stopped_at"),
    [
        (_nothing_done, "unmet", 0, None),
        (_done, "passed", 100, None),
        (_veto_before, "vetoed", 0, 2),
        (_veto_after, "vetoed", 0, 1),
        (_reverted, "vetoed", 0, 1),
        (_timeout, "passed", 100, None),
        (_deleted, "vetoed", 0, 1),
        (_corrupt, "undecided", 0, None),
        (_failed, "undecided", None, None),
    ],
)
def test_the_online_verdict_is_the_verdict_of_the_record_but_for_its_mode(
    desk: Desk, steps: Steps, outcome: str, score: int | None, stopped_at: int | None
) -> None:
    online, offline = _run(desk, steps)
    assert (online.outcome, online.score, online.stopped_at) == (outcome, score, stopped_at)
    assert (online.mode, offline.mode) == ("online", "offline")
    assert but_mode(online) == but_mode(offline)
    assert online.hashes["events"]


def test_a_stop_is_sticky(desk: Desk) -> None:
    async def steps(session: Session, desk: Desk) -> Verdict:
        first = await session.before({"kind": "tool", "tool": "explode"})
        assert not first.go
        assert await session.before(CLICK) == first
        assert await session.after() == first
        assert await session.event({"kind": "reply", "text": "go on"}) == first
        return await session.finish(ended="stopped")

    online, _ = _run(desk, steps)
    assert (online.stopped_at, online.steps) == (1, 1)
    with case_of(desk.folder.parent / "episode") as case:
        assert [action.kind for action in case.actions] == ["tool"]


@pytest.mark.parametrize("wrong", ["after first", "before twice", "start twice", "finish twice", "after the end"])
def test_calls_in_a_wrong_order_are_wrong_usage(desk: Desk, wrong: str) -> None:
    async def run() -> None:
        async with Session(kit_task(), world=desk.world, settle_s=0) as session:
            if wrong == "after first":
                await session.after()
            elif wrong == "before twice":
                await session.before(CLICK)
                await session.before(CLICK)
            elif wrong == "start twice":
                await session.start()
            await session.finish()
            await (session.finish() if wrong == "finish twice" else session.before(CLICK))

    with pytest.raises(UsageError):
        asyncio.run(run())


def test_nothing_is_asked_of_a_session_that_has_not_started(desk: Desk) -> None:
    with pytest.raises(UsageError, match="call `start` first"):
        asyncio.run(Session(kit_task(), world=desk.world).before(CLICK))


def test_a_reply_during_an_action_is_put_behind_it(desk: Desk) -> None:
    async def steps(session: Session, desk: Desk) -> Verdict:
        await session.event({"kind": "reply", "text": "please begin"})
        await session.before(CLICK)
        await session.event({"kind": "reply", "text": "yes"})
        desk.write(a=2, b=1)
        await session.after()
        return await session.finish()

    online, offline = _run(desk, steps)
    assert online.passed and but_mode(online) == but_mode(offline)
    with case_of(desk.folder.parent / "episode") as case:
        assert [(action.kind, action.reported_by) for action in case.actions] == [
            ("reply", "runner"),
            ("click", "runner"),
            ("reply", "runner"),
        ]
        assert case.sources["doc"].steps == (0, 1, 2, 3, 3)
        assert case.watched_every_step("doc")


def test_what_is_only_observed_is_judged_by_start_and_end(desk: Desk) -> None:
    async def steps(session: Session, desk: Desk) -> Verdict:
        desk.write(a=2, b=1)
        await session.observed(CLICK)
        await session.observed({"kind": "zap"})
        return await session.finish()

    online, offline = _run(desk, steps)
    assert but_mode(online) == but_mode(offline)
    assert "between captures" in {item.kind for item in online.warnings}
    with case_of(desk.folder.parent / "episode") as case:
        assert [(action.kind, action.reported_by) for action in case.actions] == [
            ("click", "agent"),
            ("unknown", "agent"),
        ]
        assert case.sources["doc"].steps == (0, 2)


async def _hangs(_mark: Mark) -> None:
    await asyncio.Event().wait()


async def _browser_gone(_mark: Mark) -> None:
    raise InfrastructureError("the browser ended")


async def _bug(_mark: Mark) -> None:
    raise KeyError("a mistake in an adapter")


async def _refuses(_mark: Mark) -> None:
    raise UsageError("no such thing")


@pytest.mark.parametrize(
    ("happen", "cause", "score"),
    [
        (_hangs, "content", 0),
        (_refuses, "content", 0),
        (_browser_gone, "infrastructure", None),
        (_bug, "infrastructure", None),
    ],
)
@pytest.mark.parametrize("when", [0, 1, 3])
def test_a_source_that_cannot_be_captured_is_unread_and_never_a_pass(
    desk: Desk,
    happen: Callable[[Mark], object],
    cause: str,
    score: int | None,
    when: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("exactchange.session.watching._GRACE_S", 0.0)
    seen = {"n": 0}

    def sometimes(mark: Mark) -> object:
        seen["n"] += 1
        return happen(mark) if seen["n"] - 1 == when else 0

    task = odd_task(OddKind("odd", Trace(), sometimes))
    online, offline = _run(desk, _done_in_two, task=task, deadline_s=0.3)
    assert but_mode(online) == but_mode(offline)
    if when == 1 and cause == "content":
        # Start and end could be compared; what was done and undone in between could not, and that is said.
        assert online.passed
        assert "odd" in next(item.message for item in online.warnings if item.kind == "between captures")
    else:
        assert (online.outcome, online.cause, online.score) == ("undecided", cause, score)


def test_a_failure_stops_the_agent(desk: Desk) -> None:
    async def steps(session: Session, desk: Desk) -> Verdict:
        decision = await session.before(CLICK)
        assert not decision.go and decision.failure is not None and "the browser ended" in decision.reasons[0]
        return await session.finish(ended="crashed")

    task = odd_task(OddKind("odd", Trace(), lambda mark: _browser_gone(mark)))
    online, offline = _run(desk, steps, task=task)
    assert online.score is None
    assert but_mode(online) == but_mode(offline)


def test_a_veto_that_held_before_the_failure_still_holds(desk: Desk) -> None:
    async def steps(session: Session, desk: Desk) -> Verdict:
        await session.before(CLICK)
        desk.write(a=1, b=2)
        await session.after()
        session.fail("the browser ended")
        return await session.finish(ended="crashed")

    online, offline = _run(desk, steps)
    assert online.outcome == "vetoed" and online.score == 0
    assert but_mode(online) == but_mode(offline)


def test_pages_are_captured_while_the_application_lives_and_files_after_it_closed(desk: Desk) -> None:
    trace = Trace()
    page = OddKind("page", trace, nothing, needs_browser=True)
    file = OddKind("other", trace, nothing)

    async def close_application() -> None:
        trace.said.append("closed the application")
        desk.write(a=2, b=1)

    async def steps(session: Session, desk: Desk) -> Verdict:
        await session.before(CLICK)
        await session.after()
        trace.said.clear()
        return await session.finish(before_final=close_application)

    online, offline = _run(desk, steps, task=odd_task(page, file))
    assert trace.said == ["page 1", "other 1", "closed the application", "other 1", "other closed", "page closed"]
    assert online.passed, "what the application writes when it closes counts"
    assert online.warnings == (), "and is the doing of nobody"
    assert but_mode(online) == but_mode(offline)


def test_an_application_that_cannot_be_closed_gives_no_verdict(desk: Desk) -> None:
    async def close_application() -> None:
        raise InfrastructureError("app.finish did not end")

    async def steps(session: Session, desk: Desk) -> Verdict:
        await session.before(CLICK)
        desk.write(a=2, b=1)
        await session.after()
        return await session.finish(before_final=close_application)

    online, offline = _run(desk, steps)
    assert (online.outcome, online.cause, online.score) == ("undecided", "infrastructure", None)
    assert but_mode(online) == but_mode(offline)


def test_the_last_state_counts_when_something_still_moves(desk: Desk) -> None:
    captures: list[Mark] = []

    def late(mark: Mark) -> int:
        captures.append(mark)
        if len(captures) == 2:  # right after the first look at the end
            desk.write(a=7, b=1)
        return min(len(captures), 3)

    async def run() -> Verdict:
        async with Session(odd_task(OddKind("odd", Trace(), late)), world=desk.world, settle_s=0.01) as session:
            return await session.finish()

    verdict = asyncio.run(run())
    assert len(captures) == 4, "captured until two looks were equal"
    assert {(change.source, change.after) for change in verdict.unexplained} == {("doc", 7), ("odd", 3)}


@pytest.mark.parametrize("patience", [0.05, 0])
def test_what_never_stands_still_is_said(desk: Desk, patience: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more than that, also where the first look took all the time that there was."""
    monkeypatch.setattr("exactchange.session.online._STILL_MOVING_S", patience)
    ticks = iter(range(10**6))
    task = odd_task(OddKind("odd", Trace(), lambda mark: next(ticks)))

    async def run() -> Verdict:
        record = desk.folder.parent / "episode"
        async with Session(task, world=desk.world, settle_s=0.01, record=record) as session:
            return await session.finish()

    verdict = asyncio.run(run())
    assert [item.message for item in verdict.warnings if item.kind == "moving"] == [
        f"still changing {patience:g} s after the end: odd; the last state counts"
    ]
    assert but_mode(judge_episode(task, desk.folder.parent / "episode")) == but_mode(verdict)


def test_readers_and_snapshots_are_let_go_when_the_run_is_given_up(desk: Desk) -> None:
    trace = Trace()

    async def run() -> None:
        async with Session(odd_task(OddKind("odd", trace, nothing)), world=desk.world) as session:
            await session.before(CLICK)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())
    assert trace.said[-1] == "odd closed"


def test_a_reader_that_cannot_open_closes_those_that_did(desk: Desk) -> None:
    trace = Trace()

    class Broken(OddKind):
        def open(self, params: SourceParams, *, world: World) -> "AbstractAsyncContextManager[OddReader]":
            raise InfrastructureError("no browser")

    task = odd_task(OddKind("good", trace, nothing), Broken("broken", trace, nothing))
    with pytest.raises(InfrastructureError, match="no browser"):
        asyncio.run(Session(task, world=desk.world).start())
    assert trace.said == ["good open", "good closed"]


def test_a_record_that_cannot_begin_closes_the_readers(desk: Desk) -> None:
    trace = Trace()
    session = Session(odd_task(OddKind("odd", trace, nothing)), world=desk.world, record=desk.folder)
    with pytest.raises(UsageError, match="not an empty directory"):
        asyncio.run(session.start())
    assert trace.said == ["odd open", "odd closed"]
    assert not (desk.folder / "episode.json").exists()
