"""What a database holds besides rows: its schema objects, its tables as they are read, and its persistent pragmas."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from exactchange.snapshot import Note
from exactchange_adapters.sqlite.ddl import called, normalised, tokens
from exactchange_adapters.sqlite.engine import Engine, Unreadable, quoted

ObjectKind: TypeAlias = Literal["table", "index", "view", "trigger"]
KINDS: Final[tuple[ObjectKind, ...]] = ("table", "index", "view", "trigger")
ENCODINGS: Final = {"UTF-8": "utf-8", "UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}
_STATISTICS: Final = re.compile(r"sqlite_stat[1-4]\Z")
_SWELLING: Final = frozenset({"zeroblob", "randomblob", "hex", "printf", "format", "char", "group_concat"})
"""Functions with which a generated column of a few bytes fills any memory, or takes any time."""
_SHADOWS: Final = {
    "fts3": ("content", "segments", "segdir", "docsize", "stat"),
    "fts4": ("content", "segments", "segdir", "docsize", "stat"),
    "fts5": ("content", "data", "idx", "docsize", "config"),
    "rtree": ("node", "parent", "rowid"),
    "rtree_i32": ("node", "parent", "rowid"),
    "geopoly": ("node", "parent", "rowid"),
}
_DERIVED: Final = frozenset({"fts4aux", "fts5vocab", "fts3tokenize"})
"""Virtual tables that only show what another one holds."""
_MOST_NOTED: Final = 100


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `generated`: it follows from others. `default`: the text of its DEFAULT, None without one."""

    name: str
    declared: str
    default: str | None
    generated: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is read by content. `unread` says why it cannot be; then nothing else is told of it."""

    name: str
    columns: tuple[Column, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    """Keys that the database itself enforces: the PRIMARY KEY, UNIQUE constraints, then unique indexes by name."""
    rowid_key: bool = False
    """Identified by rowid: full-text tables only, of which the rowid is the key that people join by."""
    integer_key: str | None = None
    """The column that is the rowid."""
    swells: bool = False
    """Reading a row may give far more bytes than the row has."""
    unread: str | None = None
    virtual: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Schema:
    """All of it. `objects`: normalised statement of every object by kind and name."""

    objects: Mapping[ObjectKind, Mapping[str, str]]
    tables: Mapping[str, Table]
    pragmas: Mapping[str, int | str]
    notes: tuple[Note, ...] = field(default=())

    @property
    def encoding(self) -> str:
        """Python's name of the encoding of the database's text."""
        return ENCODINGS[str(self.pragmas["encoding"])]


def read_schema(engine: Engine) -> Schema:
    """The schema of an image. Raises Unreadable."""
    objects: dict[ObjectKind, dict[str, str]] = {kind: {} for kind in KINDS}
    originals: dict[str, str] = {}
    for kind, name, sql in _entries(engine):
        if sql is not None and not _internal(name):
            objects[kind][name] = normalised(sql)
            if kind == "table":
                originals[name] = sql
    shadows = {shadow for name, sql in originals.items() for shadow in _shadows(name, sql)}
    for name in shadows & originals.keys():
        del objects["table"][name], originals[name]
    tables = {name: table for name, sql in originals.items() if (table := _table(engine, name, sql)) is not None}
    return Schema(objects, tables, _pragmas(engine), tuple(_notes(engine, originals)))


def _entries(engine: Engine) -> list[tuple[ObjectKind, str, str | None]]:
    found: list[tuple[ObjectKind, str, str | None]] = []
    try:
        for kind, name, sql in engine.rows("SELECT type, name, sql FROM sqlite_schema"):
            if kind not in KINDS or not isinstance(name, str) or not isinstance(sql, str | None):
                raise Unreadable(f"its schema holds something that is no table, index, view or trigger: {kind!r}")
            found.append((kind, name, sql))
    except UnicodeDecodeError as error:
        raise Unreadable("its schema is no text") from error
    return found


def _internal(name: str) -> bool:
    return name == "sqlite_sequence" or _STATISTICS.match(name) is not None


def _pragmas(engine: Engine) -> Mapping[str, int | str]:
    found: dict[str, int | str] = {}
    for pragma in ("user_version", "application_id", "encoding"):
        ((value,),) = engine.rows(f"PRAGMA {pragma}")
        assert isinstance(value, int | str)
        found[pragma] = value
    return found


def _module(sql: str) -> tuple[str, list[str]] | None:
    """Module and arguments' tokens of a virtual table's statement; None for an ordinary table."""
    words = tokens(sql)
    if words[1:3] != ["VIRTUAL", "TABLE"] or "USING" not in words:
        return None
    at = words.index("USING") + 1
    return words[at].strip('"').lower(), words[at + 1 :]


def _option(words: list[str], name: str) -> str | None:
    """Value of an option `name=value` among a virtual table's arguments."""
    for at in range(len(words) - 2):
        if words[at].lower() == name and words[at + 1] == "=":
            return words[at + 2].strip("'\"")
    return None


def _shadows(name: str, sql: str) -> set[str]:
    """Tables in which a virtual table keeps its index. A content table of the user's own is none, whatever its name."""
    module = _module(sql)
    if module is None:
        return set()
    external = _option(module[1], "content")
    return {f"{name}_{part}" for part in _SHADOWS.get(module[0], ())} - {external or ""}


def _table(engine: Engine, name: str, sql: str) -> Table | None:
    try:
        module = _module(sql)
        table = _ordinary(engine, name, sql) if module is None else _virtual(engine, name, *module)
        if table is not None and table.unread is None:
            columns = ", ".join(map(quoted, table.names)) or "1"
            list(engine.rows(f"SELECT {columns} FROM {quoted(name)} NOT INDEXED LIMIT 0"))  # can it be read at all?
        return table
    except Unreadable as error:
        return Table(name, unread=str(error))
    except UnicodeDecodeError:
        return Table(name, unread="its definition is no text")


def _ordinary(engine: Engine, name: str, sql: str) -> Table:
    columns: list[Column] = []
    primary: dict[int, str] = {}
    virtual = False
    for _, column, declared, _, default, pk, hidden in engine.rows(f"PRAGMA table_xinfo({quoted(name)})"):
        assert isinstance(column, str) and isinstance(declared, str) and isinstance(pk, int)
        columns.append(Column(column, declared, None if default is None else str(default), hidden in (2, 3)))
        virtual = virtual or hidden == 2
        if pk:
            primary[pk] = column
    swelling = called(sql) & _SWELLING if virtual else frozenset[str]()
    if swelling:
        return Table(name, unread=f"a generated column calls {', '.join(sorted(swelling))}, which can give any amount")
    key = tuple(primary[number] for number in sorted(primary))
    unique = _unique(engine, name)
    alias = _rowid_alias(engine, name, key, columns)
    keys = tuple(dict.fromkeys([key, *unique] if key else unique))
    long_default = any(len(column.default or "") > 1000 for column in columns)
    return Table(name, tuple(columns), keys, integer_key=alias, swells=virtual or long_default)


def _unique(engine: Engine, name: str) -> list[tuple[str, ...]]:
    """Columns of each UNIQUE constraint in the order written, then of each unique index by name; no partial ones."""
    found: list[tuple[tuple[bool, int, str], tuple[str, ...]]] = []
    for _, index, unique, origin, partial in engine.rows(f"PRAGMA index_list({quoted(name)})"):
        if not unique or partial or origin == "pk":
            continue
        parts = [row[2] for row in engine.rows(f"PRAGMA index_xinfo({quoted(str(index))})") if row[5]]
        columns = tuple(part for part in parts if isinstance(part, str))
        if len(columns) == len(parts):  # a part that is an expression has no name
            number = str(index).rpartition("_")[2]
            found.append(((origin == "c", int(number) if origin == "u" else 0, str(index)), columns))
    return [columns for _, columns in sorted(found)]


def _rowid_alias(engine: Engine, name: str, key: tuple[str, ...], columns: list[Column]) -> str | None:
    """The INTEGER PRIMARY KEY: the one key for which SQLite makes no index, in a table that has a rowid."""
    if len(key) != 1 or any(row[3] == "pk" for row in engine.rows(f"PRAGMA index_list({quoted(name)})")):
        return None
    return next((column.name for column in columns if column.name == key[0]), None)


def _virtual(engine: Engine, name: str, module: str, words: list[str]) -> Table | None:
    if module in _DERIVED:
        return None
    if module not in _SHADOWS:
        return Table(name, unread=f"a virtual table of module {module!r} is not read")
    if module.startswith("fts") and _option(words, "content") not in (None, ""):
        return None  # its content is another table's
    rows = engine.rows(f"PRAGMA table_xinfo({quoted(name)})")
    columns = tuple(Column(str(row[1]), str(row[2]), None, False) for row in rows if row[6] == 0)
    if module.startswith("fts"):
        return Table(name, columns, rowid_key=True, virtual=True)
    if module == "geopoly":
        return Table(name, columns, virtual=True)
    return Table(name, columns, keys=((columns[0].name,),), virtual=True)


def _notes(engine: Engine, originals: Mapping[str, str]) -> list[Note]:
    notes: list[Note] = []
    notes.append(Note("journal", f"the database's journal mode is {engine.journal_mode()}"))
    for name, sql in originals.items():
        module = _module(sql)
        if module is not None:
            notes.append(Note("virtual", f"{name} ({module[0]}) is judged by its content; its index is storage"))
    try:
        for table, number in list(engine.rows("SELECT name, seq FROM sqlite_sequence ORDER BY 1 LIMIT 100")):
            notes.append(Note("sequence", f"AUTOINCREMENT of {table!s} has reached {number!s}"))
    except (Unreadable, UnicodeDecodeError):
        pass  # there is none: no table counts on
    return notes[:_MOST_NOTED]
