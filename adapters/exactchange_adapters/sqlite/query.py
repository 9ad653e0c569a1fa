"""A task's query on an image: one SELECT over tables, pure functions only, nothing that the database defines is run."""

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from exactchange.address import key
from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.values import Value, canonical_bytes
from exactchange_adapters.sqlite.engine import Cell, Engine, Row, Unreadable, quoted
from exactchange_adapters.sqlite.functions import tamed
from exactchange_adapters.sqlite.narrow import counted
from exactchange_adapters.sqlite.statement import PURE, Statement, read_statement
from exactchange_adapters.sqlite.ties import tie_breakers

if TYPE_CHECKING:
    from exactchange_adapters.sqlite.image import Image

_MOST_ROWS: Final = 100_000
_MORE: Final = frozenset({"sqlite_schema", "sqlite_master", "json_each", "json_tree"})
"""What may be read besides the tables: what there is, and JSON as rows."""
_CLOSE: Final = 1e-9
"""How far two sums of the same numbers may be apart, since adding in another order rounds otherwise."""


def query(image: "Image", sql: str, arguments: Mapping[str, Value], budget: Budget) -> list[Value]:
    """Rows as mappings from column to value; in the query's order, or where it has none in the order of their content.

    Raises UsageError when it is more than one SELECT, calls something impure, asks for the time or gives two columns
    one name; Unreadable when the database cannot answer it (a table that is gone, too many rows, steps or letters), and
    when the answer depends on the order in which the rows happen to be stored.
    """
    statement = read_statement(sql)
    bound = {name: _cell(name, value) for name, value in arguments.items() if _is_scalar(value)}
    with image.lock:
        image.trust_indexes()
        found = list(_asked(image, statement, bound, budget))
        again = [canonical_bytes(row) for row in _asked(image, statement, bound, None, backwards=True)]
        cut = _cuts_equals(image, statement, bound)
    by_content = sorted(found, key=canonical_bytes)
    if sorted(again) != [canonical_bytes(row) for row in by_content] and not _close(
        image, statement, bound, by_content
    ):
        raise Unreadable("the answer depends on the order in which rows happen to be stored; say ORDER BY")
    if cut:
        raise Unreadable("LIMIT cuts through rows that ORDER BY puts in one place; order them by one more column")
    return list(found if statement.ordered else by_content)


def _cuts_equals(image: "Image", statement: Statement, bound: Mapping[str, Cell]) -> bool:
    """Whether a LIMIT takes some of several rows that are equal by their order, and not otherwise."""

    def width(sql: str) -> int:
        try:
            return len(_columns(image, replace(statement, sql=sql), bound))
        except (Unreadable, UsageError) as error:
            raise Unreadable(f"which rows the LIMIT in {sql.strip()!r} takes cannot be told: {error}") from error

    for upwards, downwards in tie_breakers(statement.sql, width):
        one, other = (_sorted(image, replace(statement, sql=sql), bound) for sql in (upwards, downwards))
        if not _alike_all(one, other):
            return True
    return False


def _sorted(image: "Image", statement: Statement, bound: Mapping[str, Cell]) -> list[Mapping[str, Value]]:
    return sorted(_asked(image, statement, bound, None), key=canonical_bytes)


def _asked(
    image: "Image", statement: Statement, bound: Mapping[str, Cell], budget: Budget | None, *, backwards: bool = False
) -> Iterator[Mapping[str, Value]]:
    """The rows of a query. `backwards`: unordered rows from the last on."""
    with _connected(image, backwards=backwards) as engine:
        yield from _rows(engine, statement, bound, _Access(image, statement), budget)


def _columns(image: "Image", statement: Statement, bound: Mapping[str, Cell]) -> tuple[str, ...]:
    """The names of its columns, the same one perhaps twice."""
    with _connected(image) as engine:
        whole = f"SELECT * FROM ({statement.sql}\n) LIMIT 0"
        return engine.query(whole, bound, allowed=_Access(image, statement).allowed)[0]


@contextmanager
def _connected(image: "Image", *, backwards: bool = False) -> Generator[Engine]:
    """A connection that serves one query alone."""
    engine = image.connect()
    try:
        engine.define(tamed())
        if backwards:
            list(engine.rows("PRAGMA reverse_unordered_selects=1"))
        for table in image.schema.tables.values():
            if table.virtual and table.unread is None:  # connected by us: a query may not prepare what that takes
                list(engine.rows(f"SELECT 1 FROM {quoted(table.name)} LIMIT 0"))
        yield engine
    finally:
        engine.close()


def _rows(
    engine: Engine, statement: Statement, bound: Mapping[str, Cell], access: "_Access", budget: Budget | None
) -> Iterator[Mapping[str, Value]]:
    with _text_is_text():
        try:
            names, rows = engine.query(statement.sql, bound, allowed=access.allowed)
        except KeyError as error:
            raise UsageError(
                f"the query speaks of :{error.args[0]}, and nothing that can be bound has that name"
            ) from error
        except Unreadable as error:
            if access.refused:
                raise UsageError(f"a query may not use {', '.join(access.refused)}") from error
            raise
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UsageError(f"the query gives two columns the name {twice[0]!r}; name them apart with AS")
        for number, row in enumerate(rows):
            if number >= _MOST_ROWS:
                raise Unreadable(f"the query gives more than {_MOST_ROWS:,} rows")
            yield _mapping(names, row, budget)


def _mapping(names: tuple[str, ...], row: Row, budget: Budget | None) -> Mapping[str, Value]:
    cells: dict[str, Value] = {key(name): cell for name, cell in zip(names, row, strict=True)}
    return cells if budget is None else counted(cells, budget)


@contextmanager
def _text_is_text() -> Generator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise Unreadable("the query gives text that is no text; CAST it AS BLOB") from error


def _close(
    image: "Image", statement: Statement, bound: Mapping[str, Cell], found: Sequence[Mapping[str, Value]]
) -> bool:
    """Whether the rows are the same backwards but for what rounds otherwise when it is added up backwards."""
    again = sorted(_asked(image, statement, bound, None, backwards=True), key=canonical_bytes)
    return _alike_all(found, again)


def _alike_all(rows: Sequence[Mapping[str, Value]], others: Sequence[Mapping[str, Value]]) -> bool:
    return len(others) == len(rows) and all(
        row.keys() == other.keys() and all(_alike(row[name], other[name]) for name in row)
        for row, other in zip(rows, others, strict=True)
    )


def _alike(left: Value, right: Value) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=_CLOSE)
    return canonical_bytes(left) == canonical_bytes(right)


def _cell(name: str, value: Value) -> Cell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"the query's :{name} is text with a lone surrogate") from error
    assert value is None or isinstance(value, int | float | str | bytes)
    return value


def _is_scalar(value: Value) -> bool:
    """Whether SQLite can be given it. Params of other types may stand in the same task."""
    return value is None or isinstance(value, int | float | str | bytes)


class _Access:
    """What a query reads and calls, asked by SQLite while it prepares the query; remembers what was refused."""

    def __init__(self, image: "Image", statement: Statement) -> None:
        self.refused: list[str] = []
        self._parts = statement.parts | {""}
        self._tables = _MORE | {name.lower() for name in image.schema.tables}

    def allowed(self, op: int, first: str | None, second: str | None, schema: str | None, within: str | None) -> bool:
        import apsw

        if op in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE):
            return True  # endless recursion ends at the limit of steps
        if op == apsw.SQLITE_READ:
            name = (first or "").lower()
            # That something is looked at, but no column of it, is asked of the parts of the query, too.
            if name in self._tables or (not second and name in self._parts):
                return True
            self.refused.append(f"{first}, which holds no state")
            return False
        if op == apsw.SQLITE_FUNCTION and second is not None and second.lower() in PURE:
            return True
        self.refused.append(f"{second}()" if op == apsw.SQLITE_FUNCTION else "anything but SELECT")
        return False
