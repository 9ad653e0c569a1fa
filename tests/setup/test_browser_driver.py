"""Which Node.js runs Playwright's driver, with the trap of a small Debian: no libatomic."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from exactchange_adapters.browser import driver as module
from exactchange_adapters.browser.driver import Driver, NoDriver, find_driver, lacks_libatomic, use_driver

Program = Callable[[Path, str], Path]
NO_LIBATOMIC = "echo 'error while loading shared libraries: libatomic.so.1' >&2; exit 127"


@pytest.fixture
def own(tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Playwright's own Node.js on a machine without libatomic, and no other one but those a test adds."""
    path = program(tmp_path / "own", NO_LIBATOMIC)

    def nothing(name: str) -> None:
        return None

    monkeypatch.setattr(module, "own_node", lambda: path)
    monkeypatch.setattr(module, "find_spec", nothing)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}")
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", "")  # so that what use_driver sets is undone after the test
    monkeypatch.delenv("PLAYWRIGHT_NODEJS_PATH")
    return path


def test_the_driver_of_this_machine_runs() -> None:
    assert find_driver().version.startswith("v")


def test_playwrights_own_comes_before_an_installed_one(tmp_path: Path, own: Path, program: Program) -> None:
    program(tmp_path / "bin" / "node", "echo v22.1.0")
    program(own, "echo v24.0.0")
    assert find_driver() == Driver(own, "v24.0.0", "Playwright's own")


def test_without_libatomic_an_installed_node_drives_playwright(tmp_path: Path, own: Path, program: Program) -> None:
    path = program(tmp_path / "bin" / "node", "echo v20.20.2")
    assert lacks_libatomic()
    assert use_driver() == Driver(path, "v20.20.2", "installed, on PATH")
    assert os.environ["PLAYWRIGHT_NODEJS_PATH"] == str(path)


def test_playwrights_own_needs_no_setting(own: Path, program: Program) -> None:
    program(own, "echo v24.0.0")
    use_driver()
    assert "PLAYWRIGHT_NODEJS_PATH" not in os.environ


@pytest.mark.parametrize("answer", ["echo v16.20.0", "echo v8.1.2", "echo hello", "exit 1", NO_LIBATOMIC])
def test_an_old_or_foreign_node_is_refused(tmp_path: Path, own: Path, program: Program, answer: str) -> None:
    program(tmp_path / "bin" / "node", answer)
    with pytest.raises(NoDriver):
        find_driver()


def test_a_missing_libatomic_is_named_with_the_command_that_mends_it(own: Path) -> None:
    with pytest.raises(NoDriver, match="apt install libatomic1") as caught:
        find_driver()
    assert str(own) in str(caught.value)


def test_a_chosen_node_is_never_replaced(tmp_path: Path, own: Path, program: Program) -> None:
    program(own, "echo v24.0.0")
    with pytest.raises(NoDriver, match="gone"):
        find_driver(environ={"PATH": os.environ["PATH"], "PLAYWRIGHT_NODEJS_PATH": str(tmp_path / "gone")})
