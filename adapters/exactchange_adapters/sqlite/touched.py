"""The rows that a diff speaks of, each with the cells that are known of it: to find out what may have changed them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TypeGuard

from exactchange.address import format_path, unkey
from exactchange.diff import Change
from exactchange.values import Path, State
from exactchange_adapters.sqlite.cells import parse_key
from exactchange_adapters.sqlite.engine import Cell
from exactchange_adapters.sqlite.triggers import folded

Cells = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Touched:
    """A row that came, went, or has other cells. `before`, `after`: cells by folded column, None where there is no row.

    Of a row that is on both sides only what identifies it and what differs is known. `numbers`: which of the changes
    speak of it, by column (`""`: the one of a whole row).
    """

    table: str
    path: Path
    before: Cells | None
    after: Cells | None
    numbers: Mapping[str, int]

    @property
    def address(self) -> str:
        return format_path(self.path)

    @property
    def number(self) -> int:
        """The first of its changes."""
        return next(iter(self.numbers.values()))

    @property
    def identity(self) -> frozenset[str]:
        """Folded columns that identify it; none where that is its content."""
        return frozenset(map(folded, parse_key(str(self.path[1])) or ()))

    @property
    def keyless(self) -> bool:
        return str(self.path[1]).startswith("#")


@dataclass(slots=True)
class Rows:
    """The touched rows of one table."""

    name: str
    """As the database spells it."""
    came: list[Touched] = field(default_factory=list[Touched])
    went: list[Touched] = field(default_factory=list[Touched])
    modified: list[Touched] = field(default_factory=list[Touched])
    _twins: dict[frozenset[str] | None, list[tuple[Touched, Touched]]] = field(
        default_factory=dict[frozenset[str] | None, list[tuple[Touched, Touched]]]
    )

    @property
    def swapped(self) -> bool:
        """Whether rows without a key came and went, as they do when one is modified."""
        return any(row.keyless for row in self.came) and any(row.keyless for row in self.went)

    def twins(self, apart: frozenset[str] | None) -> Sequence[tuple[Touched, Touched]]:
        """Rows that went and came with the same cells but for these columns; None: those that identify them.

        Each row is in one pair at most, and some cell that they share is not NULL.
        """
        if apart not in self._twins:
            self._twins[apart] = list(self._found_twins(apart)) if self.came and self.went else []
        return self._twins[apart]

    def _found_twins(self, apart: frozenset[str] | None) -> Iterator[tuple[Touched, Touched]]:
        waiting: dict[str, list[Touched]] = {}
        for row in reversed(self.came):
            if (content := _content(row, row.after, apart)) is not None:
                waiting.setdefault(content, []).append(row)
        for row in self.went:
            if (content := _content(row, row.before, apart)) is not None and waiting.get(content):
                yield row, waiting[content].pop()


def touched(changes: Sequence[Change]) -> dict[str, Rows]:
    """The rows by folded table. What is no change of a row or cell is left out."""
    found: dict[str, Rows] = {}
    numbered = [(number, change) for number, change in enumerate(changes) if len(change.path) in (2, 3)]
    for path, group in groupby(numbered, key=lambda item: item[1].path[:2]):
        name = unkey(path[0]) if isinstance(path[0], str) else None
        row = None if name is None else _row(folded(name), path, list(group))
        if name is None or row is None:
            continue
        rows = found.setdefault(row.table, Rows(name))
        (rows.came if row.before is None else rows.went if row.after is None else rows.modified).append(row)
    return found


def _row(table: str, path: Path, changes: Sequence[tuple[int, Change]]) -> Touched | None:
    number, first = changes[0]
    if len(first.path) == 2:
        before, after = cells_of(first.before), cells_of(first.after)
        return Touched(table, path, before, after, {"": number}) if (before is None) != (after is None) else None
    identity = {folded(name): cell for name, cell in (parse_key(str(path[1])) or {}).items()}
    before, after, numbers = dict(identity), dict(identity), dict[str, int]()
    for at, change in changes:
        column = folded(unkey(str(change.path[-1])) or str(change.path[-1]))
        numbers[column] = at
        for side, value in ((before, change.before), (after, change.after)):
            if _is_cell(value):
                side[column] = value
    return Touched(table, path, before, after, numbers)


def cells_of(row: State) -> dict[str, Cell] | None:
    """The cells of a row by folded column; None where there is no row."""
    if not isinstance(row, Mapping):
        return None
    return {folded(unkey(name) or name): cell for name, cell in row.items() if _is_cell(cell)}


def _is_cell(value: State) -> TypeGuard[Cell]:
    return value is None or isinstance(value, int | float | str | bytes)


def _content(row: Touched, cells: Cells | None, apart: frozenset[str] | None) -> str | None:
    """What a row has in common with its twin, storage classes included; None where it can have none."""
    own = row.identity
    apart = own if apart is None else apart
    if own and own.isdisjoint(apart):
        return None  # what tells it from all others stays as it is
    rest = [(name, cell) for name, cell in (cells or {}).items() if name not in apart]
    return repr(sorted(rest, key=itemgetter(0))) if any(cell is not None for _, cell in rest) else None
