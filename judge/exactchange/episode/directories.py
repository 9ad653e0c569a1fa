"""The poor man's episode: a copy of the state before, a copy of the state after, and what the agent says it did."""

import dataclasses
import pathlib
import sys
from typing import TYPE_CHECKING, cast

from exactchange.actions import Action, read_jsonl
from exactchange.case import Case, Evidence
from exactchange.episode.blobs import opened
from exactchange.episode.world import RunWorld
from exactchange.errors import InfrastructureError, UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import START, Mark, Note, Snapshot, lost
from exactchange.sources import SourceParams
from exactchange.sources.registry import AnyKind

if TYPE_CHECKING:
    from exactchange.task import Task

_LONGEST_LOG = 64 * 1024 * 1024
_ANY_PORT = 0
# Whatever the log of an agent says: it is not evidence that nothing else was done.
_NOTHING_IN_BETWEEN = Note(
    "between captures", "only two copies were given: what was done and undone between them is not excluded"
)


def case_from_directories(
    task: "Task",
    before: pathlib.Path,
    after: pathlib.Path,
    *,
    actions: pathlib.Path | None = None,
    answer: str | None = None,
    started_ns: int = 0,
    ended_ns: int = 0,
) -> Case:
    """A case of two copies of the work directory: every source has a capture before and one after, none in between.

    `actions`: a log in the plain dialect, reported by the agent. `started_ns`, `ended_ns`: when it happened, 0 where
    that is not known. A source whose state is no file (a page) is unread. Raises UsageError for a missing directory
    or a log that cannot be read.
    """
    for folder in (before, after):
        if not folder.is_dir():
            raise UsageError(f"{folder} is no directory; name a copy of the work directory")
    trajectory = _trajectory(actions)
    end = trajectory[-1].seq if trajectory else START + 1
    sides = [_captured(task, before, START), _captured(task, after, end)]
    sources = {
        name: Evidence(name, spec.kind, sides[1][name][0], (sides[0][name][1], sides[1][name][1]))
        for name, spec in task.sources.items()
    }
    return Case(
        sources, trajectory, answer=answer, started_ns=started_ns, ended_ns=ended_ns, notes=(_NOTHING_IN_BETWEEN,)
    )


def _trajectory(actions: pathlib.Path | None) -> tuple[Action, ...]:
    if actions is None:
        return ()
    with opened(actions.parent, actions.name, limit=_LONGEST_LOG) as file:
        return read_jsonl(file.read(_LONGEST_LOG), reported_by="agent", name=str(actions))


def _captured(task: "Task", folder: pathlib.Path, step: int) -> dict[str, tuple[SourceParams, Snapshot]]:
    world = RunWorld(folder.resolve(), port=_ANY_PORT, python=sys.executable)
    params = {name: spec.params(world.expand) for name, spec in task.sources.items()}
    world = world.with_claims((spec.kind, params[name]) for name, spec in task.sources.items())
    return {name: (params[name], _capture(spec.kind, params[name], world, step)) for name, spec in task.sources.items()}


def _capture(kind: AnyKind, params: SourceParams, world: RunWorld, step: int) -> Snapshot:
    mark = Mark(step)
    try:
        snapshot: Snapshot = kind.from_path(None, params, world=world, budget=CountedBudget())
    except InfrastructureError as error:
        return lost(kind.name, mark, reason=str(error), cause="infrastructure")
    return _marked(snapshot, mark)


def _marked(snapshot: object, mark: Mark) -> Snapshot:
    if not dataclasses.is_dataclass(snapshot) or isinstance(snapshot, type):
        raise UsageError(f"a snapshot of type {type(snapshot).__name__} is no dataclass, so that it cannot be marked")
    return cast("Snapshot", dataclasses.replace(snapshot, mark=mark))
