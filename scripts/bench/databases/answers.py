"""Which rows a way of comparing has found, and whether those are the ones that were changed."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

from scripts.bench.databases.shapes import KEY, TABLE
from scripts.bench.rounds import Timed, Way

from exactchange.diff import Change, Diff
from exactchange.sources import Narrowed
from exactchange.values import State
from exactchange_adapters.sqlite.cells import parse_key

Find = Callable[[], Awaitable[AbstractSet[int]]]
"""A way of comparing: the numbers of the rows that differ."""


class WrongAnswer(Exception):
    """A way has not found what was changed, so its time means nothing."""


def checked(name: str, find: Find, rows: AbstractSet[int], *, before: Way | None = None) -> Timed:
    """A way that is timed, and whose answer is looked at afterwards, unmeasured."""
    found: list[AbstractSet[int]] = []

    async def once() -> None:
        found.append(await find())

    async def after() -> None:
        check(name, found.pop(), rows)

    return Timed(once, before, after)


def check(name: str, found: AbstractSet[int], rows: AbstractSet[int]) -> None:
    """Raises WrongAnswer."""
    if found != rows:
        raise WrongAnswer(f"{name}: it found the rows {sorted(found)}, and changed were {sorted(rows)}")


def agreed(name: str, *sides: Iterable[int]) -> AbstractSet[int]:
    """What both sides of a comparison say. Raises WrongAnswer when they differ, or name a row twice."""
    lists = [list(side) for side in sides]
    sets = [set(side) for side in lists]
    if any(found != sets[0] or len(found) != len(listed) for found, listed in zip(sets, lists, strict=True)):
        raise WrongAnswer(f"{name}: the rows before and after are not the same: {lists}")
    return sets[0]


def of_narrowed(found: Narrowed) -> AbstractSet[int]:
    """The rows in two narrowed trees, which hold nothing else. Raises WrongAnswer."""
    if found.unread:
        raise WrongAnswer(f"unread: {found.unread}")
    return agreed("narrowed", _in_tree(found.before), _in_tree(found.after))


def of_diff(found: Diff) -> AbstractSet[int]:
    """The rows of the changes, of which there are no others. Raises WrongAnswer."""
    if found.unread:
        raise WrongAnswer(f"unread: {found.unread}")
    return {_of_change(one) for one in found.changes}


def _of_change(one: Change) -> int:
    if len(one.path) < 2 or one.path[0] != TABLE:
        raise WrongAnswer(f"something else differs, too: {one.address}")
    return _number(str(one.path[1]), one.after if isinstance(one.after, Mapping) else one.before)


def _in_tree(tree: State) -> list[int]:
    assert isinstance(tree, Mapping)
    if tree.keys() - {TABLE}:
        raise WrongAnswer(f"something else differs, too: {sorted(tree.keys() - {TABLE})}")
    rows = tree.get(TABLE, {})
    assert isinstance(rows, Mapping)
    return [_number(segment, cells) for segment, cells in rows.items()]


def _number(segment: str, cells: State) -> int:
    """By its key, or, where it has none, by its content."""
    held = (parse_key(segment) or cells) if isinstance(cells, Mapping) else parse_key(segment)
    number = held.get(KEY) if isinstance(held, Mapping) else None
    if not isinstance(number, int):
        raise WrongAnswer(f"no row that was changed: {segment}")
    return number
