"""What `exactchange doctor` asks of the browser adapter: does the driver run, and does a browser really start?"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from exactchange.sources.health import Check
from exactchange_adapters.browser.driver import Driver, NoDriver, find_driver
from exactchange_adapters.browser.finder import Found, NoBrowser, find_browser

TRIAL_LIMIT_S = 60.0
REMEDY = "exactchange doctor --install-browser"


def checks() -> Sequence[Check]:
    """One check of Playwright's driver and one of the browser, which is started headless and closed again."""
    driver = _driver()
    try:
        found = find_browser()
    except NoBrowser as error:
        return [driver, _from_message("browser", str(error))]
    if not driver.ok:
        return [driver, Check("browser", False, f"{found.path}: not tried without a driver", REMEDY)]
    return [driver, _started(found)]


def _driver() -> Check:
    try:
        driver: Driver = find_driver()
    except NoDriver as error:
        return _from_message("driver", str(error))
    return Check("driver", True, f"Node.js {driver.version}, {driver.origin}")


def _from_message(name: str, message: str) -> Check:
    """The first line of our own errors says what is wrong, the others what to do."""
    detail, _, remedy = message.partition("\n")
    return Check(name, False, detail, remedy)


def _started(found: Found) -> Check:
    version, why = try_browser(found.path)
    if version is None:
        return Check("browser", False, f"{found.path} ({found.origin}) does not start: {why}", REMEDY)
    return Check("browser", True, f"Chromium {version}, {found.path} ({found.origin}), starts headless")


def try_browser(executable: Path) -> tuple[str | None, str]:
    """(version, "") of a browser that starts, opens a page and closes, else (None, why not).

    In a process of its own, since a browser that hangs would hang a synchronous driver for good.
    """
    command = [sys.executable, "-m", "exactchange_adapters.browser.trial", str(executable)]
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=TRIAL_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None, f"not within {TRIAL_LIMIT_S:.0f} s"
    if done.returncode == 0:
        return str(json.loads(done.stdout)["version"]), ""
    lines = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    return None, next((line for line in lines if "Error" in line), f"exit {done.returncode}")
