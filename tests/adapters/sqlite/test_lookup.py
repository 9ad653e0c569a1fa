"""Addresses, selectors, rows at a path, shapes of rows and queries, all on the whole state."""

import pathlib

import pytest
from tests.adapters.sqlite.support import change, edit, found, many, rows, snapshot

from exactchange.address import parse_pattern
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.values import Value
from exactchange_adapters.sqlite import KIND, SqliteSelector, SqliteSnapshot

SHOP = """CREATE TABLE orders(id INTEGER PRIMARY KEY, status TEXT DEFAULT 'new', total REAL DEFAULT 0,
    who TEXT NOT NULL, at TEXT DEFAULT CURRENT_TIMESTAMP, double AS (total * 2));
  INSERT INTO orders(id, status, total, who, at)
    VALUES(1,'new',1,'ada','x'),(2,'paid',2.5,'bob','y'),(3,'new',0,'ada','z');
  CREATE TABLE "odd ""name""="(k TEXT UNIQUE, "a.b"); INSERT INTO "odd ""name""=" VALUES('x y', 1),(NULL, 2),(NULL, 2);
  CREATE TABLE seats(flight TEXT, seat TEXT, free, PRIMARY KEY(flight, seat));
  INSERT INTO seats VALUES('XC 204','1A',1),('XC 204','1B',0);
  CREATE INDEX ix_who ON orders(who); CREATE VIEW v AS SELECT 1; PRAGMA user_version=7;"""


@pytest.fixture
def shop(tmp_path: pathlib.Path) -> SqliteSnapshot:
    return snapshot(edit(tmp_path / "shop.db", SHOP))


@pytest.mark.parametrize(
    ("at", "addresses"),
    [
        ("orders[id=2].status", ["orders[id=2].status"]),
        ("orders[id=*].status", ["orders[id=1].status", "orders[id=2].status", "orders[id=3].status"]),
        ("orders[*].who", ["orders[id=1].who", "orders[id=2].who", "orders[id=3].who"]),
        ("orders[id=9].status", []),
        ('orders[id="2"].status', []),
        ("orders[id=2.0].status", []),
        ("orders[id=2]", ["orders[id=2]"]),
        ("orders", ["orders"]),
        ("orders[status=new]", []),
        ('seats[flight="XC 204",seat="1B"].free', ['seats[flight="XC 204",seat="1B"].free']),
        ('seats[seat="1A"].free', ['seats[flight="XC 204",seat="1A"].free']),
        ('["odd \\"name\\"="][k="x y"]["a.b"]', ['["odd \\"name\\"="][k="x y"]["a.b"]']),
        ("@schema.index.*", ["@schema.index.ix_who"]),
        ("@schema.view.v", ["@schema.view.v"]),
        ("@pragma.user_version", ["@pragma.user_version"]),
        ("**.free", ['seats[flight="XC 204",seat="1A"].free', 'seats[flight="XC 204",seat="1B"].free']),
        ("nosuch[*]", []),
        ("v[*]", []),
    ],
)
def test_a_pattern_finds_every_node_of_the_whole_state(at: str, addresses: list[str], shop: SqliteSnapshot) -> None:
    assert sorted(match.address for match in found(shop, at)) == sorted(addresses)


def test_every_printed_address_finds_its_own_node(shop: SqliteSnapshot) -> None:
    everything = found(shop, "**")
    assert len({match.address for match in everything}) == len(everything) > 30
    for match in everything:
        assert match.path in [other.path for other in found(shop, match.address)], match.address


def test_values_found_are_those_of_the_cells(shop: SqliteSnapshot) -> None:
    assert [match.value for match in found(shop, "orders[*].total")] == [1.0, 2.5, 0.0]
    assert found(shop, "seats")[0].value == {
        'flight="XC 204",seat="1A"': {"flight": "XC 204", "seat": "1A", "free": 1},
        'flight="XC 204",seat="1B"': {"flight": "XC 204", "seat": "1B", "free": 0},
    }


def test_rows_without_a_key_are_told_apart_by_content_and_number(shop: SqliteSnapshot) -> None:
    two = [match.path for match in found(shop, '["odd \\"name\\"="][#*]')]
    assert [str(path[1]).partition("~")[2] for path in two] == ["", "2"]
    for path in two:
        assert KIND.row_at(shop, path) == {"k": None, "a.b": 2}
    assert KIND.row_at(shop, (two[0][0], f"{two[0][1]}~3")) is None


def test_the_selector_gives_rows_or_cells(shop: SqliteSnapshot) -> None:
    def select(**place: str) -> list[tuple[str, Value]]:
        picked = KIND.select(shop, SqliteSelector.model_validate(place), budget=CountedBudget())
        return [(match.address, match.value) for match in picked]

    assert select(table="orders", column="status") == [
        ("orders[id=1].status", "new"), ("orders[id=2].status", "paid"), ("orders[id=3].status", "new"),
    ]  # fmt: skip
    assert select(table="seats")[1] == (
        'seats[flight="XC 204",seat="1B"]',
        {"flight": "XC 204", "seat": "1B", "free": 0},
    )
    assert select(table="nosuch") == select(table="orders", column="nosuch") == select(table="v") == []


@pytest.mark.parametrize("times", [1, 5])
def test_the_row_at_a_path_is_found_whole(times: int, shop: SqliteSnapshot) -> None:
    for _ in range(times):  # the first answers are looked up, later ones come from an index
        assert KIND.row_at(shop, ("orders", "id=2")) == {
            "id": 2, "status": "paid", "total": 2.5, "who": "bob", "at": "y", "double": 5.0,
        }  # fmt: skip
        assert KIND.row_at(shop, ("orders", "id=2", "who")) == KIND.row_at(shop, ("orders", "id=2"))
        assert KIND.row_at(shop, ("seats", 'flight="XC 204",seat="1A"')) == {
            "flight": "XC 204",
            "seat": "1A",
            "free": 1,
        }
        for path in ((), ("orders",), ("orders", "id=9"), ("orders", "nonsense"), ("orders", "who=ada"),
                     ("@schema", "index"), ("seats", 'seat="1A"'), ("nosuch", "id=1"), ("orders", 1),
                     ("seats", "#00000000")):  # fmt: skip
            assert KIND.row_at(shop, path) is None, path


def test_one_row_of_a_large_table_is_found_without_walking_over_it(tmp_path: pathlib.Path) -> None:
    values = many("INSERT INTO t VALUES(?,?)", [(n, f"name {n}") for n in range(20_000)])
    path = edit(tmp_path / "a.db", "CREATE TABLE t(id INTEGER PRIMARY KEY, k TEXT UNIQUE)", values)
    snap, budget = snapshot(path), CountedBudget(max_nodes=20)
    assert [m.value for m in KIND.find(snap, parse_pattern("t[id=777].k"), budget=budget)] == ["name 777"]
    with pytest.raises(OverBudget):
        KIND.find(snap, parse_pattern("t[*].k"), budget=budget)


def test_the_shape_of_a_row_tells_identity_defaults_and_computed_columns(shop: SqliteSnapshot) -> None:
    shape = KIND.row_shape(shop, ("orders", "id=2"))
    assert shape is not None
    assert (shape.identity, shape.computed) == (frozenset({"id"}), frozenset({"double"}))
    assert dict(shape.defaults) == {"status": "new", "total": 0.0}
    seat = KIND.row_shape(shop, ("seats", 'flight="XC 204",seat="1A"'))
    assert seat is not None and seat.identity == {"flight", "seat"}
    odd = KIND.row_shape(shop, ('odd "name"=', 'k="x y"'))
    assert odd is None  # a table's name with "=" is spelt otherwise in a path
    odd = KIND.row_shape(shop, ('@@odd "name"=', 'k="x y"'))
    assert odd is not None and odd.identity == {"k"}
    assert KIND.row_shape(shop, ("orders", "id=2", "total")) is None
    assert KIND.row_shape(shop, ("@schema", "index")) is None and KIND.row_shape(shop, ("orders",)) is None


def test_the_affinity_of_a_column_is_told(shop: SqliteSnapshot) -> None:
    told = [KIND.affinity(shop, ("orders", "id=2", name)) for name in ("id", "status", "total", "nosuch")]
    assert told == ["INTEGER", "TEXT", "REAL", None]


def test_describing_speaks_the_databases_language(shop: SqliteSnapshot) -> None:
    def at(*path: str) -> object:
        return KIND.describe(path, before=shop, after=shop)[1]

    assert at("orders", "id=7", "status") == {"table": "orders", "key": {"id": 7}, "column": "status"}
    assert at("seats", 'flight="XC 204",seat="1A"') == {"table": "seats", "key": {"flight": "XC 204", "seat": "1A"}}
    assert at("t", "k=x'00ff'") == {"table": "t", "key": {"k": b"\0\xff"}}
    assert at("t", "k=infinity,n=null,r=1.5,i=inf") == {
        "table": "t",
        "key": {"k": "infinity", "n": None, "r": 1.5, "i": float("inf")},
    }
    assert at("log", "#1a2b3c4d~2") == {"table": "log", "content": "#1a2b3c4d~2"}
    assert at("@schema", "index", "ix_who") == {"schema": "index", "name": "ix_who"}
    assert at("@pragma", "user_version") == {"pragma": "user_version"}
    assert at() == {}


@pytest.mark.parametrize(
    ("sql", "arguments", "expected"),
    [
        ("SELECT count(*) AS n FROM orders", {}, [{"n": 3}]),
        ("SELECT id, total FROM orders WHERE who = :who ORDER BY id DESC", {"who": "ada"},
         [{"id": 3, "total": 0.0}, {"id": 1, "total": 1.0}]),
        ("WITH c AS (SELECT sum(total) AS s FROM orders) SELECT s FROM c", {}, [{"s": 3.5}]),
        ("SELECT o.who AS w, s.seat AS s FROM orders o JOIN seats s ON s.free = o.id ORDER BY 2", {},
         [{"w": "ada", "s": "1A"}]),
        ("SELECT who FROM orders UNION SELECT seat FROM seats ORDER BY 1 LIMIT 1", {}, [{"who": "1A"}]),
        ("SELECT status FROM orders WHERE id = (SELECT max(id) FROM orders)", {}, [{"status": "new"}]),
        ("SELECT upper(who) AS u FROM orders WHERE id = 1", {}, [{"u": "ADA"}]),
        ("SELECT json_extract('{\"a\": [1]}', '$.a[0]') AS x", {}, [{"x": 1}]),
        ("SELECT date('2024-01-31', '+1 month') AS d", {}, [{"d": "2024-03-02"}]),
        ("SELECT row_number() OVER (ORDER BY id DESC) AS r FROM orders WHERE id = 1", {}, [{"r": 1}]),
        ("SELECT x'00' AS b, NULL AS n, 1.0 AS r", {}, [{"b": b"\0", "n": None, "r": 1.0}]),
        ("SELECT id FROM orders WHERE id > 99", {}, []),
    ],
)  # fmt: skip
def test_a_query_answers_with_mappings(
    sql: str, arguments: dict[str, Value], expected: list[Value], shop: SqliteSnapshot
) -> None:
    assert rows(shop, sql, **arguments) == expected


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DELETE FROM orders", "SELECT"),
        ("SELECT 1; SELECT 2", "one SELECT"),
        ("PRAGMA user_version", "SELECT"),
        ("ATTACH 'x' AS y", "SELECT"),
        ("WITH c AS (DELETE FROM orders RETURNING *) SELECT * FROM c", "only reads"),
        ("SELECT FROM WHERE", "understood|SELECT"),
        ("SELECT random() AS r", "random"),
        ("SELECT load_extension('x') AS r", "load_extension"),
        ("SELECT date('now') AS r", "time"),
        ("SELECT current_timestamp AS r", "time"),
        ("SELECT * FROM pragma_table_info('orders')", "holds no state"),
        ("SELECT last_insert_rowid() AS r", "last_insert_rowid"),
        ("SELECT o.who, p.who FROM orders o, orders p", "two columns"),
        ("", "SELECT"),
        ("SELECT :missing AS x", ":missing"),
    ],
)
def test_what_is_more_than_a_pure_select_is_the_tasks_mistake(sql: str, why: str, shop: SqliteSnapshot) -> None:
    with pytest.raises(UsageError, match=why):
        rows(shop, sql)


@pytest.mark.parametrize("sql", ["SELECT * FROM nosuch", "SELECT nosuch FROM orders", "SELECT * FROM v"])
def test_what_the_database_cannot_answer_is_undecided(sql: str, shop: SqliteSnapshot) -> None:
    with pytest.raises(OverBudget):
        rows(shop, sql)


def test_an_unread_or_closed_database_answers_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.db").write_bytes(b"no database")
    broken = snapshot(tmp_path / "a.db")
    for question in (
        lambda: found(broken, "t[*]"),
        lambda: rows(broken, "SELECT 1 AS x"),
        lambda: KIND.row_at(broken, ("t", "id=1")),
    ):
        with pytest.raises(OverBudget, match="not an SQLite database"):
            question()
    gone = snapshot(tmp_path / "b.db")
    assert found(gone, "t[*]") == [] and KIND.row_at(gone, ("t", "id=1")) is None


@pytest.mark.parametrize(
    ("params", "address"),
    [
        ({}, "people[id=1].age"),
        ({"key": "email"}, 'people[email="a@x"].age'),
        ({"key": "nosuch"}, "people[id=1].age"),
        ({"keys": {"people": "email"}}, 'people[email="a@x"].age'),
        ({"keys": {"people": ["first", "last"]}}, "people[first=Ada,last=L].age"),
    ],
)
def test_a_task_may_name_the_key(params: dict[str, object], address: str, tmp_path: pathlib.Path) -> None:
    table = """CREATE TABLE people(id INTEGER PRIMARY KEY, email, first, last, age);
        INSERT INTO people VALUES(1,'a@x','Ada','L',1),(2,'b@x','Ada','M',2)"""
    assert [c.address for c in change(tmp_path, table, "UPDATE people SET age=9 WHERE id=1", **params).changes] == [
        address
    ]
    after = snapshot(tmp_path / "after.db", **params)
    assert [match.value for match in found(after, address)] == [9]


@pytest.mark.parametrize(("keys", "why"), [({"t": "a"}, "not unique"), ({"t": "nosuch"}, "does not have")])
def test_a_named_key_that_does_not_tell_rows_apart_makes_the_table_unread(
    keys: dict[str, str], why: str, tmp_path: pathlib.Path
) -> None:
    table = "CREATE TABLE t(a, b); INSERT INTO t VALUES(1,1),(1,2); CREATE TABLE u(a); INSERT INTO u VALUES(1)"
    result = change(tmp_path, table, "UPDATE t SET b=3 WHERE b=2; UPDATE u SET a=2", keys=keys)
    assert [(item.address, why in item.reason) for item in result.unread] == [("t", True)]
    assert {c.path[0] for c in result.changes} == {"u"}


ALIKE = "CREATE TABLE log(level, n); INSERT INTO log VALUES('info',39760),('info',50035),('info',1),('info',1);"


def test_two_rows_whose_hashes_begin_alike_are_never_taken_for_each_other(tmp_path: pathlib.Path) -> None:
    """Such pairs are cheap to find: the contents of these two begin with a6c697c9."""
    snap = snapshot(edit(tmp_path / "a.db", ALIKE))
    paths = [match.path for match in found(snap, "log[*]")]
    assert sorted(len(str(path[1])) for path in paths) == [9, 11, 65, 65]
    for _ in range(5):
        for match in found(snap, "log[*]"):
            assert KIND.row_at(snap, match.path) == match.value
            assert [other.path for other in found(snap, match.address)] == [match.path]
        with pytest.raises(OverBudget, match="begin with a6c697c9"):
            KIND.row_at(snap, ("log", "#a6c697c9"))
    assert sorted(
        str(c.path[1])[:9] for c in change(tmp_path / "a", ALIKE, "DELETE FROM log WHERE n=39760").changes
    ) == ["#a6c697c9"]
    both = change(tmp_path / "b", ALIKE, "DELETE FROM log WHERE n>1").changes
    assert len({c.path for c in both}) == 2 and all(len(str(c.path[1])) == 17 for c in both)
    for item in both:
        assert KIND.row_at(snap, item.path) == item.before
