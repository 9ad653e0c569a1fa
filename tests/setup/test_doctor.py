"""`exactchange doctor`: everything that is needed is asked, nothing missing counts as there, nothing is changed."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactchange.cli import machine
from exactchange.cli.doctor import as_text, doctor
from exactchange.errors import InfrastructureError
from exactchange.sources.health import Check

Program = Callable[[Path, str], Path]
Say = Callable[[str], None]
NEEDED = {"python", "platform", "packages", "temporary folder", "adapters", "driver", "browser", "sqlite"}
ANSWERS: dict[str, Sequence[Check]] = {}


def healthy() -> Sequence[Check]:
    return [Check("arm", True, "steady")]


def broken() -> Sequence[Check]:
    return [Check("arm", False, "broken", "plaster")]


def raising() -> Sequence[Check]:
    raise RuntimeError("no answer")


def mended() -> Sequence[Check]:
    return ANSWERS.get("arm", broken())


def mend(say: Say) -> str:
    say("mending")
    ANSWERS["arm"] = healthy()
    return "an arm"


def fail_to_mend(say: Say) -> str:
    raise InfrastructureError("no plaster\nbuy some")


def offer(monkeypatch: pytest.MonkeyPatch, **functions: str) -> None:
    """Let these functions of this module be all that is offered: examiner=NAME, installer=NAME."""
    groups = {"examiner": machine.EXAMINERS, "installer": machine.INSTALLERS}
    sys.modules.setdefault("doctor_test_parts", sys.modules[__name__])
    points = EntryPoints(
        EntryPoint("arm", f"doctor_test_parts:{name}", groups[kind]) for kind, name in functions.items()
    )
    monkeypatch.setattr(machine, "entry_points", points.select)
    ANSWERS.clear()


def run_doctor(*options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    code = "from exactchange.cli.doctor import doctor; doctor()"
    return subprocess.run(
        [sys.executable, "-c", code, *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def checks_of(document: str) -> Mapping[str, Mapping[str, object]]:
    parsed = json.loads(document)
    assert parsed["schema"] == "exactchange/doctor/1"
    return {check["name"]: check for check in parsed["checks"]}


def test_a_machine_that_can_run_these_tests_is_whole() -> None:
    done = run_doctor("--json")
    checks = checks_of(done.stdout)
    assert set(checks) >= NEEDED
    assert [check for check in checks.values() if not check["ok"]] == []
    assert done.returncode == 0


def test_the_browser_is_really_started(tmp_path: Path, program: Program) -> None:
    liar = program(tmp_path / "chromium", '[ "$1" = --version ] && echo Chromium 156 && exit 0\nexit 9')
    done = run_doctor("--json", EXACTCHANGE_BROWSER=str(liar))
    assert checks_of(done.stdout)["browser"]["ok"] is False
    assert done.returncode == 4


def test_a_missing_browser_is_exit_4_and_says_the_ways_out() -> None:
    done = run_doctor("--quiet", EXACTCHANGE_BROWSER="/nowhere/chrome")
    assert done.returncode == 4
    assert "MISSING  browser" in done.stderr
    assert "three ways out" in done.stderr
    assert "python" not in done.stderr.splitlines()[0]


def test_what_an_adapter_finds_missing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, examiner="broken")
    done = CliRunner().invoke(doctor, ["--quiet"])
    assert done.exit_code == 4
    assert "broken" in done.stderr and "plaster" in done.stderr


def test_an_adapter_whose_check_raises_is_missing_and_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, examiner="raising")
    done = CliRunner().invoke(doctor, ["--json"])
    assert done.exit_code == 4
    assert "no answer" in str(checks_of(done.stdout)["arm"]["detail"])


def test_nothing_is_mended_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, examiner="mended", installer="mend")
    said: list[str] = []
    assert broken()[0] in machine.examine(say=said.append)
    assert said == []


def test_what_is_mended_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, examiner="mended", installer="mend")
    said: list[str] = []
    assert healthy()[0] in machine.examine(install=["arm"], say=said.append)
    assert said == ["mending", "using an arm"]


def test_what_is_whole_is_not_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, examiner="healthy", installer="mend")
    said: list[str] = []
    machine.examine(install=["arm"], say=said.append)
    assert said == []


def test_what_cannot_be_mended_stays_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, examiner="mended", installer="fail_to_mend")
    said: list[str] = []
    assert broken()[0] in machine.examine(install=["arm"], say=said.append)
    assert said == ["no plaster"]


def test_a_full_or_closed_temporary_folder_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SMALLEST_FREE_BYTES", 2**62)
    assert not machine.check_temporary_folder().ok
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert not machine.check_temporary_folder().ok


def test_a_package_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def wanted(name: str) -> list[str]:
        return ["click>=8", "no-such-package-of-ours>=1", 'pytest>=8; extra == "dev"']

    monkeypatch.setattr(machine, "requires", wanted)
    check = machine.check_packages()
    assert (check.ok, check.remedy) == (False, "pip install no-such-package-of-ours")


def test_nothing_that_a_machine_says_drives_the_terminal() -> None:
    text = as_text([Check("browser", False, "a\x1b[2Jb\u202e", "c\rd\ne")])
    assert "\x1b" not in text and "\u202e" not in text and "\r" not in text
    assert text.count("\n") == 3
