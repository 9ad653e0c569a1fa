"""Exact Change judges computer-use agents by what they really changed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactchange.diff import diff_values
    from exactchange.judging import judge
    from exactchange.runner import live
    from exactchange.session import Session
    from exactchange.task import load_task

__version__ = "0.1.0"
__all__ = ["Session", "__version__", "diff_values", "judge", "live", "load_task"]

# Imported on first use, so that `import exactchange` stays cheap for runners that only pass it along.
_HOMES = {
    "Session": "exactchange.session",
    "diff_values": "exactchange.diff",
    "judge": "exactchange.judging",
    "live": "exactchange.runner",
    "load_task": "exactchange.task",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'exactchange' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
