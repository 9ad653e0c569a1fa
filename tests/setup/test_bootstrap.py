"""What `make` does on a machine that lacks something: it never half-works, and it says how to mend it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Program = Callable[[Path, str], Path]
ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "dirname", "mkdir", "rm", "touch", "tail", "id")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the set-up alone, and a PATH with a shell and nothing more."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "bootstrap.sh", folder / "scripts")
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\n')
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    return folder


def bootstrap(checkout: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", "scripts/bootstrap.sh"],
        cwd=checkout,
        env={"PATH": str(checkout.parent / "bin"), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def fake_python(*lacking: str) -> str:
    """A shell script that is this Python, but cannot import some modules and counts as another interpreter."""
    tests = " ".join(f'[ "$2" = "import {name}" ] && exit 1;' for name in lacking)
    return f'{tests}\n[ "$1 $2" = "-m pip" ] && exit 1\nexec {sys.executable} "$@"'


def assert_gave_up(done: "subprocess.CompletedProcess[str]", checkout: Path, *told: str) -> None:
    assert done.returncode == 4, done.stderr
    for text in told:
        assert text in done.stderr
    assert sum(line.startswith("  - ") for line in done.stderr.splitlines()) >= 2, "ways out"
    assert not (checkout / ".venv" / ".done").exists()


def test_no_python_is_said_with_ways_out(checkout: Path) -> None:
    assert_gave_up(bootstrap(checkout), checkout, "Python 3.11 or newer is needed")


def test_an_old_python_is_no_python(checkout: Path, program: Program) -> None:
    program(checkout.parent / "bin" / "python3", "exit 1")
    assert_gave_up(bootstrap(checkout), checkout, "Python 3.11 or newer is needed")


def test_a_chosen_python_is_never_replaced(checkout: Path) -> None:
    (checkout.parent / "bin" / "python3").symlink_to(sys.executable)
    assert_gave_up(bootstrap(checkout, PYTHON="/nowhere/python3"), checkout, "PYTHON=/nowhere/python3 is not")


def test_a_python_without_pip_is_said_with_ways_out_where_we_are_not_root(checkout: Path, program: Program) -> None:
    tools = checkout.parent / "bin"
    (tools / "id").unlink()
    program(tools / "id", "echo 1000")
    program(tools / "apt-get", "echo 'apt was called' >&2; exit 1")
    program(tools / "python3", fake_python("ensurepip", "pip"))
    done = bootstrap(checkout)
    assert_gave_up(done, checkout, "neither ensurepip nor pip", "apt install python3-venv", "uv")
    assert "apt was called" not in done.stderr


def test_packages_that_cannot_be_had_leave_no_done_mark(checkout: Path, program: Program) -> None:
    tools = checkout.parent / "bin"
    program(tools / "uv", 'echo "uv: no such index" >&2; exit 1')
    program(tools / "python3", fake_python())
    (checkout / "pyproject.toml").write_text("not toml")
    assert_gave_up(bootstrap(checkout), checkout, "the packages could not be installed")


def test_an_old_done_mark_does_not_survive_a_failure(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / ".done").touch()
    assert_gave_up(bootstrap(checkout), checkout, "Python 3.11")


@pytest.mark.slow
def test_a_python_without_ensurepip_installs_through_its_own_pip(checkout: Path, program: Program) -> None:
    program(checkout.parent / "bin" / "python3", f'[ "$2" = "import ensurepip" ] && exit 1\nexec {sys.executable} "$@"')
    (checkout / "pyproject.toml").write_text(SELF_CONTAINED)
    (checkout / "backend.py").write_text(BACKEND)
    done = bootstrap(checkout, HOME=str(checkout.parent), PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stderr
    assert "this Python has no ensurepip" in done.stderr
    assert (checkout / ".venv" / ".done").exists()
    assert not (checkout / ".venv" / "bin" / "pip").exists()
    assert os.path.exists(checkout / ".venv" / "bin" / "python")


SELF_CONTAINED = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = '''
"""The smallest editable build: so that the set-up is tried without any index."""

import zipfile

NAME = "x-1-py3-none-any.whl"


def build_editable(directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(f"{directory}/{NAME}", "w") as wheel:
        wheel.writestr("x-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: x\\nVersion: 1\\n")
        wheel.writestr("x-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("x-1.dist-info/RECORD", "")
    return NAME
'''
