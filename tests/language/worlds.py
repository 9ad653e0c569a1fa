"""Worlds of real files: a directory that is changed step by step, read by the adapters, and judged by a task file.

A state is a mapping of file names: `db.db` is a script that is run on the database, anything else the file's whole
text; None removes the file. The first state makes the world, and each of its files is a source, called like the file.
"""

import dataclasses
import os
import pathlib
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from exactchange.actions import Action, normalise
from exactchange.case import Case, Evidence
from exactchange.episode import RunWorld
from exactchange.judging import BrokenTask, judge
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark, Snapshot
from exactchange.task import Task, TaskError, load_task
from exactchange.values import Value
from exactchange.verdict import Finding, Verdict

State: TypeAlias = Mapping[str, str | None]
SECOND = 10**9
STARTED = 1_790_000_000 * SECOND
ENDED = STARTED + 60 * SECOND
ADAPTERS = {".db": "sqlite", "": "tree"}


def task_of(
    folder: pathlib.Path, rules: str, state: State, *, also: Mapping[str, str] | None = None, tree: str = ""
) -> Task:
    """The task that these rules make over the files of a state. `also`: more of what a source says, by its name.

    `tree`: the name of a source that is the whole directory.
    """
    named = {pathlib.PurePath(file).stem: file for file in state}
    lines = ["id: t", "instruction: Do it.", "sources:"]
    for name, file in (({tree: ""} if tree else {}) | named).items():
        adapter = ADAPTERS.get(pathlib.PurePath(file).suffix, "file")
        more = f", {also[name]}" if also and name in also else ""
        lines.append(f'  {name}: {{adapter: {adapter}, path: "{{workdir}}/{file}"{more}}}')
    written = folder / "task.yaml"
    written.write_text("\n".join(lines) + "\n" + rules, encoding="utf-8")
    return load_task(written)


def case_of(
    folder: pathlib.Path,
    task: Task,
    states: Sequence[State],
    *,
    actions: Sequence[Mapping[str, Value]] | None = None,
    answer: str | None = None,
    steps: Sequence[int] | None = None,
) -> Case:
    """The case in which the world went through these states: a capture after each, one action (a click) before each.

    `steps`: which action each state follows, if not every one is followed by one.
    """
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    world = RunWorld(work, python="python")
    params = {name: spec.params(world.expand) for name, spec in task.sources.items()}
    world = world.with_claims((spec.kind, params[name]) for name, spec in task.sources.items())
    numbers = range(len(states)) if steps is None else steps
    taken: dict[str, list[Snapshot]] = {name: [] for name in task.sources}
    for number, state in zip(numbers, states, strict=True):
        change(work, state)
        for name, spec in task.sources.items():
            snapshot = spec.kind.from_path(None, params[name], world=world, budget=CountedBudget())
            taken[name].append(_marked(snapshot, number))
    return Case(
        {name: Evidence(name, spec.kind, params[name], tuple(taken[name])) for name, spec in task.sources.items()},
        done(actions if actions is not None else [{"kind": "click"}] * max(numbers)),
        answer=answer,
        started_ns=STARTED,
        ended_ns=ENDED,
    )


def done(actions: Sequence[Mapping[str, Value]]) -> tuple[Action, ...]:
    """Actions in order, each reported by a witness."""
    return tuple(normalise(dict(item), seq=n, reported_by="witness") for n, item in enumerate(actions, 1))


def judged(
    folder: pathlib.Path,
    rules: str,
    *states: State,
    also: Mapping[str, str] | None = None,
    tree: str = "",
    actions: Sequence[Mapping[str, Value]] | None = None,
    answer: str | None = None,
    steps: Sequence[int] | None = None,
) -> Verdict:
    """The verdict of a task file with these rules on the world that went through these states."""
    task = task_of(folder, rules, states[0], also=also, tree=tree)
    case = case_of(folder, task, states, actions=actions, answer=answer, steps=steps)
    try:
        return judge(task, case)
    finally:
        for evidence in case.sources.values():
            for snapshot in evidence.captures:
                snapshot.close()


def change(work: pathlib.Path, state: State) -> None:
    """Bring a directory into a state: scripts are run on databases, other files written or removed."""
    for name, text in state.items():
        file = work / name
        if text is None:
            file.unlink(missing_ok=True)
        elif file.suffix == ".db":
            connection = sqlite3.connect(file)
            connection.execute("PRAGMA synchronous = OFF")  # nothing of it has to outlive the machine
            connection.executescript(text)
            connection.close()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            os.utime(file, ns=(STARTED, STARTED))


def refused(folder: pathlib.Path, rules: str, state: State, *, also: Mapping[str, str] | None = None) -> str:
    """What `check` says against a task; empty where it says nothing."""
    try:
        task_of(folder, rules, state, also=also)
    except TaskError as error:
        return str(error)
    return ""


def broken(folder: pathlib.Path, rules: str, *states: State, also: Mapping[str, str] | None = None) -> str:
    """Why a task is broken: found at `check` where that can be told, else when it is judged; empty where it is not."""
    said = refused(folder, rules, states[0], also=also)
    if said:
        return said
    try:
        judged(folder, rules, *states, also=also)
    except BrokenTask as error:
        return str(error)
    return ""


def left(verdict: Verdict) -> list[str]:
    """Addresses of what changed without leave."""
    return [item.address for item in verdict.unexplained]


def must(verdict: Verdict, number: int = 0) -> Finding:
    """The finding of a must."""
    return [item for item in verdict.findings if item.tier == "must"][number]


def veto(verdict: Verdict, number: int = 0) -> Finding:
    """The finding of a veto."""
    return [item for item in verdict.findings if item.tier == "veto"][number]


def _marked(snapshot: object, step: int) -> Snapshot:
    assert dataclasses.is_dataclass(snapshot) and not isinstance(snapshot, type)
    return cast("Snapshot", dataclasses.replace(snapshot, mark=Mark(step)))
