"""How long a capture may try: until a moment where the source is live, a number of times where it is a copy."""

import time
from dataclasses import dataclass
from typing import Final

_FEWEST_TRIES: Final = 5
_OFFLINE_TRIES: Final = 50
_LONGEST_PAUSE_S: Final = 0.02


class TooLate(Exception):
    """A live source was not read in its time."""

    def __init__(self) -> None:
        super().__init__("it was not read within the time that a capture has")


@dataclass(frozen=True, slots=True)
class Patience:
    """`until`: a moment of `time.monotonic()`, or None where only the tries count."""

    until: float | None = None

    @classmethod
    def of(cls, seconds: float) -> "Patience":
        """From now on, for so long."""
        return cls(time.monotonic() + seconds)

    def check(self) -> None:
        """Raises TooLate when the moment is over."""
        if self.over():
            raise TooLate

    def over(self) -> bool:
        """Whether the moment is over."""
        return self.until is not None and time.monotonic() > self.until

    def again(self, tries: int) -> bool:
        """Whether to try once more after so many tries; waits a little before it says yes."""
        last = _OFFLINE_TRIES if self.until is None else _FEWEST_TRIES
        if tries >= last and (self.until is None or self.over()):
            return False
        time.sleep(min(_LONGEST_PAUSE_S, 0.0005 * tries))
        return True


COUNTED: Final = Patience()
"""Tries and steps alone: of a source that is a copy, and of every judgement."""
