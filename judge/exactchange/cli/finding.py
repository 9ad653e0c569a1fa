"""Which task an episode is judged by: the one that is named, or one that ships, and only if it is the same task."""

import pathlib
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final

from exactchange.errors import ExactChangeError, UsageError
from exactchange.values import Value

if TYPE_CHECKING:
    from exactchange.cli.episodes import Job
    from exactchange.episode import Header
    from exactchange.reports import TaskName
    from exactchange.task import Task

GROUP: Final = "exactchange.tasks"


def task_of(job: "Job") -> "Task":
    """The task by which a job's episode is judged. Raises UsageError when it is not found or not the same."""
    from exactchange.episode import read_header

    header = read_header(job.episode)
    params = _params(job, header)
    if job.task_file is not None:
        return _checked(_load(job.task_file, params, job), header, job)
    return _found(job, header, params)


def recorded_task(episode: pathlib.Path) -> "TaskName":
    """The task that an episode claims to be of. Raises UsageError when that cannot be read."""
    from exactchange.episode import read_header
    from exactchange.reports import TaskName

    header = read_header(episode)
    return TaskName(header.task.id, header.task.hash, _recorded(header))


def task_folders() -> list[pathlib.Path]:
    """The folders of the tasks that ship, by entry point."""
    return [pathlib.Path(point.load()()) for point in entry_points(group=GROUP)]


def _params(job: "Job", header: "Header") -> dict[str, Value]:
    given = dict(job.params or {})
    return {**_recorded(header), **given} if job.recorded_params else given


def _recorded(header: "Header") -> dict[str, Value]:
    return {
        name: value
        for name, value in header.params.items()
        if value is None or isinstance(value, bool | int | float | str)
    }


def _load(file: pathlib.Path, params: Mapping[str, Value], job: "Job") -> "Task":
    from exactchange.task import load_task

    return load_task(file, params=params, trust=job.trust)


def _checked(task: "Task", header: "Header", job: "Job") -> "Task":
    """A named task may be a newer version, and the verdict warns of it; other parameters are a slip."""
    if task.hash == header.task.hash or job.task_file is None:
        return task
    recorded = _recorded(header)
    if recorded != dict(task.params) and _same_with(job.task_file, recorded, header, job):
        flags = " ".join(
            f"--param {name}={value}" for name, value in recorded.items() if task.params.get(name) != value
        )
        raise UsageError(f"{job.episode} was recorded with other parameters: add {flags}, or --recorded-params")
    return task


def _same_with(file: pathlib.Path, params: Mapping[str, Value], header: "Header", job: "Job") -> bool:
    try:
        return _load(file, params, job).hash == header.task.hash
    except UsageError:
        return False


def _found(job: "Job", header: "Header", params: Mapping[str, Value]) -> "Task":
    from exactchange.task import NeedsTrust

    folders = list(job.folders) or task_folders()
    same_id: list[pathlib.Path] = []
    untrusted: list[pathlib.Path] = []
    for file in _candidates(folders, header.task.id):
        try:
            task = _load(file, params, job)
        except NeedsTrust:
            untrusted.append(file)
            continue
        except ExactChangeError:
            continue  # another broken task in the folder is not this episode's
        if task.id != header.task.id:
            continue
        if task.hash == header.task.hash:
            return task
        if _same_with(file, _recorded(header), header, job):
            raise UsageError(
                f"{job.episode} was recorded with other parameters than {file} has: add --recorded-params, "
                "or --param NAME=VALUE"
            )
        same_id.append(file)
    if untrusted and not same_id:
        where = ", ".join(map(str, untrusted))
        raise UsageError(f"{job.episode}: its task may be {where}, which runs code of its author's; add --trust")
    raise UsageError(_not_found(job, header, folders, same_id))


def _candidates(folders: list[pathlib.Path], name: str) -> Iterator[pathlib.Path]:
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"--tasks {folder}: there is no such directory")
        for file in sorted(folder.rglob("*.y*ml")):
            if name.encode("utf-8", "replace") in file.read_bytes():
                yield file


def _not_found(job: "Job", header: "Header", folders: list[pathlib.Path], same_id: list[pathlib.Path]) -> str:
    if same_id:
        where = ", ".join(map(str, same_id))
        return f"{job.episode}: the task {header.task.id!r} in {where} has changed since; --task FILE judges by it"
    where = ", ".join(map(str, folders)) or "no folder"
    return f"{job.episode}: its task {header.task.id!r} is not in {where}; name it with --task FILE"
