"""The longest rising run of numbers: what need not move for one order to become another."""

from bisect import bisect_left
from collections.abc import Sequence


def longest_rising(numbers: Sequence[int]) -> list[int]:
    """The places of a longest run of numbers that rise from each to the next. The numbers are all different."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for place, number in enumerate(numbers):
        at = bisect_left(tails, number)
        before.append(last[at - 1] if at else None)
        tails[at : at + 1] = [number]
        last[at : at + 1] = [place]
    out: list[int] = []
    place_or_none = last[-1] if last else None
    while place_or_none is not None:
        out.append(place_or_none)
        place_or_none = before[place_or_none]
    return out[::-1]
