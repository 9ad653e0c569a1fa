"""Real faults and attacks, built anew from fixtures/cases and fixtures/attacks, with their right answers."""

import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest
from tests.adapters.sqlite.support import ATTACKS, CASES, diff, edit, files, found, rows, shown, snapshot

from exactchange.errors import OverBudget
from exactchange.testing import footprint
from exactchange_adapters.sqlite.engine import Engine
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot


def built(source: pathlib.Path, into: pathlib.Path) -> pathlib.Path:
    """A copy of a case's folder in which its `make.py` has run."""
    folder = into / source.name
    shutil.copytree(source, folder)
    subprocess.run([sys.executable, "make.py"], cwd=folder, check=True, timeout=60)
    return folder


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("c-01-wal-not-checkpointed", [("added", "w[id=2]", {"id": 2, "kg": 71.5})]),
        ("c-03-rowids-renumbered", []),
        ("c-04-no-key-duplicate-rows", [("removed", "log[#e4b75bb5~3]", {"msg": "b", "n": 2})]),
        (
            "c-05-storage-class-hidden",
            [
                ("modified", "n[id=1].v", "007", 7),
                ("modified", "n[id=2].v", 1, 1.0),
                ("modified", "n[id=3].v", 1, "1"),
                ("modified", "n[id=4].v", b"1", "1"),
            ],
        ),
        (
            "c-06-replace-cascades",
            [("removed", "image[id=10]", {"id": 10, "pid": 1}), ("removed", "image[id=11]", {"id": 11, "pid": 1})],
        ),
        ("c-09-sequence-high-water", []),
        (
            "c-12-schema-only-trigger",
            [
                (
                    "modified",
                    "@schema.table.pay",
                    "CREATE TABLE pay(id INTEGER PRIMARY KEY, amt INT)",
                    "CREATE TABLE pay(id INTEGER PRIMARY KEY, amt INT, ok INT DEFAULT 1)",
                ),
                (
                    "added",
                    "@schema.trigger.swallow",
                    "CREATE TRIGGER swallow BEFORE INSERT ON pay BEGIN SELECT RAISE (IGNORE); END",
                ),
            ],
        ),
        ("c-13-delete-reinsert-same", []),
        (
            "c-14-updated-at-noise",
            [
                ("modified", "p[id=1].name", "a", "z"),
                ("modified", "p[id=1].updated_at", "2024-01-01", "2024-02-02"),
                ("modified", "p[id=2].updated_at", "2024-01-01", "2024-02-02"),
            ],
        ),
    ],
)
def test_a_case_has_its_right_answer(case: str, expected: list[object], tmp_path: pathlib.Path) -> None:
    folder = built(CASES / case, tmp_path)
    before = footprint(folder)
    result = diff(folder / "before.db", folder / "after.db")
    assert shown(result) == expected
    assert result.complete
    assert not before.differences(footprint(folder))


def test_typed_differences_are_not_hidden_by_equality_of_numbers(tmp_path: pathlib.Path) -> None:
    folder = built(CASES / "c-05-storage-class-hidden", tmp_path)
    changes = diff(folder / "before.db", folder / "after.db").changes
    assert [(type(c.before), type(c.after)) for c in changes] == [(str, int), (int, float), (int, str), (bytes, str)]


def test_01_a_view_with_the_tables_name_is_an_object_and_has_no_rows(tmp_path: pathlib.Path) -> None:
    folder = built(ATTACKS / "01-sqlite-view-shadows-table", tmp_path)
    result = diff(folder / "before.db", folder / "after.db")
    assert [(c.op, c.address) for c in result.changes] == [
        ("removed", "@schema.table.orders"),
        ("added", "@schema.table.real_orders"),
        ("added", "@schema.view.orders"),
        ("removed", "orders[id=1]"),
        ("added", "real_orders[id=1]"),
    ]
    after = snapshot(folder / "after.db")
    assert found(after, "orders[*].status") == []
    with pytest.raises(OverBudget, match="view"):
        rows(after, "SELECT status FROM orders")


@pytest.mark.parametrize("name", ["view", "gencol", "exprindex"])
def test_02_a_function_that_the_schema_names_is_never_called(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = built(ATTACKS / "02-sqlite-schema-calls-function", tmp_path)
    calls: list[object] = []

    def audit(*arguments: object) -> None:
        calls.append(arguments)

    harden = Engine._harden  # pyright: ignore[reportPrivateUsage]

    def with_audit(self: Engine, longest: int, *, writable: bool) -> None:
        harden(self, longest, writable=writable)
        self._connection.create_scalar_function("audit", audit, 1, deterministic=True)  # pyright: ignore

    monkeypatch.setattr(Engine, "_harden", with_audit)
    snap = snapshot(folder / f"{name}.db")
    assert snap.digest
    for question in (lambda: found(snap, "**"), lambda: rows(snap, "SELECT * FROM orders")):
        try:
            question()
        except OverBudget:
            pass  # what would have to call it is unread
    assert calls == []
    assert bool(snap.unread) == (name != "view")
    monkeypatch.undo()  # as it is: no function is there to be called
    paths = [item.path for item in snapshot(folder / f"{name}.db").unread]
    assert paths == ([()] if name == "gencol" else [])


def test_04_eight_kilobytes_that_read_as_a_gigabyte_are_unread_in_bounded_time_and_memory(
    tmp_path: pathlib.Path,
) -> None:
    folder = built(ATTACKS / "04-sqlite-8kb-reads-as-1gb", tmp_path)
    start, peak = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = diff(folder / "before.db", folder / "after.db")
    assert [item.path for item in result.unread] == [("t",)] and not result.complete
    assert time.monotonic() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 300 * 1024


SWELLING = {
    "a long text by replace": "g AS (replace('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'a', (a || a || a || a)))",
    "by a function that swells": "g AS (length(zeroblob(1000000000)))",
    "in quotes": 'g AS (length("hex"(a)))',
    "by a default": f"g DEFAULT '{'x' * 900_000}'",
}


@pytest.mark.parametrize("how", SWELLING)
def test_rows_that_swell_when_they_are_read_are_unread(how: str, tmp_path: pathlib.Path) -> None:
    path = edit(
        tmp_path / "a.db",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE u(id INTEGER PRIMARY KEY)",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<3000) INSERT INTO t SELECT n, 'z' FROM c",
        "UPDATE t SET a = printf('%.*c', 900, 'x')",
        f"ALTER TABLE t ADD COLUMN {SWELLING[how]}",
    )
    other = edit(
        tmp_path / "b.db", "CREATE TABLE t(id INTEGER PRIMARY KEY, a, g); CREATE TABLE u(id INTEGER PRIMARY KEY)"
    )
    start = time.monotonic()
    result = diff(other, path)
    assert ("t",) in [item.path for item in result.unread]
    assert time.monotonic() - start < 20


def test_06_a_transaction_that_never_ended_is_not_the_state(tmp_path: pathlib.Path) -> None:
    folder = built(ATTACKS / "06-sqlite-hot-journal", tmp_path)
    before = files(folder)
    snap = snapshot(folder / "after.db")
    assert rows(snap, "SELECT status, count(*) AS n FROM orders GROUP BY status") == [{"status": "pending", "n": 500}]
    assert files(folder) == before


def test_07_two_tables_on_one_page_are_unread(tmp_path: pathlib.Path) -> None:
    folder = built(ATTACKS / "07-sqlite-rootpage-alias", tmp_path)
    (item,) = snapshot(folder / "after.db").unread
    assert item.path == () and "corrupt" in item.reason and item.cause == "content"
    assert not diff(folder / "before.db", folder / "after.db").complete


def endless(snap: SqliteSnapshot) -> object:
    return rows(snap, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT max(n) AS n FROM c")


def test_a_query_that_never_ends_is_stopped_by_a_count_of_steps(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", "CREATE TABLE t(a)")
    with pytest.raises(OverBudget, match="steps"):
        endless(snapshot(path))


def test_a_column_that_is_gone_is_not_read_as_text(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", "CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    with pytest.raises(OverBudget, match="no such column"):
        rows(snapshot(path), 'SELECT "approved" AS x FROM t')


def test_pattern_matching_of_the_databases_own_cannot_take_for_ever(tmp_path: pathlib.Path) -> None:
    pattern = "%" + "a%" * 400
    path = edit(
        tmp_path / "a.db",
        f"CREATE TABLE t(a, g AS (a LIKE '{pattern}b')); CREATE TABLE u(a CHECK (a NOT LIKE '{pattern}b'))",
        f"INSERT INTO t VALUES('a'); INSERT INTO u VALUES('a'); UPDATE t SET a='{'a' * 5000}'",
    )
    start = time.monotonic()
    snap = snapshot(path)
    with pytest.raises(OverBudget):
        found(snap, "t[*].g")
    assert time.monotonic() - start < 10


def test_reading_writes_nothing_even_where_the_schema_would(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", "CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    snap = snapshot(path)
    assert snap.image is not None
    for sql in ("DELETE FROM t", "ATTACH ':memory:' AS x", "PRAGMA writable_schema=ON"):
        with pytest.raises(OverBudget):
            list(snap.image.engine.rows(sql))
            list(snap.image.engine.rows("UPDATE sqlite_schema SET sql=''"))
    assert sqlite3.connect(path).execute("SELECT * FROM t").fetchall() == [(1,)]
