"""What cannot be done is refused before anything starts; what cannot be kept is told all the same."""

import pathlib
import shutil

import pytest
from tests.cli.conftest import Command

SED = 'sed -i "s/timeout: 20/timeout: 30/" {workdir}/settings.yaml'


@pytest.fixture
def task(first: pathlib.Path) -> pathlib.Path:
    return first / "first-task.yaml"


@pytest.fixture
def episode(task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command) -> pathlib.Path:
    assert exactchange("run", task, "--agent", SED, "--record", tmp_path / "runs" / "1").code == 0
    return tmp_path / "runs" / "1"


def test_two_tasks_of_one_id_are_not_recorded_in_one_folder(
    task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    copy = shutil.copy(task, task.with_name("copy.yaml"))
    begun = tmp_path / "begun"
    for files in ((task, task), (task, copy)):
        said = exactchange("run", *files, "--agent", f"touch {begun}", "--record", tmp_path / "runs")
        assert said.code == 2
        assert str(files[1]) in said.err and "both be recorded in" in said.err
    assert not begun.exists() and not (tmp_path / "runs").exists()
    assert exactchange("run", task, task, "--agent", SED).code == 0


def test_an_episode_counts_once(task: pathlib.Path, episode: pathlib.Path, exactchange: Command) -> None:
    (episode / "verdict.json").unlink()
    link = episode.with_name("link")
    link.symlink_to(episode)
    for again in (episode, episode / ".", episode.parent / ".." / "runs" / "1", link):
        said = exactchange("judge", episode, again, "--task", task)
        assert said.code == 2 and "are the same episode" in said.err and said.out == ""
    assert not (episode / "verdict.json").exists()


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_verdict_that_cannot_be_written_is_told_and_exits_4(
    words: list[str], task: pathlib.Path, episode: pathlib.Path, exactchange: Command
) -> None:
    (episode / "verdict.json").unlink()
    (episode / "verdict.json").mkdir()
    said = exactchange("judge", episode, "--task", task, *words)
    assert said.code == 4
    assert "verdict.json cannot be written: Is a directory" in said.err and "doctor" not in said.err
    assert said.document["outcome"] == "passed" if words else said.out.splitlines()[-1].startswith("PASSED")
    assert exactchange("judge", episode, "--task", task, "--no-write").code == 0


def test_a_run_whose_verdict_cannot_be_written_tells_it_and_exits_4(
    task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    record = tmp_path / "record"
    agent = f"sh -c 'mkdir {record}/verdict.json; sed -i s/20/30/ {{workdir}}/settings.yaml'"
    said = exactchange("run", task, "--agent", agent, "--record", record)
    assert said.code == 4
    assert f"{record}/verdict.json: Is a directory" in said.err
    assert said.out.splitlines()[-1].startswith("PASSED")


def test_the_doctor_is_named_only_where_it_can_help(task: pathlib.Path, exactchange: Command) -> None:
    task.write_text(
        task.read_text().replace("seed: seed", 'seed: seed\n  start: ["false"]\n  ready: "http://127.0.0.1:{port}/"')
    )
    said = exactchange("run", task, "--agent", "true")
    assert said.code == 4
    assert "the application ended with 1 before it was ready" in said.err and "doctor" not in said.err


@pytest.mark.parametrize("folder", ["/dev/null", "/dev/null/x", "/proc/x"])
def test_init_where_no_folder_can_be_is_wrong_usage(folder: str, exactchange: Command) -> None:
    said = exactchange("init", folder)
    assert said.code == 2 and "cannot write" in said.err


@pytest.mark.parametrize(("target", "code"), [("/proc/x", 2), ("/", 2), ("/dev/null/x", 2), ("/dev/full", 4)])
def test_a_snapshot_that_cannot_be_written_says_whose_fault_it_is(
    target: str, code: int, task: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("snapshot", task.parent / "seed", "-o", target)
    assert said.code == code and f"cannot write {target}" in said.err


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "0", "-1"])
def test_a_timeout_is_a_number_of_seconds(
    seconds: str, task: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("run", task, "--agent", f"touch {tmp_path / 'begun'}", f"--timeout={seconds}")
    assert said.code == 2 and "--timeout" in said.err
    assert not (tmp_path / "begun").exists()
