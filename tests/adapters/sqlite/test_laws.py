"""The laws on generated databases, against an oracle that reads both with the standard library into dicts."""

import itertools
import pathlib
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import bench_of, snapshot

from exactchange.address import key, key_segment
from exactchange.diff import Op, apply, compare
from exactchange.limits import CountedBudget
from exactchange.values import ABSENT, State, Value, canonical_bytes, same
from exactchange_adapters.sqlite import KIND, SqliteSnapshot, sides
from exactchange_adapters.sqlite.narrow import whole

Cell = None | int | float | str | bytes


@dataclass(frozen=True)
class Shape:
    """A table as the oracle knows it: its definition, and its keys in the order in which they identify rows."""

    definition: str
    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    insertable: tuple[str, ...] = ()


SHAPES = (
    Shape("(id INTEGER PRIMARY KEY, a, b TEXT)", ("id", "a", "b"), (("id",),)),
    Shape("(a, b, c)", ("a", "b", "c"), ()),
    Shape("(a PRIMARY KEY, b)", ("a", "b"), (("a",),)),
    Shape("(a COLLATE NOCASE UNIQUE, b)", ("a", "b"), (("a",),)),
    Shape("(a, b, c, PRIMARY KEY(b, a))", ("a", "b", "c"), (("b", "a"),)),
    Shape("(a, b, c, PRIMARY KEY(c, a)) WITHOUT ROWID", ("a", "b", "c"), (("c", "a"),)),
    Shape("(a UNIQUE, b, c, UNIQUE(c, b))", ("a", "b", "c"), (("a",), ("c", "b"))),
    Shape("(a ANY PRIMARY KEY, b ANY) STRICT", ("a", "b"), (("a",),)),
    Shape('("a.b" TEXT PRIMARY KEY, "@c=" REAL, d AS ("@c=" * 2) STORED)', ("a.b", "@c=", "d"), (("a.b",),),
          ("a.b", "@c=")),
)  # fmt: skip
TRAPS: tuple[Cell, ...] = (
    0, 1, 2, -1, 1.0, 0.0, -0.0, "", "1", "a", "A", "a\0", "é", "\U0001f600", b"", b"a", 2**53 + 1, 1e308,
)  # fmt: skip
cells: st.SearchStrategy[Cell] = (
    st.none()
    | st.sampled_from(TRAPS)
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
    | st.binary(max_size=3)
)
names = st.sampled_from(["t", "T2", "odd.name", "@x", "a=b", 'q"q', "#h"])
three: st.SearchStrategy[tuple[Cell, ...]] = st.tuples(cells, cells, cells)
lists: st.SearchStrategy[Sequence[tuple[Cell, ...]]] = st.lists(three, max_size=6)
tables = st.tuples(st.sampled_from(SHAPES), lists)
databases = st.dictionaries(names, tables, max_size=3)
States = Mapping[str, tuple[Shape, Sequence[tuple[Cell, ...]]]]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[States, States]:
    """Two databases that have much in common."""
    before = draw(databases)
    after: dict[str, tuple[Shape, Sequence[tuple[Cell, ...]]]] = {}
    after.update(before)
    for name, (shape, rows) in before.items():
        kept = [row for row in rows if draw(st.integers(0, 3))]
        more = draw(st.lists(three, max_size=2))
        edited = [tuple(draw(cells) if not draw(st.integers(0, 5)) else cell for cell in row) for row in kept]
        after[name] = (shape, [*edited, *more])
        if not draw(st.integers(0, 8)):
            del after[name]
    return before, after


def build(path: pathlib.Path, states: States, encoding: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(f"PRAGMA synchronous=OFF; PRAGMA encoding='{encoding}'; PRAGMA user_version=1; BEGIN")
    for name, (shape, rows) in states.items():
        quoted = '"' + name.replace('"', '""') + '"'
        connection.execute(f"CREATE TABLE {quoted}{shape.definition}")
        insertable = shape.insertable or shape.columns
        spelt = ", ".join('"' + column + '"' for column in insertable)
        for row in rows:
            marks = ", ".join("?" * len(insertable))
            try:
                connection.execute(f"INSERT INTO {quoted}({spelt}) VALUES({marks})", _storable(row[: len(insertable)]))
            except sqlite3.IntegrityError:
                pass  # a row that the table refuses is none
    connection.execute("COMMIT")
    connection.close()


def _storable(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    # Lone surrogates are no text that an application could store with this library.
    return tuple(c.encode("utf-8", "ignore").decode() if isinstance(c, str) else c for c in row)


def oracle(path: pathlib.Path, states: States) -> dict[tuple[str, str, int], dict[str, Cell]]:
    """Every row by table, identity and number among equals; identities by the rule, spelt by the address room."""
    connection = sqlite3.connect(path)
    found: dict[tuple[str, str, int], dict[str, Cell]] = {}
    for name, (shape, _) in states.items():
        quoted = '"' + name.replace('"', '""') + '"'
        copies: Counter[bytes] = Counter()
        for cells_of_row in connection.execute(f"SELECT * FROM {quoted} NOT INDEXED"):
            row: dict[str, Cell] = dict(zip(shape.columns, cells_of_row, strict=True))
            identity = next((k for k in shape.keys if all(row[c] is not None for c in k)), None)
            if identity is not None:
                found[name, key_segment([(c, row[c]) for c in identity]), 1] = row
            else:
                content = canonical_bytes(row)
                copies[content] += 1
                found[name, content.hex(), copies[content]] = row
    connection.close()
    return found


def expected(
    before: dict[tuple[str, str, int], dict[str, Cell]], after: dict[tuple[str, str, int], dict[str, Cell]]
) -> list[bytes]:
    """Every change as bytes: table, identity (none for rows by content), column, both sides."""
    out: list[bytes] = []
    for place in before.keys() | after.keys():
        old, new = before.get(place), after.get(place)
        identity = place[1] if "=" in place[1] else ""
        if old is not None and new is not None:
            out += [_change(place[0], identity, c, old[c], new[c]) for c in old if not same(old[c], new[c])]
        else:
            out.append(_change(place[0], identity, "", _typed(old), _typed(new)))
    return sorted(out)


def _typed(row: dict[str, Cell] | None) -> Value:
    return None if row is None else [[name, cell] for name, cell in sorted(row.items())]


def _change(table: str, identity: str, column: str, old: Value, new: Value) -> bytes:
    return canonical_bytes([table, identity, column, old, new])


def told(before: SqliteSnapshot, after: SqliteSnapshot, path: pathlib.Path) -> list[bytes]:
    """The changes of rows that the adapter tells, in the oracle's form."""
    out: list[bytes] = []
    for change in bench_of(path).diff(before, after).changes:
        if change.path[0] in ("@schema", "@pragma"):
            continue
        at = change.at
        identity = "" if "content" in at else str(change.path[1])
        sides = (
            [_row(side) for side in (change.before, change.after)]
            if len(change.path) == 2
            else [change.before, change.after]
        )
        old, new = sides
        assert old is not ABSENT and new is not ABSENT
        out.append(_change(str(at["table"]), identity, str(at.get("column", "")), old, new))
    return sorted(out)


def _row(side: State) -> Value:
    if side is ABSENT:
        return None
    assert isinstance(side, Mapping)
    names_of = {key(column): column for shape in SHAPES for column in shape.columns}
    return [[name, cell] for name, cell in sorted((names_of[k], v) for k, v in side.items())]


ahead = st.sampled_from([1, 2, 3, 256])
encodings = st.sampled_from(
    [("UTF-8", "UTF-8"), ("UTF-16le", "UTF-16le"), ("UTF-8", "UTF-16be"), ("UTF-16be", "UTF-16le")]
)


@settings(max_examples=200, deadline=None)
@given(pairs(), encodings, ahead)
def test_the_changes_are_those_of_an_oracle_and_lead_from_before_to_after(
    states: tuple[States, States], spelt: tuple[str, str], rows_ahead: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sides, "AHEAD", rows_ahead)  # so that its seams fall everywhere
        _check(states, spelt)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@settings(max_examples=5000, deadline=None)
@given(pairs(), encodings, ahead)
def test_the_changes_are_those_of_an_oracle_for_thousands_of_databases(
    states: tuple[States, States], spelt: tuple[str, str], rows_ahead: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sides, "AHEAD", rows_ahead)  # so that its seams fall everywhere
        _check(states, spelt)


def _check(states: tuple[States, States], spelt: tuple[str, str]) -> None:
    """One pair of databases."""
    with tempfile.TemporaryDirectory() as folder:
        left, right = pathlib.Path(folder) / "a.db", pathlib.Path(folder) / "b.db"
        build(left, states[0], spelt[0])
        build(right, states[1], spelt[1])
        before, after = snapshot(left), snapshot(right)
        assert not before.unread and not after.unread
        assert told(before, after, left) == expected(oracle(left, states[0]), oracle(right, states[1]))
        _check_laws(before, after, left)
        for snap in (before, after):
            snap.close()


def _check_laws(before: SqliteSnapshot, after: SqliteSnapshot, path: pathlib.Path) -> None:
    assert before.image is not None and after.image is not None
    bench = bench_of(path)
    (start, _), (end, _) = (whole(snap.image, snap.keys, CountedBudget()) for snap in (before, after) if snap.image)
    diff = bench.diff(before, after)
    replayed = apply(_filled(start, end), [Op(c.op, c.path, c.before, c.after, c.position) for c in diff.changes])
    assert same(_without_empty(replayed), _without_empty(end))
    assert (before.digest == after.digest) == (not diff.changes)
    assert not bench.diff(before, before).changes
    narrowed = KIND.narrow(after, before, params=bench.params, budget=CountedBudget())  # type: ignore[arg-type]
    assert {op.path for op in compare(narrowed.before, narrowed.after)} == {c.path for c in diff.changes}


def _filled(start: Mapping[str, Value], end: Mapping[str, Value]) -> dict[str, Value]:
    """Containers of both sides exist on both: a table that came is its schema change, and its rows."""
    none: dict[str, Value] = {}
    both = {name: start.get(name, none) for name in itertools.chain(start, end)}
    objects = both["@schema"]
    assert isinstance(objects, Mapping)
    return both | {"@schema": {"table": none} | dict(objects)}


def _without_empty(tree: State) -> dict[str, Value]:
    assert isinstance(tree, Mapping)
    objects = tree["@schema"]
    assert isinstance(objects, Mapping)
    kept = {kind: found for kind, found in objects.items() if found}
    return {name: value for name, value in (dict(tree) | {"@schema": kept}).items() if value or name == "@schema"}
