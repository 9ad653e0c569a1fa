import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest
from tests.cli.conftest import MAIN, Command, Said

GOOD = "sed -i 's/timeout: 20/timeout: 30/' {workdir}/settings.yaml"
NEAR = "sed -i 's/timeout: 20/timeout: 300/' {workdir}/settings.yaml"
MORE = "sed -i 's/timeout: 20/timeout: 30/; s/retries: 3/retries: 5/' {workdir}/settings.yaml"
LINE = "sed -i 's/search: true/search: false/' {workdir}/settings.yaml"
AGENTS = {"good": GOOD, "near": NEAR, "more": MORE, "line": LINE}


@pytest.fixture
def task(first: pathlib.Path) -> pathlib.Path:
    return first / "first-task.yaml"


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Four episodes of the first task, recorded once: good, near, more, line."""
    folder = tmp_path_factory.mktemp("four")
    for words in (["init", str(folder)], *(_run(folder, name, agent) for name, agent in AGENTS.items())):
        subprocess.run([sys.executable, "-c", MAIN, *words], capture_output=True, timeout=60, check=False)
    return folder


@pytest.fixture
def recorded(four: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy of the four episodes."""
    shutil.copytree(four / "runs", tmp_path / "runs")
    return tmp_path / "runs"


def _run(folder: pathlib.Path, name: str, agent: str) -> list[str]:
    return ["run", str(folder / "first-task.yaml"), "--agent", agent, "--record", str(folder / "runs" / name)]


@pytest.mark.parametrize(
    ("agent", "code", "outcome", "words"),
    [
        (GOOD, 0, "PASSED", "everything else unchanged: config, files"),
        (NEAR, 1, "UNMET", "server.timeout  20 -> 300"),
        (MORE, 1, "UNMET", "- {in: config, at: server.retries, op: modified}"),
        (LINE, 1, "VETOED", "! veto: no feature is switched off"),
        ("true", 1, "UNMET", "No change was seen."),
    ],
)
def test_an_agent_is_judged_by_what_it_changed(
    agent: str, code: int, outcome: str, words: str, task: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("run", task, "--agent", agent)
    assert said.code == code, said.err
    assert said.out.splitlines()[-1].startswith(outcome)
    assert words in said.out


def test_with_json_the_verdict_is_all_there_is(task: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("run", task, "--agent", MORE, "--json")
    assert said.code == 1
    assert said.document["schema"] == "exactchange/verdict/1"
    assert [change["address"] for change in said.document["unexplained"]] == ["server.retries"]


def test_an_agent_that_is_not_there_is_told(task: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("run", task, "--agent", "no-such-program-anywhere")
    assert said.code != 0
    assert "no-such-program-anywhere" in said.err
    assert "Traceback" not in said.err


def test_an_agent_that_crashes_is_told_with_its_last_words(task: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("run", task, "--agent", "sh -c 'echo I give up >&2; exit 3'")
    assert said.code == 1
    assert "the agent crashed" in said.err and "I give up" in said.err


def test_the_work_directory_can_be_kept(task: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("run", task, "--agent", GOOD, "--keep")
    kept = pathlib.Path(said.err.rpartition("the work directory is ")[2].strip())
    assert "timeout: 30" in (kept / "settings.yaml").read_text()
    shutil.rmtree(kept)


def test_two_tasks_make_a_table_and_two_episodes(
    task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    other = task.with_name("second.yaml")
    other.write_text(task.read_text().replace("id: first-task", "id: second").replace("to: 30", "to: 40"))
    said = exactchange("run", task, other, "--agent", GOOD, "--record", tmp_path / "runs")
    assert said.code == 1
    assert said.out.splitlines()[-1].startswith("strict pass rate 1/2 (50 %)")
    assert (tmp_path / "runs/first-task/verdict.json").is_file() and (tmp_path / "runs/second/verdict.json").is_file()


def test_a_broken_task_stops_all_the_runs(task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command) -> None:
    (tmp_path / "broken.yaml").write_text("id: broken\n")
    said = exactchange("run", task, tmp_path / "broken.yaml", "--agent", f"touch {tmp_path}/ran")
    assert said.code == 2
    assert not (tmp_path / "ran").exists()


def judged(exactchange: Command, task: pathlib.Path, *words: object) -> Said:
    return exactchange("judge", *words, "--task", task)


def test_episodes_are_judged_as_they_were_live(
    recorded: pathlib.Path, task: pathlib.Path, exactchange: Command
) -> None:
    for episode, code in (("good", 0), ("near", 1), ("more", 1), ("line", 1)):
        online = json.loads((recorded / episode / "verdict.json").read_text())
        said = judged(exactchange, task, recorded / episode, "--json")
        assert said.code == code
        assert {**said.document, "mode": "online"} == online
        assert json.loads((recorded / episode / "verdict.json").read_text()) == said.document


def test_several_episodes_make_a_report(recorded: pathlib.Path, task: pathlib.Path, exactchange: Command) -> None:
    episodes = [recorded / name for name in ("good", "near", "more", "line", "gone")]
    said = judged(exactchange, task, *episodes)
    assert said.code == 1
    assert said.out.splitlines()[-1].startswith("strict pass rate 1/5 (20 %)")
    document = judged(exactchange, task, *episodes, "--json").document
    assert [item["outcome"] for item in document["episodes"]] == ["passed", "unmet", "unmet", "vetoed", "no verdict"]
    assert document["summary"]["episodes"] == 5


def test_an_episode_can_be_left_as_it_is(recorded: pathlib.Path, task: pathlib.Path, exactchange: Command) -> None:
    (recorded / "good/verdict.json").unlink()
    assert judged(exactchange, task, recorded / "good", "--no-write").code == 0
    assert not (recorded / "good/verdict.json").exists()


def test_an_episode_s_task_is_found_by_content(
    recorded: pathlib.Path, task: pathlib.Path, exactchange: Command
) -> None:
    assert exactchange("judge", recorded / "good", "--tasks", task.parent).code == 0
    lost = exactchange("judge", recorded / "good")
    assert lost.code == 2
    assert "its task 'first-task' is not in" in lost.err and "--task FILE" in lost.err
    task.write_text(task.read_text().replace("to: 30", "to: 31"))
    changed = exactchange("judge", recorded / "good", "--tasks", task.parent)
    assert changed.code == 2
    assert "has changed since" in changed.err


def test_a_newer_task_judges_with_a_warning(recorded: pathlib.Path, task: pathlib.Path, exactchange: Command) -> None:
    task.write_text(task.read_text().replace("to: 30", "to: 300"))
    said = judged(exactchange, task, recorded / "near")
    assert said.code == 0
    assert "warning" in said.out and "another version of this task" in said.out


def test_parameters_of_a_run_are_asked_for_and_not_taken_from_the_episode_unasked(
    task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    text = task.read_text().replace("# allow:", "params: {wanted: 30}\n# allow:").replace("to: 30", 'to: "{wanted}"')
    task.write_text(text)
    done = exactchange("run", task, "--agent", NEAR, "--param", "wanted=300", "--record", tmp_path / "run")
    assert done.code == 0, done.err
    refused = judged(exactchange, task, tmp_path / "run")
    assert refused.code == 2
    assert "--param wanted=300" in refused.err
    assert judged(exactchange, task, tmp_path / "run", "--param", "wanted=300").code == 0
    assert judged(exactchange, task, tmp_path / "run", "--recorded-params").code == 0


def test_an_altered_episode_is_refused(recorded: pathlib.Path, task: pathlib.Path, exactchange: Command) -> None:
    events = recorded / "near/events.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"seq":2', b'"seq":3', 1))
    said = judged(exactchange, task, recorded / "near")
    assert said.code == 2
    assert "events.jsonl" in said.err


def test_a_planted_verdict_is_replaced_and_no_link_is_followed(
    recorded: pathlib.Path, task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    place = recorded / "near/verdict.json"
    place.unlink()
    place.symlink_to(target)
    assert exactchange("explain", recorded / "near").code == 2
    assert judged(exactchange, task, recorded / "near").code == 1
    assert target.read_text() == "mine"
    assert not place.is_symlink() and json.loads(place.read_text())["outcome"] == "unmet"


def test_two_copies_give_the_findings_of_the_live_run(
    recorded: pathlib.Path, task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for side in (before, after):
        shutil.copytree(task.parent / "seed", side)
    text = (after / "settings.yaml").read_text()
    (after / "settings.yaml").write_text(text.replace("timeout: 20", "timeout: 30").replace("retries: 3", "retries: 5"))
    said = exactchange("judge", task, "--before", before, "--after", after, "--json")
    live = json.loads((recorded / "more/verdict.json").read_text())
    assert said.code == 1
    assert said.document["unexplained"] == live["unexplained"]
    assert [(f["name"], f["holds"]) for f in said.document["findings"]] == [
        (f["name"], f["holds"]) for f in live["findings"]
    ]


def test_explain_says_why_of_one_address(recorded: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("explain", recorded / "more", "config:server.retries")
    assert said.code == 0
    assert "before: 3 (int)" in said.out and "after:  5 (int)" in said.out
    assert "- {in: config, at: server.retries, op: modified}" in said.out
    asked = exactchange("explain", recorded / "more/verdict.json", "server.timeout")
    assert "asked for by must: the timeout is 30 (first-task.yaml:" in asked.out
    document = exactchange("explain", recorded / "more", "server", "--json").document
    assert [change["address"] for change in document["changes"]] == ["server.retries", "server.timeout"]


def test_explain_of_what_did_not_change_names_what_did(recorded: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("explain", recorded / "more", "server.retry")
    assert said.code == 2
    assert "config:server.retries" in said.err


def test_the_next_step_that_is_printed_works(recorded: pathlib.Path, task: pathlib.Path, exactchange: Command) -> None:
    said = judged(exactchange, task, recorded / "more")
    (line,) = [line for line in said.out.splitlines() if line.startswith("next: ")]
    words = shlex.split(line.removeprefix("next: "))
    assert words[0] == "exactchange"
    assert exactchange(*words[1:]).code == 0


def test_a_pasted_allow_line_makes_the_run_pass(task: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("run", task, "--agent", MORE)
    lines = [line.partition("add to allow:")[2].strip() for line in said.out.splitlines() if "add to allow:" in line]
    task.write_text(task.read_text().replace("# allow:\n", "allow:\n" + "".join(f"  {line}\n" for line in lines)))
    again = exactchange("run", task, "--agent", MORE)
    assert again.code == 0, again.out
    assert "allow first-task.yaml:" in again.out


def test_a_run_leaves_nothing_behind(task: pathlib.Path, tmp_path: pathlib.Path, process: Command) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert process("run", task, "--agent", GOOD, env={"TMPDIR": str(scratch)}).code == 0
    assert os.listdir(scratch) == []


def test_of_many_episodes_the_table_is_shown_and_all_of_them_on_demand(
    recorded: pathlib.Path, task: pathlib.Path, exactchange: Command
) -> None:
    for number in range(8):
        shutil.copytree(recorded / "near", recorded / f"near-{number}")
    episodes = sorted(recorded.iterdir())
    said = judged(exactchange, task, *episodes, "--no-write", "--jobs", "1")
    assert said.out.startswith("  episode") and said.out.count("UNMET") == 0
    assert judged(exactchange, task, *episodes, "--no-write", "--all").out.count("\nUNMET") == 10


def test_explain_of_a_whole_verdict_shows_everything_and_the_document(
    recorded: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("explain", recorded / "more")
    assert said.code == 0  # it explains a verdict, whatever that is
    assert said.out.splitlines()[-1].startswith("UNMET")
    stored = json.loads((recorded / "more/verdict.json").read_text())
    assert exactchange("explain", recorded / "more", "--json").document == stored
