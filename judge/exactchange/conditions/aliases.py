"""The other names of a list item: by its own list alone, where two lists together had to be told apart otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from exactchange.address import key
from exactchange.address.walk import IDENTITY_FIELDS, has_identity, identity_field, item_segment
from exactchange.snapshot import Snapshot, TreeSnapshot
from exactchange.values import ABSENT, Path, State, Value

_MOST = 64  # spellings of one path, which only many lists within lists could have


class Aliases:
    """The paths of changes as each of two captures spells them by itself.

    A diff names list items by an identity that both lists have. Whoever adds an item without one, or with another's,
    turns all of them into positions; a rule on `jobs[name=build]` still means the job of that name. `named`: the field
    that the task says tells items apart. `every`: an item has the names of all fields, also where one would do.
    """

    def __init__(self, *captures: Snapshot, named: str | None, every: bool = False) -> None:
        self._trees = [taken.tree for taken in captures if isinstance(taken, TreeSnapshot)]
        own = [] if named is None or key(named) != named or named in IDENTITY_FIELDS else [named]
        self._known = (*IDENTITY_FIELDS, *own)
        self._every = every
        self._fields: dict[int, str | None] = {}
        self._places: dict[tuple[int, str], dict[str, int]] = {}

    def of(self, path: Path) -> Iterator[Path]:
        """The other spellings of a path; none where it leads through no list."""
        for tree in self._trees:
            choices = self._choices(tree, path)
            if any(len(names) > 1 or names[0] != segment for names, segment in zip(choices, path, strict=False)):
                yield from islice(product(*choices), _MOST)

    def _choices(self, tree: State, path: Path) -> list[list[str | int]]:
        """What each segment of a path may be called on one side; nothing where the path is not there."""
        out: list[list[str | int]] = []
        for segment in path:
            if isinstance(tree, Sequence) and not isinstance(tree, str | bytes):
                number = segment if isinstance(segment, int) else self._number(tree, segment)
                if number is None or number >= len(tree):
                    return []
                out.append(self._names(tree, number))
                tree = tree[number]
            else:
                out.append([segment])
                tree = tree.get(segment, ABSENT) if isinstance(tree, Mapping) and isinstance(segment, str) else ABSENT
        return out

    def _names(self, items: Sequence[Value], number: int) -> list[str | int]:
        """The names of an item: the one that tells all items apart, or, where none does, all that it has."""
        field, item = self._field(items), items[number]
        if field is not None and not self._every:
            return [item_segment(item, field)]
        return [number, *(item_segment(item, name) for name in self._known if has_identity(item, name))]

    def _field(self, items: Sequence[Value]) -> str | None:
        if id(items) not in self._fields:
            self._fields[id(items)] = identity_field(items)
        return self._fields[id(items)]

    def _number(self, items: Sequence[Value], segment: str) -> int | None:
        field = segment.partition("=")[0]
        if (id(items), field) not in self._places:
            named = [(item_segment(item, field), n) for n, item in enumerate(items) if has_identity(item, field)]
            self._places[id(items), field] = dict(reversed(named))
        return self._places[id(items), field].get(segment)
