"""What single statements do, by dialect, and what is not understood; the cases of others' faults among them."""

import pathlib
from collections.abc import Mapping, Sequence

import pytest
import yaml

from exactchange.actions.sql import DIALECTS, EFFECTS, Statement, read_sql
from exactchange.errors import UsageError

CASES = pathlib.Path(__file__).parents[2] / "fixtures" / "cases"


def one(sql: str, dialect: str | None = "sqlite") -> Statement:
    (found,) = read_sql(sql, dialect)
    return found


Row = tuple[str, str, str, str, bool | None]
READS: list[Row] = [
    ("sqlite", "SELECT 1", "read", "", None),
    ("sqlite", "SELECT * FROM main.t AS q JOIN u USING (x)", "read", "main.t u", None),
    ("sqlite", "VALUES (1), (2)", "read", "", None),
    ("sqlite", "WITH w AS (SELECT * FROM t), z AS (SELECT * FROM w) SELECT * FROM z", "read", "t", None),
    ("sqlite", "WITH t AS (SELECT * FROM t) SELECT * FROM t", "read", "t", None),
    ("sqlite", "SELECT * FROM json_each('[1]') WHERE value MATCH 'a' AND key GLOB 'b'", "read", "", None),
    ("sqlite", "EXPLAIN QUERY PLAN DELETE FROM t", "read", "t", None),
    ("postgres", "EXPLAIN (FORMAT JSON) DELETE FROM t", "read", "t", None),
    ("postgres", "SELECT pg_catalog.now()", "read unknown", "", None),
    ("mysql", "SHOW TABLES", "read", "", None),
    ("mysql", "SELECT 5--1", "read", "", None),
    ("tsql", "SELECT TOP (5) a FROM [dbo].[t]", "read", "dbo.t", None),
]  # fmt: skip
WRITES: list[Row] = [
    ("sqlite", 'INSERT INTO "t" (id) SELECT id FROM u', "insert read", "t u", None),
    ("sqlite", "WITH t AS (SELECT 1) DELETE FROM t WHERE id = 1", "delete", "t", True),
    ("sqlite", "WITH w AS (SELECT 1) REPLACE INTO t SELECT * FROM w", "delete insert", "t", None),
    ("mysql", "REPLACE LOW_PRIORITY t VALUES (1)", "delete insert", "t", True),
    ("mysql", "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1", "insert update", "t", True),
    ("mysql", "DELETE a FROM a JOIN b ON a.id = b.id", "delete read", "a b", False),
    ("mysql", "UPDATE a JOIN b ON a.id = b.id SET b.x = 1 WHERE b.id = 3", "read update", "a b", True),
    ("postgres", "UPDATE a SET x = 1 FROM b WHERE b.id = 3", "read update", "a b", None),
    ("postgres", "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN UPDATE SET x = 1 "
     "WHEN NOT MATCHED THEN INSERT (x) VALUES (1)", "insert read update", "a b", None),
    ("postgres", "EXPLAIN ANALYZE DELETE FROM t", "delete", "t", False),
    ("postgres", "EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t", "delete", "t", False),
    ("postgres", "TRUNCATE t, u", "truncate", "t u", False),
    ("postgres", "SELECT * INTO n FROM t", "create insert read", "n t", None),
    ("postgres", "CREATE TABLE n AS SELECT * FROM t", "create insert read", "n t", None),
    ("postgres", "CREATE OR REPLACE VIEW v AS SELECT * FROM t", "create drop read", "t v", None),
    ("postgres", "COPY t FROM '/x'", "file insert", "t", None),
    ("postgres", "COPY t TO '/x'", "file read", "t", None),
    ("postgres", "COPY t FROM PROGRAM 'x'", "call insert unknown", "t", None),
    ("postgres", "SELECT * FROM t FOR UPDATE", "control read", "t", None),
    ("postgres", "GRANT ALL ON t TO x", "grant", "t", None),
    ("postgres", "SET search_path = x", "control", "", None),
    ("sqlite", "DROP TABLE IF EXISTS a", "drop", "a", None),
    ("sqlite", "DROP INDEX i", "drop", "", None),
    ("sqlite", "ALTER TABLE t RENAME TO u", "alter", "t", None),
    ("sqlite", "ALTER TABLE t DROP COLUMN c", "alter", "t", None),
    ("sqlite", "CREATE INDEX i ON t(a)", "create", "t", None),
    ("sqlite", "CREATE TABLE a(b PRIMARY KEY REFERENCES c(d)) WITHOUT ROWID", "create", "a", None),
    ("sqlite", "CREATE VIRTUAL TABLE f USING fts5(a)", "create", "f", None),
    ("sqlite", "CREATE VIRTUAL TABLE f USING csv(x)", "create unknown", "f", None),
    ("sqlite", "ATTACH 'x' AS y", "attach", "", None),
    ("sqlite", "PRAGMA writable_schema = ON", "pragma", "", None),
    ("sqlite", "BEGIN IMMEDIATE", "control", "", None),
    ("sqlite", "ROLLBACK TO SAVEPOINT s", "control", "", None),
    ("sqlite", "SELECT * FROM fsdir('.')", "file read", "", None),
    ("tsql", "DELETE TOP (10) FROM t", "delete", "t", None),
    ("tsql", "UPDATE t SET a = 1 OUTPUT deleted.a INTO u WHERE id = 1", "insert update", "t u", True),
    ("tsql", "UPDATE x SET a = 1 FROM t AS x", "update", "t", False),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql", "effects", "tables", "bounded"), [*READS, *WRITES])
def test_a_statement_is_read_as_its_engine_reads_it(
    dialect: str, sql: str, effects: str, tables: str, bounded: bool | None
) -> None:
    found = one(sql, dialect)
    assert (found.effects, found.tables, found.bounded) == (tuple(effects.split()), tuple(tables.split()), bounded), (
        found
    )


UNKNOWN = [
    ("sqlite", "VACUUM"), ("sqlite", "ANALYZE t"), ("sqlite", "SELECT 1 FROM t WHERE own(a)"), ("sqlite", "SELECT '"),
    ("sqlite", ".read x"), ("sqlite", "SELECT 1\x00"), ("sqlite", "SELECT 1 {# x #}"), ("sqlite",
    "SELECT evil.upper(a)"),
    ("mysql", "SELECT 1 /*! ; DROP TABLE t */"), ("mysql", "CALL p()"), ("mysql", "SELECT 1 INTO OUTFILE '/x'"),
    ("mysql", "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN DELETE FROM u; END"), ("mysql", "HANDLER t OPEN"),
    ("postgres", "SELECT 1 /* /* */ ; DROP TABLE t */"), ("postgres", "LISTEN x"), ("postgres",
    "ALTER ROLE x SUPERUSER"),
    ("postgres", "COPY (DELETE FROM t RETURNING *) TO STDOUT"), ("postgres", "SELECT dbo.f(1)"),
    ("tsql", "SELECT 1 COMMIT"), ("tsql", "WITH w AS (SELECT 1 AS a) SELECT * FROM w COMMIT"), ("tsql",
    "SELECT a FROM t DELETE FROM u"), ("tsql", "IF 1=1 DROP TABLE t"),
    ("tsql", "INSERT INTO t EXEC p"), ("tsql", "BEGIN DELETE FROM t END"),
    ("sqlite", "SELECT " + "(" * 21 + "1" + ")" * 21), ("sqlite", "SELECT " + "NOT " * 21 + "1"),
    ("sqlite", "SELECT * FROM a " + "JOIN b " * 9), ("sqlite", "SELECT 1" + " + 1" * 10_000),
    ("sqlite", "SELECT '" + "x" * 256 * 1024 + "'"), ("sqlite", "SELECT 1;" * 1_001),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql"), UNKNOWN)
def test_what_is_not_known_is_not_understood_and_says_why(dialect: str, sql: str) -> None:
    found = read_sql(sql, dialect)
    assert not all(item.understood for item in found)
    assert all(item.why and "unknown" in item.effects for item in found if not item.understood)
    assert all(act.effect in EFFECTS for item in found for act in item.acts)


def test_code_that_is_stored_is_one_statement_with_all_its_semicolons() -> None:
    text = "CREATE TRIGGER z AFTER INSERT ON t BEGIN DELETE FROM u; SELECT CASE 1 WHEN 1 THEN 2 END; END; DROP TABLE x"
    trigger, drop = read_sql(text, "sqlite")
    assert (trigger.effects, trigger.understood) == (("create", "unknown"), False)
    assert (drop.sql, drop.effects, drop.tables) == ("DROP TABLE x", ("drop",), ("x",))


BOUNDS: list[tuple[str, bool | None]] = [
    ("id = 7", True), ("7 = id", True), ("id = ?", True), ("id = :id AND x > 1", True), ("id IN (1, 2)", True),
    ("id = -1", True), ("id = 1 OR id = 2", True), ("t.id = 1", True), ("(id) = (1)", True), ("id = 1 AND 1 = 1", True),
    ("1 = 0", True), ("1 > 2", True), ("NULL", True), ("0", True), ("NOT 1", True), ("1 = 2 OR id = 3", True),
    ("'a' = 'b'", True), ("1 = 1", False), ("1", False), ("1 < 2", False), ("1.0 = 1", False), ("TRUE", False),
    ("id = 1 OR 1 = 1", False), ("NOT (1 = 0)", False), ("id >= id", False), ("t.id IS t.id", False),
    ("id LIKE id", False),
    ("EXISTS (SELECT 1)", False), ("id IN (SELECT id FROM t)", False), ("id IN (SELECT id FROM main.t)", False),
    ("id > 0", None), ("id != 7", None), ("NOT id = 7", None), ("id BETWEEN 0 AND 9", None), ("a LIKE '%'", None),
    ("id = b", None), ("abs(id) = 1", None), ("id = 1 IS NOT NULL", None), ("id = 1 BETWEEN 0 AND 1", None),
    ("id IN (SELECT id FROM u)", None), ("id IN (SELECT id FROM t WHERE id > 3)", None), ("id = (SELECT id)", None),
    ("EXISTS (SELECT 1 FROM u)", None), ("id NOT IN (1)", None), ("\"x\" = 'x'", None), ("1 = '1'", None),
    ("u.id = 1", None), ("id = 1 OR x > 1", None), ("? = ?", None), ("a", None), ("id IS NOT NULL", None),
    ("id = 1 + 1", None), ("CASE WHEN 1 THEN 1 END", None),
]  # fmt: skip


@pytest.mark.parametrize(("where", "bounded"), BOUNDS)
def test_only_what_is_equal_to_a_constant_restricts_by_its_text(where: str, bounded: bool | None) -> None:
    assert one(f"DELETE FROM t WHERE {where}").bounded is bounded
    assert one(f"UPDATE t SET x = 1 WHERE {where}").bounded is bounded


def test_every_word_is_zero_in_mysql() -> None:
    assert [one(f"DELETE FROM t WHERE a = {value}", "mysql").bounded for value in ("0", "1", "'x'")] == [
        None,
        True,
        True,
    ]
    assert one("DELETE FROM t WHERE 'A' = 'a'", "mysql").bounded is None
    assert one("DELETE FROM t WHERE id = 1 || 1", "mysql").bounded is False


@pytest.mark.parametrize(("text", "understood"), [
    ("SELECT a FROM t", True), ("DELETE FROM t WHERE id = 1", True), ("SELECT 1; DROP TABLE t", True), ("", True),
    ("SELECT 'a\\'; DROP TABLE t; -- '", False), ("SELECT 1 # DROP TABLE t", False),
    ("INSERT OR REPLACE INTO t VALUES (1)", True),
    ("SELECT 5--1", False), ('DELETE FROM t WHERE "a" = \'a\'', False), ("PRAGMA x", True),
])  # fmt: skip
def test_without_a_dialect_only_what_all_read_alike_is_understood(text: str, understood: bool) -> None:
    assert all(item.understood for item in read_sql(text)) is understood


def test_what_all_dialects_say_holds_though_they_differ_in_the_rest() -> None:
    found = one("UPDATE t SET a = 1 WHERE b = 0", None)
    assert (found.acts, found.understood) == ((), False)
    drop = one("DROP TABLE t /* a */", None)
    assert drop.understood and drop.tables == ("t",)


def test_an_unknown_dialect_is_a_slip_of_the_caller() -> None:
    with pytest.raises(
        UsageError, match="no dialect of SQL is called 'oracle'; there are sqlite, postgres, mysql, tsql"
    ):
        read_sql("SELECT 1", "oracle")


VETOED = {"drop", "truncate", "create", "alter", "attach", "file", "call", "control", "grant", "pragma"}


def decision(found: Sequence[Statement]) -> str:
    """The policy that the cases state."""
    if any(VETOED & set(item.effects) or item.bounded is False for item in found):
        return "veto"
    return "allow" if all(item.understood for item in found) else "refuse"


def cases() -> list[tuple[str, Mapping[str, str]]]:
    files = sorted(CASES.glob("e-*/statements.yaml"))
    return [
        (file.parent.name, item) for file in files for item in yaml.safe_load(file.read_text("utf-8"))["statements"]
    ]


BY_DATA = {
    "UPDATE t SET price=0 WHERE id>=(SELECT min(id) FROM t)",
    "MERGE INTO a USING b ON a.id=b.id WHEN MATCHED THEN DELETE",
}
"""Of these the text does not tell how many rows they touch."""


@pytest.mark.parametrize(("name", "case"), cases(), ids=lambda item: item if isinstance(item, str) else item["sql"])
def test_case_e_each_statement_is_decided_as_it_should_be(name: str, case: Mapping[str, str]) -> None:
    assert case["dialect"] in DIALECTS
    found = read_sql(case["sql"], case["dialect"])
    if case["sql"] in BY_DATA:
        (item,) = found
        assert item.understood and item.bounded is None and {"update", "delete"} & set(item.effects)
    elif case["decision"].startswith("veto where deletes"):
        assert "delete" in {effect for item in found for effect in item.effects}
    else:
        assert decision(found) == case["decision"].split("-")[0].split(" ")[0]


def test_there_are_all_cases() -> None:
    assert len(cases()) == 51
