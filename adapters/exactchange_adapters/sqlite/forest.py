"""The trees of an image's tables: which page stands below which, carried forward from image to image.

Told from the pages above the leaves alone. Of an image that is carried forward only the pages that changed are read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from exactchange_adapters.sqlite.btree import INDEX_INTERIOR, INDEX_LEAF, TABLE_INTERIOR, children, kind_of
from exactchange_adapters.sqlite.numbers import Numbers
from exactchange_adapters.sqlite.pages import Foreign, Pages

INTERIOR: Final = frozenset([INDEX_INTERIOR, TABLE_INTERIOR])
_BY_KEY: Final = frozenset([INDEX_INTERIOR, INDEX_LEAF])
_DEEPEST: Final = 40


@dataclass(frozen=True, slots=True)
class Forest:
    """`above`: by number of a page the one above it; 0 for those of no tree, and for the first of each (`roots`)."""

    above: Numbers
    roots: frozenset[int]

    def root(self, number: int) -> int:
        """The first page of the tree that a page is of; 0 for none. Raises Foreign."""
        for _ in range(_DEEPEST):
            if number in self.roots:
                return number
            number = self.above[number]
            if number == 0:
                return 0
        raise Foreign("pages that stand below themselves")


def planted(pages: Pages, roots: Iterable[int]) -> Forest:
    """The trees with these first pages. Raises Foreign."""
    firsts = frozenset(roots)
    above: dict[int, int] = {}
    for root in firsts:
        level = [root]
        while level and is_interior(pages, level[0]):
            after: list[int] = []
            for number in level:
                below = children(number, pages.page(number))
                if not above.keys().isdisjoint(below) or not firsts.isdisjoint(below) or len({*below}) < len(below):
                    raise Foreign(f"what stands below page {number} stands in two places")
                above.update(dict.fromkeys(below, number))
                after += below
            level = after
    if above and not 0 < min(above) <= max(above) <= pages.count:
        raise Foreign("a page that leads to one that is not there")
    return Forest(Numbers().plus(above), firsts)


def carried(before: Forest, old: Pages, new: Pages, changed: Iterable[int], roots: Iterable[int]) -> Forest:
    """The trees with these first pages in a newer image, in which these pages differ. Raises Foreign."""
    firsts, differ = frozenset(roots), set(changed)
    if firsts != before.roots:
        return planted(new, firsts)
    above = _Changing(before.above, _given_up(before, old, differ))
    earlier: list[int] = []
    todo = [number for number in differ if number <= new.count and (above[number] or number in firsts)]
    done: set[int] = set()
    while todo:
        number = todo.pop()
        if number in done or not is_interior(new, number):
            continue
        done.add(number)
        for below in children(number, new.page(number)):
            if not 0 < below <= new.count or below in firsts or above[below] in done:
                raise Foreign(f"page {below} stands in two places, or is none")
            if below in differ or not before.root(below):
                todo.append(below)
            earlier.append(above[below])
            above.changes[below] = number
    forest = Forest(before.above.plus(above.changes, below=new.count + 1), firsts)
    for number in earlier:  # such a page is of no tree any more, or two share what stands below them
        if number and number not in differ and forest.root(number):
            raise Foreign(f"page {number} shares what stands below it")
    return forest


@dataclass(slots=True)
class _Changing:
    """What stands above each page, while it is worked out."""

    before: Numbers
    changes: dict[int, int]

    def __getitem__(self, page: int) -> int:
        return self.changes[page] if page in self.changes else self.before[page]


def _given_up(before: Forest, old: Pages, differ: Iterable[int]) -> dict[int, int]:
    """The pages that stood below those that differ, with nothing above them."""
    return {
        below: 0
        for number in differ
        if number <= old.count and before.root(number) and is_interior(old, number)
        for below in children(number, old.page(number))
        if before.above[below] == number
    }


def is_interior(pages: Pages, number: int) -> bool:
    """Whether a page leads to others."""
    return kind_of(number, pages.page(number)) in INTERIOR


def is_by_key(pages: Pages, root: int) -> bool:
    """Whether a tree is of a table without rowids: its rows stand above the leaves, too."""
    return kind_of(root, pages.page(root)) in _BY_KEY
