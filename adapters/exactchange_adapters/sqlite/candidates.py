"""Which rows of two images may differ, told from their pages: what stands on equal pages of one table is equal.

A table is all the rows in the leaves of its tree. Leaves that both trees have, byte for byte, cancel out; of the others
the rows are compared as bytes, and what is left over on either side are the candidates. A long row goes on in pages
that no tree leads to: where one of those differs, the row that leads to it is looked for.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from exactchange_adapters.sqlite.btree import Cell, may_overflow, rows
from exactchange_adapters.sqlite.forest import Forest, is_by_key, is_interior
from exactchange_adapters.sqlite.grown import first_pages, forest_of
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.pages import Foreign, Pages, differing

MOST_ROWS: Final = 50_000
"""Of one table; comparing more of them one by one is no faster than comparing all."""
_MOST_LEAVES: Final = 20_000
_LARGEST_SHARE: Final = 4
"""Where more than this part of the pages differs, going through the rows is no slower."""
_FEW_PAGES: Final = 64


def candidates(old: Image, new: Image) -> Mapping[str, Sequence[int]]:
    """By table the rowids, on either side, of the rows that may differ, in order; of a table left out, any may.

    Only tables of the same columns and keys on both sides are in it. Empty where the images' pages are of another make.
    """
    tables = {
        name: table
        for name, table in old.schema.tables.items()
        if new.schema.tables.get(name) == table and table.unread is None and not table.virtual
    }
    if not tables or old.schema.encoding != new.schema.encoding:
        return {}
    try:
        with Pages(old) as before, Pages(new) as after:
            changed = differing(before, after)
            if len(changed) > max(_FEW_PAGES, after.count // _LARGEST_SHARE):
                return {}
            left, right = (first_pages(image) for image in (old, new))
            roots = {name: (left[name][0], right[name][0]) for name in tables if left[name][1] == right[name][1]}
            forests = forest_of(old, before), forest_of(new, after)
            return _Search(before, after, forests, roots, changed).found()
    except (Foreign, IndexError, ValueError, struct.error, OSError, KeyError):
        return {}  # the reference says what is wrong with them, if anything is


@dataclass(slots=True)
class _Leaves:
    """Leaves of one table that differ, or that only one of the trees has, by image. `touched`: whether any page is."""

    old: set[int] = field(default_factory=set[int])
    new: set[int] = field(default_factory=set[int])
    touched: bool = False


class _Search:
    def __init__(
        self, old: Pages, new: Pages, forests: tuple[Forest, Forest], roots: Mapping[str, tuple[int, int]],
        changed: frozenset[int],
    ) -> None:  # fmt: skip
        self._old, self._new, self._roots, self._changed = old, new, roots, changed
        self._before, self._after = forests
        self._loose: set[int] = set()
        """Pages of long rows that differ, and that no row was found for yet."""

    def found(self) -> Mapping[str, Sequence[int]]:
        """See `candidates`."""
        self._loose = self._long_pages()
        leaves = self._leaves()
        out: dict[str, set[int]] = {}
        by_key = {name for name, (_, root) in self._roots.items() if is_by_key(self._new, root)}
        for name, of in leaves.items():
            if name in by_key:
                if not of.touched:
                    out[name] = set()
            elif max(len(of.old), len(of.new)) <= _MOST_LEAVES:
                out[name] = self._rowids(of)
        if self._loose:
            for name in by_key:
                out.pop(name, None)  # it may be a row of theirs
            self._look_for_loose(out, leaves)
        return {name: sorted(rowids) for name, rowids in out.items() if len(rowids) <= MOST_ROWS}

    def _leaves(self) -> Mapping[str, _Leaves]:
        """The leaves that do not cancel out, by table."""
        old = {root: name for name, (root, _) in self._roots.items()}
        new = {root: name for name, (_, root) in self._roots.items()}
        out = {name: _Leaves(touched=roots[0] != roots[1]) for name, roots in self._roots.items()}
        moved = {root for roots in self._roots.values() if roots[0] != roots[1] for root in roots}
        for number in {*self._changed, *self._before.above.differing(self._after.above), *moved}:
            for pages, forest, names, is_old in (
                (self._old, self._before, old, True),
                (self._new, self._after, new, False),
            ):
                name = names.get(forest.root(number)) if number <= pages.count else None
                if name is not None:
                    out[name].touched = True
                    if not is_interior(pages, number):
                        (out[name].old if is_old else out[name].new).add(number)
        return out

    def _long_pages(self) -> set[int]:
        """Pages that differ and may be part of a long row in both images: they begin with the number of the next."""
        most = min(self._old.count, self._new.count)
        free = set(self._new.free()) if self._changed else set[int]()
        return {
            number
            for number in self._changed - free
            if 1 < number <= most
            and not self._new.is_map(number)
            and self._old.page(number)[0] == self._new.page(number)[0] == 0
        }

    def _rowids(self, leaves: _Leaves) -> set[int]:
        """Rowids of the rows in these leaves that do not cancel out, or that go on in pages that differ."""
        before = {cell.rowid: cell.raw for cell in _cells(self._old, leaves.old)}
        after = {cell.rowid: cell for cell in _cells(self._new, leaves.new)}
        differ = {rowid for rowid in before if rowid not in after or after[rowid].raw != before[rowid]}
        differ |= after.keys() - before.keys()
        for cell in after.values():
            if cell.overflow and self._goes_on_in(cell, self._changed):
                differ.add(cell.rowid)
        return differ

    def _goes_on_in(self, cell: Cell, wanted: Set[int]) -> bool:
        """Whether a long row goes on in one of these pages; those of its pages are loose no more."""
        touched = False
        number, left = cell.overflow, self._new.count
        while number:
            touched = touched or number in wanted
            self._loose.discard(number)
            number, left = int.from_bytes(self._new.page(number)[:4], "big"), left - 1
            if left < 0:
                raise Foreign("a row that has no end")
        return touched

    def _look_for_loose(self, out: dict[str, set[int]], leaves: Mapping[str, _Leaves]) -> None:
        """Go through all long rows for those that go on in pages that differ, though their own leaf does not."""
        loose = frozenset(self._loose)
        names = {root: name for name, (_, root) in self._roots.items() if name in out}
        for number in range(1, self._new.count + 1):
            name = names.get(self._after.root(number))
            if name is not None and number not in leaves[name].new and not is_interior(self._new, number):
                cells = _cells(self._new, [number], long=True)
                out[name] |= {cell.rowid for cell in cells if self._goes_on_in(cell, loose)}


def _cells(pages: Pages, leaves: Iterable[int], *, long: bool = False) -> Iterator[Cell]:
    """The rows of these leaves; with `long` only those that go on in other pages."""
    for number in leaves:
        page = pages.page(number)
        if not long:
            yield from rows(number, page, pages.usable)
        elif may_overflow(number, page):
            yield from (cell for cell in rows(number, page, pages.usable) if cell.overflow)
