"""The checks of `exactchange doctor`: the core's own, and those that adapters offer by entry point."""

import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires, version
from pathlib import Path

from exactchange.errors import ExactChangeError, InfrastructureError
from exactchange.sources.health import Check
from exactchange.sources.registry import kind_named, kinds

DISTRIBUTION = "exactchange"
EXAMINERS = "exactchange.doctor"
INSTALLERS = "exactchange.installers"
OLDEST_PYTHON = (3, 11)
SMALLEST_FREE_BYTES = 200 * 1024 * 1024

Say = Callable[[str], None]


def examine(*, install: Sequence[str] = (), say: Say) -> list[Check]:
    """Every check of this machine, in the order in which one depends on the other.

    `install` names parts ("browser") whose installer is run when one of their checks fails; what it does is
    told to `say`. Nothing is changed otherwise.
    """
    found = [check_python(), check_platform(), check_packages(), check_temporary_folder(), check_adapters()]
    for point in sorted(entry_points(group=EXAMINERS), key=lambda each: each.name):
        checks = _ask(point)
        if point.name in install and not all(check.ok for check in checks):
            _install(point.name, say)
            checks = _ask(point)
        found += checks
    return found


def check_python() -> Check:
    """The interpreter that runs this."""
    detail = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info >= OLDEST_PYTHON:
        return Check("python", True, detail)
    return Check("python", False, detail, "install Python 3.11 or newer")


def check_platform() -> Check:
    """Worth knowing in a report of a problem; never wrong."""
    return Check("platform", True, f"{platform.platform(terse=True)}, {platform.machine()}")


def check_packages() -> Check:
    """Every package that an installed Exact Change requires, with its version."""
    try:
        wanted = [_name(line) for line in requires(DISTRIBUTION) or () if "extra ==" not in line]
        mine = version(DISTRIBUTION)
    except PackageNotFoundError:
        return Check("packages", False, f"{DISTRIBUTION} is not installed", f"pip install {DISTRIBUTION}")
    there = {name: _version(name) for name in wanted}
    missing = [name for name, found in there.items() if found is None]
    listed = ", ".join([f"{DISTRIBUTION} {mine}", *(f"{name} {found}" for name, found in there.items() if found)])
    if missing:
        return Check("packages", False, f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return Check("packages", True, listed)


def check_temporary_folder() -> Check:
    """Snapshots and browser profiles live there while a run lasts."""
    try:
        with tempfile.TemporaryDirectory(prefix="exactchange-") as folder:
            probe = Path(folder) / "probe"
            probe.write_bytes(b"exact change")
            same = probe.read_bytes() == b"exact change"
            free = shutil.disk_usage(folder).free
    except OSError as error:
        return Check("temporary folder", False, str(error), "TMPDIR=/a/writable/folder names another")
    detail = f"{tempfile.gettempdir()}, {free // 2**20} MiB free"
    enough = same and free >= SMALLEST_FREE_BYTES
    return Check("temporary folder", enough, detail, "" if enough else "free some space, or set TMPDIR")


def check_adapters() -> Check:
    """Every adapter that is installed loads and fits the contract."""
    broken: list[str] = []
    try:
        names = list(kinds())
    except ExactChangeError as error:
        return Check("adapters", False, str(error), "pip list shows what is installed")
    for name in names:
        try:
            kind_named(name)
        except Exception as error:  # noqa: BLE001  # anybody's code; whatever it raises is a failed check
            broken.append(f"{name}: {type(error).__name__}: {error}")
    if broken or not names:
        return Check(
            "adapters", False, "; ".join(broken) or "none installed", "upgrade or uninstall the package that offers it"
        )
    return Check("adapters", True, ", ".join(names))


def _name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", requirement)
    return match[0] if match else requirement


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _ask(point: EntryPoint) -> Sequence[Check]:
    try:
        return list(point.load()())
    except Exception as error:  # noqa: BLE001  # anybody's code; whatever it raises is a failed check
        detail = f"{point.value} failed: {type(error).__name__}: {error}"
        return [Check(point.name, False, detail, "tell the author of this adapter")]


def _install(name: str, say: Say) -> None:
    """Run the installers of this part; why one failed is told here, and what to do by the check that follows."""
    for point in entry_points(group=INSTALLERS, name=name):
        try:
            say(f"using {point.load()(say)}")
        except InfrastructureError as error:
            say(str(error).splitlines()[0])
