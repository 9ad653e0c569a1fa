"""What was measured on: cores, processor, system, versions, and how busy it is."""

import os
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path


def machine(*, packages: Iterable[str], more: Iterable[str] = ()) -> str:
    """Cores, processor, system and versions, in a line; `more` is what is no Python package."""
    versions = (f"{name} {version(name)}" for name in packages)
    system = f"{os.cpu_count()} cores of {_processor()}", f"{platform.system()} {platform.machine()}"
    return ", ".join([*system, f"Python {platform.python_version()}", *more, *versions])


def load() -> str:
    """How busy the machine is, as far as it tells."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "an unknown processor"
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "an unknown processor")
