"""Runs with a real page: the browser is the judge's own, and its death is nobody's defeat."""

import asyncio
import pathlib
import sys
import tempfile

import pytest
from tests.episode.kit import but_mode
from tests.runner.kit import processes_with

from exactchange.runner import run_task
from exactchange.session import judge_episode
from exactchange.task import load_task

TASKS = pathlib.Path(__file__).parents[2] / "tasks" / "article"


@pytest.fixture
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    made = tmp_path / "t"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


_KILLER = """
import os, pathlib, signal, sys
mark = os.environ["EXACTCHANGE_CDP_URL"]
root = str(pathlib.Path(os.environ["EXACTCHANGE_WORKDIR"]).parent)
for entry in pathlib.Path("/proc").iterdir():
    if entry.name.isdigit() and int(entry.name) != os.getpid():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\\0")
        except OSError:
            continue
        if any(word.startswith(b"--user-data-dir=" + root.encode()) for word in words):
            os.kill(int(entry.name), signal.SIGKILL)
if len(sys.argv) > 1:
    import time
    time.sleep(600)
"""


@pytest.mark.parametrize("stays", [False, True])
def test_a_browser_that_is_killed_gives_no_verdict(place: pathlib.Path, stays: bool) -> None:
    task = load_task(TASKS / "article-form.yaml")
    agent = [sys.executable, "-c", _KILLER, *(["stays"] if stays else [])]
    record = place.parent / "episode"
    result = asyncio.run(run_task(task, agent=agent, record=record, timeout_s=60))
    verdict = result.verdict
    assert (verdict.outcome, verdict.cause, verdict.score) == ("undecided", "infrastructure", None)
    assert but_mode(judge_episode(task, record)) == but_mode(verdict)
    assert not list(place.iterdir()) and not processes_with(str(place))


def test_a_run_in_a_browser_leaves_nothing(place: pathlib.Path) -> None:
    task = load_task(TASKS / "settings-timeout.yaml")
    agent = "{python} -m exactchange_fixtures.agents settings good"
    record = place.parent / "episode"
    said: list[str] = []
    result = asyncio.run(run_task(task, agent=agent, record=record, progress=said.append))
    assert result.verdict.passed and not result.verdict.warnings, result
    assert said == ["starting the application", "starting the browser", "the agent works", "judging"]
    assert but_mode(judge_episode(task, record)) == but_mode(result.verdict)
    assert not list(place.iterdir()) and not processes_with(str(place))
