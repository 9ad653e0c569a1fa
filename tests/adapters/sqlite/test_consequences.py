"""What of a database's own rules may have made a change: real cascades, triggers and REPLACE, and the same by hand."""

import pathlib
import sqlite3

import pytest
from tests.adapters.sqlite.support import change

from exactchange.diff import Diff
from exactchange.sources import Causing
from exactchange_adapters.sqlite import KIND
from exactchange_adapters.sqlite.triggers import LONGEST

ON = "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF; PRAGMA recursive_triggers = OFF;"
SHOP = """
    CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE orders(id INTEGER PRIMARY KEY, customer REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE items(id INTEGER PRIMARY KEY, "order" REFERENCES orders(id) ON DELETE CASCADE);
    CREATE TABLE notes(id INTEGER PRIMARY KEY, customer REFERENCES customers ON DELETE SET NULL ON UPDATE SET NULL);
    CREATE TABLE seats(id INTEGER PRIMARY KEY, customer DEFAULT 1 REFERENCES customers ON DELETE SET DEFAULT);
    CREATE TABLE loose(customer REFERENCES customers ON DELETE SET NULL ON UPDATE CASCADE, text TEXT);
    CREATE TABLE kept(id INTEGER PRIMARY KEY, customer REFERENCES customers);
    INSERT INTO customers VALUES(1, 'Ada'), (3, 'Grace'), (4, 'Emmy');
    INSERT INTO orders VALUES(30, 3), (31, 3), (40, 4);
    INSERT INTO items VALUES(300, 30), (400, 40);
    INSERT INTO notes VALUES(1, 3), (2, 4); INSERT INTO seats VALUES(1, 3), (2, 4);
    INSERT INTO loose VALUES(3, 'a'), (4, 'b'); INSERT INTO kept VALUES(1, 1);
"""


def causes(found: Diff) -> dict[str, str]:
    """The likely causes by address, for rows without a key with `+` or `-` in place of their hash."""
    assert found.complete
    signs = {"added": "+", "removed": "-"}
    return {
        item.address.partition("[#")[0] + signs[item.op] if "[#" in item.address else item.address: item.likely_cause
        for item in found.changes
    }


def made(folder: pathlib.Path, schema: str, *edits: str, **params: object) -> dict[str, str]:
    """The likely causes of what these edits change in a database of this schema."""
    return causes(change(folder, [ON + schema], [ON, *edits], **params))


def test_what_a_deletion_cascades_to_is_told_by_the_row_that_it_hung_on(tmp_path: pathlib.Path) -> None:
    assert made(tmp_path, SHOP, "DELETE FROM customers WHERE id = 3") == {
        "customers[id=3]": "",
        "orders[id=30]": "ON DELETE CASCADE of orders.customer, with customers[id=3]",
        "orders[id=31]": "ON DELETE CASCADE of orders.customer, with customers[id=3]",
        "items[id=300]": "ON DELETE CASCADE of items.order, with orders[id=30]",
        "notes[id=1].customer": "ON DELETE SET NULL of notes.customer, with customers[id=3]",
        "seats[id=1].customer": "ON DELETE SET DEFAULT of seats.customer, with customers[id=3]",
        "loose-": "ON DELETE SET NULL of loose.customer, with customers[id=3]",
        "loose+": "ON DELETE SET NULL of loose.customer, with customers[id=3]",
    }


def test_what_a_new_key_cascades_to_is_told_by_the_row_that_has_it(tmp_path: pathlib.Path) -> None:
    schema = SHOP.replace("DEFAULT 1 REFERENCES customers ON DELETE SET DEFAULT", "")
    assert made(tmp_path, schema, "UPDATE customers SET id = 33 WHERE id = 3") == {
        "customers[id=3]": "",
        "customers[id=33]": "",
        "orders[id=30].customer": "ON UPDATE CASCADE of orders.customer, with customers[id=33]",
        "orders[id=31].customer": "ON UPDATE CASCADE of orders.customer, with customers[id=33]",
        # Its parent is gone as well, so that nobody can tell which of both it was.
        "notes[id=1].customer": "ON DELETE SET NULL of notes.customer, with customers[id=3]",
        "loose-": "ON UPDATE CASCADE of loose.customer, with customers[id=33]",
        "loose+": "ON UPDATE CASCADE of loose.customer, with customers[id=33]",
    }


KEYS = {
    "a unique column": (
        "CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO p VALUES(1, 'x');"
        "CREATE TABLE c(id INTEGER PRIMARY KEY, code TEXT REFERENCES p(code) ON UPDATE CASCADE);"
        "INSERT INTO c VALUES(5, 'x');",
        "UPDATE p SET code = 'y'",
        {"p[id=1].code": "", "c[id=5].code": "ON UPDATE CASCADE of c.code, with p[id=1]"},
    ),
    "a column to be set to NULL": (
        "CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO p VALUES(1, 'x');"
        "CREATE TABLE c(id INTEGER PRIMARY KEY, code TEXT REFERENCES p(code) ON UPDATE SET NULL);"
        "INSERT INTO c VALUES(5, 'x');",
        "UPDATE p SET code = 'y'",
        {"p[id=1].code": "", "c[id=5].code": "ON UPDATE SET NULL of c.code, with p[id=1]"},
    ),
    "letters of either case": (
        "CREATE TABLE p(code TEXT COLLATE NOCASE PRIMARY KEY); INSERT INTO p VALUES('ADA');"
        "CREATE TABLE c(id INTEGER PRIMARY KEY, code REFERENCES P ON DELETE CASCADE); INSERT INTO c VALUES(5, 'ada');",
        "DELETE FROM p",
        {"p[code=ADA]": "", "c[id=5]": "ON DELETE CASCADE of c.code, with p[code=ADA]"},
    ),
    "a number as text": (
        "CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES(7);"
        "CREATE TABLE c(id INTEGER PRIMARY KEY, p TEXT REFERENCES p ON DELETE CASCADE); INSERT INTO c VALUES(5, '7');",
        "DELETE FROM p",
        {"p[id=7]": "", "c[id=5]": "ON DELETE CASCADE of c.p, with p[id=7]"},
    ),
    "two columns, of which one changes": (
        "CREATE TABLE p(a, b, n, PRIMARY KEY(b, a)); INSERT INTO p VALUES(1, 'xy', 0), (2, 'xy', 0);"
        "CREATE TABLE c(id INTEGER PRIMARY KEY, q, r, FOREIGN KEY(q, r) REFERENCES p(a, b) ON UPDATE CASCADE);"
        "INSERT INTO c VALUES(5, 1, 'xy'), (6, 2, 'xy');",
        "UPDATE p SET a = 3 WHERE a = 1",
        {
            "p[b=xy,a=1]": "",
            "p[b=xy,a=3]": "",
            "c[id=5].q": "ON UPDATE CASCADE of c.q, r, with p[b=xy,a=3]",
        },
    ),
    "two rows that one without a key named, which both went": (
        "CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES(1), (2);"
        "CREATE TABLE c(q REFERENCES p ON DELETE SET NULL, r REFERENCES p ON DELETE SET NULL, n);"
        "INSERT INTO c VALUES(1, 2, 'n');",
        "DELETE FROM p",
        {"p[id=1]": "", "p[id=2]": ""}
        | dict.fromkeys(["c-", "c+"], "ON DELETE SET NULL of c.q, with p[id=1]"),
    ),
    "a table that names itself": (
        "CREATE TABLE t(id INTEGER PRIMARY KEY, up REFERENCES t ON DELETE CASCADE);"
        "INSERT INTO t VALUES(1, NULL), (2, 1), (3, 2), (4, 4);",
        "DELETE FROM t WHERE id IN (1, 4)",
        {
            "t[id=1]": "",
            "t[id=2]": "ON DELETE CASCADE of t.up, with t[id=1]",
            "t[id=3]": "ON DELETE CASCADE of t.up, with t[id=2]",
            "t[id=4]": "",
        },
    ),
    "names that need quotes": (
        'CREATE TABLE "a=b,c"("x ""y" INTEGER PRIMARY KEY); INSERT INTO "a=b,c" VALUES(1);'
        'CREATE TABLE [@select](id INTEGER PRIMARY KEY, "é [1]" REFERENCES "A=B,C" ON DELETE CASCADE);'
        "INSERT INTO [@select] VALUES(1, 1);",
        'DELETE FROM "a=b,c"',
        {
            '["a=b,c"]["x \\"y"=1]': "",
            '["@select"][id=1]': 'ON DELETE CASCADE of @select.é [1], with ["a=b,c"]["x \\"y"=1]',
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", KEYS)
def test_keys_are_compared_as_sqlite_compares_them(what: str, tmp_path: pathlib.Path) -> None:
    schema, statement, expected = KEYS[what]
    assert made(tmp_path, schema, statement) == expected


USERS = "CREATE TABLE users(id INTEGER PRIMARY KEY, Email TEXT UNIQUE COLLATE NOCASE, name);"


def test_a_row_whose_place_another_took_is_told_by_that_row(tmp_path: pathlib.Path) -> None:
    schema = USERS + (
        "CREATE TABLE posts(id INTEGER PRIMARY KEY, user REFERENCES users ON DELETE CASCADE);"
        "INSERT INTO users VALUES(3, 'ada@example.org', 'Ada'), (4, 'grace@example.org', 'Grace');"
        "INSERT INTO posts VALUES(1, 3);"
    )
    assert made(tmp_path, schema, "REPLACE INTO users VALUES(9, 'ADA@example.org', 'A.')") == {
        "users[id=9]": "",
        "users[id=3]": "REPLACE by users[id=9], with the same Email",
        "posts[id=1]": "ON DELETE CASCADE of posts.user, with users[id=3]",
    }
    assert made(tmp_path / "2", schema, "UPDATE OR REPLACE users SET email = 'grace@example.org' WHERE id = 3") == {
        "users[id=3].Email": "",
        "users[id=4]": "REPLACE by users[id=3], with the same Email",
    }


def test_a_row_that_only_has_another_key_as_others_show_took_no_place(tmp_path: pathlib.Path) -> None:
    schema = USERS + (
        "CREATE TABLE posts(id INTEGER PRIMARY KEY, user REFERENCES users ON UPDATE CASCADE);"
        "INSERT INTO users VALUES(3, 'ada@example.org', 'Ada'); INSERT INTO posts VALUES(1, 3);"
    )
    assert made(tmp_path, schema, "UPDATE users SET id = 9") == {
        "posts[id=1].user": "ON UPDATE CASCADE of posts.user, with users[id=9]",
        "users[id=3]": "",
        "users[id=9]": "",
    }


@pytest.mark.parametrize(
    "table",
    [
        "(id INTEGER PRIMARY KEY, a, b, UNIQUE(a, b) ON CONFLICT REPLACE)",
        "(id INTEGER PRIMARY KEY, a CHECK (a <> 'x, y'), b, CONSTRAINT [my key] UNIQUE(A, [b] COLLATE binary)"
        " ON CONFLICT REPLACE, CHECK (b IS NOT NULL))",
    ],
)
def test_a_key_that_replaces_by_itself_is_named_so(table: str, tmp_path: pathlib.Path) -> None:
    schema = f"CREATE TABLE t{table}; INSERT INTO t VALUES(1, 'a', 'b'), (2, 'a', 'c');"
    found = made(tmp_path, schema, "INSERT INTO t VALUES(9, 'a', 'b')")
    assert found == {"t[id=1]": "ON CONFLICT REPLACE by t[id=9], with the same a, b", "t[id=9]": ""}


def test_a_column_that_replaces_by_itself_is_named_so(tmp_path: pathlib.Path) -> None:
    schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT DEFAULT (max(1, 2)) UNIQUE ON CONFLICT REPLACE, b);"
    found = made(tmp_path, schema + "INSERT INTO t VALUES(1, 'a', 'b')", "INSERT INTO t VALUES(9, 'a', 'c')")
    assert found == {"t[id=1]": "ON CONFLICT REPLACE by t[id=9], with the same a", "t[id=9]": ""}


LOGGED = """
    CREATE TABLE orders(id INTEGER PRIMARY KEY, status TEXT, updated TEXT, total INT);
    CREATE TABLE log(text);
    CREATE TABLE counts(name TEXT PRIMARY KEY, n INT);
    CREATE TABLE queue(id INTEGER PRIMARY KEY, n INT);
    INSERT INTO orders VALUES(1, 'new', 'a', 5), (2, 'new', 'a', 5); INSERT INTO counts VALUES('log', 0);
    INSERT INTO queue VALUES(1, 0);
"""
PAID = (
    "CREATE TRIGGER log_paid AFTER UPDATE OF status, total ON orders WHEN NEW.status = 'paid' "
    "BEGIN INSERT INTO log VALUES('paid; END'); END;"
)
TOUCH = "CREATE TRIGGER touch AFTER UPDATE ON orders BEGIN UPDATE orders SET updated = 'b' WHERE id = NEW.id; END;"
COUNT = "CREATE TRIGGER count AFTER INSERT ON log BEGIN UPDATE counts SET n = (SELECT count(*) FROM log); END;"
QUEUE = "CREATE TRIGGER take INSERT ON log BEGIN SELECT 1; DELETE FROM queue WHERE id = 1; END;"
BY_PAID = "trigger log_paid, AFTER UPDATE OF status, total ON orders"


def test_what_a_trigger_wrote_is_told_by_its_name_and_event_from_trigger_to_trigger(tmp_path: pathlib.Path) -> None:
    found = made(tmp_path, LOGGED + PAID + TOUCH + COUNT + QUEUE, "UPDATE orders SET status = 'paid' WHERE id = 1")
    assert found == {
        "orders[id=1].status": "",
        "orders[id=1].updated": "trigger touch, AFTER UPDATE ON orders",
        "log+": BY_PAID,
        "counts[name=log].n": "trigger count, AFTER INSERT ON log",
        "queue[id=1]": "trigger take, BEFORE INSERT ON log",
    }


WRITES = {
    "REPLACE INTO counts VALUES('log', 7)": {"counts[name=log].n"},
    "INSERT OR REPLACE INTO counts(name, n) VALUES('log', 7)": {"counts[name=log].n"},
    "INSERT INTO counts VALUES('log', 7) ON CONFLICT(name) DO UPDATE SET n = excluded.n": {"counts[name=log].n"},
    "DELETE FROM counts; INSERT INTO counts VALUES('log', 7)": {"counts[name=log].n"},
    "UPDATE OR IGNORE counts SET (n, name) = (7, 'log')": {"counts[name=log].n"},
    "UPDATE counts SET name = 'log 2'": {"counts[name=log]", 'counts[name="log 2"]'},
    "INSERT OR IGNORE INTO log SELECT 'x' FROM counts": {"log+"},
    'UPDATE "Counts" SET "N" = 7': {"counts[name=log].n"},
}


@pytest.mark.parametrize("body", WRITES)
def test_every_way_to_write_is_read_from_a_triggers_body(body: str, tmp_path: pathlib.Path) -> None:
    trigger = f"CREATE TRIGGER IF NOT EXISTS [my trigger] AFTER UPDATE ON orders BEGIN {body}; END;"
    found = made(tmp_path, LOGGED + trigger, "UPDATE orders SET total = 6 WHERE id = 1")
    assert found.pop("orders[id=1].total") == ""
    assert set(found) == WRITES[body]
    assert set(found.values()) == {"trigger my trigger, AFTER UPDATE ON orders"}


def test_rows_without_a_key_come_and_go_where_a_trigger_updates_them(tmp_path: pathlib.Path) -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON queue BEGIN UPDATE log SET text = 'new'; END;"
    found = made(tmp_path, LOGGED + "INSERT INTO log VALUES('old');" + trigger, "INSERT INTO queue VALUES(2, 0)")
    says = "trigger t, AFTER INSERT ON queue"
    assert found == {"queue[id=2]": "", "log-": says, "log+": says}


OFF = "PRAGMA foreign_keys = OFF;"
PAY = "UPDATE orders SET status = 'paid' WHERE id = 1;"
LOG = "INSERT INTO log VALUES('by hand')"
BACK = "CREATE TRIGGER back AFTER UPDATE OF updated ON orders BEGIN UPDATE orders SET total = 9; END;"
VIEW = (
    "CREATE VIEW v AS SELECT * FROM orders;"
    "CREATE TRIGGER p INSTEAD OF UPDATE ON v BEGIN INSERT INTO log VALUES(1); END;"
)
SOME = (
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE UNIQUE INDEX u ON t(a) WHERE b;INSERT INTO t VALUES(1, 1, 0);"
)
BY_HAND = {
    "children alone": (SHOP, "DELETE FROM items WHERE id = 300; DELETE FROM orders WHERE id = 31"),
    "a child of another parent": (
        SHOP,
        OFF + "DELETE FROM customers WHERE id = 3; DELETE FROM orders WHERE id = 40",
    ),
    "a foreign key without an action": (SHOP, OFF + "DELETE FROM customers WHERE id = 1; DELETE FROM kept"),
    "set to something else": (
        SHOP,
        OFF + "DELETE FROM customers WHERE id = 3; UPDATE notes SET customer = 4 WHERE id = 1;"
        "UPDATE seats SET customer = NULL WHERE id = 1",
    ),
    "another new key": (SHOP, OFF + "UPDATE customers SET id = 33 WHERE id = 3; UPDATE orders SET customer = 4"),
    "rows that only go": (
        USERS + "INSERT INTO users VALUES(1, 'a', 1), (2, 'b', 1);",
        "DELETE FROM users WHERE id = 1; INSERT INTO users VALUES(9, 'c', 1)",
    ),
    "no value to be unique": (
        USERS + "INSERT INTO users VALUES(1, NULL, 1);",
        "DELETE FROM users; INSERT INTO users VALUES(9, NULL, 2)",
    ),
    "a key of some rows only": (SOME, "DELETE FROM t; INSERT INTO t VALUES(2, 1, 0)"),
    "a trigger of another event": (LOGGED + PAID.replace("UPDATE OF status, total", "DELETE"), PAY + LOG),
    "a trigger of other columns": (LOGGED + PAID, "UPDATE orders SET updated = 'z' WHERE id = 1;" + LOG),
    "a trigger that writes elsewhere": (LOGGED + PAID, PAY + "DELETE FROM log; DELETE FROM queue"),
    "a trigger of another table": (LOGGED + COUNT, PAY + "UPDATE counts SET n = 9"),
    "what a trigger sets, by itself": (LOGGED + TOUCH, "DROP TRIGGER touch; UPDATE orders SET updated = 'z'"),
    "two triggers that set off each other": (
        LOGGED + TOUCH + BACK,
        "DROP TRIGGER touch; DROP TRIGGER back; UPDATE orders SET updated = 'z', total = 8",
    ),
    "a trigger on a view": (LOGGED + VIEW, PAY + LOG),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_what_was_done_by_hand_names_no_cause(what: str, tmp_path: pathlib.Path) -> None:
    found = made(tmp_path, *BY_HAND[what])
    assert len(found) >= 2
    assert set(found.values()) == {""}


def test_a_rule_of_the_schema_before_or_after_may_have_been_in_force(tmp_path: pathlib.Path) -> None:
    went = made(tmp_path / "1", LOGGED + PAID, "UPDATE orders SET status = 'paid' WHERE id = 1; DROP TRIGGER log_paid")
    came = made(tmp_path / "2", LOGGED, PAID + "UPDATE orders SET status = 'paid' WHERE id = 1")
    assert went["log+"] == came["log+"] == BY_PAID
    assert went["@schema.trigger.log_paid"] == came["@schema.trigger.log_paid"] == ""


CATALOGUE = """
    CREATE TABLE product(id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE image(id INTEGER PRIMARY KEY, pid INT REFERENCES product(id) ON DELETE CASCADE);
    INSERT INTO product VALUES(1, 'lamp'), (2, 'chair'); INSERT INTO image VALUES(10, 1), (11, 1), (20, 2);
"""
ANEW = "ON DELETE CASCADE of image.pid, if REPLACE wrote product[id=1] anew"


def test_children_that_went_with_a_row_that_was_written_anew_are_told_as_fitting_that(tmp_path: pathlib.Path) -> None:
    same = made(tmp_path / "1", CATALOGUE, "REPLACE INTO product VALUES(1, 'lamp')")
    assert same == {"image[id=10]": ANEW, "image[id=11]": ANEW}
    changed = made(tmp_path / "2", CATALOGUE, "REPLACE INTO product VALUES(2, 'stool')")
    assert changed == {"product[id=2].title": "", "image[id=20]": ANEW.replace("id=1", "id=2")}


@pytest.mark.parametrize(
    "statements",
    [
        "DELETE FROM image WHERE id = 10",  # another one still names the row
        "DELETE FROM image WHERE id = 20",  # one row is as likely deleted by itself
        "DELETE FROM image WHERE pid = 1; INSERT INTO image VALUES(12, 1)",
    ],
)
def test_children_that_went_by_themselves_fit_no_replace(statements: str, tmp_path: pathlib.Path) -> None:
    assert set(made(tmp_path, CATALOGUE, statements).values()) == {""}


def test_rows_without_a_key_that_name_another_row_now_fit_no_replace(tmp_path: pathlib.Path) -> None:
    tags = "CREATE TABLE tag(pid REFERENCES product ON DELETE CASCADE, name); INSERT INTO tag VALUES(1, 'a'), (1, 'b');"
    found = change(tmp_path, ON + CATALOGUE + tags, "UPDATE tag SET pid = 2")
    assert [item.likely_cause for item in found.changes] == [""] * 4


def test_keys_that_the_task_names_and_places_that_it_leaves_out_are_heeded(tmp_path: pathlib.Path) -> None:
    schema = USERS + "INSERT INTO users VALUES(3, 'ada@example.org', 'Ada');"
    named = change(tmp_path / "1", ON + schema, "REPLACE INTO users VALUES(9, 'ada@example.org', 'A.')", key="Email")
    assert {item.address: item.likely_cause for item in named.changes} == {
        'users[Email="ada@example.org"].id': "",
        'users[Email="ada@example.org"].name': "",
    }
    left_out = change(tmp_path / "2", ON + SHOP, ON + "DELETE FROM customers WHERE id = 3", **{"except": ["customers"]})
    assert {item.likely_cause for item in left_out.changes if item.address.startswith("orders")} == {""}


def test_the_kind_says_that_it_knows_of_consequences() -> None:
    assert isinstance(KIND, Causing)


ODD = {
    "no such parent": "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES gone ON DELETE CASCADE);",
    "a parent without that key": "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(n) ON DELETE CASCADE);",
    "a parent that is a view": "CREATE VIEW v AS SELECT 1 AS id; "
    "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES v(id) ON DELETE CASCADE);",
    "a collation of the application's own": "CREATE TABLE q(id TEXT COLLATE own PRIMARY KEY); "
    "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES q ON DELETE CASCADE);",
    "a trigger that is too long to be read": "CREATE TABLE c(id INTEGER PRIMARY KEY, p);"
    f"CREATE TRIGGER t AFTER DELETE ON p BEGIN DELETE FROM c WHERE p <> '{'x' * LONGEST}'; END;",
}


@pytest.mark.parametrize("what", ODD)
def test_what_cannot_be_told_names_no_cause(what: str, tmp_path: pathlib.Path) -> None:
    def collate(connection: sqlite3.Connection) -> None:
        connection.create_collation("own", lambda a, b: (a > b) - (a < b))
        connection.executescript("CREATE TABLE p(id INTEGER PRIMARY KEY, n); INSERT INTO p VALUES(1, 1);" + ODD[what])
        connection.execute("INSERT INTO c VALUES(5, 1)")

    found = change(tmp_path, collate, "DROP TRIGGER IF EXISTS t; DELETE FROM p; DELETE FROM c")
    assert [item.likely_cause for item in found.changes if item.op == "removed"] == [""] * (2 + ("trigger" in what))
