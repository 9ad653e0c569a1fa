"""Paths given to a command as sources: which adapter reads them, and their state as a snapshot."""

import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from exactchange.errors import UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot
from exactchange.sources import SourceParams, kind_named
from exactchange.sources.guess import kind_for_path
from exactchange.sources.registry import AnyKind

if TYPE_CHECKING:
    from exactchange.task import Task


@dataclass(frozen=True, slots=True)
class Source:
    """A kind of source and the parameters with which it reads a path."""

    kind: AnyKind
    params: SourceParams


@dataclass(frozen=True, slots=True)
class Place:
    """The directory that stands for a world: nothing runs in it, and nobody claims a file of it."""

    workdir: pathlib.Path
    cdp_url: None = None
    claimed: frozenset[pathlib.Path] = frozenset()
    own_browser: bool = False


def chosen_source(path: pathlib.Path, *, adapter: str | None, dialect: str | None) -> Source:
    """The source that a path is: as said, else by its name and first bytes. Raises UsageError."""
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"{path}: there is no such file or directory")
    if adapter is None:
        guess = kind_for_path(path, dialect=dialect)
        return Source(kind_named(guess.kind), validated(kind_named(guess.kind), guess.params))
    fields = {} if dialect is None else {"dialect": dialect}
    if "path" in kind_named(adapter).params.model_fields:  # a saved page is a browser's, whose state is no file else
        fields["path"] = str(path)
    return Source(kind_named(adapter), validated(kind_named(adapter), fields))


def validated(kind: AnyKind, fields: Mapping[str, object]) -> SourceParams:
    """The parameters of a kind. Raises UsageError that names the one that is wrong."""
    try:
        params = kind.params.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"adapter {kind.name}: {where}: {first['msg']}; exactchange adapters lists what it takes"
        ) from error
    assert isinstance(params, SourceParams)
    return params


def snapshot_of(source: Source, path: pathlib.Path) -> Snapshot:
    """The state at a path. Raises UsageError when nothing is there: comparing with nothing is mostly a slip."""
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"{path}: there is no such file or directory")
    # A directory is a world of its own, also for files below it that others would claim.
    world = Place(path if path.is_dir() else path.absolute().parent)
    snapshot: Snapshot = source.kind.from_path(path, source.params, world=world, budget=CountedBudget())
    return snapshot


@dataclass(frozen=True, slots=True)
class Taken:
    """A snapshot of one source; `name` "" where no task names it."""

    name: str
    kind: AnyKind
    snapshot: Snapshot


def taken_at(path: pathlib.Path, *, adapter: str | None, dialect: str | None) -> Taken:
    """The state of what is at a path. Raises UsageError."""
    source = chosen_source(path, adapter=adapter, dialect=dialect)
    return Taken("", source.kind, snapshot_of(source, path))


def taken_at_step(episode: pathlib.Path, *, task_file: pathlib.Path | None, step: int | None) -> list[Taken]:
    """The state of every source of an episode after a step (0: before the first), or at its end. Raises UsageError."""
    from exactchange.cli.episodes import Job
    from exactchange.cli.finding import task_of
    from exactchange.episode import read_episode

    task = task_of(Job(episode, task_file, recorded_params=True))
    taken: list[Taken] = []
    for name, evidence in read_episode(episode, task).sources.items():
        until = [item for item in evidence.captures if step is None or item.mark.step <= step]
        if not until or (step is not None and step > evidence.captures[-1].mark.step):
            last = evidence.captures[-1].mark.step if evidence.captures else 0
            raise UsageError(
                f"{episode}: {name} was not captured after step {step}; its last capture is of step {last}"
            )
        taken.append(Taken(name, evidence.kind, until[-1]))
        for other in evidence.captures:
            if other is not until[-1]:
                other.close()
    return taken


def taken_of(task: "Task", workdir: pathlib.Path) -> list[Taken]:
    """The state of every source of a task in a copy of its work directory. Raises UsageError."""
    from exactchange.episode import case_from_directories

    case = case_from_directories(task, workdir, workdir)
    taken = [Taken(name, evidence.kind, evidence.captures[0]) for name, evidence in case.sources.items()]
    for evidence in case.sources.values():
        for twice in evidence.captures[1:]:
            twice.close()
    return taken
