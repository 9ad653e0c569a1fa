"""The state with which every run on Trac begins: always the same bytes, soon copied, and never written to."""

import os
import pathlib
import stat
import subprocess
from collections.abc import Mapping

import pytest
from tests.end_to_end.play import shipped_task
from tests.trac.recorded import CHECKOUT, SEED, Recorded

from exactchange.runner.scratch import plant
from exactchange.testing import footprint

MAKER = CHECKOUT / "fixtures" / "applications" / "trac" / "seed.py"
SURROUNDINGS: list[Mapping[str, str]] = [
    {"PYTHONHASHSEED": "1", "TZ": "America/New_York"},
    {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
]


def contents(folder: pathlib.Path) -> dict[str, tuple[int, str]]:
    """Type and content of every entry; modes are up to who makes or copies it."""
    return {name: (stat.S_IFMT(trace.mode), trace.content) for name, trace in footprint(folder).entries.items()}


@pytest.mark.parametrize("number", range(len(SURROUNDINGS)))
def test_the_seed_is_made_of_the_same_bytes_every_time(number: int, tmp_path: pathlib.Path) -> None:
    made = tmp_path / f"made-{number}"
    python = CHECKOUT / ".trac" / "bin" / "python"
    subprocess.run([python, MAKER, made], env={**os.environ, **SURROUNDINGS[number]}, check=True, timeout=120)
    assert contents(made) == contents(SEED)


def test_a_world_is_reset_by_copying_a_few_small_files(tmp_path: pathlib.Path) -> None:
    task = shipped_task("trac-look")
    assert task.app is not None and task.app.seed is not None
    plant(task.app.seed, task_file=task.file, workdir=tmp_path / "work")
    copied = footprint(tmp_path / "work")
    assert contents(tmp_path / "work") == contents(SEED)
    files = [trace for trace in copied.entries.values() if stat.S_ISREG(trace.mode)]
    assert (
        len(files) < 20 and sum(trace.size for trace in files) < 1024 * 1024
    )  # a second copies hundreds of times that


def test_no_file_of_the_seed_is_shared_with_a_copy(tmp_path: pathlib.Path) -> None:
    task = shipped_task("trac-look")
    assert task.app is not None and task.app.seed is not None
    plant(task.app.seed, task_file=task.file, workdir=tmp_path)
    both = [{path.stat().st_ino for path in folder.rglob("*") if path.is_file()} for folder in (SEED, tmp_path)]
    assert both[0] and not both[0] & both[1]


def test_a_run_leaves_the_seed_as_it_was(toured: Recorded) -> None:
    assert toured.touched == ()
    assert contents(toured.before)["db/trac.db"] == contents(SEED)["db/trac.db"]
    assert contents(toured.after)["db/trac.db"] != contents(SEED)["db/trac.db"]
