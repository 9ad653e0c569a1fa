"""Stdout that takes nothing: one line on stderr, an exit code that no passed or failed run has, no traceback."""

import os
import pathlib
import subprocess
import sys
from collections.abc import Sequence

import pytest
from tests.cli.conftest import MAIN

SED = 'sed -i "s/timeout: 20/timeout: 30/" {workdir}/settings.yaml'


def sh(line: str, *words: object) -> tuple[int, str, str]:
    """Run a line of shell in which `"$@"` is the command line, here `exactchange` with these words."""
    command = [sys.executable, "-P", "-c", MAIN, *map(str, words)]
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", line, "sh", *command], capture_output=True, env=env, timeout=120, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def words(first: pathlib.Path, tmp_path: pathlib.Path) -> dict[str, Sequence[object]]:
    task = first / "first-task.yaml"
    copies = tmp_path / "copies"
    for name, seconds in (("before", 20), ("after", 30)):
        (copies / name).mkdir(parents=True)
        text = (first / "seed" / "settings.yaml").read_text()
        (copies / name / "settings.yaml").write_text(text.replace("timeout: 20", f"timeout: {seconds}"))
    judged = ["judge", task, "--before", copies / "before", "--after", copies / "after"]
    return {
        "judge": judged,
        "judge --json": [*judged, "--json"],
        "check": ["check", task],
        "diff": ["diff", copies / "before", copies / "after"],
        "run": ["run", task, "--agent", SED],
        "error --json": ["check", first / "none.yaml", "--json"],
        "usage --json": ["judge", "--json"],
        "--help": ["--help"],
        "doctor": ["doctor", "--json"],
    }


@pytest.mark.parametrize(
    "which", ["judge", "judge --json", "check", "diff", "run", "error --json", "usage --json", "--help", "doctor"]
)
@pytest.mark.parametrize(("line", "cause"), [('"$@" >/dev/full', "No space left"), ('"$@" >&-', "stdout is closed")])
def test_stdout_that_cannot_be_written_is_said_and_no_outcome(
    which: str, line: str, cause: str, words: dict[str, Sequence[object]]
) -> None:
    code, out, err = sh(line, *words[which])
    assert (code, out) == (4, ""), err
    assert "Traceback" not in err and "Exception ignored" not in err
    assert [cause in part for part in err.splitlines()].count(True) == 1, err


@pytest.mark.parametrize("which", ["judge", "judge --json", "check", "diff", "run", "--help"])
def test_a_reader_that_has_gone_ends_a_command_as_sigpipe_would(which: str, words: dict[str, Sequence[object]]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-P", "-c", MAIN, *map(str, words[which])]
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=env, timeout=120, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_stderr_that_cannot_be_written_changes_no_exit_code(words: dict[str, Sequence[object]]) -> None:
    for line in ('"$@" 2>/dev/full', '"$@" 2>&-'):
        assert sh(line, *words["judge"])[0] == 0
        assert sh(line, "judge", "nowhere")[0] == 2
