"""`unless_after`: a hit does not count after something else, and each time of that licenses one hit."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.moments import Moment
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition

T = TypeVar("T")


def unlicensed(
    licence: "Condition | None",
    evaluation: Evaluation,
    hits: Sequence[T],
    *,
    moment: Callable[[T], Moment],
    truth: Callable[[T], Truth],
) -> Sequence[T]:
    """The hits, in time, that no licence covers: one of a step strictly before the first in which the hit may lie.

    What the agent alone reports licenses nothing, nor does what cannot be told.
    """
    if licence is None:
        return hits
    free = sorted(found.steps[1] for found in licence.moments(evaluation, trusted=True).sure)
    out: list[T] = []
    for hit in sorted(hits, key=moment):
        if truth(hit) is True and free and free[0] < moment(hit).steps[0]:
            free.pop(0)
        else:
            out.append(hit)
    return out
