"""Texts of many lines: which line of one is which of the other, told by what they say and not by where they stand."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from exactchange.diff.rising import longest_rising
from exactchange.values import Value

_EFFORT = 20_000
_EFFORT_A_LINE = 20
_MERGES = 8


class Lines(list[Value]):
    """A list of texts that are to be compared as lines, known by their words: one line more is one change."""


class Hunk(NamedTuple):
    """Lines `start` to `end` (not included) gave way to lines `new_start` to `new_end` of the other text."""

    start: int
    end: int
    new_start: int
    new_end: int

    @property
    def paired(self) -> int:
        """How many of its lines are taken to have been written anew: as many as stand on both sides."""
        return min(self.end - self.start, self.new_end - self.new_start)


def hunks(before: Sequence[Value], after: Sequence[Value]) -> list[Hunk]:
    """Where two texts differ, in order; what lies between is the same. Of lists of `str`.

    The work is counted and grows with the number of lines: beyond it what is left is one hunk. No number of a line that
    went or was written anew is that of a line that came, so that a place in such a list says which change is meant.
    """
    found = sorted(_apart(before, after))
    for _ in range(_MERGES):
        merged = _merged(found)
        if len(merged) == len(found):
            return found
        found = merged
    return [Hunk(found[0].start, found[-1].end, found[0].new_start, found[-1].new_end)]


def _apart(before: Sequence[Value], after: Sequence[Value]) -> Iterator[Hunk]:
    left = _EFFORT + _EFFORT_A_LINE * (len(before) + len(after))
    todo = [Hunk(0, len(before), 0, len(after))]
    while todo:
        hunk = _trimmed(todo.pop(), before, after)
        wide, high = hunk.end - hunk.start, hunk.new_end - hunk.new_start
        if not wide or not high:
            if wide or high:
                yield hunk
            continue
        left -= wide + high
        shared = _shared_once(hunk, before, after) if left > 0 else []
        if not shared and wide * high <= left:
            left -= wide * high
            shared = _longest_shared(hunk, before, after)
        if not shared:
            yield hunk
            continue
        start, new_start = hunk.start, hunk.new_start
        for old, new in [*shared, (hunk.end, hunk.new_end)]:
            todo.append(Hunk(start, old, new_start, new))
            start, new_start = old + 1, new + 1


def _trimmed(hunk: Hunk, before: Sequence[Value], after: Sequence[Value]) -> Hunk:
    start, end, new_start, new_end = hunk
    while start < end and new_start < new_end and before[start] == after[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and before[end - 1] == after[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return Hunk(start, end, new_start, new_end)


def _shared_once(hunk: Hunk, before: Sequence[Value], after: Sequence[Value]) -> list[tuple[int, int]]:
    """The most lines that stand once on each side, in the same order on both, as pairs of numbers."""
    old, new = Counter(before[hunk.start : hunk.end]), Counter(after[hunk.new_start : hunk.new_end])
    places = {after[n]: n for n in range(hunk.new_start, hunk.new_end) if new[after[n]] == 1}
    pairs = [(n, places[before[n]]) for n in range(hunk.start, hunk.end) if old[before[n]] == 1 and before[n] in places]
    return [pairs[number] for number in longest_rising([new_number for _, new_number in pairs])]


def _longest_shared(hunk: Hunk, before: Sequence[Value], after: Sequence[Value]) -> list[tuple[int, int]]:
    """The longest run of lines, not side by side, that both hunks have in one order, as pairs of numbers."""
    wide, high = hunk.end - hunk.start, hunk.new_end - hunk.new_start
    lengths = [[0] * (high + 1) for _ in range(wide + 1)]
    for i in range(wide - 1, -1, -1):
        for j in range(high - 1, -1, -1):
            same = before[hunk.start + i] == after[hunk.new_start + j]
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if same else max(lengths[i + 1][j], lengths[i][j + 1])
    out: list[tuple[int, int]] = []
    i = j = 0
    while i < wide and j < high:
        if before[hunk.start + i] == after[hunk.new_start + j]:
            out.append((hunk.start + i, hunk.new_start + j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return out


def _merged(found: Sequence[Hunk]) -> list[Hunk]:
    """Hunks joined, with what lies between them, where one has the number of a line that came in another."""
    out: list[Hunk] = []
    reach = -1
    joins = _joins(found)
    for number, hunk in enumerate(found):
        if number <= reach:
            first = out.pop()
            hunk = Hunk(first.start, hunk.end, first.new_start, hunk.new_end)
        out.append(hunk)
        reach = max(reach, joins.get(number, -1))
    return out


def _joins(found: Sequence[Hunk]) -> dict[int, int]:
    """By number of the first hunk to be joined, that of the last."""
    out: dict[int, int] = {}
    one = other = 0
    while one < len(found) and other < len(found):
        went, came = found[one], found[other]
        if max(went.start, came.new_start + came.paired) < min(went.end, came.new_end):
            # One that meets itself stands on other numbers than before because of those that stand above it.
            first, last = (one - 1, one) if one == other else (min(one, other), max(one, other))
            out[first] = max(out.get(first, -1), last)
        if went.end <= came.new_end:
            one += 1
        else:
            other += 1
    return out
