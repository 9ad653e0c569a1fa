"""Two tables side by side in the order of their keys: what one of them has and the other has not."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias, cast

from exactchange.address import key, key_segment
from exactchange.limits import Budget
from exactchange.values import Value, canonical_bytes
from exactchange_adapters.sqlite.cells import Rank, bindable, content_hash, content_segment, same_cell, same_row
from exactchange_adapters.sqlite.defaults import literal_default
from exactchange_adapters.sqlite.engine import Cell, Row, quoted
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.rows import Group, among, groups, mapping, read
from exactchange_adapters.sqlite.schema import Table
from exactchange_adapters.sqlite.sides import Side

_DIGITS: Final = (8, 16, 32, 64)
_MOST_COUNTED: Final = 50
_MOST_COMPARED: Final = 8
_Rows: TypeAlias = dict[str, Value]
_Copy: TypeAlias = tuple[bool, str, int, Mapping[str, Value]]


class Unnamed(Exception):
    """So many rows without a key differ that it is better to go through all: what they are called depends on those."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A table as it is in two images. `only`: the rowids of the rows that may differ, where that is known."""

    old_image: Image
    old: Table
    new_image: Image
    new: Table
    only: Sequence[int] | None = None


@dataclass(slots=True)
class Trees:
    """Differing rows of one table by segment. `content`: rows without a key, by hash and occurrence."""

    budget: Budget
    before: _Rows = field(default_factory=dict[str, Value])
    after: _Rows = field(default_factory=dict[str, Value])
    content: list[_Copy] = field(default_factory=list[_Copy])

    def put(self, rows: _Rows, segment: str, cells: Mapping[str, Value]) -> None:
        size = sum(len(cell) for cell in cells.values() if isinstance(cell, str | bytes))
        self.budget.spend(nodes=1 + len(cells), bytes=size + len(segment) + 8 * len(cells))
        rows[segment] = cells

    def name_by_content(self) -> None:
        """Give rows without a key their segments, longer ones where eight digits of two contents are alike."""
        contents = {content for _, content, _, _ in self.content}
        digits = next(d for d in _DIGITS if len({content[:d] for content in contents}) == len(contents))
        for is_old, content, number, cells in self.content:
            self.put(self.before if is_old else self.after, content_segment(content, number, digits=digits), cells)


def merge(
    sides: Sides, keys: Sequence[tuple[str, ...]], budget: Budget, *, exact: bool, careful: bool
) -> Trees:  # fmt: skip
    """The differing rows of a table, identified by keys that both sides have. `exact`: the first identifies all rows.

    Raises Unreadable, OverBudget, and UnicodeDecodeError when some text is broken and `careful` is not set; Unnamed
    when many rows without a key are among those that may differ.
    """
    trees = Trees(budget)
    alias = sides.old.integer_key if sides.old.integer_key == sides.new.integer_key else None
    shared = tuple(name for name in sides.old.names if name in sides.new.names)
    for group in groups(keys, alias=alias, exact=exact):
        old = Side(sides.old_image, sides.old, group, shared, only=sides.only, careful=careful)
        new = Side(sides.new_image, sides.new, group, shared, only=sides.only, careful=careful)
        if old.encoding != new.encoding:
            old.sort_by("utf-8", budget)
            new.sort_by("utf-8", budget)
        if group.key:
            _by_key(old, new, trees)
        else:
            _by_content(old, new, trees)
            if sides.only is not None:
                _number_among_all(sides, group, trees, careful)
    trees.name_by_content()
    return trees


def _by_key(old: Side, new: Side, trees: Trees) -> None:
    alike = old.columns == new.columns
    while old.row is not None or new.row is not None:
        if old.row is not None and new.row is not None:
            if alike and same_row(old.row, new.row):
                if not old.pass_equal(new):
                    old.advance()
                    new.advance()
                continue
            left, right = old.rank(), new.rank()
            if left == right:
                _pair(old, new, trees)
                continue
            gone = left < right
        else:
            gone = old.row is not None
        if gone:
            _whole(old, trees, trees.before)
        else:
            _whole(new, trees, trees.after)


def _pair(old: Side, new: Side, trees: Trees) -> None:
    """Two rows whose keys are equal as numbers go; only with equal storage classes are they the same row."""
    assert old.row is not None and new.row is not None
    mine, theirs = old.key(old.row), new.key(new.row)
    if not all(same_cell(a[1], b[1]) for a, b in zip(mine, theirs, strict=True)):
        _whole(old, trees, trees.before)
        _whole(new, trees, trees.after)
        return
    segment = key_segment(mine)
    before, after = _differing(old, old.take(), new, new.take())
    if before or after:
        trees.put(trees.before, segment, before)
        trees.put(trees.after, segment, after)


def _whole(side: Side, trees: Trees, rows: _Rows) -> None:
    row = side.take()
    trees.put(rows, key_segment(side.key(row)), side.mapping(row))


def _differing(old: Side, mine: Row, new: Side, theirs: Row) -> tuple[_Rows, _Rows]:
    left = dict(zip(old.columns, mine, strict=True))
    right = dict(zip(new.columns, theirs, strict=True))
    before: _Rows = {}
    after: _Rows = {}
    for name in {**left, **right}:
        if name in left and name in right:
            if not same_cell(left[name], right[name]):
                before[key(name)], after[key(name)] = left[name], right[name]
        elif name in left and not _is_default(old.table, name, left[name]):
            before[key(name)] = left[name]
        elif name in right and not _is_default(new.table, name, right[name]):
            after[key(name)] = right[name]
    return before, after


def _is_default(table: Table, name: str, cell: Cell) -> bool:
    """Whether a column that only this side has holds what the schema gave every row: no change but the schema's."""
    column = next((column for column in table.columns if column.name == name), None)
    default = () if column is None else literal_default(column)
    return len(default) == 1 and same_cell(default[0], cell)


def _by_content(old: Side, new: Side, trees: Trees) -> None:
    alike = old.columns == new.columns
    last: Row | None = None
    run = 0
    while old.row is not None or new.row is not None:
        if alike and old.row is not None and new.row is not None and same_row(old.row, new.row):
            passed = old.pass_equal(new) or (old.take(), new.take())[:1]
            equal = _trailing(passed)
            run = run + equal if equal == len(passed) and last is not None and same_row(last, passed[-1]) else equal
            last = passed[-1]
            continue
        left = old.rank() if old.row is not None else None
        right = new.rank() if new.row is not None else None
        first = min(side for side in (left, right) if side is not None)
        skipped = {_content(old, new, old, last): run} if last is not None else {}
        contents = partial(_content, old, new)
        before = _equals(old, first, contents) if left == first else {}
        after = _equals(new, first, contents) if right == first else {}
        for content in {**before, **after}:
            _surplus(trees, before.get(content, []), after.get(content, []), skipped.get(content, 0))


def _trailing(rows: Sequence[Row]) -> int:
    """How many rows at the end are the same as the last."""
    return next((n for n, row in enumerate(reversed(rows)) if not same_row(row, rows[-1])), len(rows))


def _equals(
    side: Side, first: tuple[Rank, ...], contents: Callable[[Side, Row], bytes]
) -> dict[bytes, list[Mapping[str, Value]]]:
    """All rows that sort alike, by exact content."""
    found: dict[bytes, list[Mapping[str, Value]]] = {}
    while side.row is not None and side.rank() == first:
        row = side.take()
        found.setdefault(contents(side, row), []).append(side.mapping(row))
    return found


def _content(old: Side, new: Side, side: Side, row: Row) -> bytes:
    """What makes two rows equal: the cells, less those of a column that only one side has and that hold its DEFAULT."""
    other = (new if side is old else old).table.names
    cells = dict(zip(side.columns, row, strict=True))
    return canonical_bytes(
        {name: cell for name, cell in cells.items() if name in other or not _is_default(side.table, name, cell)}
    )


def _surplus(trees: Trees, before: list[Mapping[str, Value]], after: list[Mapping[str, Value]], skipped: int) -> None:
    common = min(len(before), len(after))
    for is_old, rows in ((True, before), (False, after)):
        for number, cells in enumerate(rows[common:], start=skipped + common + 1):
            trees.content.append((is_old, content_hash(cells), number, cells))


def _number_among_all(sides: Sides, group: Group, trees: Trees, careful: bool) -> None:
    """Count on from the equal rows that both images have among those that were not looked at."""
    assert sides.only is not None
    found = {content: cells for _, content, _, cells in trees.content}
    if len(found) > _MOST_COUNTED:
        raise Unnamed
    if found:
        where, arguments = among(sides.old, sides.only, group.where, others=True)
        alike = [_may_be(sides.old, list(cells.values())) for cells in found.values()]
        where += f" AND ({' OR '.join(condition for condition, _ in alike)})"
        arguments = (*arguments, *(value for _, values in alike for value in values))
        names = sides.old.names
        rows = read(sides.old_image, sides.old, names, where=where, arguments=arguments, careful=careful)
        counts = Counter(content_hash(mapping(sides.old, names, row)) for row in rows)
        trees.content = [(is_old, it, number + counts[it], cells) for is_old, it, number, cells in trees.content]


def _may_be(table: Table, cells: Sequence[Value]) -> tuple[str, list[Cell]]:
    """SQL that is true of a row with these cells, and of few others."""
    pairs = [(name, cell) for name, cell in zip(table.names, cells, strict=True) if bindable(cell)][:_MOST_COMPARED]
    return " AND ".join(f"{quoted(name)} IS ?" for name, _ in pairs) or "1", [cast("Cell", cell) for _, cell in pairs]
