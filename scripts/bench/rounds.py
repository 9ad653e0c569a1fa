"""Times several ways of doing the same in turns, so that whatever else the machine does falls on all of them alike."""

import statistics
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from scripts.bench.clocks import Clock

Way = Callable[[], Awaitable[object]]
"""Does the thing once. What must happen unmeasured stands in `Timed.before` and `Timed.after`."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One way of doing it, and what is done before and after each time without being measured."""

    once: Way
    before: Way | None = None
    after: Way | None = None


async def measured(ways: Mapping[str, Timed], *, rounds: int, clock: Clock) -> Mapping[str, list[float]]:
    """Seconds by way, one figure a round; the first round warms up and is not told."""
    out: dict[str, list[float]] = {name: [] for name in ways}
    order = list(ways)
    for number in range(rounds + 1):
        for name in order:
            way = ways[name]
            if way.before is not None:
                await way.before()
            clock.begin()
            await way.once()
            spent = clock.spent()
            if way.after is not None:
                await way.after()
            if number:
                out[name].append(spent)
        order = [*order[1:], order[0]]
    return out


def median_ms(seconds: list[float]) -> float:
    """The median, in milliseconds."""
    return 1000 * statistics.median(seconds)


def times(seconds: list[float], base: list[float]) -> float:
    """How many times as long as the base it took: the median of the ratios within each round."""
    return statistics.median(mine / other for mine, other in zip(seconds, base, strict=True))
