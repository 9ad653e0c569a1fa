"""Reading what triggers listen to and write, from their statements alone, however many there are."""

import pathlib
import shutil
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.adapters.sqlite.support import bench_of, edit, many, snapshot

from exactchange_adapters.sqlite import consequences, links
from exactchange_adapters.sqlite.triggers import Trigger, Writing, read_trigger


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "CREATE TRIGGER",
        "CREATE TRIGGER t",
        "CREATE TRIGGER t AFTER UPDATE OF",
        "CREATE TRIGGER t AFTER UPDATE OF a",
        "CREATE TRIGGER t AFTER UPDATE ON t",
        "CREATE TRIGGER t AFTER UPDATE ON t BEGIN UPDATE",
        "CREATE TRIGGER t AFTER UPDATE ON t BEGIN INSERT",
        "CREATE TRIGGER t AFTER UPDATE ON t BEGIN DELETE",
        "CREATE TRIGGER t AFTER UPDATE ON t BEGIN UPDATE a",
        "CREATE TABLE t(a)",
        "CREATE TRIGGER t AFTER UPDATE ON t BEGIN " + "DELETE FROM t;" * 10_000 + " END",
    ],
)
def test_a_trigger_that_is_not_understood_names_nothing(sql: str) -> None:
    assert read_trigger(sql) is None


WORDS = st.sampled_from(
    [*"CREATE TRIGGER IF NOT EXISTS TEMP BEFORE AFTER INSTEAD OF UPDATE INSERT DELETE ON INTO OR REPLACE FROM".split()]
    + [*"WHEN BEGIN END SET WHERE DO ; , . ( ) = a \"b c\" 'd' [ ` x'0 /* --".split()]
)


@given(st.lists(WORDS, max_size=30).map(lambda words: "CREATE TRIGGER t AFTER UPDATE ON t " + " ".join(words)))
def test_whatever_stands_in_a_trigger_reading_it_never_fails(sql: str) -> None:
    read_trigger(sql)
    read_trigger(sql.removeprefix("CREATE TRIGGER t "))


def test_a_trigger_is_read_from_its_tokens() -> None:
    sql = (
        "CREATE TEMP TRIGGER IF NOT EXISTS main.'it''s' -- a comment\nBEFORE UPDATE OF [a b], C ON \"T\" FOR EACH ROW "
        "WHEN NEW.begin = 1 BEGIN UPDATE u SET a = CASE WHEN 1 THEN 2 END, (b, c) = (SELECT 1, 2 FROM x WHERE y = 1) "
        "WHERE d = 1; SELECT RAISE(IGNORE); END"
    )
    assert read_trigger(sql) == Trigger(
        "it's",
        "BEFORE UPDATE OF a b, C ON T",
        Writing("t", "UPDATE", ("a b", "c")),
        (Writing("u", "UPDATE", ("a", "b", "c")),),
    )


def test_thousands_of_triggers_and_changes_take_little_and_end(tmp_path: pathlib.Path) -> None:
    rows = 500
    trigger = "CREATE TRIGGER g{0} AFTER UPDATE ON t BEGIN UPDATE t SET b = 1; INSERT INTO log VALUES(1); END"
    triggers = many(
        "INSERT INTO sqlite_schema VALUES('trigger', ?, 't', 0, ?)",
        [(f"g{number}", trigger.format(number)) for number in range(links.MOST_TRIGGERS + 500)],
    )
    before, after = tmp_path / "a.db", tmp_path / "b.db"
    fill = many("INSERT INTO t VALUES(?, 0, 0)", [(number,) for number in range(rows)])
    edit(before, "PRAGMA synchronous = OFF; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE TABLE log(x)", fill)
    shutil.copy(before, after)
    edit(before, "PRAGMA writable_schema = ON", triggers)
    edit(after, "UPDATE t SET a = 1, b = 1; PRAGMA writable_schema = ON", triggers)
    left, right = snapshot(before), snapshot(after)
    changes = bench_of(before).diff(left, right).changes
    start = time.process_time()
    told = consequences.likely_causes(changes, left, right)
    assert time.process_time() - start < 3
    assert len(changes) == 2 * rows
    assert set(told.values()) == {"trigger g0, AFTER UPDATE ON t"}
    assert len(told) == rows
