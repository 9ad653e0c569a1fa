"""One live run through the public interface: real application, browser, agent, files and database."""

import asyncio
import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from exactchange.episode import read_header
from exactchange.runner import RunResult, run_task
from exactchange.task import Task, load_task
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json
from exactchange_fixtures.shipped import task_dir

HERE = pathlib.Path(__file__).resolve().parent
TASK_FILES = {"form": "article-form", "settings": "settings-timeout", "flights": "book-flight"}
PAGE = "page"
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Played:
    """A run that is over, with everything that it left: the verdict's document, the episode, and copies of the state.

    `before`, `after`: the work directory as the agent found it and as it left it. `scratch`: where the run took place.
    """

    task: Task
    result: RunResult
    verdict: Mapping[str, Json]
    episode: pathlib.Path
    before: pathlib.Path
    after: pathlib.Path
    scratch: pathlib.Path
    times: tuple[int, int]
    children: frozenset[int]
    """Processes that this one had not started before the run, and has now."""


def shipped_task(name: str, **params: str) -> Task:
    """One of the article's tasks (form, settings, flights), or one on Trac by its id."""
    return load_task(task_file(name), params=params)


def task_file(name: str) -> pathlib.Path:
    """The file of a shipped task; see `shipped_task`."""
    if name.startswith("trac-"):
        return task_dir() / "trac" / f"{name}.yaml"
    return task_dir() / "article" / f"{TASK_FILES[name]}.yaml"


def twin(name: str, twin_name: str, *flags: str) -> list[str]:
    """The command of one of the fixtures' agents."""
    return ["{python}", "-m", "exactchange_fixtures.agents", name, twin_name, *flags]


def script(name: str, *arguments: str | pathlib.Path) -> list[str]:
    """The command of an agent of these tests."""
    return ["{python}", str(HERE / "agents" / f"{name}.py"), *map(str, arguments)]


def play(
    name: str, agent: Sequence[str], folder: pathlib.Path, *, timeout_s: float = PATIENCE_S, **params: str
) -> Played:
    """Run a shipped task with this agent; everything that is left of it lies in `folder`."""
    task = shipped_task(name, **params)
    had = children()
    copying = script("copying", folder, *agent)
    result = asyncio.run(run_task(task, agent=copying, record=folder / "episode", timeout_s=timeout_s))
    header = read_header(folder / "episode")
    assert header.end is not None
    return Played(
        task,
        result,
        verdict_json(result.verdict),
        folder / "episode",
        folder / "before",
        folder / "after",
        pathlib.Path((folder / "workdir").read_text(encoding="utf-8")).parent,
        (header.started_ns, header.end.ended_ns),
        children() - had,
    )


def children() -> frozenset[int]:
    """The processes that this one started and that live."""
    found: set[int] = set()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            state, parent = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if int(parent) == os.getpid() and state != b"Z":
            found.add(int(entry.name))
    return frozenset(found)


def processes_naming(path: pathlib.Path) -> dict[int, str]:
    """The processes that were started with this path in their arguments or environment, with their commands."""
    wanted = os.fsencode(path)
    found: dict[int, str] = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes()
            if entry.name.isdigit() and (wanted in command or wanted in (entry / "environ").read_bytes()):
                found[int(entry.name)] = command.replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
    return found


def rows(document: Mapping[str, Json], section: str) -> list[Mapping[str, Json]]:
    """A list of objects in a document."""
    return cast("list[Mapping[str, Json]]", document[section])


def changes(document: Mapping[str, Json], section: str) -> list[tuple[Json, Json, Json]]:
    """The changes of a section as (source, op, address)."""
    return [(item["source"], item["op"], item["address"]) for item in rows(document, section)]


def finding(document: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """The one finding of this name."""
    (found,) = [item for item in rows(document, "findings") if item["name"] == name]
    return found


def warning_kinds(document: Mapping[str, Json]) -> list[str]:
    """The kinds of the warnings."""
    return [str(item["kind"]) for item in rows(document, "warnings")]
