import os
import pathlib
import pty
import signal
import subprocess
import sys
import time

import pytest
from scripts.terminal_picture import all_of
from tests.cli.conftest import MAIN, Command

from exactchange.cli.episodes import Job, judge_all
from exactchange.values import Value


class Deadly:
    """Ends the process that unpickles it: stands for an episode that kills its worker."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (9,)


@pytest.fixture
def recorded(first: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command) -> pathlib.Path:
    exactchange("run", first / "first-task.yaml", "--agent", "true", "--record", tmp_path / "run")
    return tmp_path / "run"


def test_an_episode_that_kills_its_worker_takes_no_other_with_it(recorded: pathlib.Path, first: pathlib.Path) -> None:
    deadly: dict[str, Value] = {"x": Deadly()}  # type: ignore[dict-item]  # what no value is
    task = first / "first-task.yaml"
    good = Job(recorded, task, write=False)
    told: list[str] = []
    entries = judge_all([good, Job(recorded, task, params=deadly), good], processes=2, news=told.append)
    assert [entry.outcome for entry in entries] == ["unmet", "no verdict", "unmet"]
    assert entries[1].exit_code == 4
    assert entries[1].failed is not None and "died" in entries[1].failed
    assert len(told) == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_takes_everything_down(number: int, first: pathlib.Path, tmp_path: pathlib.Path) -> None:
    scratch, begun = tmp_path / "scratch", tmp_path / "begun"
    scratch.mkdir()
    agent = f"sh -c 'echo $$ > {begun}.new && mv {begun}.new {begun} && exec sleep 120'"
    words = ["run", str(first / "first-task.yaml"), "--agent", agent]
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(scratch), "HOME": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", MAIN, *words], stdout=-1, stderr=-1, env=env) as process:
        wait_for(begun)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number, err.decode()
    assert out == b"" and b"Traceback" not in err
    assert os.listdir(scratch) == []
    assert not alive(int(begun.read_text()))


def test_progress_is_shown_on_a_terminal_only_and_never_on_stdout(recorded: pathlib.Path, first: pathlib.Path) -> None:
    words = ["judge", str(recorded), "--task", str(first / "first-task.yaml"), "--json"]
    env = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    command = [sys.executable, "-c", MAIN, *words]
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, env=env) as done:
        os.close(follower)
        seen = all_of(leader)
        assert done.stdout is not None
        on_terminal = done.stdout.read()
    assert b"judging" in seen
    piped = subprocess.run(command, capture_output=True, env=env, timeout=60, check=False)
    assert piped.stderr == b""
    assert piped.stdout == on_terminal


def wait_for(file: pathlib.Path) -> None:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline, f"{file} does not appear"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
