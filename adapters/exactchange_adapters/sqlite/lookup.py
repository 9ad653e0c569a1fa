"""Finding nodes of the whole state: by address pattern, by table and column, by path."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

from exactchange.address import (
    AddressPattern,
    format_path,
    key,
    nodes,
    overlap,
    parse_key_segment,
    parse_pattern,
    unkey,
)
from exactchange.errors import OverBudget
from exactchange.limits import Budget, CountedBudget
from exactchange.sources import Match
from exactchange.values import Path, Value
from exactchange_adapters.sqlite.cells import bindable, content_hash, parse_content_segment, parse_key
from exactchange_adapters.sqlite.engine import Cell, Unreadable, quoted
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.narrow import PRAGMA, SCHEMA, counted, schema_tree, whole
from exactchange_adapters.sqlite.params import SqliteSelector
from exactchange_adapters.sqlite.rows import ROWID, forgiving, identified
from exactchange_adapters.sqlite.schema import Table
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot

_ASKED: Final = 2
_INDEX_BYTES: Final = 32 * 1024 * 1024
_INDEX_NODES: Final = 1_000_000
_Found = tuple[Path, Mapping[str, Value]]


def find(snapshot: SqliteSnapshot, pattern: AddressPattern, budget: Budget) -> list[Match]:
    """Every node that the pattern stands for. Raises Unreadable when a table that it may mean cannot be read."""
    image = whole_image(snapshot)
    if image is None:
        return []
    if pattern.matches(()):
        tree, unread = whole(image, snapshot.keys, budget)
        if unread:
            raise Unreadable(f"{unread[0].address}: {unread[0].reason}")
        return _matches(tree, (), pattern)
    with image.lock:
        found = _of_schema(image, pattern)
        for name in sorted(image.schema.tables):
            if _may_mean(pattern, name):
                found += forgiving(partial(_in_table, snapshot, image, image.schema.tables[name], pattern, budget))
    return found


def select(snapshot: SqliteSnapshot, selector: SqliteSelector, budget: Budget) -> list[Match]:
    """The rows of a table as mappings, or its cells in one column. None when there is no such table or column.

    Raises Unreadable when the table cannot be read.
    """
    image = whole_image(snapshot)
    table = image.schema.tables.get(selector.table) if image is not None else None
    if image is None or table is None:
        return []
    if selector.column is not None and selector.column not in table.names:
        return []
    with image.lock:
        return forgiving(partial(_rows_or_cells, snapshot, image, table, selector.column, budget))


def row_at(snapshot: SqliteSnapshot, path: Path) -> Mapping[str, Value] | None:
    """The row at a path (or above it, when the path goes on to a column); None when there is none."""
    image = whole_image(snapshot)
    table = _table_of(image, path) if image is not None else None
    if image is None or table is None or len(path) < 2 or not isinstance(path[1], str):
        return None
    with image.lock:
        known = _indexed(snapshot, image, table)
        if known is not None and (path[1] in known or not path[1].startswith("#")):
            return known.get(path[1])  # by content a row may be named by more or fewer digits than here
        rows = forgiving(partial(_with_segment, snapshot, image, table, path[1], CountedBudget()))
    return rows[0][1] if rows else None


def _indexed(snapshot: SqliteSnapshot, image: Image, table: Table) -> Mapping[str, Mapping[str, Value]] | None:
    """All rows of a small table by segment, once somebody has asked for a few; None where it is better to look."""
    name = (table.name, snapshot.keys.of(table.name, table.names))
    if table.integer_key is not None and name[1] is None:
        return None  # SQLite finds such a row at once
    asked = image.asked.get(name, 0)
    image.asked[name] = asked + 1
    if asked == _ASKED:
        with suppress(OverBudget):
            budget = CountedBudget(max_bytes=_INDEX_BYTES, max_nodes=_INDEX_NODES)
            rows = forgiving(lambda careful: list(_all(snapshot, image, table, budget, careful)))
            image.indexed[name] = {str(path[1]): cells for path, cells in reversed(rows)}
    return image.indexed.get(name)


def table_of(snapshot: SqliteSnapshot, path: Path) -> Table | None:
    """The table that a path leads into."""
    image = whole_image(snapshot)
    return _table_of(image, path) if image is not None else None


def whole_image(snapshot: SqliteSnapshot) -> Image | None:
    """The image; None when the database is absent. Raises Unreadable when it could not be read."""
    if snapshot.image is None and snapshot.unread:
        raise Unreadable(snapshot.unread[0].reason)
    return snapshot.image


def _table_of(image: Image, path: Path) -> Table | None:
    name = unkey(path[0]) if path and isinstance(path[0], str) else None
    return image.schema.tables.get(name) if name is not None else None


def _of_schema(image: Image, pattern: AddressPattern) -> list[Match]:
    tree: dict[str, Value] = {SCHEMA: schema_tree(image.schema), PRAGMA: dict(image.schema.pragmas)}
    return [match for name in tree for match in _matches(tree[name], (name,), pattern)]


def _matches(value: Value, above: Path, pattern: AddressPattern) -> list[Match]:
    found = nodes(value, above)
    return [Match(path, format_path(path), node) for path, node in found if pattern.matches(path)]


def _may_mean(pattern: AddressPattern, table: str) -> bool:
    return overlap(pattern, parse_pattern(format_path((key(table),)) + ".**"))


def _in_table(
    snapshot: SqliteSnapshot, image: Image, table: Table, pattern: AddressPattern, budget: Budget, careful: bool
) -> list[Match]:  # fmt: skip
    place: Path = (key(table.name),)
    named = pattern.pairs_at(1)
    if pattern.matches(place):
        content = {str(path[1]): cells for path, cells in _all(snapshot, image, table, budget, careful)}
        return _matches(content, place, pattern)
    rows = _all(snapshot, image, table, budget, careful, pairs=named)
    return [match for path, cells in rows for match in _matches(cells, path, pattern)]


def _rows_or_cells(
    snapshot: SqliteSnapshot, image: Image, table: Table, column: str | None, budget: Budget, careful: bool
) -> list[Match]:
    found: list[Match] = []
    for path, cells in _all(snapshot, image, table, budget, careful):
        if column is None:
            found.append(Match(path, format_path(path), cells))
        else:
            place = (*path, key(column))
            found.append(Match(place, format_path(place), cells[key(column)]))
    return found


def _all(
    snapshot: SqliteSnapshot, image: Image, table: Table, budget: Budget, careful: bool,
    *, pairs: Mapping[str, str] | None = None,
) -> Iterator[_Found]:  # fmt: skip
    """Rows with their paths, counted; with `pairs` only those that may have them in their key."""
    if table.unread is not None:
        raise Unreadable(f"{format_path((key(table.name),))}: {table.unread}")
    override = snapshot.keys.of(table.name, table.names)
    where, arguments = _condition(table, pairs or {})
    rows = identified(image, table, override, extra=where, arguments=arguments, careful=careful)
    for path, cells in rows:
        yield path, counted(cells, budget)


def _condition(table: Table, pairs: Mapping[str, str]) -> tuple[str, tuple[Cell, ...]]:
    """SQL that leaves out rows whose key is another one; the caller still compares what is left exactly."""
    parts: list[str] = []
    arguments: list[Cell] = []
    for name, text in pairs.items():
        values = parse_key(f"k={text}") if "*" not in text and (name in table.names or name == ROWID) else None
        if values is None or not bindable(values["k"]):
            continue
        direct = name in (table.integer_key, ROWID)
        # "+" takes the column's affinity away, and keeps SQLite from asking an index, which may lie
        parts.append(f"{'' if direct else '+'}{quoted(name)} IS ?")
        arguments.append(values["k"])
    return " AND ".join(parts), tuple(arguments)


def _with_segment(
    snapshot: SqliteSnapshot, image: Image, table: Table, segment: str, budget: Budget, careful: bool
) -> list[_Found]:
    content = parse_content_segment(segment)
    if content is not None:
        return _with_content(_all(snapshot, image, table, budget, careful), *content)
    if parse_key(segment) is None:
        return []
    rows = _all(snapshot, image, table, budget, careful, pairs=dict(parse_key_segment(segment)))
    return [(path, cells) for path, cells in rows if path[1] == segment]


def _with_content(rows: Iterator[_Found], prefix: str, occurrence: int) -> list[_Found]:
    """The row whose content begins so. Raises Unreadable when that could be another one as well."""
    found: list[_Found] = []
    contents: set[str] = set()
    for path, cells in rows:
        if str(path[1]).startswith("#") and (content := content_hash(cells)).startswith(prefix):
            contents.add(content)
            found.append((path, cells))
    if len(contents) > 1:
        raise Unreadable(f"the contents of two rows begin with {prefix}")
    return found[occurrence - 1 : occurrence]
