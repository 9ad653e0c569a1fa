"""Starts the judge's own Chromium for one run, and leaves nothing of it behind."""

import asyncio
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from exactchange.errors import InfrastructureError
from exactchange.sources.guard import guard, release
from exactchange_adapters.browser.finder import find_browser

START_LIMIT_S = 30.0
END_LIMIT_S = 5.0
POLL_S = 0.02
LONGEST_TMPDIR = 60
"""Bytes; a socket's path has at most 107, and Chromium's is /org.chromium.Chromium.XXXXXX/SingletonSocket."""

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
SHOWN_REMEDY = "leave out --headed, set DISPLAY, or start it all under xvfb-run"

# Quiet: no first-run page, no update, no sync, no report, no request of the browser's own; and nothing that slows
# down a tab that happens to be in the background, where an agent may well be working.
FLAGS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-dev-shm-usage",  # a container's /dev/shm is often 64 MB, and a full one crashes tabs
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-popup-blocking",  # an agent's click by script is no gesture of a user's
    "--disable-prompt-on-repost",
    "--disable-quic",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,InterestFeedContentSuggestions,"
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup",  # two more renderers, for an address bar that nobody sees
    "--metrics-recording-only",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--lang=en-US",
    "--window-size=1280,800",
    "--remote-debugging-port=0",
    "--remote-debugging-address=127.0.0.1",
)


@dataclass(frozen=True, slots=True)
class Launched:
    """A running Chromium: see `exactchange.sources.browsers.LaunchedBrowser`."""

    cdp_url: str
    pid: int
    version: str
    _process: "subprocess.Popen[bytes]"

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None


@asynccontextmanager
async def launch_browser(*, start: str | None, headless: bool, scratch: pathlib.Path) -> AsyncGenerator[Launched]:
    """A Chromium with a fresh profile below `scratch` and `start` (or a blank page) in its first tab.

    Leaving the context ends its whole process group and removes the profile. Raises NoBrowser where none is
    installed, InfrastructureError when it does not start within START_LIMIT_S.
    """
    found = await asyncio.to_thread(find_browser)
    if not headless and sys.platform == "linux" and not any(os.environ.get(name) for name in DISPLAYS):
        raise InfrastructureError(f"a browser that is shown needs a display, and there is none: {SHOWN_REMEDY}")
    profile = pathlib.Path(tempfile.mkdtemp(prefix="browser-", dir=scratch))
    temporary = _temporary(profile)
    process: subprocess.Popen[bytes] | None = None
    try:
        process = _spawn(found.path, profile, temporary, start=start, headless=headless)
        port = await _port(process, profile, headless=headless)
        version = await asyncio.to_thread(_version, port)
        yield Launched(f"http://127.0.0.1:{port}", process.pid, version, process)
    finally:
        if process is not None:
            await asyncio.shield(asyncio.to_thread(_end, process, profile))
        await asyncio.shield(asyncio.to_thread(_remove, profile))
        await asyncio.shield(asyncio.to_thread(_remove, temporary))


def _temporary(profile: pathlib.Path) -> pathlib.Path:
    """TMPDIR of a Chromium, which never empties it; a short path, since it puts a socket there."""
    short = profile / "t"
    if len(os.fsencode(short)) > LONGEST_TMPDIR:
        return pathlib.Path(tempfile.mkdtemp(prefix="xc-", dir="/tmp"))
    short.mkdir()
    return short


def _profile_argument(profile: pathlib.Path) -> str:
    return f"--user-data-dir={profile / 'profile'}"


def _spawn(
    executable: pathlib.Path, profile: pathlib.Path, temporary: pathlib.Path, *, start: str | None, headless: bool
) -> "subprocess.Popen[bytes]":
    command = [str(executable), *FLAGS, _profile_argument(profile)]
    if headless:
        command.append("--headless")
    if sys.platform == "linux" and os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium refuses to run as root with its sandbox
    command += ["--", start or "about:blank"]
    with (profile / "stderr").open("wb") as errors:
        try:
            process = subprocess.Popen(
                command,
                env={**os.environ, "TMPDIR": str(temporary)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise InfrastructureError(f"{executable} does not start: {error}; try `exactchange doctor`") from error
    guard(process.pid, _profile_argument(profile))
    return process


async def _port(process: "subprocess.Popen[bytes]", profile: pathlib.Path, *, headless: bool) -> int:
    """The debugging port, which Chromium writes into its profile once it listens."""
    file = profile / "profile" / "DevToolsActivePort"
    deadline = asyncio.get_running_loop().time() + START_LIMIT_S
    while asyncio.get_running_loop().time() < deadline:
        ended = process.poll()
        if ended is not None:
            why = _last_words(profile) if headless else f"its display may be gone: {SHOWN_REMEDY}"
            raise InfrastructureError(f"the browser ended with {ended} while starting: {why}")
        try:
            first, newline, _ = file.read_text(encoding="ascii").partition("\n")
        except FileNotFoundError:
            newline, first = "", ""
        if newline and first.isdigit():
            return int(first)
        await asyncio.sleep(POLL_S)
    raise InfrastructureError(f"the browser did not open its port within {START_LIMIT_S:.0f} s: {_last_words(profile)}")


def _last_words(profile: pathlib.Path) -> str:
    lines = (profile / "stderr").read_bytes()[-4096:].decode(errors="replace").strip().splitlines()
    return (lines[-1] if lines else "it said nothing") + "; try `exactchange doctor`"


def _version(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_LIMIT_S)
    try:
        connection.request("GET", "/json/version")
        answer: object = json.loads(connection.getresponse().read(65536))
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InfrastructureError(f"the browser's debugging port {port} does not answer: {error}") from error
    finally:
        connection.close()
    return str(cast("dict[str, object]", answer).get("Browser", "unknown")) if isinstance(answer, dict) else "unknown"


def _end(process: "subprocess.Popen[bytes]", profile: pathlib.Path) -> None:
    """Kill all of it. Asked politely it would take a second to tidy a profile that nobody will open again."""
    deadline = time.monotonic() + END_LIMIT_S
    while time.monotonic() < deadline:
        _signal(process.pid, signal.SIGKILL)
        # Helpers outlive their leader for a moment; the crash handler does so in a group of its own.
        if not _end_rest(process.pid, profile) and process.poll() is not None:
            release(process.pid)
            return
        time.sleep(POLL_S)
    process.wait(timeout=END_LIMIT_S)


def _end_rest(group: int, profile: pathlib.Path) -> bool:
    """Kill what lives of this group or was started with this profile; whether there was any. Only Linux tells.

    The dead whom nobody has collected yet do not count: the first process of a container may take its time.
    """
    proc, wanted = pathlib.Path("/proc"), os.fsencode(profile)
    found = False
    for entry in proc.iterdir() if proc.is_dir() else ():
        try:
            if not entry.name.isdigit():
                continue
            state, _, its_group = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:3]
            if state not in (b"Z", b"X") and (int(its_group) == group or wanted in (entry / "cmdline").read_bytes()):
                os.kill(int(entry.name), signal.SIGKILL)
                found = True
        except (OSError, ValueError):
            continue  # gone, or not ours
    return found


def _signal(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def _remove(profile: pathlib.Path) -> None:
    """A helper may write into the profile while it dies: what it adds goes in the next round."""
    for _ in range(10):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return
    raise InfrastructureError(f"the browser's profile {profile} could not be removed; remove it by hand")
