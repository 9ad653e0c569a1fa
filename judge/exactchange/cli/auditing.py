"""Auditing tasks in worker processes with limits, since an episode may come from anybody."""

import multiprocessing
import pathlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty
from typing import TYPE_CHECKING, Final

from exactchange.cli.episodes import limit
from exactchange.cli.output import processors
from exactchange.errors import InfrastructureError, UsageError
from exactchange.values import Value

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

    from exactchange.authoring.audit import Audit, OtherRun
    from exactchange.authoring.audit.episodes import Recorded
    from exactchange.task import Task

_OFTEN_S: Final = 0.2
News = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    """A task file, and where good episodes of it may be."""

    file: pathlib.Path
    directories: tuple[pathlib.Path, ...] = ()
    folders: tuple[pathlib.Path, ...] = ()
    params: Mapping[str, Value] | None = None
    trust: bool = False


def audit_all(jobs: Sequence[Job], *, news: News) -> "list[Audit]":
    """The audits in the order of the jobs. Raises what went wrong with the first of them with which something did."""
    context = multiprocessing.get_context("spawn")
    told: Queue[str] = context.Queue()
    workers = min(len(jobs), processors())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(told,)) as pool:
        pending = [pool.submit(_audited, job) for job in jobs]
        try:
            _listen(pending, told, news)
            return [future.result() for future in pending]
        except BrokenProcessPool as error:
            raise InfrastructureError(
                "the process that audited died: it used more than its memory, or was killed"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _listen(pending: "Sequence[Future[Audit]]", told: "Queue[str]", news: News) -> None:
    """Pass on what the workers tell, until they are done or one fails."""
    left = set(pending)
    while left and not any(future.done() and future.exception() is not None for future in pending):
        left = wait(left, timeout=_OFTEN_S).not_done
        with suppress(Empty):
            while True:
                news(told.get_nowait())


_told: "Queue[str] | None" = None


def _begin(told: "Queue[str]") -> None:
    """In a worker: its limits, and whom it tells its news."""
    global _told
    _told = told
    limit()


def _audited(job: Job) -> "Audit":
    """In a worker: find the good runs, audit."""
    from exactchange.authoring.audit import audit, task_variants
    from exactchange.authoring.audit.episodes import recorded
    from exactchange.cli.options import loaded
    from exactchange.episode import read_episode

    task = loaded(job.file, job.params, trust=job.trust)
    found = [item for item in recorded(job.directories, job.folders) if item.header.task.id == task.id]
    task, good, more = _chosen(job, task, found)
    case = read_episode(good.directory, task)
    others = [_other(job, task, item) for item in more]

    def news(text: str) -> None:
        if _told is not None:
            _told.put(f"{task.id}: {text}")

    try:
        return audit(task, case, variants=list(task_variants(task, trust=job.trust)), others=others, news=news)
    finally:
        for run in (case, *(other.case for other in others)):
            for evidence in run.sources.values():
                for snapshot in evidence.captures:
                    snapshot.close()


def _chosen(job: Job, task: "Task", found: "Sequence[Recorded]") -> "tuple[Task, Recorded, list[Recorded]]":
    """The variant to be audited, its first good run, and all the others. Raises UsageError when there is none."""
    from exactchange.cli.options import loaded

    if not found:
        raise UsageError(
            f"{job.file}: there is no good episode of the task {task.id!r} to test it with; record one: "
            f"exactchange run {job.file} --agent CMD --record DIR, and name it: --episode DIR"
        )
    good = next((item for item in found if item.params(task.params) == dict(task.params)), None)
    if good is None and job.params:
        said = "; ".join(f"{item.directory}: {item.params(task.params)}" for item in found)
        raise UsageError(f"{job.file}: no good episode was recorded with these params, but {said}")
    if good is None:
        good = found[0]
        task = loaded(job.file, good.params(task.params), trust=job.trust)
    return task, good, [item for item in found if item is not good]


def _other(job: Job, task: "Task", item: "Recorded") -> "OtherRun":
    from exactchange.authoring.audit import OtherRun
    from exactchange.cli.options import loaded
    from exactchange.episode import read_episode

    params = item.params(task.params)
    other = loaded(job.file, params, trust=job.trust)
    differs = tuple(name for name, value in other.params.items() if task.params.get(name) != value)
    return OtherRun(item.directory.name, other, read_episode(item.directory, other), differs)
