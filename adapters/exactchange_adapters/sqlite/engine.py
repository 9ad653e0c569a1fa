"""A connection to a private image of a hostile database: it reads, and it runs nothing that the database holds.

Views and triggers are switched off, no extension can be loaded and no function is registered; every operation has a
limit on the steps of SQLite's virtual machine, on the length of a value and on memory. Sources of the settings:
https://www.sqlite.org/security.html and https://www.sqlite.org/limits.html.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from exactchange.errors import OverBudget
from exactchange_adapters.sqlite.layer import Layer, in_wal_mode
from exactchange_adapters.sqlite.patience import COUNTED, Patience

if TYPE_CHECKING:
    import apsw

Cell: TypeAlias = None | int | float | str | bytes
Row: TypeAlias = tuple[Cell, ...]
Authorizer: TypeAlias = Callable[[int, str | None, str | None, str | None, str | None], bool]

_STEP: Final = 1000
_LEAST_OPS: Final = 50_000_000
_OPS_PER_BYTE: Final = 40
_HEAP: Final = 512 * 1024 * 1024
_LEAST_LENGTH: Final = 1024 * 1024
_MOST_LENGTH: Final = 1_000_000_000
_LENGTHS: Final = 4  # sorting holds the cells of a row twice in one value
_LONGEST_SQL: Final = 1_000_000


class Unreadable(OverBudget):
    """A part of a database that could not be read; the content caused it, so what was asked stays undecided."""


class Engine:
    """One hardened connection to a file or a layer, not for two threads at once. `size`: bytes of the image, from which
    the limits follow. A layer is never written.

    `patience`: where a live source is read, time counts as well; a judgement has steps only.
    """

    def __init__(
        self, source: Path | Layer, *, size: int, writable: bool = False, patience: Patience = COUNTED
    ) -> None:
        import apsw

        self._source = source
        self._patience = patience
        self._ops = self._left = max(_LEAST_OPS, size * _OPS_PER_BYTE)
        self._allowed: Authorizer | None = None
        if apsw.hard_heap_limit(-1) == 0:  # one for all connections of the process; another's own limit is left alone
            apsw.hard_heap_limit(_HEAP)
        if isinstance(source, Path):
            flags = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
            self._connection = apsw.Connection(str(source), flags=flags)
        else:
            from exactchange_adapters.sqlite.layers import connect

            self._connection = connect(source)
        try:
            self._harden(min(max(_LENGTHS * size, _LEAST_LENGTH), _MOST_LENGTH), writable=writable)
        except BaseException:
            self._connection.close()
            raise

    def _harden(self, longest: int, *, writable: bool) -> None:
        import apsw

        one, connection = apsw, self._connection
        for setting, value in (
            (one.SQLITE_DBCONFIG_DEFENSIVE, 1),
            (one.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (one.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (one.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (one.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
            (one.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
            (one.SQLITE_DBCONFIG_DQS_DML, 0),  # a misspelt "column" is an error, not a text
            (one.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),  # the image stays byte for byte what was copied
        ):
            connection.config(setting, value)
        for limit, most in (
            (one.SQLITE_LIMIT_LENGTH, longest),
            (one.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_SQL),
            (one.SQLITE_LIMIT_ATTACHED, 0),
            (one.SQLITE_LIMIT_COMPOUND_SELECT, 50),
            (one.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200),
            (one.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (one.SQLITE_LIMIT_WORKER_THREADS, 0),
        ):
            connection.limit(limit, most)
        connection.set_progress_handler(self._spent, _STEP)
        connection.set_authorizer(self._authorize)
        if not writable:
            for pragma in ("query_only=1", "cell_size_check=1", "ignore_check_constraints=1", "mmap_size=0"):
                connection.execute(f"PRAGMA {pragma}")

    def _spent(self) -> bool:
        self._left -= _STEP
        return self._left < 0 or self._patience.over()

    def _authorize(self, op: int, a: str | None, b: str | None, schema: str | None, within: str | None) -> int:
        import apsw

        # `within` names a view or trigger; in a query a common table expression too, and views are switched off anyway
        inside = within is not None if self._allowed is None else not self._allowed(op, a, b, schema, within)
        refused = inside or op in (apsw.SQLITE_ATTACH, apsw.SQLITE_DETACH)
        return apsw.SQLITE_DENY if refused else apsw.SQLITE_OK

    def define(self, functions: Mapping[str, Callable[..., Cell]]) -> None:
        """Let these stand for SQLite's functions of the same name, also where the schema calls them."""
        import apsw

        for name, call in functions.items():
            self._connection.create_scalar_function(name, call, -1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)

    def rows(self, sql: str, arguments: Sequence[Cell] | Mapping[str, Cell] = ()) -> Iterator[Row]:
        """The rows of a statement of our own, with a fresh count of steps for each row set.

        Raises Unreadable when the database cannot answer within the limits, UnicodeDecodeError on broken text.
        """
        with reading():
            cursor = self._connection.cursor()
            try:
                self._left = self._ops
                cursor.execute(sql, arguments if isinstance(arguments, Mapping) else tuple(arguments))
                yield from cast("Iterator[Row]", cursor)  # apsw says Buffer for bytes, and gives bytes
            finally:
                cursor.close(True)

    def query(
        self, sql: str, arguments: Mapping[str, Cell], *, allowed: Authorizer
    ) -> tuple[tuple[str, ...], Iterator[Row]]:
        """Column names and rows of somebody's query, in which `allowed` decides on every access while it is prepared.

        Raises Unreadable, and KeyError for an argument that is not given.
        """
        cursor = self._connection.cursor()
        names: list[str] = []

        def started(running: "apsw.Cursor", statement: str, bindings: object) -> bool:
            names.extend(item[0] for item in running.get_description())  # afterwards, without rows, nobody can tell
            self._allowed = None  # it is prepared; what a full-text table now reads of itself is no part of it
            return True

        cursor.exec_trace = started
        self._allowed = allowed
        try:
            with reading():
                self._left = self._ops
                cursor.execute(sql, dict(arguments), can_cache=False)
        except BaseException:
            cursor.close(True)
            raise
        finally:
            self._allowed = None
        return tuple(names), _drain(cursor)

    def journal_mode(self) -> str:
        """`wal`, or `delete` for all other modes: they are of connections, and not of files."""
        if isinstance(self._source, Layer):  # SQLite is shown one without a log
            return "wal" if in_wal_mode(self._source) else "delete"
        ((mode,),) = self.rows("PRAGMA journal_mode")
        return str(mode)

    def tolerate_collations(self) -> None:
        """Let a check pass over collations that the application brings itself; nothing is ordered by them here."""
        self._connection.collation_needed(_stand_in)

    def close(self) -> None:
        self._connection.close(True)


@contextmanager
def reading() -> Generator[None]:
    """Turn SQLite's own errors into Unreadable, in words that name the limit or the fault."""
    import apsw

    try:
        yield
    except apsw.InterruptError as error:
        raise Unreadable("reading it takes more steps than a database of its size may need") from error
    except apsw.TooBigError as error:
        raise Unreadable("a value is longer than a database of its size can hold") from error
    except MemoryError as error:
        raise Unreadable("reading it takes more memory than allowed") from error
    except apsw.NotADBError as error:
        raise Unreadable("not an SQLite database, or encrypted") from error
    except apsw.CorruptError as error:
        raise Unreadable(f"the database is corrupt: {error}") from error
    except apsw.Error as error:
        raise Unreadable(f"SQLite: {error}") from error


def _drain(cursor: "apsw.Cursor") -> Iterator[Row]:
    with reading():
        try:
            yield from cast("Iterator[Row]", cursor)  # apsw says Buffer for bytes, and gives bytes
        finally:
            cursor.close(True)


def _stand_in(connection: "apsw.Connection", name: str) -> None:
    connection.create_collation(name, _by_bytes)


def _by_bytes(left: str, right: str) -> int:
    return (left > right) - (left < right)


def quoted(name: str) -> str:
    """An identifier as SQL spells it."""
    return '"' + name.replace('"', '""') + '"'
