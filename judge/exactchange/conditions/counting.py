"""How many: counts in three-valued logic, and evidence in bounded length."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from exactchange.conditions.place import Between
from exactchange.values import Value
from exactchange.verdict import Truth

Count: TypeAlias = int | Between | None
MOST_EVIDENCE = 20


def bounds(count: Count) -> tuple[int, int | None]:
    """Fewest and most (None: no bound); without a count at least one."""
    if isinstance(count, Between):
        return count.ge or 0, count.le
    return (1, None) if count is None else (count, count)


def counted(sure: int, possible: int, count: Count, *, more: bool) -> Truth:
    """Whether a number of hits fits. `possible` more may be hits; `more`: there may be others that nobody saw."""
    fewest, most = bounds(count)
    if most is not None and sure > most:
        return False
    if sure >= fewest and (most is None or (sure + possible <= most and not more)):
        return True
    return False if sure + possible < fewest and not more else None


def shortened(evidence: Sequence[Mapping[str, Value]]) -> tuple[Mapping[str, Value], ...]:
    """The first items of evidence; the number of the rest is said."""
    if len(evidence) <= MOST_EVIDENCE:
        return tuple(evidence)
    return (*evidence[:MOST_EVIDENCE], {"kind": "more", "count": len(evidence) - MOST_EVIDENCE})
