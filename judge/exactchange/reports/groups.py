"""Changes of one verdict put together: what came or went as a whole is one thing to look at, and one line to allow."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from exactchange.address import Style, format_path
from exactchange.diff import Change, Operation
from exactchange.values import ABSENT, Path, Value
from exactchange.verdict import Whole

_MOST_SHOWN = 1000  # of a larger container the number of its values tells more than the first of them


@dataclass(frozen=True, slots=True)
class Group:
    """The leaves of a container that came or went as a whole; of a change by itself that change, and no `whole`."""

    changes: Sequence[Change]
    whole: Whole | None = None

    @property
    def change(self) -> Change:
        """All of them as one change; its value holds the leaves by their address inside the container."""
        if self.whole is None:
            return self.changes[0]
        place, value = self.whole, self._value()
        before, after = (ABSENT, value) if place.op == "added" else (value, ABSENT)
        return Change(place.source, place.op, place.address, place.path, before, after)

    def _value(self) -> Value:
        if len(self.changes) > _MOST_SHOWN:
            return f"{len(self.changes):,} values"
        assert self.whole is not None
        depth = len(self.whole.path)
        sides = ((item.path[depth:], item.before if item.after is ABSENT else item.after) for item in self.changes)
        return {format_path(path): value for path, value in sides if value is not ABSENT}


def groups(changes: Sequence[Change], whole: Sequence[Whole], *, alone: Iterable[Change] = ()) -> Iterator[Group]:
    """The changes in their order, the leaves of each `whole` together; made one by one, since there may be millions.

    `alone`: changes of which something is said beside; what holds one of those is not put together.
    """
    places: dict[tuple[str, Operation, Path], Whole] = {(item.source, item.op, item.path): item for item in whole}
    for change in alone:
        for end in range(len(change.path) + 1):
            places.pop((change.source, change.op, change.path[:end]), None)
    begin = 0
    while begin < len(changes):
        place = _around(changes[begin], places) if places else None
        end = begin + 1
        while place is not None and end < len(changes) and _inside(changes[end], place):
            end += 1
        yield Group(changes[begin:end], place)
        begin = end


def spelling(change: Change) -> Style | None:
    """How the source of a change spells its addresses, as far as this one tells."""
    return next((style for style in Style if format_path(change.path, style=style) == change.address), None)


def _around(change: Change, places: dict[tuple[str, Operation, Path], Whole]) -> Whole | None:
    found = (places.get((change.source, change.op, change.path[:end])) for end in range(len(change.path)))
    return next((item for item in found if item is not None), None)


def _inside(change: Change, place: Whole) -> bool:
    return change.source == place.source and change.op == place.op and change.path[: len(place.path)] == place.path
