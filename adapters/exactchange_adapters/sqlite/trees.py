"""Two trees of one table, in two images, side by side: which of their leaves do not cancel out."""

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from exactchange_adapters.sqlite.btree import INDEX_INTERIOR, INDEX_LEAF, children, is_interior, kind_of
from exactchange_adapters.sqlite.pages import Foreign, Pages

_DEEPEST: Final = 20


@dataclass(frozen=True, slots=True)
class Leaves:
    """Leaves that only one of the trees has, or that differ, by image. `by_key`: the tables of such trees have no
    rowid, so that rows stand above the leaves, too; `touched`: whether any page of the two trees differs.
    """

    old: AbstractSet[int]
    new: AbstractSet[int]
    by_key: bool
    touched: bool


def unlike(old: Pages, new: Pages, roots: tuple[int, int], changed: frozenset[int]) -> Leaves:
    """The leaves of two trees that do not cancel out. `changed`: pages that differ. Raises Foreign.

    Reads the pages above the leaves only: what an equal page leads to is the same in both.
    """
    walk = _Walk(old, new, changed)
    walk.match([roots[0]], [roots[1]])
    by_key = kind_of(roots[1], new.page(roots[1])) in (INDEX_INTERIOR, INDEX_LEAF)
    for _ in range(_DEEPEST):
        if not walk.descend():
            gone, come = set(walk.old_leaves), set(walk.new_leaves)
            same = (gone & come) - changed
            return Leaves(gone - same, come - same, by_key, walk.touched)
    raise Foreign("a tree that is too deep")


def leaves_of(pages: Pages, root: int) -> Iterable[int]:
    """Numbers of all leaves of a tree. Raises Foreign."""
    level, read = [root], 0
    for _ in range(_DEEPEST):
        if not level or not is_interior(level[0], pages.page(level[0])):
            return level
        read += len(level)
        if read > pages.count:
            raise Foreign("a tree of more pages than there are")
        level = [below for number in level for below in children(number, pages.page(number))]
    raise Foreign("a tree that is too deep")


class _Walk:
    """One level of both trees at a time: the pages that both have and that are equal, and those of one tree only."""

    def __init__(self, old: Pages, new: Pages, changed: frozenset[int]) -> None:
        self._old, self._new, self._changed = old, new, changed
        self._shared: list[int] = []
        self._mine: list[int] = []
        self._theirs: list[int] = []
        self._read = 0
        self.old_leaves: list[int] = []
        self.new_leaves: list[int] = []
        self.touched = False

    def match(self, mine: Collection[int], theirs: Collection[int], shared: Collection[int] = ()) -> None:
        """Set what stands on the next level: `shared` are below equal pages, so both trees have them."""
        both = set(mine).intersection(theirs) - self._changed
        self._shared = [*(number for number in shared if number not in self._changed), *both]
        differ = [number for number in shared if number in self._changed]
        self._mine = [*(number for number in mine if number not in both), *differ]
        self._theirs = [*(number for number in theirs if number not in both), *differ]
        self.touched = self.touched or bool(self._mine or self._theirs)

    def descend(self) -> bool:
        """Go down one level; whether there was one."""
        shared, mine, theirs = self._shared, self._mine, self._theirs
        self._shared = self._mine = self._theirs = []
        if mine and not is_interior(mine[0], self._old.page(mine[0])):
            self.old_leaves += mine
            mine = []
        if theirs and not is_interior(theirs[0], self._new.page(theirs[0])):
            self.new_leaves += theirs
            theirs = []
        if shared and not is_interior(shared[0], self._new.page(shared[0])):
            shared = []
        if not (shared or mine or theirs):
            return False
        self._read += len(shared) + len(mine) + len(theirs)
        if self._read > self._old.count + self._new.count:
            raise Foreign("trees of more pages than there are")
        self.match(_below(self._old, mine), _below(self._new, theirs), self._below_shared(shared))
        return True

    def _below_shared(self, shared: list[int]) -> list[int]:
        """What stands below equal pages; of leaves only those that differ, since the others cancel out."""
        if not shared:
            return []
        first = children(shared[0], self._new.page(shared[0]))
        if is_interior(first[0], self._new.page(first[0])):
            return _below(self._new, shared)
        page, changed = self._new.page, self._changed
        return [below for number in shared for below in changed.intersection(children(number, page(number)))]


def _below(pages: Pages, numbers: list[int]) -> list[int]:
    return [below for number in numbers for below in children(number, pages.page(number))]
