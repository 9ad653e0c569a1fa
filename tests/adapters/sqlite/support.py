"""What the tests of the SQLite adapter share: real databases made by the standard library, compared by the adapter."""

import pathlib
import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence

from exactchange.address import parse_pattern
from exactchange.diff import Change, Diff
from exactchange.limits import CountedBudget
from exactchange.sources import Match
from exactchange.testing import Bench
from exactchange.values import ABSENT, Value
from exactchange_adapters.sqlite import KIND, SqliteParams, SqliteSnapshot

CHECKOUT = pathlib.Path(__file__).parents[3]
CASES = CHECKOUT / "fixtures" / "cases"
ATTACKS = CHECKOUT / "fixtures" / "attacks"
ORDERS = "CREATE TABLE orders(id INTEGER PRIMARY KEY, status TEXT); INSERT INTO orders VALUES(1,'new'),(2,'new');"
Edit = str | Callable[[sqlite3.Connection], object]


def edit(path: pathlib.Path, *edits: Edit) -> pathlib.Path:
    """Run scripts (or functions of a connection) on a database file, which is made when it is not there."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for item in edits:
            if isinstance(item, str):
                connection.executescript(item)
            else:
                item(connection)
    finally:
        connection.close()
    return path


def many(sql: str, values: Sequence[Sequence[object]]) -> Callable[[sqlite3.Connection], object]:
    """An edit: one statement for many rows, in one transaction."""

    def run(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")
        connection.executemany(sql, values)
        connection.execute("COMMIT")

    return run


def snapshot(path: pathlib.Path, **params: object) -> SqliteSnapshot:
    """The state of a database file, read offline."""
    bench = bench_of(path, **params)
    return KIND.from_path(None, SqliteParams.model_validate({"path": str(path)} | params), world=bench, budget=BUDGET())


def bench_of(path: pathlib.Path, **params: object) -> Bench:
    return Bench(KIND, SqliteParams.model_validate({"path": str(path)} | params), path.parent)


def diff(before: pathlib.Path, after: pathlib.Path, **params: object) -> Diff:
    """All changes between two database files."""
    left, right = snapshot(before, **params), snapshot(after, **params)
    try:
        return bench_of(before, **params).diff(left, right)
    finally:
        left.close()
        right.close()


def change(folder: pathlib.Path, before: Sequence[Edit] | Edit, after: Sequence[Edit] | Edit, **params: object) -> Diff:
    """The diff that `after` makes on a database built by `before`."""
    folder.mkdir(exist_ok=True)
    first = edit(folder / "before.db", *([before] if isinstance(before, str) or callable(before) else before))
    second = folder / "after.db"
    shutil.copy(first, second)
    edit(second, *([after] if isinstance(after, str) or callable(after) else after))
    return diff(first, second, **params)


def shown(changes: Sequence[Change] | Diff) -> list[tuple[object, ...]]:
    """Op, address, and the sides that there are."""
    items = changes.changes if isinstance(changes, Diff) else changes
    return [(c.op, c.address, *(side for side in (c.before, c.after) if side is not ABSENT)) for c in items]


def found(snap: SqliteSnapshot, at: str) -> Sequence[Match]:
    return KIND.find(snap, parse_pattern(at), budget=BUDGET())


def rows(snap: SqliteSnapshot, sql: str, **arguments: Value) -> Sequence[Value]:
    return KIND.rows(snap, sql, arguments, budget=BUDGET())


def files(folder: pathlib.Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


BUDGET = CountedBudget
