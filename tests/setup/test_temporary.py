"""What tests and what they start leave in the temporary folder is gone when their session ends, however it ends."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import pytest

WAITS = "EXACTCHANGE_WAITS"


def test_this_leaves_a_folder_and_waits_where_it_is_told_to() -> None:
    """What the others run."""
    left = pathlib.Path(tempfile.mkdtemp(prefix="left-"))
    if WAITS in os.environ:
        pathlib.Path(os.environ[WAITS]).write_text(str(left))
        time.sleep(60)  # until the session is ended


def session(folder: pathlib.Path, *more: str, **environment: str) -> "subprocess.Popen[bytes]":
    (folder / "temporary").mkdir()
    words = [__file__, "-k", "leaves_a_folder", "-q", f"--basetemp={folder / 'base'}", *more]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=pathlib.Path(__file__).parents[2],
        env={**os.environ, "TMPDIR": str(folder / "temporary"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def test_nothing_is_left_of_a_session(tmp_path: pathlib.Path) -> None:
    ended = session(tmp_path, "-n", "1")
    out, _ = ended.communicate(timeout=100)
    assert ended.returncode == 0 and b"1 passed" in out, out
    assert os.listdir(tmp_path / "temporary") == []


@pytest.mark.parametrize("more", [[], ["-n", "1"]], ids=["alone", "by a worker"])
def test_nothing_is_left_of_a_session_that_is_ended(more: list[str], tmp_path: pathlib.Path) -> None:
    waiting = tmp_path / "waiting"
    ended = session(tmp_path, *more, **{WAITS: str(waiting)})
    deadline = time.monotonic() + 60
    while not waiting.exists() or not waiting.read_text():
        assert time.monotonic() < deadline and ended.poll() is None
        time.sleep(0.02)
    assert waiting.read_text().startswith(str(tmp_path / "temporary"))
    ended.send_signal(signal.SIGTERM)
    ended.communicate(timeout=60)
    assert os.listdir(tmp_path / "temporary") == []
