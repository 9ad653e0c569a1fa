"""The law of consequences, against SQLite itself: with its rules switched off, the same statement changes less."""

import pathlib
import sqlite3
import tempfile

from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import change

from exactchange.diff import Change

ROWS = 4
TABLES = """
    PRAGMA synchronous = OFF;
    CREATE TABLE a(id INTEGER PRIMARY KEY, code TEXT UNIQUE COLLATE NOCASE, n INT, touched INT DEFAULT 0);
    CREATE TABLE b(id INTEGER PRIMARY KEY, a REFERENCES a {b}, m INT, touched INT DEFAULT 0);
    CREATE TABLE c(b REFERENCES b {c}, code TEXT REFERENCES a(code) {d}, t INT);
    CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT, who INT);
"""
FILL = f"""
    WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < {ROWS})
    INSERT INTO a(id, code, n) SELECT n, 'code ' || n, n FROM k;
    INSERT INTO b(id, a, m) SELECT 10 * a.id + d.n, a.id, 7 FROM a, a d WHERE d.n <= 2;
    INSERT INTO c SELECT b.id, 'CODE ' || a.id, b.id FROM b, a WHERE a.id = b.a;
"""
TRIGGERS = [
    "CREATE TRIGGER ta AFTER UPDATE OF n, code ON a BEGIN UPDATE a SET touched = touched + 1 WHERE id = NEW.id; END",
    "CREATE TRIGGER tb AFTER UPDATE OF m ON b BEGIN UPDATE b SET touched = touched + 1 WHERE id = NEW.id; END",
    "CREATE TRIGGER la AFTER INSERT ON a BEGIN INSERT INTO log(what, who) VALUES('in a', NEW.id); END",
    "CREATE TRIGGER lb BEFORE DELETE ON b BEGIN INSERT INTO log(what, who) VALUES('from b', OLD.id); END",
    "CREATE TRIGGER lc AFTER DELETE ON c BEGIN INSERT INTO log(what, who) VALUES('from c', OLD.t); END",
    "CREATE TRIGGER bb AFTER UPDATE OF touched ON a BEGIN UPDATE b SET m = m + 1 WHERE a = NEW.id; END",
    "CREATE TRIGGER cc AFTER INSERT ON log WHEN NEW.what = 'in a' BEGIN DELETE FROM c WHERE t < 20; END",
]
ACTIONS = ["ON DELETE CASCADE", "ON DELETE SET NULL ON UPDATE CASCADE", "ON DELETE CASCADE ON UPDATE CASCADE"]
STATEMENTS = [
    "DELETE FROM a WHERE id = 1",
    "DELETE FROM a WHERE id > 2",
    "DELETE FROM b WHERE id IN (11, 22)",
    "UPDATE a SET n = 99 WHERE id IN (1, 3)",
    "UPDATE a SET id = id + 50 WHERE id = 2",
    "UPDATE a SET code = 'new' WHERE id = 3",
    "INSERT INTO a(id, code, n) VALUES(8, 'code 8', 1)",
    "UPDATE b SET m = 8 WHERE id < 20",
    "UPDATE b SET a = 4 WHERE id = 11",
    "UPDATE c SET t = 0",
    "INSERT INTO log(what) VALUES('by hand')",
]


def outcome(folder: pathlib.Path, schema: str, triggers: list[str], statement: str, *, on: bool) -> list[Change]:
    """The changes of a statement, with the rules of the schema or without."""
    rules = [f"PRAGMA foreign_keys = {'ON' if on else 'OFF'}", *(triggers if on else [])]
    found = change(folder, schema + FILL, ";".join([*rules, statement]))
    assert found.complete
    return [item for item in found.changes if not item.address.startswith("@schema")]


def keys(changes: list[Change]) -> set[tuple[str, str]]:
    return {(item.op, item.address) for item in changes}


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(ACTIONS), min_size=3, max_size=3),
    st.lists(st.sampled_from(TRIGGERS), unique=True),
    st.sampled_from(STATEMENTS),
)
def test_what_a_statement_brought_about_has_a_cause_and_what_it_did_itself_has_none(
    actions: list[str], triggers: list[str], statement: str
) -> None:
    schema = TABLES.format(b=actions[0], c=actions[1], d=actions[2])
    with tempfile.TemporaryDirectory() as folder:
        try:
            full = outcome(pathlib.Path(folder) / "on", schema, triggers, statement, on=True)
        except sqlite3.IntegrityError:
            reject()  # a key that somebody names and that may not be changed
        own = keys(outcome(pathlib.Path(folder) / "off", schema, triggers, statement, on=False))
    assert {(item.op, item.address) for item in full if not item.likely_cause} == keys(full) & own
