"""A judge that is killed leaves no browser, application or agent behind, and harms nobody else."""

import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from tests.cli.conftest import MAIN
from tests.runner.kit import processes_with

from exactchange.sources.guard import guard, release

TASK = pathlib.Path(__file__).parents[2] / "tasks" / "article" / "settings-timeout.yaml"
AGENT = "sh -c 'setsid sleep 900 & echo up > {begun}; exec sleep 900'"
PATIENCE_S = 30.0
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@linux
@pytest.mark.slow
def test_a_judge_that_is_killed_takes_its_browser_application_and_agent_with_it(tmp_path: pathlib.Path) -> None:
    scratch, begun = tmp_path / "scratch", tmp_path / "begun"
    scratch.mkdir()
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(scratch), "HOME": str(tmp_path)}
    words = ["run", str(TASK), "--agent", AGENT.format(begun=begun)]
    bystander = subprocess.Popen(["sleep", "900"], env=env, start_new_session=True)
    judge = subprocess.Popen([sys.executable, "-c", MAIN, *words], stdout=-3, stderr=-3, env=env)
    try:
        assert until(begun.exists)
        running = processes_with(str(scratch))
        assert len(running) > 4  # the judge, the application, the browser with its helpers, the agent with its child
        judge.kill()
        judge.wait()
        assert until(lambda: processes_with(str(scratch)) == [bystander.pid]), processes_with(str(scratch))
        assert bystander.poll() is None
    finally:
        judge.kill()
        bystander.kill()
        bystander.wait()


PROGRAM = """
import os, subprocess, sys
from exactchange.sources.guard import guard, release
first, second, third = (subprocess.Popen(["sleep", "900"], start_new_session=True) for _ in range(3))
guard(first.pid)
guard(second.pid)
release(second.pid)
if {again}:
    {find}.kill()
    {find}.wait()
guard(third.pid)
print(first.pid, second.pid, third.pid, flush=True)
sys.stdin.read()
"""


def started(again: bool) -> "tuple[subprocess.Popen[str], list[int]]":
    find = "__import__('exactchange.sources.guard').sources.guard._GUARD.process"
    code = PROGRAM.format(again=again, find=find)
    process = subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True)
    assert process.stdout is not None
    return process, [int(word) for word in process.stdout.readline().split()]


def alive(pid: int) -> bool:
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


@linux
@pytest.mark.parametrize("again", [False, True])
def test_what_is_released_lives_and_a_guard_that_is_killed_is_followed_by_another(again: bool) -> None:
    process, (first, second, third) = started(again)
    try:
        assert all(map(alive, (first, second, third)))
        process.kill()
        process.wait()
        assert until(lambda: not alive(first) and not alive(third))
        assert alive(second)
    finally:
        process.kill()
        os.kill(second, signal.SIGKILL)


@linux
def test_a_number_that_is_somebody_elses_by_now_is_left_alone(tmp_path: pathlib.Path) -> None:
    program = pathlib.Path(guard.__code__.co_filename).with_name("guard_process.py")
    with subprocess.Popen(["sleep", "900"], start_new_session=True) as other:
        line = f'["guard", {other.pid}, "1", "EXACTCHANGE_RUN=none"]\n'
        done = subprocess.run([sys.executable, "-I", "-S", program], input=line.encode(), timeout=30, check=False)
        assert done.returncode == 0 and other.poll() is None
        other.kill()


@linux
def test_a_mark_is_a_whole_word_of_a_process_and_no_part_of_one() -> None:
    program = pathlib.Path(guard.__code__.co_filename).with_name("guard_process.py")
    ours = subprocess.Popen(["sleep", "900"], env={"EXACTCHANGE_RUN": "a1"}, start_new_session=True)
    other = subprocess.Popen(["sleep", "900"], env={"EXACTCHANGE_RUN": "a11"}, start_new_session=True)
    try:
        line = f'["guard", {os.getpid()}, "1", "EXACTCHANGE_RUN=a1"]\n'
        subprocess.run([sys.executable, "-I", "-S", program], input=line.encode(), timeout=30, check=True)
        assert until(lambda: ours.poll() is not None) and other.poll() is None
    finally:
        for process in (ours, other):
            process.kill()
            process.wait()


def test_to_release_what_was_never_guarded_is_nothing() -> None:
    release(2**22 + 1)


@linux
def test_the_guard_goes_with_the_last_that_it_guards() -> None:
    with subprocess.Popen(["sleep", "900"], start_new_session=True) as first:
        with subprocess.Popen(["sleep", "900"], start_new_session=True) as second:
            guard(first.pid)
            guard(second.pid)
            release(first.pid)
            assert len(guards()) == 1
            second.kill()
        release(second.pid)
        assert guards() == []
        first.kill()


def guards() -> list[str]:
    """Processes that this one started and that guard."""
    children = pathlib.Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = [pid for file in children for pid in file.read_text().split()]
    return [pid for pid in pids if "guard_process" in pathlib.Path(f"/proc/{pid}/cmdline").read_text()]
