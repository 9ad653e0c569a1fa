"""A task's query on an image: one SELECT over tables, pure functions only, nothing that the database defines is run."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from exactchange.address import key
from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.values import Value
from exactchange_adapters.sqlite.engine import Cell, Row, Unreadable, quoted
from exactchange_adapters.sqlite.narrow import counted

if TYPE_CHECKING:
    from exactchange_adapters.sqlite.image import Image

_PURE: Final = frozenset(
    """abs avg cast ceil ceiling coalesce concat concat_ws count date datetime exp floor glob group_concat hex ifnull
    iif instr json json_array json_array_length json_extract json_group_array json_group_object json_object json_quote
    json_type json_valid julianday length like ln log log10 log2 lower ltrim max min mod nullif octet_length pow power
    quote replace round rtrim sign sqrt string_agg strftime substr substring sum time timediff total trim trunc typeof
    unicode unixepoch upper row_number rank dense_rank lag lead first_value last_value nth_value ntile percent_rank
    cume_dist match bm25 -> ->>""".split()
)
_NOW: Final = frozenset({"now", "localtime", "utc"})


def query(image: "Image", sql: str, arguments: Mapping[str, Value], budget: Budget) -> list[Value]:
    """Rows as mappings from column to value, in the query's order.

    Raises UsageError when it is more than one SELECT, calls something impure or gives two columns one name;
    Unreadable when the database cannot answer it: a table that is gone, a value that is too long.
    """
    _check(sql)
    bound = {name: _cell(name, value) for name, value in arguments.items()}
    access = _Access()
    with image.lock:
        image.trust_indexes()
        for table in image.schema.tables.values():
            if table.virtual and table.unread is None:  # connected by us: a query may not prepare what that takes
                list(image.engine.rows(f"SELECT 1 FROM {quoted(table.name)} LIMIT 0"))
        try:
            names, rows = image.engine.query(sql, bound, allowed=access.allowed)
        except KeyError as error:
            raise UsageError(f"the query speaks of :{error.args[0]}, and nothing of that name is given") from error
        except Unreadable as error:
            if access.refused:
                raise UsageError(f"a query may not use {', '.join(access.refused)}") from error
            raise
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UsageError(f"the query gives two columns the name {twice[0]!r}; name them apart with AS")
        return list(_mappings(names, rows, budget))


def _mappings(names: tuple[str, ...], rows: Iterator[Row], budget: Budget) -> Iterator[Value]:
    try:
        for row in rows:
            cells: dict[str, Value] = {key(name): cell for name, cell in zip(names, row, strict=True)}
            yield counted(cells, budget)
    except UnicodeDecodeError as error:
        raise Unreadable("the query gives text that is no text; CAST it AS BLOB") from error


def _cell(name: str, value: Value) -> Cell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"the query's :{name} is text with a lone surrogate") from error
    if value is None or isinstance(value, int | float | str | bytes):
        return value
    raise UsageError(f"the query's :{name} is no null, number, text or bytes")


def _check(sql: str) -> None:
    """Raises UsageError unless it is one SELECT that does not depend on when it is asked."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = [statement for statement in sqlglot.parse(sql, dialect="sqlite") if statement is not None]
    except SqlglotError as error:
        raise UsageError(f"the query is not understood: {str(error).splitlines()[0]}") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise UsageError("a query is one SELECT")
    writes = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Alter, exp.Command, exp.Into)
    for node in statements[0].walk():
        if isinstance(node, writes):
            raise UsageError("a query only reads")
        if isinstance(node, exp.CurrentTimestamp | exp.CurrentDate | exp.CurrentTime) or _asks_the_clock(node):
            raise UsageError("a query must not ask for the time: the same state would give another answer later")


def _asks_the_clock(node: object) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Literal) and node.is_string and str(node.this).strip().lower() in _NOW


class _Access:
    """What a query reads and calls, asked by SQLite while it prepares the query; remembers what was refused."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def allowed(self, op: int, first: str | None, second: str | None, schema: str | None, within: str | None) -> bool:
        import apsw

        if op in (apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_RECURSIVE):
            return True  # endless recursion ends at the limit of steps
        if op == apsw.SQLITE_FUNCTION and second is not None and second.lower() in _PURE:
            return True
        self.refused.append(f"{second}()" if op == apsw.SQLITE_FUNCTION else "anything but SELECT")
        return False
