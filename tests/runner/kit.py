"""Runs of the kit's task by agents that are small programs."""

import asyncio
import os
import pathlib
import sys
from collections.abc import Mapping

import yaml
from tests.episode.kit import DATA, new_desk

from exactchange.runner import RunResult, run_task
from exactchange.task import Task, load_task
from exactchange.values import Value

AGENT = pathlib.Path(__file__).with_name("odd_agent.py")


def task_on_disk(folder: pathlib.Path, **other: Value) -> Task:
    """The kit's task as a file, with its seed beside it."""
    new_desk(folder / "seed")
    data: Mapping[str, Value] = {**DATA, "app": {"seed": "seed"}, **other}
    (folder / "kit.yaml").write_text(yaml.safe_dump(data))
    return load_task(folder / "kit.yaml")


def run(task: Task, kind: str, *, record: pathlib.Path | None = None, timeout_s: float = 60.0) -> RunResult:
    """One run by the agent of this kind."""
    command = [sys.executable, str(AGENT), kind]
    return asyncio.run(run_task(task, agent=command, record=record, timeout_s=timeout_s))


def processes_with(text: str) -> list[int]:
    """Processes whose command line or environment holds a text."""
    found: list[int] = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if text.encode() in (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found
