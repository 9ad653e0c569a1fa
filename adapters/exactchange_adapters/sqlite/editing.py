"""Altered copies of an image, for an audit: rows, cells and schema objects, with constraints and triggers off."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from exactchange.address import key, unkey
from exactchange.sources.edits import Add, CannotEdit, Edit, Put, Remove
from exactchange.values import Value
from exactchange_adapters.sqlite.cells import parse_content_segment, parse_key
from exactchange_adapters.sqlite.defaults import affinity
from exactchange_adapters.sqlite.engine import Cell, Engine, Unreadable, quoted
from exactchange_adapters.sqlite.image import Image, judged, let_go_on_failure
from exactchange_adapters.sqlite.lookup import row_at
from exactchange_adapters.sqlite.narrow import PRAGMA, SCHEMA
from exactchange_adapters.sqlite.rows import ROWID
from exactchange_adapters.sqlite.schema import KINDS, Column, Table
from exactchange_adapters.sqlite.snapshot import Hold, SqliteSnapshot

_FRESH: Final[Mapping[str, Cell]] = {"TEXT": "audit", "BLOB": b"audit", "INTEGER": 1, "NUMERIC": 1, "REAL": 1.5}
_PRAGMAS: Final = ("user_version", "application_id")


def edited(snapshot: SqliteSnapshot, edits: Sequence[Edit]) -> SqliteSnapshot:
    """A snapshot of an image of its own in which the edits were made. Raises CannotEdit."""
    if snapshot.image is None:
        raise CannotEdit("there is no database")
    image = Image()
    with _altering(image):
        image.fill_from(snapshot.image)
        engine = Engine(image.main, size=image.size, writable=True)
        try:
            engine.tolerate_collations()
            for pragma in ("synchronous=OFF", "ignore_check_constraints=ON", "foreign_keys=OFF", "secure_delete=OFF"):
                _run(engine, f"PRAGMA {pragma}")
            _run(engine, "BEGIN")
            for edit in edits:
                _Writing(engine, snapshot, snapshot.image.schema.tables).make(edit)
            _run(engine, "COMMIT")
        finally:
            engine.close()
        unread, notes = judged(image)
    return SqliteSnapshot(Hold(image), snapshot.mark, unread, notes, snapshot.keys)


@contextmanager
def _altering(image: Image) -> Generator[None]:
    try:
        with let_go_on_failure(image):
            yield
    except (Unreadable, UnicodeDecodeError) as error:
        raise CannotEdit(f"a copy of the database cannot be altered so: {error}") from error


def _run(engine: Engine, sql: str, arguments: Sequence[Cell] = ()) -> list[tuple[Cell, ...]]:
    return list(engine.rows(sql, arguments))


class _Writing:
    """Makes edits through one connection. `tables`: as they were read before the first edit."""

    def __init__(self, engine: Engine, snapshot: SqliteSnapshot, tables: Mapping[str, Table]) -> None:
        self._engine = engine
        self._snapshot = snapshot
        self._tables = tables

    def make(self, edit: Edit) -> None:
        match edit.path:
            case (str(facet), str(kind), str(name), *rest) if facet == SCHEMA and kind in KINDS:
                self._schema(kind, unkey(name) or name, rest, edit)
            case (str(facet), str(name)) if facet == PRAGMA and name in _PRAGMAS and isinstance(edit, Put):
                if not isinstance(edit.value, int):
                    raise CannotEdit(f"{name} is a whole number")
                _run(self._engine, f"PRAGMA {name}={int(edit.value)}")
            case (str(table), *rest) if (unkey(table) or "") in self._tables:
                self._rows(self._tables[str(unkey(table))], rest, edit)
            case _:
                raise CannotEdit(f"no place of a database: {edit.path}")

    def _schema(self, kind: str, name: str, rest: Sequence[str | int], edit: Edit) -> None:
        if rest and isinstance(edit, Put) and kind == "table":
            _run(self._engine, f"ALTER TABLE {quoted(name)} ADD COLUMN {quoted(str(rest[0]))} {_text(edit.value)}")
            return
        if rest or isinstance(edit, Add) or (kind == "table" and isinstance(edit, Put) and name in self._tables):
            raise CannotEdit(f"this {kind} cannot be altered so")
        _run(self._engine, f"DROP {kind.upper()} IF EXISTS {quoted(name)}")
        if isinstance(edit, Put):
            _run(self._engine, _text(edit.value))

    def _rows(self, table: Table, rest: Sequence[str | int], edit: Edit) -> None:
        names = {key(name): name for name in table.names}
        match rest, edit:
            case [], Add(value=value):
                self._insert(table, self._filled(table, _cells(value, names)))
            case [], Remove():
                _run(self._engine, f"DELETE FROM {quoted(table.name)}")
            case [str(segment)], Remove():
                self._on_row(table, segment, "DELETE FROM {table} WHERE {rowid}", ())
            case [str(segment)], Put(value=value):
                with suppress(CannotEdit):
                    self._on_row(table, segment, "DELETE FROM {table} WHERE {rowid}", ())
                self._insert(table, _cells(value, names))
            case [str(segment), str(column)], Put(value=value) if column in names:
                cell = (_cell(value),)
                self._on_row(table, segment, f"UPDATE {{table}} SET {quoted(names[column])} = ? WHERE {{rowid}}", cell)
            case [str(segment), str(column)], Remove() if column in names:
                self._on_row(table, segment, f"UPDATE {{table}} SET {quoted(names[column])} = NULL WHERE {{rowid}}", ())
            case _:
                raise CannotEdit(f"no place of a database: {edit.path}")

    def _on_row(self, table: Table, segment: str, sql: str, arguments: Sequence[Cell]) -> None:
        where, named = self._condition(table, segment)
        statement = sql.replace("{table}", quoted(table.name)).replace("{rowid}", where)
        _run(self._engine, statement, (*arguments, *named))
        ((changed,),) = _run(self._engine, "SELECT changes()")
        if changed != 1:
            raise CannotEdit(f"{segment} is not one row of {table.name}")

    def _condition(self, table: Table, segment: str) -> tuple[str, tuple[Cell, ...]]:
        """SQL that is true of one row, the first of several equal ones."""
        pairs: Mapping[str, Cell] | None = parse_key(segment)
        if pairs is not None:
            return " AND ".join(f"{quoted(name)} COLLATE BINARY IS ?" for name in pairs), tuple(pairs.values())
        if parse_content_segment(segment) is None:
            raise CannotEdit(f"{segment} names no row")
        row = row_at(self._snapshot, (key(table.name), segment))
        if row is None:
            raise CannotEdit(f"{table.name} has no row {segment}")
        cells = [(name, _cell(row[key(name)])) for name in table.names]
        alike = " AND ".join(f"{quoted(name)} COLLATE BINARY IS ?" for name, _ in cells)
        first = f"{ROWID} = (SELECT {ROWID} FROM {quoted(table.name)} WHERE {alike} LIMIT 1)"
        return first, tuple(cell for _, cell in cells)

    def _insert(self, table: Table, cells: Mapping[str, Cell]) -> None:
        stored = {column.name for column in table.columns if not column.generated}
        names = [name for name in cells if name in stored]
        head = f"INSERT INTO {quoted(table.name)}"
        if not names:
            _run(self._engine, f"{head} DEFAULT VALUES")
            return
        columns, marks = ", ".join(map(quoted, names)), ", ".join("?" * len(names))
        _run(self._engine, f"{head} ({columns}) VALUES ({marks})", [cells[name] for name in names])

    def _filled(self, table: Table, given: Mapping[str, Cell]) -> dict[str, Cell]:
        """A row that holds what is given; else it is like the last row, but for what tells rows apart."""
        columns = [column for column in table.columns if not column.generated]
        names = ", ".join(quoted(column.name) for column in columns)
        newest = (
            _run(self._engine, f"SELECT {names} FROM {quoted(table.name)} ORDER BY 1 DESC LIMIT 1") if names else []
        )
        like = dict(zip((column.name for column in columns), newest[0], strict=True)) if newest else {}
        telling = {name for columns_of_key in table.keys for name in columns_of_key}
        out: dict[str, Cell] = {}
        for column in columns:
            if column.name in given:
                out[column.name] = given[column.name]
            elif column.name in telling and column.name != table.integer_key:
                out[column.name] = self._fresh(table, column)
            elif column.name != table.integer_key:
                out[column.name] = like.get(column.name) if newest else _FRESH[affinity(column.declared)]
        return out

    def _fresh(self, table: Table, column: Column) -> Cell:
        """A value that the column does not hold yet."""
        sample: Cell = _FRESH[affinity(column.declared)]
        if isinstance(sample, int | float):
            sql = f"SELECT coalesce(max({quoted(column.name)}), 0) + 1 FROM {quoted(table.name)}"
            ((found,),) = _run(self._engine, f"{sql} WHERE typeof({quoted(column.name)}) IN ('integer', 'real')")
            return found
        word = sample if isinstance(sample, str) else "audit"
        held = {row[0] for row in _run(self._engine, f"SELECT {quoted(column.name)} FROM {quoted(table.name)}")}
        chosen = next(name for number in range(len(held) + 1) if (name := f"{word}{number or ''}") not in held)
        return chosen if isinstance(sample, str) else chosen.encode()


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise CannotEdit("a statement is a text")
    return value


def _cells(value: Value, names: Mapping[str, str]) -> dict[str, Cell]:
    if not isinstance(value, Mapping):
        return {}
    unknown = [name for name in value if name not in names]
    if unknown:
        raise CannotEdit(f"there is no column {unknown[0]!r}")
    return {names[name]: _cell(item) for name, item in value.items()}


def _cell(value: Value) -> Cell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and any(0xD800 <= ord(letter) <= 0xDFFF for letter in value):
        raise CannotEdit("SQLite takes no text that is none")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise CannotEdit(f"{value} is too large for a database")
    if value is None or isinstance(value, int | float | str | bytes):
        return value
    raise CannotEdit("a cell holds no such value")
