"""The same evidence gives the same verdict, byte for byte, whatever surrounds the judge."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SURROUNDINGS: list[tuple[dict[str, str], int]] = [
    ({"PYTHONHASHSEED": "0"}, 0o022),
    ({"PYTHONHASHSEED": "1", "TZ": "America/New_York"}, 0o077),
    ({"PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}, 0o002),
    ({"PYTHONHASHSEED": "random", "TZ": "UTC-14", "LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "0"}, 0o027),
]  # fmt: skip


def _printed(extra: dict[str, str], umask: int, cwd: pathlib.Path) -> bytes:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG", "TZ"))}
    code = "import sys; sys.path.insert(0, sys.argv[1]); from tests.judging.some_verdict import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)],
        env=env | extra,
        cwd=cwd,
        umask=umask,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return _printed(*SURROUNDINGS[0], tmp_path_factory.mktemp("usual"))


@pytest.mark.parametrize("number", range(1, len(SURROUNDINGS)))
def test_hash_seed_time_zone_locale_umask_and_folder_make_no_difference(
    number: int, usual: bytes, tmp_path: pathlib.Path
) -> None:
    assert b'"outcome": "unmet"' in usual
    extra, umask = SURROUNDINGS[number]
    assert _printed(extra, umask, tmp_path) == usual
