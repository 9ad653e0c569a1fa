"""Tables whose columns and keys change: nothing is lost, and what the schema explains is told by the schema alone."""

import pathlib
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import bench_of, change, snapshot

from exactchange.limits import CountedBudget
from exactchange.values import Value, canonical_bytes, same
from exactchange_adapters.sqlite import KIND
from exactchange_adapters.sqlite.cells import parse_key

Cell = None | int | float | str | bytes
DEFAULTS: Mapping[str, Cell] = {"a": None, "b": 1, "c": "x", "d": None, "e": 2.5}
SPELT = {"a": "a", "b": "b DEFAULT 1", "c": "c TEXT DEFAULT 'x'", "d": "d BLOB", "e": "e REAL DEFAULT 2.5"}
KEYS = ("", "PRIMARY KEY(a)", "PRIMARY KEY(b, a)", "UNIQUE(a)", "UNIQUE(c), UNIQUE(a, b)", "UNIQUE(d)")
cells = st.sampled_from([None, 0, 1, 1.0, 2.5, "x", "1", b"x", ""])
columns = st.lists(st.sampled_from("abcde"), min_size=1, max_size=5, unique=True)
row = st.fixed_dictionaries({name: cells for name in "abcde"})
Rows = list[dict[str, Cell]]


def build(path: pathlib.Path, names: Sequence[str], key: str, rows: Rows) -> Rows:
    """A table t with these columns, and the rows that it took."""
    usable = "" if any(letter in "abcde" and letter not in names for letter in _letters(key)) else key
    parts = ", ".join([*(SPELT[name] for name in names), *([usable] if usable else [])])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(f"PRAGMA synchronous=OFF; BEGIN; CREATE TABLE t({parts})")
    for item in rows:
        marks = ", ".join("?" * len(names))
        try:
            connection.execute(f"INSERT INTO t({', '.join(names)}) VALUES({marks})", [item[name] for name in names])
        except sqlite3.IntegrityError:
            pass
    connection.execute("COMMIT")
    found = [dict(zip(names, cells_of_row, strict=True)) for cells_of_row in connection.execute("SELECT * FROM t")]
    connection.close()
    return found


def _letters(key: str) -> str:
    return "".join(part for part in key.replace("PRIMARY KEY", "").replace("UNIQUE", ""))


def after_schema(item: Mapping[str, Cell], names: Sequence[str]) -> dict[str, Cell]:
    """A row that nobody touched, as the new columns make it."""
    return {name: item[name] if name in item else DEFAULTS[name] for name in names}


def replayed(old: Rows, before: Mapping[str, Value], after: Mapping[str, Value], names: Sequence[str]) -> Rows:
    """The after rows that the narrowed trees tell."""
    left = list(old)
    out: Rows = []
    for segment in {**before, **after}:
        mine, theirs = before.get(segment), after.get(segment)
        if mine is None:
            out.append(_row(theirs))
            continue
        assert isinstance(mine, Mapping)
        key = parse_key(segment) if theirs is not None else None
        wanted = _row(mine) if key is None else key
        fits = (n for n, item in enumerate(left) if all(k in item and same(item[k], wanted[k]) for k in wanted))
        found = left.pop(next(fits))
        if theirs is not None:
            gone = {name for name in mine if name not in _row(theirs)}
            out.append(
                after_schema({name: cell for name, cell in found.items() if name not in gone} | _row(theirs), names)
            )
        else:
            assert same(found, _row(mine))
    for item in left:
        assert all(same(item[name], DEFAULTS[name]) for name in item if name not in names), "a lost cell is not told"
        out.append(after_schema(item, names))
    return out


def _row(value: Value) -> dict[str, Cell]:
    assert isinstance(value, Mapping)
    out: dict[str, Cell] = {}
    for name, cell in value.items():
        assert cell is None or isinstance(cell, int | float | str | bytes)
        out[name] = cell
    return out


def counted(rows: Rows) -> Counter[bytes]:
    return Counter(canonical_bytes(item) for item in rows)


def _check(one: tuple[Sequence[str], str, Rows], other: tuple[Sequence[str], str, Rows], shared: Rows) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("a.db", "b.db")]
        old = build(paths[0], one[0], one[1], [*shared, *one[2]])
        new = build(paths[1], other[0], other[1], [*other[2], *shared])
        before, after = snapshot(paths[0]), snapshot(paths[1])
        narrowed = KIND.narrow(before, after, params=bench_of(paths[0]).params, budget=CountedBudget())  # type: ignore[arg-type]
        assert not narrowed.unread and isinstance(narrowed.before, Mapping) and isinstance(narrowed.after, Mapping)
        left, right = narrowed.before.get("t", {}), narrowed.after.get("t", {})
        assert isinstance(left, Mapping) and isinstance(right, Mapping)
        assert counted(replayed(old, left, right, other[0])) == counted(new)
        before.close()
        after.close()


tables = st.tuples(columns, st.sampled_from(KEYS), st.lists(row, max_size=4))


@settings(max_examples=200, deadline=None)
@given(tables, tables, st.lists(row, max_size=4))
def test_rows_replay_through_any_change_of_columns_and_keys(
    one: tuple[Sequence[str], str, Rows], other: tuple[Sequence[str], str, Rows], shared: Rows
) -> None:
    _check(one, other, shared)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@settings(max_examples=5000, deadline=None)
@given(tables, tables, st.lists(row, max_size=4))
def test_rows_replay_through_thousands_of_changes_of_columns_and_keys(
    one: tuple[Sequence[str], str, Rows], other: tuple[Sequence[str], str, Rows], shared: Rows
) -> None:
    _check(one, other, shared)


@pytest.mark.parametrize(
    ("alter", "addresses"),
    [
        ("ALTER TABLE t DROP COLUMN v", ["@schema.table.t", "t[id=1].v"]),
        ("ALTER TABLE t RENAME COLUMN v TO u", ["@schema.table.t", "t[id=1].u", "t[id=1].v"]),
        ("ALTER TABLE t ADD COLUMN n", ["@schema.table.t"]),
        ("CREATE UNIQUE INDEX i ON t(v)", ["@schema.index.i"]),
    ],
)
def test_only_cells_that_the_schema_does_not_tell_are_changes(
    alter: str, addresses: list[str], tmp_path: pathlib.Path
) -> None:
    table = "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES(1,'x'),(2,NULL)"
    assert [c.address for c in change(tmp_path, table, alter).changes] == addresses


def test_rows_that_a_new_key_can_tell_apart_are_told_apart_by_it(tmp_path: pathlib.Path) -> None:
    table = "CREATE TABLE t(a, b); INSERT INTO t VALUES(1,'x'),(2,'y')"
    result = change(tmp_path, table, "CREATE UNIQUE INDEX i ON t(a); UPDATE t SET b='z' WHERE a=2")
    assert [c.address for c in result.changes] == ["@schema.index.i", "t[a=2].b"]
