"""One run of one task by one agent, from an empty directory to a verdict."""

import pathlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exactchange.actions import Reporter
from exactchange.case import Ended
from exactchange.runner.agent import work
from exactchange.runner.stage import Stage, brought_up
from exactchange.session import Session
from exactchange.verdict import Verdict

if TYPE_CHECKING:
    from exactchange.task import Task

Say = Callable[[str], None]

_ENDS: Mapping[Ended, str] = {"crashed": "the agent crashed", "timeout": "the agent's time was over"}


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run. `episode`: where it was recorded. `agent_words`: the last lines that the agent printed.

    `timings`: seconds spent on `up`, `agent` and `judging`. `kept`: the work directory, where it was kept.
    """

    verdict: Verdict
    episode: pathlib.Path | None
    ended: Ended
    observed: bool
    agent_words: str = ""
    timings: Mapping[str, float] = field(default_factory=dict[str, float])
    kept: pathlib.Path | None = None


async def run_task(
    task: "Task",
    *,
    agent: str | Sequence[str],
    record: pathlib.Path | None = None,
    headless: bool = True,
    timeout_s: float = 300.0,
    keep: bool = False,
    progress: Say | None = None,
) -> RunResult:
    """Bring the task's world up, let the agent work in it, judge, and take everything down again.

    `agent`: a command, as one text or in parts. `record`: a new directory for the episode. `keep`: leave the work
    directory behind. Raises InfrastructureError when the world does not come up (then there is no run at all) and
    UsageError for what cannot be run; a failure during the run gives a verdict without a score.
    """
    say = progress if progress is not None else _nothing
    clock = _Stopwatch()
    async with brought_up(task, headless=headless, keep=keep, say=say) as stage:
        session = Session(task, world=stage.world, record=record)
        async with session:
            clock.lap("up")
            say("the agent works")
            worked = await work(stage, session, agent, timeout_s=timeout_s)
            clock.lap("agent")
            say("judging")
            verdict = await finish(stage, session, answer=worked.answer, ended=worked.ended)
            clock.lap("judging")
        if keep:
            say(f"the work directory is kept: {stage.scratch.workdir}")
    return RunResult(
        verdict,
        record,
        worked.ended,
        worked.observed,
        worked.words,
        clock.laps,
        stage.scratch.workdir if keep else None,
    )


async def finish(
    stage: Stage, session: Session, *, answer: str | None, ended: Ended, reported_by: Reporter = "agent"
) -> Verdict:
    """Close the application between the capture of the pages and that of everything else, and judge."""

    async def close_application() -> None:
        await stage.close_application()
        for text in stage.said:
            session.note("application", text)

    if ended in _ENDS and session.failure is None:
        session.note("ended", f"{_ENDS[ended]}; what it left behind is judged")
    return await session.finish(answer, ended, before_final=close_application, reported_by=reported_by)


class _Stopwatch:
    def __init__(self) -> None:
        self._last = time.monotonic()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name] = now - self._last
        self._last = now


def _nothing(_text: str) -> None:
    return
