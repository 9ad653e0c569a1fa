"""Gets a browser onto this machine: Playwright's download first, Debian's package when that fails and we are root."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from exactchange_adapters.browser.driver import VARIABLE, Driver, NoDriver, find_driver, lacks_libatomic
from exactchange_adapters.browser.finder import Found, NoBrowser, find_browser

DOWNLOAD_LIMIT_S = 180.0
APT_LIMIT_S = 600.0
# Playwright tries five times: without this, a host that accepts and stays silent holds us for minutes.
CONNECT_LIMIT_MS = "8000"

Say = Callable[[str], None]


def install_browser(say: Say) -> str:
    """Make a browser and a driver available, and say in one line which; does nothing where both are there.

    Tells each step to `say`. Raises NoBrowser or NoDriver, with the ways out, when neither download nor apt
    could help.
    """
    driver = _driver(say)
    found = _find() or _downloaded(driver, say) or _from_debian(say) or find_browser()
    return f"{found.path} ({found.origin})"


def _find() -> Found | None:
    try:
        return find_browser()
    except NoBrowser:
        return None


def _driver(say: Say) -> Driver:
    try:
        return find_driver()
    except NoDriver:
        if not (lacks_libatomic() and can_apt()):
            raise
        say("Playwright's driver lacks libatomic: installing Debian's libatomic1")
        _apt(["libatomic1"], say)
        return find_driver()


def _downloaded(driver: Driver, say: Say) -> Found | None:
    say(f"no browser yet: asking Playwright for one (at most {DOWNLOAD_LIMIT_S:.0f} s)")
    why = _run(
        [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"],
        limit_s=DOWNLOAD_LIMIT_S,
        extra={"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": CONNECT_LIMIT_MS, VARIABLE: str(driver.node)},
    )
    found = _find()
    if found is None:
        say(f"the download failed: {why or 'it left no browser that starts'}")
    return found


def _from_debian(say: Say) -> Found | None:
    if not can_apt():
        return None
    if _distribution() == "ubuntu":  # its package is a snap, which cannot read a profile of ours
        say("Ubuntu's chromium is a snap and of no use here")
        return None
    say("installing Debian's chromium (a minute or so)")
    _apt(["chromium", "fonts-liberation"], say)
    return _find()


def can_apt() -> bool:
    """Whether Debian packages can be installed: as root, with apt."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _distribution() -> str:
    try:
        lines = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    return next((line[3:].strip('"') for line in lines if line.startswith("ID=")), "unknown")


def _apt(packages: Sequence[str], say: Say) -> None:
    """Failures are told and not raised: whether the thing is there now decides, not what apt says."""
    for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        why = _run(["apt-get", "-qq", *command], limit_s=APT_LIMIT_S, extra={"DEBIAN_FRONTEND": "noninteractive"})
        if why is not None:
            say(f"apt-get {command[0]} failed: {why}")


def _run(command: Sequence[str], *, limit_s: float, extra: Mapping[str, str]) -> str | None:
    """None when it worked, else the reason in one line; past the limit the whole process group is ended."""
    with subprocess.Popen(
        command,
        env={**os.environ, **extra},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return f"not done within {limit_s:.0f} s"
        finally:  # an interrupt, too, leaves nothing running
            if process.poll() is None:
                _end(process)
    if process.returncode == 0:
        return None
    lines = [line for line in output.decode(errors="replace").splitlines() if line.strip()]
    told = next((line for line in lines if "Error" in line), lines[-1] if lines else "no message")
    return f"exit {process.returncode}: {told.strip()}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with its children: a download's worker outlives its parent otherwise."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
