"""The source kind of SQLite databases; what needs the library is imported when it is used."""

import pathlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from pydantic import BaseModel

from exactchange.address import AddressPattern, Style, format_path, key, unkey
from exactchange.diff import Change
from exactchange.limits import Budget
from exactchange.sources import BlobStore, Edit, Match, Narrowed, RowShape, Standing, Suggestion, World
from exactchange.values import Path, Value
from exactchange_adapters.sqlite.cells import parse_key
from exactchange_adapters.sqlite.defaults import Affinity, affinity, literal_default
from exactchange_adapters.sqlite.files import side_files
from exactchange_adapters.sqlite.params import SqliteParams, SqliteSelector
from exactchange_adapters.sqlite.snapshot import NAME, SqliteSnapshot
from exactchange_adapters.sqlite.standings import STANDINGS

if TYPE_CHECKING:
    from exactchange_adapters.sqlite.reader import SqliteReader


class SqliteKind:
    """A database file: rows by key with exact types, schema objects, persistent pragmas.

    Trees: `{table: {"id=7": {column: value}}, "@schema": {kind: {name: statement}}, "@pragma": {name: value}}`. NULL is
    null, BLOB bytes; TEXT that is no text keeps each broken byte as a lone surrogate.
    """

    name = NAME
    style = Style.DOTTED
    needs_browser = False
    params: type[BaseModel] = SqliteParams
    selector: type[BaseModel] = SqliteSelector

    def open(self, params: SqliteParams, *, world: World) -> "AbstractAsyncContextManager[SqliteReader]":
        """A reader of the live file: no lock, no connection; the file stays open (only) until it is closed."""
        return _opened(world.workdir / params.path, params)

    def from_path(
        self, path: pathlib.Path | None, params: SqliteParams, *, world: World, budget: Budget
    ) -> SqliteSnapshot:
        from exactchange_adapters.sqlite.reader import read_path

        return read_path(world.workdir / params.path if path is None else path, params)

    def claims(self, params: SqliteParams) -> tuple[pathlib.Path, ...]:
        return side_files(pathlib.Path(params.path))

    def narrow(
        self, before: SqliteSnapshot, after: SqliteSnapshot, *, params: SqliteParams, budget: Budget
    ) -> Narrowed:
        """See `exactchange_adapters.sqlite.narrow.narrowed`."""
        from exactchange_adapters.sqlite.narrow import narrowed

        return narrowed(before, after, params.named_keys(), budget)

    def describe(self, path: Path, *, before: SqliteSnapshot, after: SqliteSnapshot) -> tuple[str, Mapping[str, Value]]:
        return format_path(path), _place(path)

    def find(self, snapshot: SqliteSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        """As for every kind. Raises OverBudget when a table that the pattern may mean cannot be read."""
        from exactchange_adapters.sqlite.lookup import find

        return find(snapshot, pattern, budget)

    def select(self, snapshot: SqliteSnapshot, selector: SqliteSelector, *, budget: Budget) -> Sequence[Match]:
        """A table's rows or cells; none where there is no such table or column. Raises OverBudget as `find` does."""
        from exactchange_adapters.sqlite.lookup import select

        return select(snapshot, selector, budget)

    def rows(
        self, snapshot: SqliteSnapshot, sql: str, arguments: Mapping[str, Value], *, budget: Budget
    ) -> Sequence[Value]:
        """The rows of one SELECT, columns by name; `:name` stands for an argument.

        Raises UsageError when the query is not one that only reads, and OverBudget when the database cannot answer it.
        """
        from exactchange_adapters.sqlite.lookup import whole_image
        from exactchange_adapters.sqlite.query import query

        image = whole_image(snapshot)
        return [] if image is None else query(image, sql, arguments, budget)

    def check_query(self, sql: str) -> None:
        """Raises UsageError when it is no SELECT, calls something impure or asks for the time."""
        from exactchange_adapters.sqlite.statement import read_statement

        read_statement(sql)

    def row_at(self, snapshot: SqliteSnapshot, path: Path) -> Mapping[str, Value] | None:
        from exactchange_adapters.sqlite.lookup import row_at

        return row_at(snapshot, path)

    def row_shape(self, snapshot: SqliteSnapshot, path: Path) -> RowShape | None:
        """Columns by their keys in the tree. A DEFAULT that is an expression is not known, and left out."""
        from exactchange_adapters.sqlite.lookup import table_of

        table = table_of(snapshot, path)
        if table is None or len(path) != 2 or not isinstance(path[1], str):
            return None
        defaults = {
            key(column.name): value[0]
            for column in table.columns
            if column.default is not None and (value := literal_default(column))
        }
        computed = frozenset(key(column.name) for column in table.columns if column.generated)
        return RowShape(frozenset(map(key, parse_key(path[1]) or ())), defaults, computed)

    def affinity(self, snapshot: SqliteSnapshot, path: Path) -> Affinity | None:
        """What SQLite makes of a value that is put into the column at this path; None when there is no such column."""
        from exactchange_adapters.sqlite.lookup import table_of

        table = table_of(snapshot, path)
        name = unkey(str(path[-1])) if path else None
        found = [column for column in table.columns if column.name == name] if table is not None else []
        return affinity(found[0].declared) if found else None

    def never_holds(self, snapshot: SqliteSnapshot, path: Path, value: Value) -> str | None:
        """See `exactchange.sources.Holding`."""
        from exactchange_adapters.sqlite.holding import never_holds

        return never_holds(snapshot, path, value)

    def keyless(self, snapshot: SqliteSnapshot, table: str) -> bool:
        """See `exactchange.sources.Identifying`."""
        from exactchange_adapters.sqlite.lookup import table_of
        from exactchange_adapters.sqlite.rows import own_keys

        found = table_of(snapshot, (table,))
        return found is not None and own_keys(found, snapshot.keys.of(found.name, found.names))[0] == ()

    def tables(self, snapshot: SqliteSnapshot) -> Mapping[str, frozenset[str]]:
        """See `exactchange.sources.Naming`."""
        from exactchange_adapters.sqlite.lookup import whole_image

        image = whole_image(snapshot)
        if image is None:
            return {}
        return {key(name): frozenset(map(key, table.names)) for name, table in image.schema.tables.items()}

    def standings(self, params: SqliteParams) -> Mapping[str, Standing]:
        """See `exactchange.sources.Placing`."""
        return STANDINGS

    def likely_causes(
        self, changes: Sequence[Change], *, before: SqliteSnapshot, after: SqliteSnapshot
    ) -> Mapping[Path, str]:
        """See `exactchange.sources.Causing`."""
        from exactchange_adapters.sqlite.consequences import likely_causes

        return likely_causes(changes, before, after)

    def in_scope(self, path: Path, params: SqliteParams) -> bool:
        return True

    def scope(self, params: SqliteParams) -> str:
        return ""

    def value_types(self, params: SqliteParams) -> frozenset[str] | None:
        """The storage classes: true and false are 1 and 0 to SQLite, and it has no times of its own."""
        return frozenset({"null", "int", "float", "str", "bytes"})

    def edited(self, snapshot: SqliteSnapshot, edits: Sequence[Edit]) -> SqliteSnapshot:
        """On a private copy of the image, with constraints and triggers off. See `exactchange.sources.Editable`."""
        from exactchange_adapters.sqlite.editing import edited

        return edited(snapshot, edits)

    def suggestions(self, snapshot: SqliteSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        from exactchange_adapters.sqlite.variations import suggestions

        return suggestions(snapshot, near, most)

    def rewritten(self, snapshot: SqliteSnapshot) -> Sequence[Suggestion]:
        from exactchange_adapters.sqlite.variations import rewritten

        return rewritten(snapshot)

    def save(self, snapshot: SqliteSnapshot, *, base: SqliteSnapshot | None, store: BlobStore) -> Mapping[str, Value]:
        """The image's files in compressed pieces, or the pages that differ from the base's."""
        from exactchange_adapters.sqlite.store import save

        return save(snapshot, base, store)

    def load(
        self, record: Mapping[str, Value], *, base: SqliteSnapshot | None, store: BlobStore, budget: Budget
    ) -> SqliteSnapshot:
        from exactchange_adapters.sqlite.store import load

        return load(record, base, store, budget)


@asynccontextmanager
async def _opened(path: pathlib.Path, params: SqliteParams) -> "AsyncGenerator[SqliteReader]":
    from exactchange_adapters.sqlite.reader import SqliteReader

    reader = SqliteReader(path, params)
    try:
        yield reader
    finally:
        await reader.aclose()


def _place(path: Path) -> dict[str, Value]:
    """The place in SQLite's language: a table's row or column, a schema object, a pragma."""
    texts = [str(part) for part in path]
    if not texts:
        return {}
    if texts[0] in ("@schema", "@pragma"):
        names: dict[str, Value] = {texts[0][1:]: texts[1] if len(texts) > 1 else None}
        return names | ({"name": unkey(texts[2]) or texts[2]} if len(texts) > 2 else {})
    place: dict[str, Value] = {"table": unkey(texts[0])}
    if len(texts) > 1:
        values = parse_key(texts[1])
        place |= {"key": dict(values)} if values is not None else {"content": texts[1]}
    return place | ({"column": unkey(texts[2])} if len(texts) > 2 else {})


KIND = SqliteKind()
