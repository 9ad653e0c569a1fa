"""Altered copies of real databases: what is asked for changes, the original does not, and nothing of its own runs."""

import pathlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from exactchange.diff import Change
from exactchange.limits import CountedBudget
from exactchange.sources import Add, CannotEdit, Edit, Put, Remove, diff_snapshots
from exactchange_adapters.sqlite import KIND, SqliteParams
from exactchange_adapters.sqlite.params import SqliteSelector
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot

SCHEMA = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, total REAL, n INTEGER CHECK (n < 5), free);
INSERT INTO orders VALUES (7, 'Ada', 9.5, 1, 3), (8, 'Grace', 10.0, 2, 'x');
CREATE TABLE pairs (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT INTO pairs VALUES ('p', 'y'), ('P', 'y');
CREATE TABLE loose (v); INSERT INTO loose VALUES ('same'), ('same'), (1);
CREATE TABLE log (id INTEGER PRIMARY KEY, said TEXT);
CREATE INDEX by_customer ON orders (customer);
CREATE TRIGGER told AFTER UPDATE ON orders BEGIN INSERT INTO log(said) VALUES ('updated'); END;
CREATE VIEW few AS SELECT 1;
"""


@dataclass(frozen=True)
class _World:
    workdir: pathlib.Path
    cdp_url: str | None = None
    claimed: frozenset[pathlib.Path] = frozenset()
    own_browser: bool = False


PARAMS = SqliteParams.model_validate({"path": "a.db"})


@pytest.fixture(params=["delete", "wal"])
def shop(tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> SqliteSnapshot:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute(f"PRAGMA journal_mode={request.param}")
        connection.executescript(SCHEMA)
        found = KIND.from_path(None, PARAMS, world=_World(tmp_path), budget=CountedBudget())
    connection.close()
    return found


def changes(before: SqliteSnapshot, edits: Sequence[Edit]) -> list[str]:
    after = KIND.edited(before, edits)
    try:
        diff = diff_snapshots(KIND, "db", before, after, params=PARAMS, budget=CountedBudget())
        assert not diff.unread
        return [told(change) for change in diff.changes]
    finally:
        after.close()


def told(change: Change) -> str:
    return f"{change.op} {change.address}"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Put(("orders", "id=7", "total"), 9.75), ["modified orders[id=7].total"]),
        (Put(("orders", "id=7", "n"), 9), ["modified orders[id=7].n"]),  # CHECK is off
        (Put(("orders", "id=7", "customer"), b"Ada"), ["modified orders[id=7].customer"]),
        (Put(("orders", "id=7", "free"), 3.0), ["modified orders[id=7].free"]),
        (Remove(("orders", "id=7")), ["removed orders[id=7]"]),
        (Remove(("orders",)), ["removed orders[id=7]", "removed orders[id=8]"]),
        (Put(("orders", "id=9"), {"id": 9, "customer": "Lin"}), ["added orders[id=9]"]),
        (Put(("orders", "id=8"), {"id": 8, "customer": "Grace", "total": 10.0, "n": 2, "free": "y"}),
         ["modified orders[id=8].free"]),
        (Add(("orders",), {"customer": "Lin"}), ["added orders[id=9]"]),
        (Remove(("pairs", "a=p,b=y")), ["removed pairs[a=p,b=y]"]),  # and not the one in capitals
        (Add(("pairs",), {}), ["added pairs[a=audit,b=audit]"]),
        (Add(("log",), {}), ["added log[id=1]"]),
        (Put(("@schema", "table", "audit"), "CREATE TABLE audit (id)"), ["added @schema.table.audit"]),
        (Put(("@schema", "table", "log", "audit"), "TEXT"), ["modified @schema.table.log"]),
        (Remove(("@schema", "index", "by_customer")), ["removed @schema.index.by_customer"]),
        (Put(("@schema", "view", "few"), "CREATE VIEW few AS SELECT 2"), ["modified @schema.view.few"]),
        (Put(("@pragma", "user_version"), 3), ["modified @pragma.user_version"]),
    ],
    ids=str,
)  # fmt: skip
def test_an_edit_changes_just_what_it_says(edit: Edit, expected: list[str], shop: SqliteSnapshot) -> None:
    assert changes(shop, [edit]) == expected


def test_one_of_several_equal_rows_without_a_key_goes(shop: SqliteSnapshot) -> None:
    found = [match for match in KIND.select(shop, SqliteSelector(table="loose"), budget=CountedBudget())]
    same = [match.path for match in found if match.value == {"v": "same"}]
    assert len(same) == 2
    assert len(changes(shop, [Remove(same[0])])) == 1


@pytest.mark.parametrize(
    "edit",
    [
        Put(("orders", "id=99", "total"), 1),
        Remove(("orders", "id=99")),
        Put(("orders", "id=7", "nothing"), 1),
        Put(("nowhere", "id=7", "a"), 1),
        Add(("nowhere",), {}),
        Add(("orders",), {"nothing": 1}),
        Put(("orders", "id=7", "customer"), None),  # NOT NULL is not to be switched off
        Put(("orders", "id=7", "customer"), ["a", "list"]),
        Put(("orders", "id=7", "customer"), "\udcff"),
        Put(("orders", "id=7", "n"), 2**70),
        Put(("@schema", "table", "orders"), "CREATE TABLE orders (id)"),
        Put(("@schema", "table", "audit"), "no SQL"),
        Put(("@schema", "table", "audit"), 5),
        Put(("@pragma", "encoding"), "UTF-16le"),
        Put((), "whole"),
    ],
    ids=str,
)
def test_what_cannot_be_made_is_refused(edit: Edit, shop: SqliteSnapshot) -> None:
    with pytest.raises(CannotEdit):
        KIND.edited(shop, [edit])


def test_the_snapshot_itself_stays_as_it_was(shop: SqliteSnapshot) -> None:
    digest = shop.digest
    image = shop.image
    assert image is not None
    files = {path.name: path.read_bytes() for path in image.directory.iterdir() if not path.name.endswith("-shm")}
    KIND.edited(shop, [Remove(("orders",)), Put(("@pragma", "user_version"), 9)]).close()
    assert files == {p.name: p.read_bytes() for p in image.directory.iterdir() if not p.name.endswith("-shm")}
    assert shop.digest == digest


def test_a_copy_without_edits_is_the_same_state_and_goes_when_it_is_closed(shop: SqliteSnapshot) -> None:
    twin = KIND.edited(shop, [])
    assert twin.digest == shop.digest and twin.image is not None and twin.image is not shop.image
    folder = twin.image.directory
    assert folder.is_dir()
    twin.close()
    assert not folder.exists()


def test_no_trigger_of_the_database_runs(shop: SqliteSnapshot) -> None:
    assert changes(shop, [Put(("orders", "id=7", "total"), 1.0)]) == ["modified orders[id=7].total"]


def test_a_database_that_is_not_there_cannot_be_altered(tmp_path: pathlib.Path) -> None:
    absent = KIND.from_path(None, PARAMS, world=_World(tmp_path), budget=CountedBudget())
    assert KIND.suggestions(absent, near=[], most=9) == []
    with pytest.raises(CannotEdit, match="no database"):
        KIND.edited(absent, [])


def test_what_is_suggested_is_of_every_sort_can_be_made_and_makes_a_difference(shop: SqliteSnapshot) -> None:
    found = KIND.suggestions(shop, near=[("orders", "id=7", "total")], most=200)
    assert found == KIND.suggestions(shop, near=[("orders", "id=7", "total")], most=200)
    assert {suggestion.what for suggestion in found} == {
        "a value changed", "only a type changed", "a row added", "a row removed", "a row duplicated", "a table added",
        "a table dropped", "a column added", "an index added", "an index dropped", "a trigger added",
        "a trigger dropped", "a view added", "a view dropped", "a pragma changed", "two values swapped",
    }  # fmt: skip
    for suggestion in found:
        assert changes(shop, suggestion.edits), suggestion


def test_the_other_columns_of_the_row_that_was_to_change_come_first(shop: SqliteSnapshot) -> None:
    found = KIND.suggestions(shop, near=[("orders", "id=7", "total")], most=60)
    cells = [edit.path for suggestion in found for edit in suggestion.edits if edit.path[:2] == ("orders", "id=7")]
    assert {path[2] for path in cells if len(path) == 3} == {"customer", "total", "n", "free"}
    assert KIND.suggestions(shop, near=[], most=5) == KIND.suggestions(shop, near=[], most=60)[:5]
