"""Redundant steps of recorded runs: real pages, databases and files, as the shipped tasks have them."""

import pathlib

import pytest

from exactchange import load_task
from exactchange.conditions import Evaluation
from exactchange.conditions.redundancy import Redundant, redundant
from exactchange.episode import read_episode, read_header
from exactchange.task import Task

ROOT = pathlib.Path(__file__).parents[2]
EPISODES = sorted(path.parent for path in (ROOT / "fixtures/episodes").glob("*/episode.json"))
IDLE = {"trac-close-1": (6,), "trac-close-1.seen": (6,)}
"""The resolution that is chosen there was chosen already."""


@pytest.mark.parametrize("episode", EPISODES, ids=lambda path: path.name)
def test_the_right_run_of_a_shipped_task_does_nothing_in_vain(episode: pathlib.Path) -> None:
    header = read_header(episode)
    task = _task(header.task.id, dict(header.params))
    case = read_episode(episode, task)
    found = redundant(Evaluation(case, task.params, ignored=task.ignore), case.actions)
    assert found == Redundant(IDLE.get(episode.name, ()), ())


def _task(name: str, params: dict[str, object]) -> Task:
    (file,) = [path for path in (ROOT / "tasks").rglob(f"{name}.yaml")]
    known = {key: value for key, value in params.items() if isinstance(value, str | int | float | bool)}
    return load_task(file, params=known)


def test_there_are_recorded_runs() -> None:
    assert len(EPISODES) >= 9
