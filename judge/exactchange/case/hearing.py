"""What a source saw of the agent's work between two times of asking."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactchange.sources.witnessing import Act


@dataclass(frozen=True, slots=True)
class Hearing:
    """What was seen after action `since` was announced, or after all that was seen before, until after action `step`.

    `outside`: no action was under way. `unheard`: why there may have been more, for people.
    """

    source: str
    since: int
    step: int
    outside: bool = False
    acts: tuple[Act, ...] = ()
    unheard: tuple[str, ...] = ()

    def during(self, seq: int) -> bool:
        """Whether what was seen may be this action's doing."""
        return not self.outside and self.since <= seq <= self.step


def witnessed(heard: Sequence[Hearing]) -> Iterator[tuple[Hearing, Act]]:
    """All acts, each with the hearing that it belongs to."""
    for hearing in heard:
        for act in hearing.acts:
            yield hearing, act
