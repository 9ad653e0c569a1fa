"""`unless_after`: a hit does not count after something else, and each time of that licenses one hit."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from exactchange.conditions.evaluation import Evaluation
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition

T = TypeVar("T")


def unlicensed(
    licence: "Condition | None",
    evaluation: Evaluation,
    hits: Sequence[T],
    *,
    step: Callable[[T], int],
    truth: Callable[[T], Truth],
) -> list[T]:
    """The hits, in time, that no earlier licence covers. What the agent alone reports licenses nothing."""
    if licence is None:
        return list(hits)
    free = sorted(number for number, _ in licence.moments(evaluation, trusted=True).sure)
    out: list[T] = []
    for hit in sorted(hits, key=step):
        earlier = [number for number in free if number < step(hit)]
        if truth(hit) is True and earlier:
            free.remove(earlier[0])
        else:
            out.append(hit)
    return out
