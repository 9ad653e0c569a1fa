"""What a source saw of the agent's work between two times of asking."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactchange.sources.witnessing import Act
from exactchange.values import canonical_bytes


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
    """All acts, each with the hearing that it belongs to. What several sources of one browser saw is one act."""
    seen: dict[tuple[object, ...], Counter[str]] = {}
    for hearing in heard:
        for act in hearing.acts:
            by_source = seen.setdefault((hearing.step, hearing.outside, *_identity(act)), Counter())
            by_source[hearing.source] += 1
            others = (count for source, count in by_source.items() if source != hearing.source)
            if by_source[hearing.source] > max(others, default=0):
                yield hearing, act


def _identity(act: Act) -> tuple[object, ...]:
    """What tells an act from others to every source that sees it; each keeps secrets by a key of its own."""
    place = [act.args.get(name) for name in ("keys", "url", "count", "button", "xy")]
    return act.kind, act.sure, canonical_bytes(act.target), canonical_bytes(place)
