"""The table of docs/failures.md, and small real runs that fail in a chosen way, to be held against it."""

import asyncio
import pathlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.episode.kit import CLICK, Desk, but_mode, kit_task, new_desk

from exactchange.cli.run import ran
from exactchange.episode.recorder import Clock, system_clock
from exactchange.errors import ExactChangeError
from exactchange.reports import Entry, exit_code, summarise
from exactchange.session import Session, judge_episode
from exactchange.task import Task
from exactchange.verdict import Verdict
from exactchange.verdict.document import VerdictNotWritten

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "failures.md"
_ROW = re.compile(r"^\| <!-- (?P<name>[a-z-]+) -->(?P<cells>.+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """What the page says of one failure. `score` None: none is given."""

    name: str
    what: str
    effect: str
    outcome: str
    cause: str | None
    score: int | None
    exit: int


def _row(name: str, cells: str) -> Row:
    what, effect, outcome, cause, score, code = (cell.strip() for cell in cells.split("|"))
    return Row(name, what, effect, outcome, cause or None, None if score == "none" else int(score), int(code))


def rows() -> list[Row]:
    """Every line of the tables, in order."""
    return [_row(found["name"], found["cells"]) for found in _ROW.finditer(PAGE.read_text("utf-8"))]


ROWS: Mapping[str, Row] = {row.name: row for row in rows()}
_PASS = Entry("a pass", Verdict("t", "passed", Fraction(100)))


def as_stated(name: str, entry: Entry) -> None:
    """Hold what came of a failure against its line, and that the episode counts whatever became of it."""
    row, verdict = ROWS[name], entry.verdict
    got = ("no verdict", None, None) if verdict is None else (verdict.outcome, verdict.cause, verdict.score)
    assert got == (row.outcome, row.cause, row.score), (entry.failed, verdict)
    assert exit_code([entry]) == row.exit
    both = summarise([entry, _PASS])
    assert (both.episodes, both.passed) == (2, 1 + (row.outcome == "passed"))
    if row.score is None:
        assert entry.outcome == "no verdict"


Act = Callable[[Desk], object]
Drive = Callable[[Session, Desk], Awaitable[None]]


def reach(desk: Desk) -> None:
    """The goal."""
    desk.write(a=2, b=1)


def nothing(_desk: Desk) -> None:
    """A step without effect."""


def played(
    folder: pathlib.Path,
    *acts: Act,
    task: Task | None = None,
    prepare: Act = nothing,
    answer: str | None = None,
    drive: Drive | None = None,
    clock: Clock = system_clock,
    deadline_s: float = 10.0,
    settle_s: float = 0.0,
) -> Entry:
    """A recorded run of the kit's task, one step for each act, then `drive`. A whole recording is judged the same."""
    task = task or kit_task()
    folder.mkdir(exist_ok=True)
    desk = new_desk(folder / "work")
    prepare(desk)

    async def run() -> Verdict:
        session = Session(
            task,
            world=desk.world,
            record=folder / "episode",
            deadline_s=deadline_s,
            settle_s=settle_s,
            clock=clock,
        )
        async with session:
            for act in acts:
                await _step(session, desk, act)
            if drive is not None:
                await drive(session, desk)
            return await session.finish(answer)

    entry = told(task, run)
    if entry.verdict is not None and entry.verdict.hashes.get("events") is not None:
        assert but_mode(judge_episode(task, folder / "episode")) == but_mode(entry.verdict)
    return entry


async def _step(session: Session, desk: Desk, act: Act) -> None:
    """Also an agent that is told to stop goes on."""
    go = (await session.before(CLICK)).go
    act(desk)
    if go:
        await session.after()


def told(task: Task, run: Callable[[], Awaitable[Verdict]]) -> Entry:
    """What came of it, as the command line says it."""

    async def waited() -> Verdict:
        return await run()

    try:
        return Entry(task.id, asyncio.run(waited()), task=task)
    except VerdictNotWritten as error:
        return Entry(task.id, error.verdict, str(error), exit_code=error.exit_code, task=task)
    except ExactChangeError as error:
        return Entry(task.id, None, str(error), exit_code=error.exit_code)


def run_by(task: Task, agent: Sequence[str], *, record: pathlib.Path | None = None, timeout_s: float = 60.0) -> Entry:
    """A run as `exactchange run` makes it; what it recorded is judged the same."""
    entry = asyncio.run(ran(task, agent=agent, record=record, timeout_s=timeout_s, news=lambda _: None))
    if entry.verdict is not None and entry.failed is None and record is not None:
        assert but_mode(judge_episode(task, record)) == but_mode(entry.verdict)
    return entry
