"""A recorded run on Trac is judged to the same bytes, whatever surrounds the judge."""

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Mapping

import pytest
from tests.trac.recorded import Recorded

SURROUNDINGS: list[tuple[Mapping[str, str], int]] = [
    ({"PYTHONHASHSEED": "0", "TZ": "UTC"}, 0o022),
    ({"PYTHONHASHSEED": "1", "TZ": "America/New_York", "LC_ALL": "C"}, 0o077),
    ({"PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati", "PYTHONUTF8": "0"}, 0o002),
]


@pytest.fixture(scope="module", params=["toured", "recreated"])
def run(request: pytest.FixtureRequest) -> Recorded:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Recorded)
    return found


def test_folder_hash_seed_time_zone_locale_and_umask_make_no_difference(run: Recorded, tmp_path: pathlib.Path) -> None:
    usual, *others = [_judged(run, extra, umask, tmp_path / str(umask)) for extra, umask in SURROUNDINGS]
    document = json.loads(usual)
    assert {**document, "mode": "online"} == run.verdict
    assert others == [usual, usual]


def _judged(run: Recorded, extra: Mapping[str, str], umask: int, folder: pathlib.Path) -> bytes:
    """The verdict's document, as `exactchange judge` prints it."""
    folder.mkdir()
    assert run.task.file is not None
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG", "TZ"))}
    code = "from exactchange.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "judge", run.episode, "--task", run.task.file, "--no-write", "--json"],
        env={**env, **extra},
        cwd=folder,
        umask=umask,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout
