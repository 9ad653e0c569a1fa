import pathlib
import shlex

import pytest
from tests.cli.conftest import Command
from tests.cli.test_run import GOOD, LINE, MORE

from exactchange.cli import demo as module
from exactchange.cli.demo import Part


@pytest.fixture
def parts(first: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """A demonstration without a browser: the first task with three agents."""
    out: list[Part] = []
    for name, agent, expected in (("a", GOOD, "passed"), ("b", MORE, "unmet"), ("c", LINE, "vetoed")):
        task = first / f"{name}.yaml"
        task.write_text((first / "first-task.yaml").read_text().replace("id: first-task", f"id: {name}"))
        out.append(Part(task, tuple(shlex.split(agent)), expected))
    monkeypatch.setattr(module, "demo_parts", lambda: out)
    return out


def test_the_expected_verdicts_are_exit_0_and_end_in_the_table(parts: list[Part], exactchange: Command) -> None:
    said = exactchange("demo")
    assert said.code == 0, said.err
    assert said.out.count("told: ") == len(parts)
    assert "\nPASSED" in said.out and "\nUNMET" in said.out and "\nVETOED" in said.out
    assert said.out.splitlines()[-1].startswith("strict pass rate 1/3 (33 %)")


def test_other_verdicts_are_exit_1(parts: list[Part], exactchange: Command) -> None:
    parts[0], parts[1] = parts[1], parts[0]
    parts[2] = Part(parts[2].task, parts[2].agent, "passed")
    said = exactchange("demo")
    assert said.code == 1
    assert "the verdicts are not the expected ones: unmet, passed, passed" in said.err


def test_with_json_there_is_one_report_that_says_what_was_expected(parts: list[Part], exactchange: Command) -> None:
    said = exactchange("demo", "--json")
    assert said.code == 0 and said.err == ""
    assert said.document["schema"] == "exactchange/report/1"
    assert said.document["as_expected"] is True
    assert [item["outcome"] for item in said.document["episodes"]] == said.document["expected"]
    assert len(said.document["episodes"]) == len(parts)


def test_each_episode_is_recorded_below_the_folder(
    parts: list[Part], tmp_path: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("demo", "--record", tmp_path / "runs")
    assert said.code == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [part.task.stem for part in parts]
    assert "next: exactchange explain" in said.out


def test_what_the_infrastructure_made_fail_is_exit_4_and_in_the_table(parts: list[Part], exactchange: Command) -> None:
    task = parts[1].task
    task.write_text(task.read_text().replace("seed: seed", 'seed: seed\n  start: ["no-such-program"]'))
    said = exactchange("demo")
    assert said.code == 4
    assert "no-such-program" in said.err and "doctor" not in said.err  # which knows nothing of applications
    assert said.out.splitlines()[-1].startswith("strict pass rate 1/3")
