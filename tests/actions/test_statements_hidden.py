"""Statements that hide what they do: in words that engines skip, names of other tables, and comments that end early."""

import sqlite3

import pytest

from exactchange.actions.sql import Statement, read_sql


def one(sql: str, dialect: str) -> Statement:
    (found,) = read_sql(sql, dialect)
    return found


def written(sql: str, dialect: str) -> set[tuple[str, str | None, bool | None]]:
    """What a statement does besides reading."""
    return {(act.effect, act.table, act.bounded) for act in one(sql, dialect).acts if act.effect != "read"}


ALIASED = [
    ("mysql", "DELETE x FROM orders AS x WHERE x.id = 7", ("delete", "orders", True)),
    ("mysql", "DELETE x FROM orders x", ("delete", "orders", False)),
    ("mysql", "DELETE FROM o USING orders AS o WHERE o.id = 7", ("delete", "orders", True)),
    ("mysql", "DELETE FROM o USING b JOIN orders AS o", ("delete", "orders", False)),
    ("tsql", "DELETE o FROM orders o", ("delete", "orders", False)),
    ("tsql", "UPDATE o SET a = 1 FROM dbo.orders o WHERE o.id = 7", ("update", "dbo.orders", True)),
]


@pytest.mark.parametrize(("dialect", "sql", "act"), ALIASED)
def test_a_delete_or_update_by_an_alias_is_of_the_table(
    dialect: str, sql: str, act: tuple[str, str | None, bool | None]
) -> None:
    assert written(sql, dialect) == {act}


HURRIED = [
    ("DELETE QUICK FROM orders", ("delete", "orders", False)),
    ("DELETE LOW_PRIORITY QUICK IGNORE FROM orders WHERE id = 7", ("delete", "orders", True)),
    ("UPDATE LOW_PRIORITY orders SET a = 1", ("update", "orders", False)),
    ("UPDATE LOW_PRIORITY IGNORE orders SET a = 1 WHERE id = 7", ("update", "orders", True)),
    ("WITH w AS (SELECT 1) DELETE LOW_PRIORITY FROM orders", ("delete", "orders", False)),
    ("INSERT HIGH_PRIORITY INTO orders VALUES (1)", ("insert", "orders", None)),
    ("INSERT DELAYED orders VALUES (1)", ("insert", "orders", None)),
]


@pytest.mark.parametrize(("sql", "act"), HURRIED)
def test_a_word_about_haste_is_no_table(sql: str, act: tuple[str, str | None, bool | None]) -> None:
    assert written(sql, "mysql") == {act}


@pytest.mark.parametrize("verb", ["DELETE FROM x", "UPDATE x SET a = 1 WHERE id = 7", "INSERT INTO x VALUES (1)"])
def test_what_is_written_by_a_name_under_with_is_of_a_table_that_is_not_told(verb: str) -> None:
    found = written(f"WITH x AS (SELECT * FROM orders) {verb}", "tsql")
    assert {table for _effect, table, _bound in found} == {None}
    assert {bound for _effect, _table, bound in found} == {None}


@pytest.mark.parametrize("dialect", ["postgres", "tsql"])
def test_a_comment_that_a_lone_return_may_end_is_not_understood(dialect: str) -> None:
    assert not read_sql("SELECT 1 -- x\r; DELETE FROM orders", dialect)[0].understood
    assert read_sql("SELECT 1 -- x\r\n; SELECT 2", dialect)[-1].understood


@pytest.mark.parametrize("sign", ["$", ":", "@", "#", "$a::"])
def test_a_parameter_with_brackets_hides_no_statement_from_sqlite(sign: str) -> None:
    text = f"SELECT {sign}b(--);DELETE FROM orders;\n)"
    base = sqlite3.connect(":memory:")
    base.executescript("CREATE TABLE orders (id); INSERT INTO orders VALUES (1)")
    with pytest.raises(sqlite3.OperationalError):
        base.executescript(text)  # after the DELETE stands a bracket
    assert base.execute("SELECT count(*) FROM orders").fetchone() == (0,)
    assert not all(item.understood for item in read_sql(text, "sqlite"))


RESTRICTED_BY_OTHERS = [
    ("sqlite", "UPDATE orders SET a = 1 FROM (SELECT 7 AS z) WHERE z = 7"),
    ("sqlite", "UPDATE orders SET a = 1 FROM (VALUES (7)) WHERE column1 = 7"),
    ("sqlite", "UPDATE orders SET a = 1 FROM json_each('[7]') WHERE value = 7"),
    ("sqlite", "UPDATE orders SET a = 1 FROM (b JOIN c) WHERE z = 7"),
    ("postgres", "UPDATE orders SET a = 1 FROM generate_series(7, 7) WHERE generate_series = 7"),
    ("postgres", "DELETE FROM orders USING generate_series(7, 7) WHERE generate_series = 7"),
    ("postgres", "UPDATE orders SET a = 1 FROM (b CROSS JOIN c) WHERE z = 7"),
    ("postgres", "DELETE FROM orders WHERE user = 'ada'"),
    ("postgres", "DELETE FROM orders WHERE current_role = 'ada'"),
    ("postgres", "DELETE FROM orders WHERE tableoid = 16412"),
    ("tsql", "DELETE FROM orders WHERE USER = 'dbo'"),
    ("mysql", "DELETE FROM users WHERE name = false"),
    ("mysql", "DELETE FROM users WHERE name = -0"),
    ("mysql", "DELETE FROM users WHERE name IN ('a', false)"),
    ("sqlite", "INSERT INTO t SELECT * FROM t WHERE true ON CONFLICT (id) DO UPDATE SET a = 2"),
    ("mysql", "INSERT INTO t SELECT * FROM t ON DUPLICATE KEY UPDATE a = 2"),
]


@pytest.mark.parametrize(("dialect", "sql"), RESTRICTED_BY_OTHERS)
def test_what_may_hold_for_every_row_restricts_nothing_for_sure(dialect: str, sql: str) -> None:
    bounds = {bound for effect, _table, bound in written(sql, dialect) if effect in ("update", "delete")}
    assert bounds == {None}


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres", "tsql"])
@pytest.mark.parametrize(
    ("where", "bound"),
    [
        ("NOT a NOT LIKE a", False),
        ("a NOT LIKE a", True),
        ("a LIKE a", False),
        ("NOT a LIKE a", True),
        ("a NOT IN (7)", None),
        ("NOT a NOT IN (7)", None),
    ],
)
def test_a_not_inside_of_an_operator_turns_it(where: str, bound: bool | None, dialect: str) -> None:
    assert written(f"DELETE FROM t WHERE {where}", dialect) == {("delete", "t", bound)}


def test_a_name_in_quotes_is_a_column() -> None:
    assert written("DELETE FROM orders WHERE \"user\" = 'ada'", "postgres") == {("delete", "orders", True)}


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres", "tsql"])
def test_an_operator_that_the_parser_takes_for_a_column_is_not_understood(dialect: str) -> None:
    sql = "DELETE FROM t WHERE NOT 0 BETWEEN 1 IS NOT NULL AND id IN (7)"
    base = sqlite3.connect(":memory:")
    base.executescript(f"CREATE TABLE t (id); INSERT INTO t VALUES (1), (2); {sql}")
    assert base.execute("SELECT count(*) FROM t").fetchone() == (0,)
    assert not one(sql, dialect).understood


@pytest.mark.parametrize(
    ("sql", "table"),
    [("SELECT 1 WHERE 1 IN people", "people"), ("DELETE FROM t WHERE a NOT IN main.people", "main.people")],
)
def test_a_table_after_in_is_read(sql: str, table: str) -> None:
    assert ("read", table) in {(act.effect, act.table) for act in one(sql, "sqlite").acts}


@pytest.mark.parametrize(
    "sql",
    [
        "SET PASSWORD = 'x'",
        "SET GLOBAL general_log_file = '/x/y.php'",
        "SET PERSIST max_connections = 1",
        "SET @@GLOBAL.read_only = 0",
        "SET @a = 1, GLOBAL read_only = 0",
    ],
)
def test_what_is_set_beyond_the_session_is_not_understood(sql: str) -> None:
    assert not one(sql, "mysql").understood


@pytest.mark.parametrize("sql", ["SET @a = 1", "SET SESSION sql_mode = 'ANSI'", "SET NAMES utf8mb4"])
def test_what_is_set_for_the_session_is_control(sql: str) -> None:
    assert one(sql, "mysql") == Statement(sql, one(sql, "mysql").acts)
    assert {act.effect for act in one(sql, "mysql").acts} == {"control"}
