"""Judging recorded episodes in worker processes with limits, since an episode may come from anybody."""

import multiprocessing
import os
import pathlib
import resource
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from exactchange.cli.output import DEBUG, processors
from exactchange.errors import ExactChangeError, InfrastructureError, UsageError
from exactchange.reports import Entry, TaskName, verdict_of
from exactchange.values import Value
from exactchange.values.jsonform import Json

if TYPE_CHECKING:
    from exactchange.task import Task
    from exactchange.verdict import Verdict, Whole

MEMORY: Final = 4 * 1024**3
"""Bytes of address space that a worker may use."""
_DIED = "the process that judged it died: it used more than its memory, or was killed"


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to be judged, and where its task is to be found."""

    episode: pathlib.Path
    task_file: pathlib.Path | None = None
    folders: tuple[pathlib.Path, ...] = ()
    params: Mapping[str, Value] | None = None
    recorded_params: bool = False
    write: bool = True
    trust: bool = False

    @property
    def name(self) -> str:
        """What the episode is called: its directory, with the one above it where that is named too."""
        return "/".join(self.episode.parts[-2:]) or str(self.episode)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a worker sends back: a verdict's document, what stands in no document, and what went wrong. Data only."""

    document: Mapping[str, Json] | None = None
    whole: "tuple[Whole, ...]" = ()
    failed: str | None = None
    exit_code: int | None = None
    task: TaskName | None = None


def judge_all(jobs: Sequence[Job], *, processes: int | None, news: Callable[[str], None]) -> list[Entry]:
    """The verdicts in the order of the jobs. What fails for one episode is said of that one and stops no other."""
    answers: dict[int, _Answer] = {}
    workers = min(len(jobs), processes or processors())
    with _pool(workers) as pool:
        pending: dict[Future[_Answer], int] = {pool.submit(_judged, job): n for n, job in enumerate(jobs)}
        for future in as_completed(pending):
            number = pending[future]
            try:
                answers[number] = future.result()
            except BrokenProcessPool:
                continue  # one died and took the pool with it: which one is found out below
            news(jobs[number].name)
    for number, job in enumerate(jobs):
        if number not in answers:
            answers[number] = _alone(job)
            news(job.name)
    return [_entry(job, answers[number]) for number, job in enumerate(jobs)]


def _alone(job: Job) -> _Answer:
    with _pool(1) as pool:
        try:
            return pool.submit(_judged, job).result()
        except BrokenProcessPool:
            return _Answer(failed=_DIED, exit_code=4)


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=limit)


def limit() -> None:
    """Bound what this process may use: a hostile episode can exhaust its own worker and nothing else."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    with suppress(ValueError, OSError):  # macOS has no such limit; budgets of the readers hold there as well
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _entry(job: Job, answer: _Answer) -> Entry:
    if answer.document is None:
        return Entry(job.name, None, answer.failed, exit_code=answer.exit_code, recorded=answer.task)
    verdict = replace(verdict_of(answer.document, name=str(job.episode)), whole=answer.whole)
    return Entry(job.name, verdict, answer.failed, exit_code=answer.exit_code, recorded=answer.task)


def _written(verdict: "Verdict", file: pathlib.Path) -> str | None:
    """Write it; or why it is not written, which is no reason to keep the verdict back."""
    from exactchange.verdict import write_verdict

    try:
        write_verdict(verdict, file)
    except OSError as error:
        return f"{file} cannot be written: {error.strerror}; --no-write judges without it"
    return None


def _judged(job: Job) -> _Answer:
    """In a worker: read, judge, write. What fails is said, and of which task, so that it stays among its repeats."""
    answer = _answer(job)
    return answer if answer.task is not None else replace(answer, task=_recorded(job))


def _recorded(job: Job) -> TaskName | None:
    """The task that it would have been judged by; else the one that the recording names, if that can be read."""
    from exactchange.cli.finding import recorded_task, task_of

    with suppress(ExactChangeError, OSError, MemoryError):
        return _named(task_of(job))
    with suppress(ExactChangeError, OSError, MemoryError):
        return recorded_task(job.episode)
    return None


def _named(task: "Task") -> TaskName:
    return TaskName(task.id, task.hash, dict(task.params))


def _answer(job: Job) -> _Answer:
    from exactchange.cli.finding import task_of
    from exactchange.session import judge_episode
    from exactchange.verdict import verdict_json

    try:
        if not job.episode.is_dir():
            raise UsageError(f"{job.episode}: no such directory; an episode is a directory that holds episode.json")
        task = task_of(job)
        verdict = judge_episode(task, job.episode)
        failed = _written(verdict, job.episode / "verdict.json") if job.write else None
        code = None if failed is None else InfrastructureError.exit_code
        return _Answer(verdict_json(verdict), verdict.whole, failed, code, _named(task))
    except ExactChangeError as error:
        return _Answer(failed=str(error), exit_code=error.exit_code)
    except OSError as error:
        return _Answer(failed=f"{error.filename or job.episode}: {error.strerror}", exit_code=4)
    except MemoryError:
        return _Answer(failed=_DIED, exit_code=4)
    except Exception as error:  # noqa: BLE001  # shown as no verdict, which is never a pass
        if os.environ.get(DEBUG):
            traceback.print_exc()
        return _Answer(failed=f"unexpected {type(error).__name__}: {error}\n{DEBUG}=1 shows where", exit_code=4)
