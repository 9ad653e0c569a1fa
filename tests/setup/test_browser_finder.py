"""Which browser is used, and why not another."""

import json
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from exactchange.errors import InfrastructureError
from exactchange_adapters.browser.finder import Found, NoBrowser, find_browser, why_unusable

Program = Callable[[Path, str], Path]
WORKS = "echo Chromium 156.0"
NO_LIBRARY = "echo 'error while loading shared libraries: libnss3.so' >&2; exit 127"
SNAP = """if ! [ -x /snap/bin/chromium ]; then echo "Command '$0' requires the chromium snap" >&2; exit 10; fi
exec /snap/bin/chromium "$@\""""


@pytest.fixture(autouse=True)
def no_browser_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactchange_adapters.browser.finder.USUAL", {})


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A machine without any browser."""
    (tmp_path / "bin").mkdir()
    return {"PATH": str(tmp_path / "bin"), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "downloads")}


def download(root: Path, program: Program, body: str, *, complete: bool = True, revision: str | None = None) -> Path:
    """What `playwright install --only-shell chromium` leaves behind."""
    spec = find_spec("playwright")
    assert spec is not None and spec.origin is not None
    listed = json.loads((Path(spec.origin).parent / "driver/package/browsers.json").read_text())["browsers"]
    expected = next(each["revision"] for each in listed if each["name"] == "chromium-headless-shell")
    folder = root / "downloads" / f"chromium_headless_shell-{revision or expected}"
    path = program(folder / "chrome-headless-shell-linux64" / "chrome-headless-shell", body)
    if complete:
        (folder / "INSTALLATION_COMPLETE").touch()
    return path


def test_a_named_browser_comes_first(tmp_path: Path, environ: dict[str, str], program: Program) -> None:
    program(tmp_path / "bin" / "chromium", WORKS)
    mine = program(tmp_path / "mine", WORKS)
    found = find_browser(environ={**environ, "EXACTCHANGE_BROWSER": str(mine)})
    assert found == Found(mine, "named by EXACTCHANGE_BROWSER")


def test_playwrights_own_comes_before_an_installed_one(
    tmp_path: Path, environ: dict[str, str], program: Program
) -> None:
    program(tmp_path / "bin" / "chromium", WORKS)
    assert find_browser(environ=environ).origin == "installed, on PATH"
    path = download(tmp_path, program, WORKS)
    assert find_browser(environ=environ) == Found(path, "downloaded by Playwright")


@pytest.mark.parametrize(
    "name", ["chromium", "google-chrome", "chrome", "microsoft-edge", "msedge", "brave-browser", "brave"]
)
def test_every_browser_of_the_family_serves(
    tmp_path: Path, environ: dict[str, str], program: Program, name: str
) -> None:
    path = program(tmp_path / "bin" / name, WORKS)
    assert find_browser(environ=environ) == Found(path, "installed, on PATH")


@pytest.mark.parametrize(("complete", "revision"), [(False, None), (True, "1")])
def test_half_a_download_or_another_revision_does_not_count(
    tmp_path: Path, environ: dict[str, str], program: Program, complete: bool, revision: str | None
) -> None:
    download(tmp_path, program, WORKS, complete=complete, revision=revision)
    with pytest.raises(NoBrowser):
        find_browser(environ=environ)


def test_a_download_whose_libraries_are_missing_yields_to_an_installed_browser(
    tmp_path: Path, environ: dict[str, str], program: Program
) -> None:
    download(tmp_path, program, NO_LIBRARY)
    path = program(tmp_path / "bin" / "chromium", WORKS)
    assert find_browser(environ=environ).path == path


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (NO_LIBRARY, "libnss3.so"),
        ("exit 3", "exit 3"),
        (SNAP, "snap"),
    ],
)
def test_what_cannot_serve_is_refused_and_the_refusal_says_why(
    tmp_path: Path, environ: dict[str, str], program: Program, body: str, why: str
) -> None:
    path = program(tmp_path / "bin" / "chromium", body)
    with pytest.raises(NoBrowser, match=why) as caught:
        find_browser(environ=environ)
    assert str(path) in str(caught.value)


def test_a_program_that_never_answers_is_refused(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactchange_adapters.browser.finder.START_LIMIT_S", 0.2)
    why = why_unusable(program(tmp_path / "chromium", "exec sleep 60"))
    assert why is not None and "did not tell its version" in why


@pytest.mark.parametrize("make", ["missing", "folder", "plain", "broken"])
def test_a_named_browser_that_cannot_serve_is_never_replaced(
    tmp_path: Path, environ: dict[str, str], program: Program, make: str
) -> None:
    program(tmp_path / "bin" / "chromium", WORKS)
    path = tmp_path / "named"
    match make:
        case "folder":
            path.mkdir()
        case "plain":
            path.write_text("not a program")
        case "broken":
            program(path, NO_LIBRARY)
        case _:
            pass
    with pytest.raises(NoBrowser, match="EXACTCHANGE_BROWSER names a browser that cannot be used"):
        find_browser(environ={**environ, "EXACTCHANGE_BROWSER": str(path)})


def test_no_browser_is_the_infrastructures_fault_and_has_three_ways_out(environ: Mapping[str, str]) -> None:
    with pytest.raises(InfrastructureError) as caught:
        find_browser(environ=environ)
    lines = str(caught.value).splitlines()
    assert [line.strip()[:2] for line in lines[-3:]] == ["1.", "2.", "3."]
    assert caught.value.exit_code == 4
