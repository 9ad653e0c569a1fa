"""When something happened: moments that `order` and `unless_after` compare."""

from dataclasses import dataclass
from typing import NamedTuple


class Moment(NamedTuple):
    """Earliest and latest instant, on a scale on which action n is 2n and what its capture shows is 2n + 1.

    Of a change they differ where no capture followed some actions: it happened after one of them.
    """

    first: int
    last: int

    @property
    def steps(self) -> tuple[int, int]:
        """Numbers of the first and the last step in which it may have happened."""
        return self.first // 2, self.last // 2


@dataclass(frozen=True, slots=True)
class Moments:
    """When a condition was met. `unsure`: there may be others, or these may be none. `maybe`: when others may be."""

    sure: tuple[Moment, ...] = ()
    unsure: bool = False
    why: str = ""
    maybe: tuple[Moment, ...] = ()


def of_action(number: int) -> Moment:
    """The moment of an action."""
    return Moment(2 * number, 2 * number)


def of_capture(since: int, step: int) -> Moment:
    """The moment of what the capture after `step` shows and the one before it, after `since`, did not."""
    return Moment(2 * min(since + 1, step) + 1, 2 * step + 1)
