"""Changes of one verdict put together: what came or went as a whole is one thing to look at, and one line to allow."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from exactchange.address import Style, format_path
from exactchange.diff import Change, Operation
from exactchange.reports.allow import is_key
from exactchange.values import ABSENT, Path, Value
from exactchange.verdict import Whole

_AROUND = ("@contexts", "@frames")  # facets that hold other facets
_DEEPER = {"@storage": 3, "@schema": 2}  # segments down to an item: area, origin and key; kind and name
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
        if place is None or end == begin + 1 or any(_says_directory(item, place) for item in changes[begin:end]):
            yield from (Group((item,)) for item in changes[begin:end])
        else:
            yield Group(changes[begin:end], place)
        begin = end


def takes_anything(path: Path, inside: str | int | None = None) -> bool:
    """Whether a rule for this place would take whatever an application or an agent puts there.

    A whole source, a facet of a page down to its items, what holds rows or items with a key. `inside`: the segment of
    something that stands in it.
    """
    if not path or (isinstance(inside, str) and is_key(inside)):
        return True
    if not _facet(path[0]):
        return False
    number = next((n for n, item in enumerate(path) if _facet(item) and item not in _AROUND), len(path))
    below = len(path) - number - 1
    return below < _DEEPER.get(str(path[number]) if number < len(path) else "", 1)


def spelling(change: Change) -> Style | None:
    """A style that spells the address of a change, and so those of all that it lies in, as its source does.

    It tells nothing of other places in the source: what is quoted as a whole is spelt alike in two styles.
    """
    return next((style for style in Style if format_path(change.path, style=style) == change.address), None)


def _around(change: Change, places: dict[tuple[str, Operation, Path], Whole]) -> Whole | None:
    """The container of a change that came or went as a whole; of one that takes anything, the item in it."""
    found = (places.get((change.source, change.op, change.path[:end])) for end in range(len(change.path)))
    whole = next((item for item in found if item is not None), None)
    if whole is None or not takes_anything(whole.path, change.path[len(whole.path)]):
        return whole
    ends = range(len(whole.path) + 1, len(change.path))
    end = next((n for n in ends if not takes_anything(change.path[:n], change.path[n])), None)
    style = spelling(change)
    if end is None or style is None:
        return None
    path = change.path[:end]
    return Whole(whole.source, whole.op, format_path(path, style=style), path)


def _says_directory(change: Change, place: Whole) -> bool:
    """Whether it says that the place is a directory, of which a pattern takes all files as well."""
    value = change.before if change.after is ABSENT else change.after
    return change.path == (*place.path, "@type") and value == "dir"


def _facet(segment: str | int) -> bool:
    return isinstance(segment, str) and segment.startswith("@") and not segment.startswith(("@@", "@!"))


def _inside(change: Change, place: Whole) -> bool:
    return change.source == place.source and change.op == place.op and change.path[: len(place.path)] == place.path
