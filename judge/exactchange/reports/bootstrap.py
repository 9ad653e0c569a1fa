"""Intervals by a hierarchical bootstrap: tasks are drawn anew, then the repeats of each that was drawn.

B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13; A. C. Davison, D. V. Hinkley,
Bootstrap Methods and their Application (1997), section 3.8. Where chance has a say the bytes of SHAKE-256 (FIPS 202) of
a fixed seed stand for it, and all sums are of integers: the same episodes give the same numbers on every machine, with
every version of Python, in whatever order they come.
"""

import hashlib
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Final, TypeAlias

from exactchange.reports.statistics import flaky, pass_at, pass_hat

RESAMPLES: Final = 2000
SEED: Final = b"exactchange/report/1"
MOST_DRAWN: Final = 10_000_000
"""Draws of one report. Of more than five thousand episodes there are fewer resamples, and not fewer than LEAST."""
LEAST: Final = 200
_UNIT: Final = 1 << 40
"""Worths are counted in parts of this size, so that sums are exact."""
_SCORE_SHIFT: Final = 40
_AT_ONCE: Final = 500_000

Trial: TypeAlias = tuple[bool, Fraction]
"""One repeat: whether it passed, and its score, 0 to 100."""
Interval: TypeAlias = tuple[float, float]
Number: TypeAlias = Callable[[int, int], Fraction | int]
"""Of a task of which so many passed, out of so many repeats."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean over tasks: the sum of `worth` over the sum of `weight`.

    `drawn`: what `worth` is on average when the repeats of a task are drawn anew. Where that is not `worth` itself,
    each task that is drawn is moved by the difference: else the estimates of k repeats, which are without bias for the
    task, would be too good for what is drawn from it, and their interval would lie beside them.
    """

    worth: Number
    weight: Number
    drawn: Number


@dataclass(frozen=True, slots=True)
class Intervals:
    """95 % intervals: `rates` in the order of the measures, 0 to 1; `score` 0 to 100."""

    rates: tuple[Interval, ...]
    score: Interval
    resamples: int


RATE: Final = Measure(lambda passed, repeats: passed, lambda _, repeats: repeats, lambda passed, repeats: passed)
"""The share of episodes that passed."""
FLAKY: Final = Measure(
    lambda passed, repeats: flaky(passed, repeats),
    lambda _, repeats: repeats > 1,
    lambda passed, repeats: 1 - Fraction(passed, repeats) ** repeats - Fraction(repeats - passed, repeats) ** repeats,
)
"""The share of tasks with several repeats of which some pass and some do not."""


def all_of(k: int) -> Measure:
    """pass^k. Of n draws with chance p on average C(n,k) p^k of C(n,k) choices pass as a whole.

    A task with fewer than k repeats must be one of which none passed.
    """
    return Measure(
        lambda passed, repeats: pass_hat(passed, repeats, min(k, repeats)),
        lambda _, repeats: 1,
        lambda passed, repeats: Fraction(passed, repeats) ** k,
    )


def any_of(k: int) -> Measure:
    """pass@k, of tasks as those of `all_of`."""
    return Measure(
        lambda passed, repeats: pass_at(passed, repeats, min(k, repeats)),
        lambda _, repeats: 1,
        lambda passed, repeats: 1 - Fraction(repeats - passed, repeats) ** k,
    )


def estimate(measure: Measure, tasks: Sequence[Sequence[Trial]]) -> Fraction | None:
    """The measure of the tasks as they are; None where it is of none of them."""
    counts = [(sum(passed for passed, _ in task), len(task)) for task in tasks]
    weight = sum(measure.weight(*count) for count in counts)
    worth = sum((Fraction(measure.worth(*count)) for count in counts if measure.weight(*count)), Fraction(0))
    return worth / weight if weight else None


def intervals(
    tasks: Sequence[Sequence[Trial]], measures: Sequence[Measure], *, resamples: int | None = None
) -> Intervals:
    """The intervals of the measures, and of the mean score over all repeats. There is at least one task, none empty.

    Percentiles of what is drawn, made to hold the estimate itself. Where all repeats are alike they have no width: then
    Wilson's interval says more.
    """
    tasks = sorted(sorted(task) for task in tasks)
    all_scores = [score for task in tasks for _, score in task]
    times = resamples or resamples_of(len(all_scores))
    cells = _Cells.of([_count(task) for task in tasks])
    rows, scores = _resampled(tasks, cells, times)
    sizes = [sum(map(mul, row, [n for _, n in cells.counts])) for row in rows]
    means = [float(score / size) for score, size in zip(scores, sizes, strict=True)]
    return Intervals(
        tuple(_interval(_ratios(m, rows, cells), estimate(m, tasks), top=1.0) for m in measures),
        _interval(means, sum(all_scores, Fraction(0)) / len(all_scores), top=100.0),
        times,
    )


def _resampled(tasks: Sequence[Sequence[Trial]], cells: "_Cells", times: int) -> tuple[list[list[int]], list[Fraction]]:
    """For each resample how often each cell came, and each class of task, and the sum of the scores."""
    scale = math.lcm(*(score.denominator for task in tasks for _, score in task))
    rows = [[0] * (len(cells.counts) + len(cells.classes)) for _ in range(times)]
    scores = [0] * times
    for task, drawn in _drawn(tasks, scale, times):
        first = cells.first[len(task)]
        kind = len(cells.counts) + cells.classes[_count(task)]
        for number, total in drawn:
            row = rows[number]
            row[first + (total & _PASSES)] += 1
            row[kind] += 1
            scores[number] += total >> _SCORE_SHIFT
    return rows, [Fraction(score, scale) for score in scores]


def resamples_of(episodes: int) -> int:
    """How often so many episodes are drawn anew: as often as the budget allows."""
    return max(LEAST, min(RESAMPLES, MOST_DRAWN // episodes))


_PASSES: Final = (1 << _SCORE_SHIFT) - 1


@dataclass(frozen=True, slots=True)
class _Cells:
    """What the repeats of a task that was drawn can come to: so many passed, of so many."""

    counts: list[tuple[int, int]]
    first: dict[int, int]
    """By number of repeats, where its cells begin."""
    classes: dict[tuple[int, int], int]
    """What the repeats of the tasks did come to, with a number for each."""

    @classmethod
    def of(cls, found: Sequence[tuple[int, int]]) -> "_Cells":
        cells = cls([], {}, {count: number for number, count in enumerate(dict.fromkeys(found))})
        for repeats in sorted({repeats for _, repeats in found}):
            cells.first[repeats] = len(cells.counts)
            cells.counts.extend((passed, repeats) for passed in range(repeats + 1))
        return cells


def _count(task: Sequence[Trial]) -> tuple[int, int]:
    return sum(passed for passed, _ in task), len(task)


def _drawn(
    tasks: Sequence[Sequence[Trial]], scale: int, times: int
) -> Iterator[tuple[Sequence[Trial], Iterator[tuple[int, int]]]]:
    """For each task, in which resamples it was drawn and what its repeats came to there: passes below, score above."""
    dice = _Dice(SEED)
    places: list[list[int]] = [[] for _ in tasks]
    for number in range(times):
        for chosen in dice.below(len(tasks), len(tasks)):
            places[chosen].append(number)
    for task, numbers in zip(tasks, places, strict=True):
        values = [(int(score * scale) << _SCORE_SHIFT) + passed for passed, score in task]
        yield task, zip(numbers, _sums(values, len(numbers), dice), strict=True)


def _sums(values: Sequence[int], times: int, dice: "_Dice") -> Iterator[int]:
    """Sums of as many draws as there are values."""
    size = len(values)
    if len(set(values)) == 1:  # most tasks always pass or never do
        yield from [size * values[0]] * times
        return
    at_once = max(1, _AT_ONCE // size)
    while times > 0:
        these = min(times, at_once)
        drawn = map(values.__getitem__, dice.below(size, size * these))
        yield from map(sum, zip(*[drawn] * size, strict=True))
        times -= these


def _ratios(measure: Measure, rows: Sequence[Sequence[int]], cells: _Cells) -> list[float]:
    """The measure of each resample in which it is of anything."""
    weighs = [measure.weight(*count) for count in cells.counts]
    worths = [_units(measure.worth(*count)) if weighs[n] else 0 for n, count in enumerate(cells.counts)]
    moves = [_units(measure.worth(*c) - measure.drawn(*c)) if measure.weight(*c) else 0 for c in cells.classes]
    found: list[float] = []
    for row in rows:
        weight = sum(map(mul, row, weighs))
        if weight:
            found.append(sum(map(mul, row, [*worths, *moves])) / (int(weight) * _UNIT))
    return found


def _units(worth: Fraction | int) -> int:
    return round(worth * _UNIT)


def _interval(found: list[float], point: Fraction | None, *, top: float) -> Interval:
    """The middle 95 %, no wider than what is possible; (0, top) where there is nothing to tell it from."""
    if point is None or not found:
        return 0.0, top
    found.sort()
    low, high = found[len(found) // 40], found[-1 - len(found) // 40]
    return max(0.0, min(low, float(point))), min(top, max(high, float(point)))


class _Dice:
    """Numbers that look random: bytes of SHAKE-256 of a seed and a count."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._asked = 0

    def below(self, limit: int, count: int) -> Sequence[int]:
        """So many numbers from 0 to `limit` - 1, each as likely as the others."""
        if limit > 256:
            words = struct.unpack(f"<{count}Q", self._bytes(8 * count))
            return [word % limit for word in words]  # one in 2^54 or so is less likely: nothing can tell
        even = 256 - 256 % limit
        fold, refused = bytes(byte % limit for byte in range(256)), bytes(range(even, 256))
        found = b""
        while len(found) < count:
            found += self._bytes(2 * (count - len(found)) + 16).translate(fold, refused)
        return found[:count]

    def _bytes(self, count: int) -> bytes:
        self._asked += 1
        return hashlib.shake_256(self._seed + self._asked.to_bytes(8, "big")).digest(count)
