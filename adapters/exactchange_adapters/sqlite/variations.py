"""What one may alter in a database: cells, only their type, rows, tables, indexes, triggers, columns, pragmas."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from exactchange.address import key, unkey
from exactchange.errors import OverBudget
from exactchange.sources.edits import Add, Put, Remove, Suggestion
from exactchange.sources.variations import in_turn, other, retyped
from exactchange.values import Path, Value, same
from exactchange_adapters.sqlite.cells import parse_key
from exactchange_adapters.sqlite.defaults import affinity
from exactchange_adapters.sqlite.engine import quoted
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.narrow import PRAGMA, SCHEMA
from exactchange_adapters.sqlite.rows import forgiving, identified
from exactchange_adapters.sqlite.schema import Table
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot

_NAME: Final = "audit"
_LOOKED: Final = 2000
Row = tuple[Path, Mapping[str, Value]]


def suggestions(snapshot: SqliteSnapshot, near: Sequence[Path], most: int) -> list[Suggestion]:
    """See `exactchange.sources.Editable`. None where the database is absent or unread."""
    image = snapshot.image
    if image is None:
        return []
    with image.lock:
        found = [_looked(snapshot, image, table, near) for _, table in sorted(image.schema.tables.items())]
        tables = sorted((rows for rows in found if rows is not None), key=lambda rows: not rows.named)
        return in_turn(
            [
                [item for rows in tables for row in rows.near for item in _cells(rows.table, row)],
                [item for rows in tables for row in rows.others for item in islice(_cells(rows.table, row), 1)],
                [item for rows in tables for row in rows.others for item in islice(_types(rows.table, row), 1)],
                [Suggestion("a row removed", (Remove(path),)) for rows in tables for path, _ in rows.others],
                [Suggestion("a row added", (Add((key(rows.table.name),), {}),)) for rows in tables],
                [item for rows in tables for row in rows.near for item in _types(rows.table, row)],
                [item for rows in tables for item in _twice(rows)],
                [item for rows in tables for item in _swapped(rows)],
                list(_objects(image, tables)),
            ],
            most,
        )


def rewritten(snapshot: SqliteSnapshot) -> list[Suggestion]:
    """The first and the last table with a row that was taken out and written once more: rows have no order."""
    image = snapshot.image
    if image is None:
        return []
    with image.lock:
        found = [_looked(snapshot, image, table, ()) for _, table in sorted(image.schema.tables.items())]
    told = [
        rows.others[0] for rows in found if rows is not None and rows.others and parse_key(str(rows.others[0][0][1]))
    ]
    chosen = [told[0], told[-1]] if len(told) > 1 else told
    return [Suggestion("the order of rows", (Remove(path), Put(path, cells))) for path, cells in chosen]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a table: those that are near, and the first and the last of the others. `named`: whether it is near."""

    table: Table
    named: bool
    near: Sequence[Row]
    others: Sequence[Row]


def _looked(snapshot: SqliteSnapshot, image: Image, table: Table, near: Sequence[Path]) -> _Rows | None:
    """None for a table that is not read, or that is more than a table."""
    if table.unread is not None or table.virtual:
        return None
    override = snapshot.keys.of(table.name, table.names)
    found: list[Row] = []
    with suppress(OverBudget):
        found = forgiving(lambda careful: list(islice(identified(image, table, override, careful=careful), _LOOKED)))
    wanted = {path[:2] for path in near}
    rest = [row for row in found if row[0] not in wanted]
    named = any(path and unkey(str(path[0])) == table.name for path in near)
    return _Rows(table, named, [row for row in found if row[0] in wanted], [*rest[:1], *rest[1:][-1:]])


def _cells(table: Table, row: Row) -> Iterator[Suggestion]:
    """Another value of the same type in each column that does not tell rows apart."""
    path, cells = row
    for column in table.columns:
        if not column.generated and column.name not in (parse_key(str(path[1])) or {}):
            value = cells[key(column.name)]
            number = value is None and affinity(column.declared) in ("INTEGER", "NUMERIC", "REAL")
            yield Suggestion("a value changed", (Put((*path, key(column.name)), 1 if number else other(value)),))


def _types(table: Table, row: Row) -> Iterator[Suggestion]:
    """The same value of another type: bytes, which all columns keep as they are, or what one without affinity keeps."""
    path, cells = row
    for column in table.columns:
        value = cells[key(column.name)]
        if column.generated or column.name in (parse_key(str(path[1])) or {}):
            continue
        told: list[Value] = list(retyped(value)) if affinity(column.declared) == "BLOB" else []
        if isinstance(value, int | float | str):
            told.append(str(value).encode("utf-8", "surrogateescape"))
        if told:
            yield Suggestion("only a type changed", (Put((*path, key(column.name)), told[0]),))


def _twice(rows: _Rows) -> Iterator[Suggestion]:
    """A row that stands there once more, under a key of its own where it has one."""
    for path, cells in (*rows.near, *rows.others)[:1]:
        telling = parse_key(str(path[1])) or {}
        unique = {name for columns in rows.table.keys for name in columns} | telling.keys()
        plain = {key(c.name) for c in rows.table.columns if c.name not in unique and not c.generated}
        rest = {name: value for name, value in cells.items() if name in plain}
        yield Suggestion("a row duplicated", (Add((key(rows.table.name),), rest),))


def _swapped(rows: _Rows) -> Iterator[Suggestion]:
    """The values of a column in two rows, which have changed places."""
    every = [*rows.near, *rows.others][:2]
    if len(every) < 2:
        return
    (one, first), (two, second) = every
    telling = {key(name) for columns in rows.table.keys for name in columns}
    named = [set(map(key, parse_key(str(path[1])) or {})) for path in (one, two)]
    telling |= named[0] | named[1]
    if not all(named) and sum(not same(first[name], second[name]) for name in first) < 2:
        return  # rows without a key would be each other, so that nothing changed
    for column in rows.table.columns:
        name = key(column.name)
        if not column.generated and name not in telling and not same(first[name], second[name]):
            yield Suggestion("two values swapped", (Put((*one, name), second[name]), Put((*two, name), first[name])))
            return


def _objects(image: Image, tables: Sequence[_Rows]) -> Iterator[Suggestion]:
    """Objects of the schema that came, went or are others, and a pragma."""
    yield Suggestion(
        "a table added", (Put((SCHEMA, "table", _NAME), f"CREATE TABLE {_NAME} (id INTEGER PRIMARY KEY)"),)
    )
    chosen = [tables[0], tables[-1]] if len(tables) > 1 else tables
    for rows in chosen:
        table = rows.table
        yield Suggestion("a column added", (Put((SCHEMA, "table", key(table.name), _NAME), "TEXT"),))
        if table.names:
            sql = f"CREATE INDEX {_NAME} ON {quoted(table.name)} ({quoted(table.names[-1])})"
            yield Suggestion("an index added", (Put((SCHEMA, "index", _NAME), sql),))
        trigger = f"CREATE TRIGGER {_NAME} AFTER DELETE ON {quoted(table.name)} BEGIN SELECT 1; END"
        yield Suggestion("a trigger added", (Put((SCHEMA, "trigger", _NAME), trigger),))
        yield Suggestion("a table dropped", (Remove((SCHEMA, "table", key(table.name))),))
    yield Suggestion("a view added", (Put((SCHEMA, "view", _NAME), f"CREATE VIEW {_NAME} AS SELECT 1"),))
    for kind in ("index", "trigger", "view"):
        for name in sorted(image.schema.objects[kind])[:1]:
            yield Suggestion(f"{'an' if kind == 'index' else 'a'} {kind} dropped", (Remove((SCHEMA, kind, key(name))),))
    version = image.schema.pragmas["user_version"]
    yield Suggestion("a pragma changed", (Put((PRAGMA, "user_version"), int(version) + 1),))
