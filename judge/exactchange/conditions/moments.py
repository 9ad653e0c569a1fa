"""When something was first seen: moments that `order` and `unless_after` compare."""

from dataclasses import dataclass
from typing import TypeAlias

Moment: TypeAlias = tuple[int, int]
"""Number of the step, and 0 for the action itself or 1 for what the capture after it shows."""


@dataclass(frozen=True, slots=True)
class Moments:
    """When a condition was met. `unsure`: there may be others, or these may be none."""

    sure: tuple[Moment, ...] = ()
    unsure: bool = False
    why: str = ""
