"""Lines of text that went, and lines that came for them by a rule of noise."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from exactchange.diff import Change
from exactchange.values import Path

_FEWEST_TRIES: Final = 10_000
_TRIES_A_LINE: Final = 20
"""How many pairs of lines are held against each other: a page may have as many alike as it wants."""


@dataclass(frozen=True, slots=True)
class LineRule:
    """A rule for lines. `around`: what two lines must share to be a pair by it; None of one that it never takes.

    `takes`: whether the first of two such lines gives way to the second.
    """

    name: str
    around: Callable[[str], Hashable]
    takes: Callable[[str, str], bool]
    stands: Callable[[Path], bool]
    """Whether the rule holds where a line came."""


def paired(lines: Sequence[tuple[int, Change]], rules: Sequence[LineRule]) -> Iterator[tuple[int, int, str]]:
    """Numbers of a line that went and of the one that came for it, each in one pair at most, and the rule's name.

    The first that fits is taken. In work linear in the lines: of very many that look alike the last may be left over,
    so that they are changes as others are.
    """
    went = [(number, change.path[:-1], change.before) for number, change in lines if isinstance(change.before, str)]
    came = [(number, change) for number, change in lines if isinstance(change.after, str)]
    tries = max(_FEWEST_TRIES, _TRIES_A_LINE * len(lines))
    gone, here = set[int](), set[int]()
    for rule in rules:
        alike = _alike(((number, change) for number, change in came if number not in here), rule)
        for number, place, text in went:
            words = None if number in gone else rule.around(str(text))
            waiting = alike.get((place, words)) if words is not None else None
            passed: list[tuple[int, str]] = []
            while waiting and tries > 0:
                tries -= 1
                other, new = waiting.popleft()
                if other != number and rule.takes(str(text), new):
                    gone.add(number)
                    here.add(other)
                    yield number, other, rule.name
                    break
                passed.append((other, new))
            if waiting is not None:
                waiting.extendleft(reversed(passed))


def _alike(came: Iterable[tuple[int, Change]], rule: LineRule) -> dict[tuple[Path, Hashable], deque[tuple[int, str]]]:
    """The lines that a rule may take, in order, by where they stand and by what they share."""
    out: dict[tuple[Path, Hashable], deque[tuple[int, str]]] = {}
    for number, change in came:
        text = str(change.after)
        if rule.stands(change.path) and (words := rule.around(text)) is not None:
            out.setdefault((change.path[:-1], words), deque()).append((number, text))
    return out
