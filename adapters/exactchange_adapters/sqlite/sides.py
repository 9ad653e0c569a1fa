"""The rows of one table in the order of their keys, read a little ahead."""

import marshal
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from exactchange.limits import Budget
from exactchange.values import Value
from exactchange_adapters.sqlite.cells import Rank, rank, same_row
from exactchange_adapters.sqlite.engine import Cell, Row, Unreadable
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.rows import Group, among, arranged, mapping, read
from exactchange_adapters.sqlite.schema import Table

AHEAD = 256
"""Rows that are read at a time."""
SMALL = 32 * 1024 * 1024
_FEWEST: Final = 2
_MOST_BYTES: Final = 1024 * 1024


class Side:
    """One table's rows, in order, with some rows looked ahead."""

    def __init__(
        self, image: Image, table: Table, group: Group, order: Sequence[str], *,
        only: Sequence[int] | None, careful: bool,
    ) -> None:  # fmt: skip
        self.table = table
        self.columns = arranged(table, group.key or order)
        self.encoding = image.schema.encoding
        self._width = len(group.key or order)
        self._keyed = bool(group.key)
        where, arguments = (group.where, ()) if only is None else among(table, only, group.where)
        self._rows = read(
            image, table, self.columns, where=where, order=group.key or order, arguments=arguments, careful=careful
        )
        self._large = table.swells or image.size > SMALL  # rows of a small image are no more than it is
        self._ahead: list[Row] = []
        self._at = 0
        self._fill()

    @property
    def row(self) -> Row | None:
        """The row that stands first now; None after the last."""
        return self._ahead[self._at] if self._at < len(self._ahead) else None

    def advance(self) -> None:
        """Go to the next row. Raises Unreadable when it has the key of the row before."""
        last = self.row
        self._pass(1)
        row = self.row
        if self._keyed and last is not None and row is not None and same_row(last[: self._width], row[: self._width]):
            raise Unreadable(f"two rows have the same {', '.join(self.columns[: self._width])}")

    def pass_equal(self, other: "Side") -> Sequence[Row]:
        """Pass the rows ahead that both sides have, all at once; none when one of them differs."""
        count = min(len(self._ahead) - self._at, len(other._ahead) - other._at)
        mine, theirs = self._ahead[self._at : self._at + count], other._ahead[other._at : other._at + count]
        # Version 2 writes type and value of every cell, and no references: equal bytes, equal rows.
        if count < _FEWEST or marshal.dumps(mine, 2) != marshal.dumps(theirs, 2):
            return ()
        self._pass(count)
        other._pass(count)
        return mine

    def sort_by(self, encoding: str, budget: Budget) -> None:
        """Put the rows in the order of another encoding's bytes, in memory and counted."""
        rows: list[Row] = []
        while self.row is not None:
            budget.spend(nodes=1 + len(self.row))
            rows.append(self.row)
            self.advance()
        self.encoding = encoding
        rows.sort(key=self._rank_of)
        self._ahead, self._at = rows, 0

    def rank(self) -> tuple[Rank, ...]:
        """Where the first row stands in the order."""
        assert self.row is not None
        return self._rank_of(self.row)

    def take(self) -> Row:
        """The first row, which is passed."""
        row = self.row
        assert row is not None
        self.advance()
        return row

    def key(self, row: Row) -> list[tuple[str, Cell]]:
        """Columns and cells of a row's key."""
        return list(zip(self.columns[: self._width], row[: self._width], strict=True))

    def mapping(self, row: Row) -> dict[str, Value]:
        """A row as a value."""
        return mapping(self.table, self.columns, row)

    def _rank_of(self, row: Row) -> tuple[Rank, ...]:
        return tuple(rank(cell, self.encoding) for cell in row[: self._width])

    def _pass(self, count: int) -> None:
        self._at += count
        if self._at >= len(self._ahead):
            self._fill()

    def _fill(self) -> None:
        ahead = islice(self._rows, AHEAD)
        self._ahead, self._at = _within(ahead) if self._large else list(ahead), 0


def _within(rows: Iterator[Row]) -> list[Row]:
    """The next rows, as long as they are not many bytes."""
    found: list[Row] = []
    size = 0
    for row in rows:
        found.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
        if size > _MOST_BYTES:
            break
    return found
