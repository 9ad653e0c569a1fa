"""Whether the pages that changed stand in order: SQLite finds a row by the order, and an application that goes through
all of them reads what stands there. Where the two would differ, nothing can be said of a table.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from exactchange_adapters.sqlite.btree import children, keys, rows
from exactchange_adapters.sqlite.forest import Forest, is_by_key, is_interior
from exactchange_adapters.sqlite.pages import Foreign, Pages

_DEEPEST: Final = 40
_LEAST: Final = -(1 << 63) - 1
_MOST: Final = (1 << 63) - 1


def in_order(forest: Forest, pages: Pages, changed: Iterable[int]) -> bool:
    """Whether the rows on these pages, and those below them, are in order; what was there before was. Raises Foreign.

    False also where it cannot be told from a few pages: of a table without rowids.
    """
    for number in changed:
        root = forest.root(number) if number <= pages.count else 0
        if not root:
            continue
        if is_by_key(pages, root):
            return False
        low, high = _bounds(forest, pages, number)
        if not is_interior(pages, number):
            if not _ascending([low, *(row.rowid for row in rows(number, pages.page(number), pages.usable))], high):
                return False
        elif not _in_order_below(pages, number, low, high):
            return False
    return True


def _in_order_below(pages: Pages, number: int, low: int, high: int) -> bool:
    page = pages.page(number)
    ends = [low, *keys(number, page), high]
    if not _ascending(ends[:-1], high):
        return False
    for place, below in enumerate(children(number, page)):
        first, last = _ends(pages, below)
        if first is not None and last is not None and not ends[place] < first <= last <= ends[place + 1]:
            return False
    return True


def _ascending(numbers: Sequence[int], most: int) -> bool:
    return all(one < other for one, other in zip(numbers, numbers[1:], strict=False)) and numbers[-1] <= most


def _bounds(forest: Forest, pages: Pages, number: int) -> tuple[int, int]:
    """Between which rowids the pages above say that those of a page are: above the first, up to the last."""
    low = high = None
    for _ in range(_DEEPEST):
        above = 0 if number in forest.roots else forest.above[number]
        if not above:
            return _LEAST if low is None else low, _MOST if high is None else high
        page = pages.page(above)
        place, between = children(above, page).index(number), keys(above, page)
        if low is None and place:
            low = between[place - 1]
        if high is None and place < len(between):
            high = between[place]
        number = above
    raise Foreign("pages that stand below themselves")


def _ends(pages: Pages, number: int) -> tuple[int | None, int | None]:
    """The first and the last rowid below a page; None and None where there is none."""
    ends: list[int | None] = []
    for side in (0, -1):
        here = number
        for _ in range(_DEEPEST):
            if not is_interior(pages, here):
                break
            here = children(here, pages.page(here))[side]
        found = [row.rowid for row in rows(here, pages.page(here), pages.usable)]
        ends.append(found[side] if found else None)
    return ends[0], ends[1]
