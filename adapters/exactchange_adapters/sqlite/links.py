"""What a schema says of how rows hang together: foreign keys with their actions, unique keys, triggers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from exactchange.errors import OverBudget
from exactchange_adapters.sqlite.ddl import tokens, unquoted
from exactchange_adapters.sqlite.defaults import Affinity, affinity, literal_default
from exactchange_adapters.sqlite.engine import Cell, Row, quoted
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.schema import Column, Table
from exactchange_adapters.sqlite.sides import SMALL
from exactchange_adapters.sqlite.touched import Cells
from exactchange_adapters.sqlite.triggers import LONGEST, Trigger, folded, read_trigger

Key: TypeAlias = tuple[Cell, ...]
Form: TypeAlias = tuple[tuple[Affinity, str], ...]
"""Affinity and collation of each column of a key: how its values are compared."""
MOST_TRIGGERS: Final = 1000
MOST_KEYS: Final = 32
"""Foreign keys, and unique keys, of a table that are looked at."""
_MOST_TEXT: Final = 1_000_000
_ACTIONS: Final = frozenset({"CASCADE", "SET NULL", "SET DEFAULT"})
_MOST_REPLACING: Final = 100
_REPLACES: Final = ["ON", "CONFLICT", "REPLACE"]
_COLLATIONS: Final = frozenset({"BINARY", "NOCASE", "RTRIM"})
_INTEGER: Final = re.compile(r"\s*[+-]?\d{1,18}\s*\Z", re.ASCII)
_REAL: Final = re.compile(r"\s*[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][+-]?\d{1,3})?\s*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key that does something. Tables and columns are folded; `says` is how people know it: `orders.user`.

    `form`: of the parent's key, by which values of both tables are compared. `defaults`: of the child's columns, None
    where one is an expression.
    """

    child: str
    columns: tuple[str, ...]
    parent: str
    keys: tuple[str, ...]
    on_update: str
    on_delete: str
    says: str
    form: Form
    defaults: Key | None


@dataclass(frozen=True, slots=True)
class Unique:
    """A key that the database enforces. `replaces`: a row that breaks it takes the place of the other.

    `columns` are folded; `says` is how people know them.
    """

    columns: tuple[str, ...]
    form: Form
    says: str
    replaces: bool = False


def is_small(image: Image) -> bool:
    """Whether reading a whole table of it for a mere hint is no great matter; the same for the same pages."""
    ((pages,),) = image.engine.rows("PRAGMA page_count")
    ((page,),) = image.engine.rows("PRAGMA page_size")
    return isinstance(pages, int) and isinstance(page, int) and pages * page <= SMALL


def compared(cells: Cells, columns: Sequence[str], form: Form) -> Key | None:
    """The values of a key as SQLite compares them; None where one is NULL or not known."""
    found: list[Cell] = []
    for column, (kind, collation) in zip(columns, form, strict=True):
        cell = cells.get(column)
        if cell is None:
            return None
        found.append(_collated(_applied(cell, kind), collation))
    return tuple(found)


class Links:
    """What one image's schema says, read for the tables that are asked for. Names are folded."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._tables = {folded(name): table for name, table in image.schema.tables.items()}
        self._unique: dict[str, tuple[Unique, ...]] = {}

    def table(self, name: str) -> Table | None:
        return self._tables.get(name)

    def foreign_keys(self, name: str) -> list[ForeignKey]:
        """Those of a table that do something. None where they cannot be read."""
        table = self._tables.get(name)
        if table is None or table.virtual:
            return []
        parts: dict[int, list[Row]] = {}
        for row in self._rows(f"PRAGMA foreign_key_list({quoted(table.name)})"):
            if isinstance(row[0], int) and (row[5] in _ACTIONS or row[6] in _ACTIONS):
                parts.setdefault(row[0], []).append(row)
        found = (self._foreign_key(table, rows) for rows in islice(parts.values(), MOST_KEYS))
        return [item for item in found if item is not None]

    def unique(self, name: str) -> tuple[Unique, ...]:
        """The keys of a table, in the order of SQLite's list, the INTEGER PRIMARY KEY first."""
        if name not in self._unique:
            table = self._tables.get(name)
            self._unique[name] = (
                () if table is None or table.virtual else tuple(islice(self._uniques(table), MOST_KEYS))
            )
        return self._unique[name]

    def triggers(self, tables: Sequence[str]) -> list[Trigger]:
        """The triggers on these tables that are understood, as many as are read."""
        statements = self._image.schema.objects["trigger"]
        wanted, left = set(tables), _MOST_TEXT
        found: list[Trigger] = []
        for name, table in self._rows("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'"):
            sql = statements.get(str(name))
            if sql is None or folded(str(table)) not in wanted:
                continue
            left -= len(sql)
            if left < 0 or len(found) == MOST_TRIGGERS:
                break
            trigger = read_trigger(sql)
            if trigger is not None and trigger.event.table in wanted:
                found.append(trigger)
        return found

    def _foreign_key(self, table: Table, rows: Sequence[Row]) -> ForeignKey | None:
        parent = folded(str(rows[0][2]))
        named = [None if row[4] is None else folded(str(row[4])) for row in rows]
        own = self._tables.get(parent)
        keys = tuple(name for name in named if name is not None)
        if own is not None and not keys and own.keys:
            keys = tuple(map(folded, own.keys[0]))  # REFERENCES without columns means the primary key
        form = next((form for item in self.unique(parent) if (form := _form(item, keys)) is not None), None)
        columns = {folded(column.name): column for column in table.columns}
        mine = [columns.get(folded(str(row[3]))) for row in rows]
        children = [column for column in mine if column is not None]
        if form is None or len(children) != len(rows) or len(keys) != len(rows):
            return None
        says = f"{table.name}.{', '.join(column.name for column in children)}"
        names = tuple(folded(column.name) for column in children)
        update, delete = str(rows[0][5]), str(rows[0][6])
        return ForeignKey(folded(table.name), names, parent, keys, update, delete, says, form, _defaults(children))

    def _uniques(self, table: Table) -> Iterator[Unique]:
        columns = {folded(column.name): column for column in table.columns}
        replacing = _replacing(self._image.schema.objects["table"].get(table.name, ""))
        if table.integer_key is not None:
            name = folded(table.integer_key)
            yield Unique((name,), (("INTEGER", "BINARY"),), table.integer_key, (name,) in replacing)
        for _, index, unique, origin, partial in self._rows(f"PRAGMA index_list({quoted(table.name)})"):
            if not unique or partial:
                continue
            parts = [row for row in self._rows(f"PRAGMA index_xinfo({quoted(str(index))})") if row[5]]
            own = [columns.get(folded(str(row[2]))) if row[2] is not None else None for row in parts]
            known = [column for column in own if column is not None]
            if not parts or len(known) != len(parts) or not all(str(row[4]).upper() in _COLLATIONS for row in parts):
                continue  # a part that is an expression, or compared as only the application knows
            names = tuple(folded(column.name) for column in known)
            collations = (str(row[4]).upper() for row in parts)
            form: Form = tuple((affinity(column.declared), how) for column, how in zip(known, collations, strict=True))
            says = ", ".join(column.name for column in known)
            yield Unique(names, form, says, origin != "c" and names in replacing)

    def _rows(self, sql: str) -> list[Row]:
        try:
            return list(self._image.engine.rows(sql))
        except (OverBudget, UnicodeDecodeError):
            return []


def _form(unique: Unique, columns: Sequence[str]) -> Form | None:
    """How a key is compared, with its columns in this order; None where it has others."""
    if sorted(unique.columns) != sorted(columns):
        return None
    form = dict(zip(unique.columns, unique.form, strict=True))
    return tuple(form[name] for name in columns)


def _defaults(columns: Sequence[Column]) -> Key | None:
    found = [literal_default(column) for column in columns]
    return None if not all(found) else tuple(value[0] for value in found if value)


def _replacing(sql: str) -> frozenset[tuple[str, ...]]:
    """The keys of a table that are ON CONFLICT REPLACE: folded columns, as its normalised statement writes them."""
    if " ".join(_REPLACES) not in sql or len(sql) > LONGEST:
        return frozenset()
    words = tokens(sql)
    places = (at for at in range(len(words)) if words[at : at + 3] == _REPLACES)
    return frozenset(key for at in islice(places, _MOST_REPLACING) if (key := _key_before(words, at)))


def _key_before(words: Sequence[str], at: int) -> tuple[str, ...]:
    """The columns of the UNIQUE or PRIMARY KEY whose conflict clause begins here; () where it is of something else."""
    while words[at - 1] in ("ASC", "DESC"):
        at -= 1
    if words[at - 1] == ")":
        begin = max(n for n in range(at) if words[n] == "(" and (n == 0 or words[n - 1] in ("UNIQUE", "KEY", "CHECK")))
        if words[begin - 1] not in ("UNIQUE", "KEY"):
            return ()
        listed = words[begin + 1 : at - 1]
        return tuple(folded(unquoted(w)) for n, w in enumerate(listed) if n == 0 or listed[n - 1] == ",")
    return (_column_around(words, at),) if words[at - 1] in ("UNIQUE", "KEY") else ()


def _column_around(words: Sequence[str], at: int) -> str:
    """The column in whose definition this is: what follows the last comma or bracket that is in no brackets itself."""
    depth = 0
    while at > 0 and (depth or words[at - 1] not in (",", "(")):
        depth += {")": 1, "(": -1}.get(words[at - 1], 0)
        at -= 1
    return folded(unquoted(words[at]))


def _applied(cell: Cell, kind: Affinity) -> Cell:
    """A value as a column of this affinity takes it, as far as that is plain."""
    if isinstance(cell, str) and kind in ("INTEGER", "REAL", "NUMERIC"):
        if _INTEGER.match(cell):
            return int(cell)
        return float(cell) if _REAL.match(cell) else cell
    return str(cell) if kind == "TEXT" and isinstance(cell, int) else cell


def _collated(cell: Cell, collation: str) -> Cell:
    if not isinstance(cell, str) or collation == "BINARY":
        return cell
    return folded(cell) if collation == "NOCASE" else cell.rstrip(" ")
