"""`order`: one thing came before another."""

from collections.abc import Sequence

from exactchange.conditions.evaluation import Result
from exactchange.conditions.moments import Moment, Moments


def check_order(parts: Sequence[Moments]) -> Result:
    """Whether each part has a moment after the one before it. Both first seen in one step: cannot be told."""
    earliest: Moment = (-1, 0)
    for number, part in enumerate(parts, 1):
        later = [moment for moment in sorted(part.sure) if moment > earliest]
        if not later:
            same = bool(part.sure) and max(part.sure) == earliest
            if same or part.unsure or any(item.unsure for item in parts[:number]):
                return Result(None, part.why or f"part {number} cannot be told apart in time from the one before")
            return Result(False, f"part {number} did not happen" + (" after the one before" if number > 1 else ""))
        earliest = later[0]
    return Result(True, f"in order, the last at step {earliest[0]}")
