"""Finds a Chromium-family browser on this machine, and says which one and why."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from exactchange.errors import InfrastructureError

VARIABLE = "EXACTCHANGE_BROWSER"
ON_PATH = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "brave-browser",
    "brave",
)
USUAL = {
    "linux": ("/usr/lib/chromium/chromium", "/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge"),
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
        "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
    ),
    "win32": (
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
        r"C:\Program Files\BraveSoftware\Brave-Browser\Application\brave.exe",
    ),
}
# The folder of a Playwright download differs by platform and, over the years, by name.
BUNDLED = (
    "chrome-linux*/chrome",
    "chrome-linux*/headless_shell",
    "chrome-headless-shell-linux*/chrome-headless-shell",
    "chrome-mac*/*.app/Contents/MacOS/*",
    "chrome-mac*/headless_shell",
    "chrome-headless-shell-mac*/chrome-headless-shell",
    "chrome-win*/chrome.exe",
    "chrome-headless-shell-win*/chrome-headless-shell.exe",
)
START_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Found:
    """A browser's executable, and where it came from in words for a person."""

    path: Path
    origin: str


class NoBrowser(InfrastructureError):
    """No browser that can be used; the message says what was refused, and three ways out."""


@dataclass(frozen=True, slots=True)
class _Refused:
    path: Path
    why: str


def find_browser(*, environ: Mapping[str, str] | None = None) -> Found:
    """The browser to use: the one named by EXACTCHANGE_BROWSER, else Playwright's own, else an installed one.

    Raises NoBrowser when there is none. A named browser that cannot be used is an error, never replaced by
    another one.
    """
    environ = os.environ if environ is None else environ
    named = environ.get(VARIABLE)
    candidates = (
        iter([Found(Path(named), f"named by {VARIABLE}")])
        if named
        else (found for source in (_bundled, _on_path, _usual) for found in source(environ))
    )
    refused: list[_Refused] = []
    for candidate in candidates:
        why = why_unusable(candidate.path)
        if why is None:
            return candidate
        refused.append(_Refused(candidate.path, why))
    raise NoBrowser(_ways_out(refused, named=bool(named)))


def why_unusable(path: Path) -> str | None:
    """Why this executable cannot serve, or None when it starts far enough to tell its version."""
    if not path.is_file():
        return "no such file"
    if not os.access(path, os.X_OK):
        return "not executable"
    if _is_snap(path):
        return "a snap: confined, it can read neither the work directory nor a profile of ours"
    return _why_no_version(path)


def _is_snap(path: Path) -> bool:
    """Whether this is a snap, or the script that Ubuntu installs in a browser's place and which calls one."""
    resolved = path.resolve()
    if resolved.parts[1:2] == ("snap",) or resolved.name == "snap":
        return True
    with path.open("rb") as file:
        head = file.read(65536)
    return head.startswith(b"#!") and b"/snap/bin/" in head


def _why_no_version(path: Path) -> str | None:
    """A browser whose libraries are missing is on the disk and yet not there; asking its version finds out."""
    if sys.platform == "win32":  # there, --version opens a window and prints nothing
        return None
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=START_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"did not tell its version within {START_LIMIT_S:.0f} s"
    except OSError as error:
        return f"does not start: {error.strerror}"
    if done.returncode == 0:
        return None
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return f"does not start (exit {done.returncode}): {lines[-1] if lines else 'no message'}"


def _bundled(environ: Mapping[str, str]) -> Iterator[Found]:
    """What `playwright install` left: only the revision this Playwright expects, whole one before shell."""
    spec = find_spec("playwright")
    if spec is None or spec.origin is None:
        return
    package = Path(spec.origin).parent / "driver" / "package"
    wanted = {"chromium": "chromium", "chromium-headless-shell": "chromium_headless_shell"}
    try:
        listed = json.loads((package / "browsers.json").read_text(encoding="utf-8"))["browsers"]
        folders = [f"{wanted[b['name']]}-{b['revision']}" for b in listed if b["name"] in wanted]
    except (OSError, ValueError, KeyError, TypeError):  # an unknown layout: nothing found here, others follow
        return
    root = _download_root(environ, package)
    for folder in folders:
        if (root / folder / "INSTALLATION_COMPLETE").is_file():
            for pattern in BUNDLED:
                for path in sorted((root / folder).glob(pattern)):
                    yield Found(path, "downloaded by Playwright")


def _download_root(environ: Mapping[str, str], package: Path) -> Path:
    """Where Playwright keeps its downloads."""
    chosen = environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if chosen == "0":
        return package / ".local-browsers"
    if chosen:
        return Path(chosen)
    home = Path.home()
    caches = {"darwin": home / "Library" / "Caches", "win32": home / "AppData" / "Local"}
    linux = Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
    return caches.get(sys.platform, linux) / "ms-playwright"


def _on_path(environ: Mapping[str, str]) -> Iterator[Found]:
    for name in ON_PATH:
        path = shutil.which(name, path=environ.get("PATH"))
        if path is not None:
            yield Found(Path(path), "installed, on PATH")


def _usual(environ: Mapping[str, str]) -> Iterator[Found]:
    for name in USUAL.get(sys.platform, ()):
        if Path(name).exists():
            yield Found(Path(name), "installed, in a usual place")


def _ways_out(refused: Sequence[_Refused], *, named: bool) -> str:
    lines = [f"{VARIABLE} names a browser that cannot be used" if named else "no browser was found"]
    lines += [f"  refused {each.path}: {each.why}" for each in refused]
    lines += [
        "three ways out:",
        f"  1. {VARIABLE}=/path/to/chrome names an installed Chromium, Chrome, Edge or Brave",
        "  2. exactchange doctor --install-browser downloads one, or as root takes Debian's",
        "  3. install one by hand, for example: apt install chromium",
    ]
    return "\n".join(lines)
