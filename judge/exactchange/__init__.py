"""Exact Change judges computer-use agents by what they really changed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactchange.conditions import Result
    from exactchange.conditions.view import CaseView
    from exactchange.diff import diff_values
    from exactchange.judging import judge
    from exactchange.runner import live
    from exactchange.session import Session
    from exactchange.task import load_task
    from exactchange.values import ABSENT

__version__ = "0.1.0"
__all__ = ["ABSENT", "CaseView", "Result", "Session", "__version__", "diff_values", "judge", "live", "load_task"]

# Imported on first use, so that `import exactchange` stays cheap for runners that only pass it along.
_HOMES = {
    "ABSENT": "exactchange.values",
    "CaseView": "exactchange.conditions.view",
    "Result": "exactchange.conditions",
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
