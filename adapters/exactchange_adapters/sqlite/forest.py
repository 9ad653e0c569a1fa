"""The trees of an image's tables: which page stands below which, carried forward from image to image.

Told from the pages above the leaves alone. Of an image that is carried forward only the pages that changed are read.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from exactchange_adapters.sqlite.btree import INDEX_INTERIOR, INDEX_LEAF, TABLE_INTERIOR, children, kind_of
from exactchange_adapters.sqlite.pages import Foreign, Pages

INTERIOR: Final = frozenset([INDEX_INTERIOR, TABLE_INTERIOR])
_BY_KEY: Final = frozenset([INDEX_INTERIOR, INDEX_LEAF])
_DEEPEST: Final = 40
_BLOCK: Final = 1024
_NUMBER: Final = "I"


@dataclass(frozen=True, slots=True)
class Forest:
    """`above`: by number of a page the one above it; 0 for those of no tree, and for the first of each (`roots`)."""

    above: "array[int]"
    roots: frozenset[int]

    def root(self, number: int) -> int:
        """The first page of the tree that a page is of; 0 for none. Raises Foreign."""
        for _ in range(_DEEPEST):
            if number in self.roots:
                return number
            number = self.above[number] if number < len(self.above) else 0
            if number == 0:
                return 0
        raise Foreign("pages that stand below themselves")

    def moved(self, other: "Forest") -> Iterator[int]:
        """Pages that stand below other pages there, or that only one of the two has below any."""
        most = max(len(self.above), len(other.above))
        for begin in range(0, most, _BLOCK):
            mine, theirs = self.above[begin : begin + _BLOCK], other.above[begin : begin + _BLOCK]
            if mine != theirs:
                for at in range(begin, min(begin + _BLOCK, most)):
                    if self._above(at) != other._above(at):
                        yield at

    def _above(self, number: int) -> int:
        return self.above[number] if number < len(self.above) else 0


def planted(pages: Pages, roots: Iterable[int]) -> Forest:
    """The trees with these first pages. Raises Foreign."""
    forest = Forest(array(_NUMBER, bytes(4 * (pages.count + 1))), frozenset(roots))
    for root in forest.roots:
        level = [root]
        while level and is_interior(pages, level[0]):
            for number in level:
                _adopt(forest, pages, number)
            level = [below for number in level for below in children(number, pages.page(number))]
    return forest


def _adopt(forest: Forest, pages: Pages, number: int) -> None:
    for below in children(number, pages.page(number)):
        if not 0 < below < len(forest.above) or forest.above[below] or below in forest.roots:
            raise Foreign(f"page {below} stands in two places, or is none")
        forest.above[below] = number


def carried(before: Forest, old: Pages, new: Pages, changed: Iterable[int], roots: Iterable[int]) -> Forest:
    """The trees with these first pages in a newer image, in which these pages differ. Raises Foreign."""
    firsts, differ = frozenset(roots), set(changed)
    if firsts != before.roots:
        return planted(new, firsts)
    forest = Forest(_given_up(before, old, new.count, differ), firsts)
    above = forest.above
    earlier: list[int] = []
    todo = [number for number in differ if number <= new.count and (above[number] or number in firsts)]
    done: set[int] = set()
    while todo:
        number = todo.pop()
        if number in done or not is_interior(new, number):
            continue
        done.add(number)
        for below in children(number, new.page(number)):
            if not 0 < below < len(above) or below in firsts or above[below] in done:
                raise Foreign(f"page {below} stands in two places, or is none")
            if below in differ or not before.root(below):
                todo.append(below)
            earlier.append(above[below])
            above[below] = number
    for number in earlier:  # such a page is of no tree any more, or two share what stands below them
        if number and number not in differ and forest.root(number):
            raise Foreign(f"page {number} shares what stands below it")
    return forest


def _given_up(before: Forest, old: Pages, count: int, differ: Iterable[int]) -> "array[int]":
    """What stands above the pages of a newer image, less what stood below those that differ."""
    above = before.above[: count + 1]
    above.extend(array(_NUMBER, bytes(4 * (count + 1 - len(above)))))
    for number in differ:
        if number <= old.count and before.root(number) and is_interior(old, number):
            for below in children(number, old.page(number)):
                if below < len(above) and above[below] == number:
                    above[below] = 0
    return above


def is_interior(pages: Pages, number: int) -> bool:
    """Whether a page leads to others."""
    return kind_of(number, pages.page(number)) in INTERIOR


def is_by_key(pages: Pages, root: int) -> bool:
    """Whether a tree is of a table without rowids: its rows stand above the leaves, too."""
    return kind_of(root, pages.page(root)) in _BY_KEY
