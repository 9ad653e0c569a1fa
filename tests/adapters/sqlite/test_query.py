"""A task's query under attack: by what the task writes, by what the agent put into the database, and by sheer size."""

import pathlib
import string

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import edit, files, many, rows, snapshot

from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.values import Value
from exactchange_adapters.sqlite import KIND, SqliteSnapshot
from exactchange_adapters.sqlite.functions import tamed

SHOP = """CREATE TABLE t(id INTEGER PRIMARY KEY, v, due TEXT, j TEXT);
  INSERT INTO t VALUES(1, 2, '2024-01-31', '[1,2]'), (2, 5, '2024-02-29', '{}');
  CREATE VIRTUAL TABLE f USING fts5(a, b); INSERT INTO f VALUES('hello', 'w');
  CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES(1, 2, 3);"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> SqliteSnapshot:
    return snapshot(edit(tmp_path_factory.mktemp("shop") / "shop.db", SHOP))


def refused(snap: SqliteSnapshot, sql: str, **arguments: Value) -> str:
    """Why a query has no answer. That it has none is never an answer, neither of no rows nor of a row."""
    with pytest.raises((UsageError, OverBudget)) as caught:
        rows(snap, sql, **arguments)
    return str(caught.value)


# What a query may not be


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t", "INSERT INTO t VALUES(9,9,9,9) RETURNING id", "UPDATE t SET v=1 RETURNING v AS x",
        "REPLACE INTO t VALUES(1,1,1,1)", "WITH c AS (SELECT 1) INSERT INTO t SELECT 9,9,9,9",
        "WITH c AS (DELETE FROM t RETURNING *) SELECT * FROM c", "SELECT v INTO u FROM t", "CREATE TEMP TABLE q(a)",
        "DROP TABLE t", "ALTER TABLE t ADD COLUMN w", "CREATE TABLE q AS SELECT 1", "PRAGMA user_version",
        "PRAGMA writable_schema=1", "EXPLAIN SELECT 1", "EXPLAIN QUERY PLAN SELECT 1", "BEGIN", "COMMIT", "SAVEPOINT a",
        "VACUUM", "VACUUM INTO 'out.db'", "REINDEX", "ANALYZE", "ATTACH 'x.db' AS y", "DETACH main", "VALUES(1),(2)",
        "SELECT 1 AS x; SELECT 2 AS x", "SELECT 1 AS x; DROP TABLE t", "", ";", "-- SELECT 1", "SELECT FROM WHERE",
        "SELECT 1 AS x WHERE", "SELECT " + "(" * 3000 + "1" + ")" * 3000 + " AS x",
    ],
)  # fmt: skip
def test_a_query_is_one_select_and_nothing_else(sql: str, shop: SqliteSnapshot) -> None:
    with pytest.raises(UsageError):
        rows(shop, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 AS x;", "SELECT 1 AS x;;", "/* a; b */ SELECT 1 AS x -- ; DROP TABLE t", "select 1 as x",
        "WITH c(x) AS (SELECT 1) SELECT x FROM c", "SELECT count(*) AS x FROM (SELECT 1)",
        "WITH c AS (SELECT 1) SELECT count(*) AS x FROM c", "WITH t AS (SELECT 7) SELECT count(*) AS x FROM t",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 3) SELECT min(n) AS x FROM c",
        "SELECT x FROM (SELECT 1 AS x UNION SELECT 1)", "SELECT length(';') AS x",
    ],
)  # fmt: skip
def test_one_select_may_be_written_in_many_ways(sql: str, shop: SqliteSnapshot) -> None:
    assert rows(shop, sql) == [{"x": 1}]


@pytest.mark.parametrize(
    "call",
    [
        "load_extension('x')", "readfile('/etc/hostname')", "writefile('out', 'y')", "edit('x')",
        "fts3_tokenizer('simple')",
        "zeroblob(1000000000)", "randomblob(5)", "printf('%1000000000d', 1)", "format('%.*c', 100, 'x')", "random()",
        "abs(random())", "sqlite_version()", "sqlite_source_id()", "sqlite_compileoption_get(1)", "last_insert_rowid()",
        "changes()", "total_changes()", "fts5_source_id()", "fts5(1)", "rtreecheck('r')", "highlight(f, 0, '<', '>')",
        "jsonb('[1]')", "subtype(1)", "sqlite_offset(v)", "raise(abort, 'x')", "likelihood(1, 0.5)", "eval('SELECT 1')",
        "\"random\"()", "[random]()", "`random`()", "RANDOM()", "random( /* */ )",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "place", ["SELECT {} AS x", "SELECT 1 AS x FROM t WHERE {} IS NULL", "SELECT 1 AS x FROM t ORDER BY {}"]
)
def test_a_function_that_is_not_listed_is_never_called(call: str, place: str, shop: SqliteSnapshot) -> None:
    assert refused(shop, place.format(call))


@pytest.mark.parametrize(
    "table",
    [
        "pragma_table_info('t')", "pragma_database_list", "pragma_function_list", "dbstat", "sqlite_stmt",
        "sqlite_dbpage",
        "bytecode('select 1')", "tables_used('select 1')", "sqlite_temp_master", "sqlite_temp_schema", "f_data",
        "f_content",
        "f_config", "r_node", "fts5vocab", "generate_series(1, 3)", "completion('a')", "csv", "zipfile('x')",
        "fsdir('/')",
    ],
)  # fmt: skip
@pytest.mark.parametrize("what", ["*", "count(*) AS x"])
def test_only_what_is_state_can_be_read(table: str, what: str, shop: SqliteSnapshot) -> None:
    assert refused(shop, f"SELECT {what} FROM {table}")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT value AS x FROM json_each('[1,2]')", [{"x": 1}, {"x": 2}]),
        ("SELECT e.value AS x FROM t, json_each(t.j) AS e", [{"x": 1}, {"x": 2}]),
        ("SELECT count(*) AS x FROM sqlite_schema WHERE type = 'table' AND name = 't'", [{"x": 1}]),
        ("SELECT b FROM f WHERE f MATCH 'hello'", [{"b": "w"}]),
        ("SELECT b FROM f('hello')", [{"b": "w"}]),
        ("SELECT count(*) AS x FROM r WHERE a < 2.5", [{"x": 1}]),
        ("SELECT T.V AS x FROM T WHERE ID = 1", [{"x": 2}]),
    ],
)
def test_tables_of_every_kind_json_and_the_schema_are_state(
    sql: str, expected: list[Value], shop: SqliteSnapshot
) -> None:
    assert rows(shop, sql) == expected


# The clock


@pytest.mark.parametrize(
    "call",
    [
        "date()", "time()", "datetime()", "julianday()", "unixepoch()", "strftime('%s')", "date('now')", "DATE('NOW')",
        "date('no' || 'w')", "date(:word)", "date(:blob)", "date('now' || char(0) || 'x')", "strftime('%J', 'now')",
        "timediff('now', '2024-01-01')", "timediff('2024-01-01', 'NoW')", "unixepoch('subsec')",
        "unixepoch('subsecond')",
        "datetime('now', '-1 day')", "date('2024-01-01', 'localtime')", "date('2024-01-01', '+1 day', 'UTC')",
        "date('2024-01-01', 'local' || 'time')", "CURRENT_TIMESTAMP", "current_date", "CURRENT_TIME",
    ],
)  # fmt: skip
def test_no_query_asks_for_the_time_or_the_zone_of_the_machine(call: str, shop: SqliteSnapshot) -> None:
    why = refused(shop, f"SELECT {call} AS x", word="now", blob=b"now")
    assert "time" in why or "depends on the machine" in why


def test_an_agent_that_writes_now_into_a_date_gets_no_answer_from_the_clock(tmp_path: pathlib.Path) -> None:
    script = SHOP + "UPDATE t SET due = 'now' WHERE id = 2"
    snap = snapshot(edit(tmp_path / "a.db", script))
    for sql in ("SELECT id FROM t WHERE date(due) > '2024-06-01'", "SELECT max(julianday(due)) AS x FROM t"):
        assert "asks for the time" in refused(snap, sql)
    assert rows(snap, "SELECT id FROM t WHERE due = 'now'") == [{"id": 2}]  # the word itself is a text like any


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("date(due, '+1 month')", "2024-03-02"), ("date('nowhere')", None), ("date(NULL)", None),
        ("date(2460000.5)", "2023-02-25"),
        ("unixepoch('2024-01-01')", 1704067200), ("strftime('%Y-%W', due)", "2024-05"),
        ("julianday('2024-01-01')", 2460310.5),
        ("timediff('2024-03-01', '2024-02-28')", "+0000-00-02 00:00:00.000"),
        ("datetime(0, 'unixepoch')", "1970-01-01 00:00:00"),
        ("time('12:30')", "12:30:00"),
    ],
)  # fmt: skip
def test_dates_are_reckoned_as_sqlite_does(call: str, value: Value, shop: SqliteSnapshot) -> None:
    assert rows(shop, f"SELECT {call} AS x FROM t WHERE id = 1") == [{"x": value}]


# What the agent put into the database


def test_a_view_is_never_run_and_takes_no_tables_place(tmp_path: pathlib.Path) -> None:
    scripts = [
        "ALTER TABLE t RENAME TO hidden; CREATE VIEW t AS SELECT id, 99 AS v FROM hidden",
        "CREATE VIEW v AS SELECT load_extension('x') AS a", "CREATE VIEW v AS SELECT date('now') AS a",
        "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n AS a FROM c",
    ]  # fmt: skip
    for number, script in enumerate(scripts):
        snap = snapshot(edit(tmp_path / f"{number}.db", SHOP, script))
        assert refused(snap, "SELECT max(v) AS x FROM t" if number == 0 else "SELECT * FROM v")


def test_triggers_and_generated_columns_of_a_database_run_nothing_on_a_query(tmp_path: pathlib.Path) -> None:
    script = """CREATE TABLE log(a); CREATE TRIGGER g AFTER UPDATE ON t BEGIN INSERT INTO log VALUES(1); END;
      CREATE TABLE g(a, b AS (length(a) + 1), c AS (trim(a)) STORED); INSERT INTO g VALUES(' x ');
      CREATE INDEX ix ON g(trim(a)); CREATE INDEX iy ON g(a) WHERE instr(a, 'x') > 0;"""
    path = edit(tmp_path / "a.db", SHOP, script)
    before = files(tmp_path)
    snap = snapshot(path)
    assert rows(snap, "SELECT a, b, c FROM g WHERE trim(a) = 'x' AND instr(a, 'x') > 0") == [
        {"a": " x ", "b": 4, "c": "x"}
    ]
    assert rows(snap, "SELECT count(*) AS x FROM log") == [{"x": 0}]
    assert files(tmp_path) == before


def test_text_that_is_no_text_is_no_answer(tmp_path: pathlib.Path) -> None:
    snap = snapshot(edit(tmp_path / "a.db", "CREATE TABLE t(v); INSERT INTO t VALUES(CAST(x'ff41' AS TEXT))"))
    for sql in ("SELECT v FROM t", "SELECT trim(v, 'A') AS x FROM t", "SELECT date(v) AS x FROM t"):
        assert refused(snap, sql)
    assert rows(snap, "SELECT CAST(v AS BLOB) AS x FROM t") == [{"x": b"\xffA"}]


# Budgets that are counted


ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (ENDLESS + "SELECT count(*) AS x FROM c", "steps"),
        (ENDLESS + "SELECT n FROM c", "rows"),
        (ENDLESS + "SELECT n FROM c WHERE n < 0", "steps"),
        ("SELECT count(*) AS x FROM " + ", ".join(f"t AS t{n}" for n in range(30)), "steps"),
        ("SELECT " + "hex(" * 14 + "'" + "a" * 200 + "'" + ")" * 14 + " AS x", "longer"),
        (ENDLESS + "SELECT group_concat(n) AS x FROM c", "longer|steps"),
        (ENDLESS + "SELECT replace(group_concat(n), ',', :long) AS x FROM (SELECT n FROM c LIMIT 9999)", "long"),
    ],
)
def test_what_takes_too_much_is_neither_true_nor_false(sql: str, why: str, shop: SqliteSnapshot) -> None:
    with pytest.raises(OverBudget, match=why):
        rows(shop, sql, long="x" * 100_000)


def test_the_bytes_and_cells_of_the_answer_are_counted(tmp_path: pathlib.Path) -> None:
    values = many("INSERT INTO t VALUES(?, ?)", [(n, "x" * 1000) for n in range(2000)])
    snap = snapshot(edit(tmp_path / "a.db", "CREATE TABLE t(id INTEGER PRIMARY KEY, v)", values))
    for budget in (CountedBudget(max_bytes=100_000), CountedBudget(max_nodes=1000)):
        with pytest.raises(OverBudget):
            KIND.rows(snap, "SELECT * FROM t", {}, budget=budget)
    assert len(KIND.rows(snap, "SELECT * FROM t", {}, budget=CountedBudget())) == 2000


@pytest.mark.parametrize(
    "call",
    [
        "trim(a, b)",
        "ltrim(a, b)",
        "rtrim(a, b)",
        "instr(a, c)",
        "replace(a, c, '')",
        "a LIKE d",
        "a GLOB e",
        "a LIKE f",
    ],
)
def test_two_long_texts_of_the_agents_are_no_product_of_their_lengths(call: str, tmp_path: pathlib.Path) -> None:
    long = 400_000  # the product is 10^11: minutes, where every step is short
    texts = (
        "a" * long,
        "b" * (long // 2) + "a",
        "a" * (long // 2) + "b",
        "%a" * 80 + "%b",
        "*a" * 80 + "*b",
        "%a_" * 60 + "b",
    )
    values = many("INSERT INTO t VALUES(?, ?, ?, ?, ?, ?)", [texts])
    snap = snapshot(edit(tmp_path / "a.db", "CREATE TABLE t(a, b, c, d, e, f)", values))
    assert len(rows(snap, f"SELECT {call} AS x FROM t")) == 1


letters = st.text(st.sampled_from("ab \u00e9\U0001f600%"), max_size=12)
pieces = st.tuples(letters, st.integers(0, 60)).map(lambda pair: pair[0] * pair[1])


def made(kind: str, text: str) -> None | int | str | bytes:
    if kind == "int":
        return len(text)
    return None if kind == "none" else text.encode() if kind == "bytes" else text


OWN = apsw.Connection(":memory:")
TAMED = tamed()


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from(["trim", "ltrim", "rtrim", "instr", "replace"]), text=pieces, part=pieces, new=letters,
       kinds=st.lists(st.sampled_from(["str", "str", "bytes", "int", "none"]), min_size=3, max_size=3))  # fmt: skip
def test_functions_answer_as_sqlites_own(name: str, text: str, part: str, new: str, kinds: list[str]) -> None:
    values = [made(kind, item) for kind, item in zip(kinds, (text, part, new), strict=True)]
    values = values[: 3 if name == "replace" else 2]
    (row,) = OWN.execute(f"SELECT {name}({', '.join('?' * len(values))})", values)
    try:
        assert TAMED[name](*values) == row[0]
    except OverBudget:
        assert "bytes" in kinds and len(part.encode()) > 200


# The order in which rows happen to be stored


LOG = "CREATE TABLE log(who TEXT, n REAL)"
ENTRIES = [("ada", 0.1), ("bob", 0.2), ("bob", 0.7), ("cyd", 1e16), ("ada", -1e16), ("bob", 0.2)]
ANY_ORDER = [
    "SELECT who, n FROM log", "SELECT who FROM log WHERE n > 0.15", "SELECT count(*) AS x, max(n) AS m FROM log",
    "SELECT who, count(*) AS x FROM log GROUP BY who", "SELECT DISTINCT who FROM log", "SELECT sum(n) AS x FROM log",
    "SELECT group_concat(who, ',' ORDER BY who) AS x FROM log", "SELECT who FROM log ORDER BY n, who LIMIT 3",
    "SELECT (SELECT who FROM log ORDER BY n LIMIT 1) AS x", "SELECT EXISTS(SELECT 1 FROM log WHERE who = 'bob') AS x",
]  # fmt: skip
ONE_ORDER = [
    "SELECT who FROM log LIMIT 1", "SELECT group_concat(who) AS x FROM log", "SELECT (SELECT who FROM log) AS x",
    "SELECT json_group_array(who) AS x FROM log",
    "SELECT first_value(who) OVER () AS x FROM log",
]  # fmt: skip


@settings(max_examples=8, deadline=None)
@given(entries=st.permutations(ENTRIES))
def test_an_answer_is_the_same_however_rows_are_stored(
    entries: list[tuple[str, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("order")
    first = snapshot(edit(folder / "a.db", LOG, many("INSERT INTO log VALUES(?, ?)", ENTRIES)))
    other = snapshot(edit(folder / "b.db", LOG, many("INSERT INTO log VALUES(?, ?)", entries)))
    for sql in ANY_ORDER:
        if "sum" not in sql:
            assert rows(first, sql) == rows(other, sql), sql


@pytest.mark.parametrize("sql", ANY_ORDER)
def test_what_depends_on_no_order_is_answered(sql: str, tmp_path: pathlib.Path) -> None:
    assert rows(snapshot(edit(tmp_path / "a.db", LOG, many("INSERT INTO log VALUES(?, ?)", ENTRIES[:3]))), sql)


@pytest.mark.parametrize("sql", ONE_ORDER)
def test_what_depends_on_the_order_of_storing_is_no_answer(sql: str, tmp_path: pathlib.Path) -> None:
    snap = snapshot(edit(tmp_path / "a.db", LOG, many("INSERT INTO log VALUES(?, ?)", ENTRIES)))
    with pytest.raises(OverBudget, match="ORDER BY"):
        rows(snap, sql)


def test_rows_come_in_the_order_that_the_query_gives_them(shop: SqliteSnapshot) -> None:
    assert rows(shop, "SELECT id FROM t ORDER BY id DESC") == [{"id": 2}, {"id": 1}]
    assert rows(shop, "SELECT -id AS x FROM t") == [{"x": -1}, {"x": -2}]


# Params


def test_a_text_that_is_bound_is_never_sql(shop: SqliteSnapshot) -> None:
    for word in ("1 OR 1=1", "x' OR '1'='1", "'; DROP TABLE t; --", string.printable, "\0", "%"):
        assert rows(shop, "SELECT count(*) AS x FROM t WHERE v = :word", word=word) == [{"x": 0}]
        assert rows(shop, "SELECT :word AS x", word=word) == [{"x": word}]


@pytest.mark.parametrize("spelt", [":n", "@n", "$n"])
def test_a_param_is_bound_by_its_name(spelt: str, shop: SqliteSnapshot) -> None:
    assert rows(shop, f"SELECT v FROM t WHERE id = {spelt}", n=2) == [{"v": 5}]


def test_a_param_that_cannot_be_bound_stops_only_the_query_that_speaks_of_it(shop: SqliteSnapshot) -> None:
    hosts: list[Value] = ["a", "b"]
    assert rows(shop, "SELECT v FROM t WHERE id = :n", n=2, hosts=hosts) == [{"v": 5}]
    assert ":hosts" in refused(shop, "SELECT :hosts AS x", hosts=hosts)
    assert ":name" in refused(shop, "SELECT ? AS x")
    assert ":who" in refused(shop, "SELECT :who AS x")
    assert "surrogate" in refused(shop, "SELECT :who AS x", who="\ud800")
