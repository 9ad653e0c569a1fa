"""Judging looks and touches nothing: not the files, not the agent's browser; and afterwards nothing is there."""

import asyncio
import json
import os
import pathlib
import tempfile
from collections.abc import Mapping

import pytest
from tests.end_to_end.play import Played, changes, children, play, processes_naming, script, shipped_task, twin

from exactchange.runner import run_task
from exactchange.runner.scratch import remove
from exactchange_fixtures.agents.twins import OUTCOMES

WORKDIRS = {
    "form": [".", "form.db"],
    "settings": [".", "app.db", "app.db-shm", "app.db-wal", "settings.yaml"],
    "flights": [".", "flights.db"],
}


@pytest.mark.parametrize("task", WORKDIRS)
def test_captures_leave_the_work_directory_as_it_is(task: str, tmp_path: pathlib.Path) -> None:
    report = tmp_path / "report.json"
    played = play(task, script("still", report), tmp_path)
    assert played.verdict["outcome"] == "unmet"
    said = json.loads(report.read_text())
    assert said["files"] == WORKDIRS[task]
    assert said["differences"] == [[], [], []]


@pytest.mark.parametrize("task", WORKDIRS)
def test_after_a_run_only_what_the_application_wrote_is_there(task: str, tmp_path: pathlib.Path) -> None:
    had = children()
    result = asyncio.run(run_task(shipped_task(task), agent=twin(task, "nothing"), keep=True))
    assert result.kept is not None
    root = result.kept.parent
    try:
        left = sorted(os.listdir(result.kept))
        assert left == [name for name in WORKDIRS[task] if name != "." and not name.startswith("app.db-")]
        assert (processes_naming(root), children() - had) == ({}, frozenset())
    finally:
        remove(root)


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("twin_name", ["good", "removed"])
def test_no_temporary_file_is_left(
    length: str, twin_name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of the judge, nor of its browser, nor of the agent; also where the path is too long for a socket."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="xc-") as short:
        folder = pathlib.Path(short) if length == "short" else tmp_path / ("long" * 12)
        folder.mkdir(exist_ok=True)
        monkeypatch.setenv("TMPDIR", str(folder))
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        result = asyncio.run(run_task(shipped_task("form"), agent=twin("form", twin_name)))
        assert result.verdict.outcome == OUTCOMES["form"][twin_name]
        assert os.listdir(folder) == []


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Played, Mapping[str, object]]:
    folder = tmp_path_factory.mktemp("visited")
    played = play("form", script("visitor", folder / "report.json"), folder)
    assert played.result.ended == "done", played.result.agent_words
    return played, json.loads((folder / "report.json").read_text())


def test_the_agents_focus_stays_where_it_was(visited: tuple[Played, Mapping[str, object]]) -> None:
    said = visited[1]
    assert said["focus"] == [["name", True, 3], ["name", True, 4]]
    assert said["typed"] == "Adax Lovelace"


def test_the_agents_dialog_waits_for_the_agent(visited: tuple[Played, Mapping[str, object]]) -> None:
    said = visited[1]
    assert (said["dialog"], said["said"]) == ("Go on?", True)


def test_the_agents_download_is_the_agents_and_the_judge_knows_of_it(
    visited: tuple[Played, Mapping[str, object]],
) -> None:
    played, said = visited
    assert (said["name"], said["content"], said["failure"]) == ("words.txt", "three words here", None)
    assert played.verdict["outcome"] == "unmet"
    assert ("page", "added", "@downloads[name=words.txt].name") in changes(played.verdict, "unexplained")
