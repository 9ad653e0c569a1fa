"""`order`: one thing came before another."""

from collections.abc import Sequence

from exactchange.conditions.evaluation import Result
from exactchange.conditions.moments import Moments


def check_order(parts: Sequence[Moments]) -> Result:
    """Whether each part has a moment after the one before it. Both first seen in one step: cannot be told."""
    now = 0  # before every instant
    for number, part in enumerate(parts, 1):
        later = [moment.last for moment in part.sure if moment.first > now]
        if not later:
            return _not_certain(parts, number)
        now = min(later)
    return Result(True, f"in order, the last at step {now // 2}")


def _not_certain(parts: Sequence[Moments], missing: int) -> Result:
    """Whether the order is impossible, or only cannot be told. `missing`: the first part without a certain moment."""
    now = 0  # before every instant
    for number, part in enumerate(parts, 1):
        if part.unsure:
            continue  # it may have happened at any time
        # What one capture shows came in an order that nobody saw; of two actions the order is known.
        soonest = now if now % 2 else now + 1
        moments = (*part.sure, *part.maybe)
        possible = [max(moment.first, soonest) for moment in moments if max(moment.first, soonest) <= moment.last]
        if not possible:
            after = " after the one before" if part.sure else ""
            return Result(False, f"part {number} did not happen{after}")
        now = min(possible)
    why = parts[missing - 1].why or f"part {missing} cannot be told apart in time from the one before"
    return Result(None, why)
