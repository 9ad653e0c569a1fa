"""`exactchange run`: brings a task's world up, lets an agent work in it, and judges."""

import pathlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import (
    TIMEOUT_S,
    agent_option,
    all_option,
    loaded,
    params_option,
    parsed_params,
    path_argument,
    timeout_option,
    trust_option,
)
from exactchange.errors import ExactChangeError

if TYPE_CHECKING:
    from exactchange.reports import Entry
    from exactchange.task import Task


@click.command("run")
@path_argument("tasks", many=True)
@agent_option
@click.option(
    "--record",
    type=click.Path(path_type=pathlib.Path),
    help="Record the episode here; of several tasks or repeats, each in a folder below.",
)
@click.option(
    "--repeat",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="How often to run each task, each time in a fresh world.",
)
@click.option("--headed", is_flag=True, help="Show the browser.")
@params_option
@trust_option
@timeout_option
@click.option("--keep", is_flag=True, help="Leave the work directory, and say where it is.")
@all_option
@output.json_option
def run(  # noqa: PLR0913  # click hands over every option as an argument
    *,
    tasks: Sequence[pathlib.Path],
    agent: str,
    record: pathlib.Path | None,
    repeat: int,
    headed: bool,
    params: Sequence[str],
    trust: bool,
    timeout_s: float,
    keep: bool,
    full: bool,
    as_json: bool,
) -> None:
    """Run each of TASKS with the agent that CMD starts, and judge it while it works.

    The agent finds the instruction, the work directory, the browser's address and the socket on which it is judged in
    its environment: EXACTCHANGE_INSTRUCTION, EXACTCHANGE_WORKDIR, EXACTCHANGE_CDP_URL, EXACTCHANGE_SOCKET; see
    `exactchange docs agents`.

    Of several runs the table of all tasks is shown: which repeats passed, what the others failed by, and the strict
    pass rate. Repeats are recorded in RECORD/1, RECORD/2 and so on, below the id of the task where there are several.

    \b
      exactchange run settings-timeout.yaml --agent "python my_agent.py" --record runs/1
      exactchange run tasks/*.yaml --agent "python my_agent.py" --repeat 5 --record runs && exactchange judge runs/*/*
    """
    from exactchange.cli.showing import show

    given = parsed_params(params)
    work = [loaded(file, given, trust=trust) for file in tasks]  # all are known to be sound before the first begins
    runs = _planned(list(zip(tasks, work, strict=True)), repeat=repeat, record=record)
    work_on = partial(run_one, agent=agent, headless=not headed, timeout_s=timeout_s, keep=keep)
    entries = [work_on(each.task, record=each.episode, name=each.name) for each in runs]
    episodes = [each.episode for each in runs if each.episode is not None]
    sys.exit(show(entries, as_json=as_json, full=full, episodes=episodes))


def run_one(
    task: "Task",
    *,
    agent: str | Sequence[str],
    record: pathlib.Path | None,
    headless: bool = True,
    timeout_s: float = TIMEOUT_S,
    keep: bool = False,
    name: str | None = None,
) -> "Entry":
    """One run with its progress. What the infrastructure made fail is an entry without a verdict."""
    from exactchange.runner import run_to_end

    with output.progress(name or task.id) as news:
        done = run_to_end(
            ran(task, agent=agent, record=record, headless=headless, timeout_s=timeout_s, keep=keep, news=news)
        )
    return replace(done, name=name or done.name)


async def ran(
    task: "Task",
    *,
    agent: str | Sequence[str],
    record: pathlib.Path | None,
    headless: bool = True,
    timeout_s: float = TIMEOUT_S,
    keep: bool = False,
    news: Callable[[str], None],
) -> "Entry":
    """As `run_one`, for who runs several at once; `news` is told of the progress."""
    import time

    from exactchange.reports import Entry
    from exactchange.runner import run_task
    from exactchange.verdict.document import VerdictNotWritten

    begun = time.monotonic()
    try:
        done = await run_task(
            task, agent=agent, record=record, headless=headless, timeout_s=timeout_s, keep=keep, progress=news
        )
    except VerdictNotWritten as error:
        return Entry(task.id, error.verdict, str(error), time.monotonic() - begun, error.exit_code, task)
    except ExactChangeError as error:
        return Entry(task.id, None, str(error), time.monotonic() - begun, error.exit_code, task)
    if done.ended in ("crashed", "timeout"):
        last = f"; the last it said: {done.agent_words}" if done.agent_words else ""
        output.hint(f"{task.id}: the agent {_ENDS[done.ended]}{last}")
    if done.kept is not None:
        output.hint(f"{task.id}: the work directory is {done.kept}")
    return Entry(task.id, done.verdict, seconds=time.monotonic() - begun, task=task)


_ENDS = {"crashed": "crashed", "timeout": "was ended, since its time was over"}


@dataclass(frozen=True, slots=True)
class _Run:
    """One run: of which task, what it is called, and where it is recorded."""

    task: "Task"
    name: str
    episode: pathlib.Path | None


def _planned(work: "Sequence[tuple[pathlib.Path, Task]]", *, repeat: int, record: pathlib.Path | None) -> list[_Run]:
    """Every run, the repeats of a task in a row.

    Raises UsageError where two episodes would be in one folder: the second is not to find out after the first has run.
    """
    runs: list[_Run] = []
    seen: dict[pathlib.Path, pathlib.Path] = {}
    for file, task in work:
        for time in _times(repeat):
            episode = None if record is None else record / time if len(work) == 1 else record / task.id / time
            if episode is not None and episode in seen:
                raise click.UsageError(
                    f"{seen[episode]} and {file} both have the id {task.id!r}, and so would both be recorded in "
                    f"{episode}; run them one by one, each with a --record of its own"
                )
            if episode is not None:
                seen[episode] = file
            runs.append(_Run(task, f"{task.id}/{time}" if time else task.id, episode))
    return runs


def _times(repeat: int) -> list[str]:
    """What the repeats are called, so that they sort as they were run; "" where there is one run only."""
    return [""] if repeat == 1 else [f"{number:0{len(str(repeat))}}" for number in range(1, repeat + 1)]
