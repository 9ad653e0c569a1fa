"""The whole path through the command line, as a process of its own: documents, exit codes, and the demonstration."""

import contextlib
import datetime as dt
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import pytest
from tests.end_to_end.play import (
    Played,
    changes,
    finding,
    play,
    processes_naming,
    rows,
    script,
    task_file,
    twin,
    warning_kinds,
)

from exactchange.runner.scratch import remove
from exactchange.session import judge_episode
from exactchange.testing import footprint
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json

LIMIT_S = 120.0
EXACTCHANGE = (sys.executable, "-c", "from exactchange.cli import main; main()")


@dataclass(frozen=True)
class Said:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    error: str

    @property
    def document(self) -> Mapping[str, Json]:
        """The one JSON document on stdout."""
        return cast("Mapping[str, Json]", json.loads(self.out))


def exactchange(*arguments: str | pathlib.Path, cwd: pathlib.Path) -> Said:
    done = subprocess.run(
        [*EXACTCHANGE, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def agent(command: list[str]) -> tuple[str, str]:
    return "--agent", shlex.join(command)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Said, pathlib.Path]:
    folder = tmp_path_factory.mktemp("demo")
    return exactchange("demo", "--record", "runs", cwd=folder), folder / "runs"


def test_the_demonstration_gives_the_verdicts_of_the_article(demo: tuple[Said, pathlib.Path]) -> None:
    said, _ = demo
    assert said.code == 0, said.error
    table = said.out[said.out.rindex("episode ") :]
    for row in ("article-form passed 100 2/2 4", "settings-timeout unmet 0 0/2 3", "book-flight vetoed 0 - 7"):
        assert row in " ".join(table.split())
    assert "3 episodes: 1 passed · 1 unmet · 1 vetoed" in table
    assert "strict pass rate 1/3 (33 %)" in table
    assert "mean score 33.3 · 100 of what passed · bonus 2 of 4 met" in table


def test_the_demonstration_names_the_retries_and_the_payment_with_its_step(demo: tuple[Said, pathlib.Path]) -> None:
    said, _ = demo
    table = " ".join(said.out[said.out.rindex("episode ") :].split())
    assert "not asked for: ~ config server.retries 3 -> 5" in table
    assert "nothing is paid without confirmation: step 7: + db payments[id=3]" in table


def test_the_episodes_of_the_demonstration_are_judged_again_by_their_own_tasks(
    demo: tuple[Said, pathlib.Path],
) -> None:
    _, runs = demo
    names = ("article-form", "settings-timeout", "book-flight")
    live = [json.loads((runs / name / "verdict.json").read_text()) for name in names]
    said = exactchange("judge", *(runs / name for name in names), "--no-write", "--json", cwd=runs)
    assert said.code == 1
    again = [item["verdict"] for item in rows(said.document, "episodes")]
    assert [{**cast("Mapping[str, Json]", item), "mode": "online"} for item in again] == live


def test_an_episode_explains_itself(demo: tuple[Said, pathlib.Path]) -> None:
    _, runs = demo
    said = exactchange("explain", runs / "settings-timeout", "config:server.retries", cwd=runs)
    assert said.code == 0, said.error
    assert "server.retries" in said.out


@pytest.mark.parametrize(
    ("task", "command", "code", "outcome"),
    [
        ("form", twin("form", "good"), 0, "passed"),
        ("settings", twin("settings", "article"), 1, "unmet"),
        ("flights", twin("flights", "card"), 1, "vetoed"),
        ("form", script("breaking", "form", "good", "database-garbage"), 3, "undecided"),
    ],
    ids=["passed", "unmet", "vetoed", "undecided"],
)
def test_the_exit_code_of_a_run_is_that_of_its_verdict(
    task: str, command: list[str], code: int, outcome: str, tmp_path: pathlib.Path
) -> None:
    said = exactchange("run", task_file(task), *agent(command), "--param", "save=fetch", "--json", cwd=tmp_path)
    assert (said.code, said.document["outcome"]) == (code, outcome), said.error
    assert list(tmp_path.iterdir()) == []


def test_a_killed_browser_is_no_verdict(tmp_path: pathlib.Path) -> None:
    command = script("breaking", "form", "good", "browser-killed")
    said = exactchange("run", task_file("form"), *agent(command), "--json", cwd=tmp_path)
    assert said.code == 4
    assert (said.document["outcome"], said.document["score"], said.document["cause"]) == (
        "undecided", None, "infrastructure",
    )  # fmt: skip


def test_of_a_judge_that_was_killed_the_recording_is_no_verdict(tmp_path: pathlib.Path) -> None:
    command = script("breaking", "form", "good", "judge-killed", tmp_path / "workdir")
    episode = tmp_path / "episode"
    said = exactchange("run", task_file("form"), *agent(command), "--record", episode, "--json", cwd=tmp_path)
    assert (tmp_path / "workdir").exists(), (said.code, said.out, said.error)
    scratch = pathlib.Path((tmp_path / "workdir").read_text(encoding="utf-8")).parent
    try:
        assert (said.code, said.out) == (-signal.SIGKILL, "")
        again = exactchange("judge", episode, "--no-write", "--json", cwd=tmp_path)
        assert (again.code, again.document["outcome"], again.document["score"]) == (4, "undecided", None)
        assert "crashed" in warning_kinds(again.document)
    finally:
        while living := processes_naming(scratch):  # it had no time to end what it had started
            for pid in living:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        remove(scratch)


def test_an_agent_that_cannot_be_started_is_wrong_usage(tmp_path: pathlib.Path) -> None:
    said = exactchange("run", task_file("form"), "--agent", str(tmp_path / "nobody"), "--json", cwd=tmp_path)
    assert said.code == 2
    assert "nobody" in str(said.document["error"])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play("form", twin("form", "good"), tmp_path_factory.mktemp("run"), save="fetch")


def test_two_copies_are_judged_by_what_they_hold(played: Played) -> None:
    untouched = footprint(played.before), footprint(played.after)
    started, ended = (dt.datetime.fromtimestamp(ns / 1e9, dt.UTC) for ns in played.times)
    times = ("--started", (started - dt.timedelta(seconds=1)).isoformat(), "--ended", ended.isoformat())
    copies = ("--before", played.before, "--after", played.after, "--param", "save=fetch", "--json")
    said = exactchange("judge", task_file("form"), *copies, *times, cwd=played.before.parent)
    assert (said.code, said.document["outcome"]) == (4, "undecided")  # nothing is known of the page
    assert finding(said.document, "registered once, with consent")["holds"] is True
    assert changes(said.document, "unexplained") == []
    assert [item["source"] for item in rows(said.document, "unread")] == ["page"]
    untimed = exactchange("judge", task_file("form"), *copies, cwd=played.before.parent)
    assert finding(untimed.document, "registered once, with consent")["holds"] is None
    assert untouched[0].differences(footprint(played.before)) == []
    assert untouched[1].differences(footprint(played.after)) == []


def test_an_episode_is_judged_by_the_task_that_it_was_run_with(played: Played) -> None:
    said = exactchange("judge", played.episode, "--task", task_file("form"), "--no-write", "--json", cwd=played.episode)
    assert said.code == 2
    assert "save=fetch" in str(said.document["error"])
    said = exactchange("judge", played.episode, "--recorded-params", "--no-write", "--json", cwd=played.episode)
    assert said.code == 0
    assert said.document == verdict_json(judge_episode(played.task, played.episode))


def test_five_mistakes_are_named_at_once_with_line_column_and_a_way_out(tmp_path: pathlib.Path) -> None:
    (tmp_path / "task.yaml").write_text(MISTAKEN)
    said = exactchange("check", "task.yaml", "--json", cwd=tmp_path)
    assert said.code == 2
    (checked,) = rows(said.document, "tasks")
    problems = rows(checked, "problems")
    assert {item["where"]: item["suggestion"] for item in problems} == PLACES
    text = exactchange("check", "task.yaml", cwd=tmp_path).out
    for where, way_out in PLACES.items():
        (block,) = [block for block in text.split("\n\n") if block.startswith(f"{where}: error: ")]
        assert way_out in block


def test_the_tasks_that_ship_have_no_mistake(tmp_path: pathlib.Path) -> None:
    said = exactchange("check", task_file("form").parent, "--json", cwd=tmp_path)
    assert (said.code, [item["ok"] for item in rows(said.document, "tasks")]) == (0, [True] * 3)


MISTAKEN = """\
id: mistaken
instruction: Set the timeout to 30.
sources:
  config: {adapter: fil, path: "{workdir}/settings.yaml"}
  db: {adapter: sqlite, path: "{workdir}/app.db"}
veto:
  - {name: no row is lost, change: {in: dbb, op: removed}}
  - {name: nothing is dropped, change: {in: db, op: removd}}
must:
  - {name: the timeout is 30, chnage: {in: db, at: "settings[id=1].timeout", to: 30}}
  - {name: the user's choice, change: {in: db, at: "settings[id=2].timeout", to: "{seconds}"}}
"""
PLACES = {
    "task.yaml:4:21": "did you mean 'file'?",
    "task.yaml:7:41": "did you mean 'db'?",
    "task.yaml:8:53": "did you mean 'removed'?",
    "task.yaml:10:31": "did you mean 'change'?",
    "task.yaml:11:83": "the task has no params (the braces themselves are written {{ and }})",
}
