"""Runs that are repeated, and recorded episodes that are repeats of one another."""

import pathlib

import pytest
from tests.cli.conftest import Command

GOOD = "sed -i 's/timeout: 20/timeout: 30/' {workdir}/settings.yaml"


@pytest.fixture
def task(first: pathlib.Path) -> pathlib.Path:
    return first / "first-task.yaml"


@pytest.fixture
def agent(tmp_path: pathlib.Path) -> str:
    """An agent that does nothing in its second run."""
    runs = tmp_path / "count"
    runs.write_text("")
    return f"sh -c 'echo >> {runs}; test $(wc -l < {runs}) = 2 || {GOOD.replace(chr(39), chr(34))}'"


def test_repeats_are_recorded_one_by_one_and_told_as_one_task(
    task: pathlib.Path, agent: str, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("run", task, "--agent", agent, "--repeat", 3, "--record", tmp_path / "runs")
    assert said.code == 1, said.err
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["1", "2", "3"]
    (told,) = [line.split() for line in said.out.splitlines() if line.endswith("flaky")][:1]
    assert (told[0], told[1], told[-2]) == ("first-task", "2/3", "✓✗✓")
    assert said.out.splitlines()[-1].startswith("strict pass rate 2/3 (67 %)")
    assert "pass^k): 1: 67 % · 2: 33 % · 3: 0 %" in said.out


def test_recorded_repeats_are_judged_to_the_same_numbers(
    task: pathlib.Path, agent: str, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    live = exactchange("run", task, "--agent", agent, "--repeat", 3, "--record", tmp_path / "runs", "--json").document
    episodes = sorted((tmp_path / "runs").iterdir())
    later = exactchange("judge", *episodes, "--tasks", task.parent, "--json").document
    assert later["summary"] == live["summary"] and later["failures"] == live["failures"]
    (live_task,), (later_task,) = live["tasks"], later["tasks"]
    assert {**live_task, "names": 0} == {**later_task, "names": 0}
    assert live_task["names"] == ["first-task/1", "first-task/2", "first-task/3"]
    assert live_task["outcomes"] == ["passed", "unmet", "passed"] and live_task["flaky"] is True
    assert live["failures"]["rules"][0]["where"].startswith("first-task.yaml:")


def test_repeats_of_several_tasks_lie_below_their_ids_and_sort_as_they_were_run(
    task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    other = task.with_name("second.yaml")
    other.write_text(task.read_text().replace("id: first-task", "id: second").replace("to: 30", "to: 40"))
    said = exactchange("run", task, other, "--agent", GOOD, "--repeat", 2, "--record", tmp_path / "runs")
    assert said.out.splitlines()[-1].startswith("strict pass rate 2/4 (50 %)")
    assert {f"{path.parent.name}/{path.name}" for path in (tmp_path / "runs").glob("*/*")} == {
        "first-task/1", "first-task/2", "second/1", "second/2",
    }  # fmt: skip


def test_a_damaged_recording_stays_a_repeat_of_its_task(
    task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    exactchange("run", task, "--agent", GOOD, "--repeat", 2, "--record", tmp_path / "runs")
    events = tmp_path / "runs/2/events.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"seq":2', b'"seq":3', 1))
    document = exactchange("judge", *sorted((tmp_path / "runs").iterdir()), "--task", task, "--json").document
    (told,) = document["tasks"]
    assert (told["episodes"], told["passed"], told["at_most"]) == (2, 1, 2)
    assert document["summary"]["strict_pass_rate"] == 0.5


def test_variants_by_params_are_tasks_of_their_own(
    task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    text = task.read_text().replace("# allow:", "params: {to: 30}\n# allow:")
    task.write_text(text.replace("to: 30}", 'to: "{to}"}').replace('params: {to: "{to}"}', "params: {to: 30}"))
    for number, to in enumerate((30, 31)):
        exactchange("run", task, "--agent", GOOD, "--param", f"to={to}", "--record", tmp_path / f"runs/{number}")
    runs = sorted((tmp_path / "runs").iterdir())
    document = exactchange("judge", *runs, "--tasks", task.parent, "--recorded-params", "--json").document
    assert [told["params"] for told in document["tasks"]] == [{"to": 30}, {"to": 31}]
    assert [told["passed"] for told in document["tasks"]] == [1, 0]
    assert document["warnings"] == []


def test_one_repeat_is_a_run_as_any_other(task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("run", task, "--agent", GOOD, "--repeat", 1, "--record", tmp_path / "run", "--json")
    assert said.document["schema"] == "exactchange/verdict/1"
    assert (tmp_path / "run/verdict.json").is_file()


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_a_run_is_repeated_at_least_once(count: str, task: pathlib.Path, exactchange: Command) -> None:
    assert exactchange("run", task, "--agent", GOOD, "--repeat", count).code == 2
