"""Databases to measure on: one table of orders, with and without a key, with indexes, with long values."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TABLE: Final = "orders"
KEY: Final = "number"
"""Tells the rows apart in every shape, also where it is no key; and is the rowid."""
ROLLBACK, WAL = "rollback", "wal"
JOURNALS: Final = (ROLLBACK, WAL)
LONG: Final = 20_000
"""Bytes of a long value: it goes on in pages of its own."""
_KEYED: Final = f"{KEY} INTEGER PRIMARY KEY, name TEXT, mail TEXT, note, amount REAL"
_SENTENCE: Final = "printf('order %d of the week, to be handed over at the door before %d', i, i * 7919 % 1000000)"
_ROWS: Final = (
    f"INSERT INTO {TABLE} WITH RECURSIVE n(i) AS (VALUES(?) UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
    "SELECT i, printf('customer %d', i * 7919 % 1000003), printf('customer.%d@example.org', i), {note}, i / 7.0 FROM n"
)
_BUILT: Final = ("journal_mode = off", "synchronous = off", "cache_size = -400000")


@dataclass(frozen=True, slots=True)
class Shape:
    """How the table is made. `note`: SQL for the column that is changed later; `at_once`: rows inserted at a time."""

    name: str
    title: str
    schema: Sequence[str]
    note: str = _SENTENCE
    at_once: int = 500
    keyed: bool = True

    def value(self, text: str) -> str | bytes:
        """What a change makes of the column `note`."""
        return text if self.note == _SENTENCE else text.encode().ljust(LONG, b".")


SHAPES: Final[Mapping[str, Shape]] = {
    shape.name: shape
    for shape in (
        Shape("keyed", "with a key", [f"CREATE TABLE {TABLE}({_KEYED})"]),
        Shape("keyless", "without a key", [f"CREATE TABLE {TABLE}({_KEYED})".replace(" PRIMARY KEY", "")], keyed=False),
        Shape(
            "indexed", "with two indexes",
            [f"CREATE TABLE {TABLE}({_KEYED})", f"CREATE INDEX by_note ON {TABLE}(note)",
             f"CREATE INDEX by_name ON {TABLE}(name, amount)"],
        ),
        Shape("blobs", "of BLOBs", [f"CREATE TABLE {TABLE}({_KEYED})"], note=f"randomblob({LONG})", at_once=5),
    )
}  # fmt: skip


def build(path: Path, shape: Shape, *, size: int, journal: str) -> int:
    """Make a database of at least so many bytes; how many rows it has."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for pragma in _BUILT:
            connection.execute(f"PRAGMA {pragma}")
        for statement in shape.schema:
            connection.execute(statement)
        rows = 0
        connection.execute("BEGIN")
        while _pages_times_size(connection) < size:
            connection.execute(_ROWS.format(note=shape.note), (rows + 1, rows + shape.at_once))
            rows += shape.at_once
        connection.execute("COMMIT")
        connection.execute(f"PRAGMA journal_mode = {'delete' if journal == ROLLBACK else 'wal'}")
    finally:
        connection.close()
    return rows


def spread(count: int, total: int) -> frozenset[int]:
    """So many rows of a table, far from each other. Raises ValueError where it has fewer."""
    if not 0 < count <= total:
        raise ValueError(f"cannot change {count} of {total} rows; make the database larger, or change fewer")
    return frozenset((2 * place + 1) * total // (2 * count) + 1 for place in range(count))


def change(connection: sqlite3.Connection, shape: Shape, rows: frozenset[int], text: str) -> None:
    """One transaction that gives these rows another note."""
    with connection:
        marks = ", ".join("?" * len(rows))
        values = (shape.value(text), *sorted(rows))
        connection.execute(f"UPDATE {TABLE} SET note = ? WHERE rowid IN ({marks})", values)


def _pages_times_size(connection: sqlite3.Connection) -> int:
    ((pages,),) = connection.execute("PRAGMA page_count")
    ((size,),) = connection.execute("PRAGMA page_size")
    return int(pages) * int(size)
