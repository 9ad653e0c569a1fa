"""Laws of reading SQL: nothing raises, and what SQLite itself would write is said, or that it was not understood."""

import logging
from collections.abc import Sequence

import apsw
import apsw.ext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.actions.sql import DIALECTS, read_sql

SCHEMA = """
CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b);
CREATE TABLE u(id INTEGER PRIMARY KEY, t_id REFERENCES t(id));
CREATE VIEW v AS SELECT * FROM t;
CREATE INDEX i ON t(b);
"""
WRITES = {
    apsw.SQLITE_INSERT: {"insert"}, apsw.SQLITE_UPDATE: {"update"}, apsw.SQLITE_DELETE: {"delete"},
    apsw.SQLITE_DROP_TABLE: {"drop"}, apsw.SQLITE_DROP_INDEX: {"drop"}, apsw.SQLITE_DROP_VIEW: {"drop"},
    apsw.SQLITE_DROP_TRIGGER: {"drop"}, apsw.SQLITE_CREATE_TABLE: {"create"}, apsw.SQLITE_CREATE_INDEX: {"create"},
    apsw.SQLITE_CREATE_VIEW: {"create"}, apsw.SQLITE_CREATE_TRIGGER: {"create"}, apsw.SQLITE_ALTER_TABLE: {"alter"},
    apsw.SQLITE_CREATE_TEMP_TABLE: {"create"}, apsw.SQLITE_CREATE_TEMP_INDEX: {"create"},
    apsw.SQLITE_CREATE_TEMP_VIEW: {"create"}, apsw.SQLITE_CREATE_TEMP_TRIGGER: {"create"},
    apsw.SQLITE_DROP_TEMP_TABLE: {"drop"}, apsw.SQLITE_DROP_TEMP_INDEX: {"drop"}, apsw.SQLITE_DROP_TEMP_VIEW: {"drop"},
    apsw.SQLITE_CREATE_VTABLE: {"create"}, apsw.SQLITE_DROP_VTABLE: {"drop"}, apsw.SQLITE_ATTACH: {"attach"},
    apsw.SQLITE_DETACH: {"attach"}, apsw.SQLITE_PRAGMA: {"pragma"}, apsw.SQLITE_TRANSACTION: {"control"},
    apsw.SQLITE_SAVEPOINT: {"control"}, apsw.SQLITE_REINDEX: set[str](), apsw.SQLITE_ANALYZE: set[str](),
}  # fmt: skip
"""What SQLite's authorizer is asked, and an effect of which one has to be said; with none it has to be unknown."""
CATALOGUE = {"sqlite_master", "sqlite_temp_master", "sqlite_sequence", "sqlite_schema"}
ROWS = {apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE}
Written = tuple[frozenset[str], str]


def written(text: str) -> list[Written]:
    """What SQLite would write, by its own authorizer, up to the first statement that it refuses: effects and table."""
    connection = apsw.Connection(":memory:")
    connection.execute(SCHEMA)
    seen: list[tuple[int, str]] = []

    def authorize(op: int, first: str | None, second: str | None, schema: str | None, within: str | None) -> int:
        if op in WRITES and within is None:
            seen.append((op, first or ""))
        return apsw.SQLITE_OK

    connection.authorizer = authorize
    out: list[Written] = []
    rest = text
    while rest.strip():
        seen.clear()
        try:
            info = apsw.ext.query_info(connection, rest)
        except (apsw.Error, ValueError):
            break
        if not info.is_explain:
            out += told(seen)
        rest = info.query_remaining or ""
    connection.close()
    return out


def told(seen: Sequence[tuple[int, str]]) -> list[Written]:
    """Less what a change of the schema does by itself: rows of the catalogue, and of a table that is dropped."""
    shaping = any(op not in ROWS and op != apsw.SQLITE_REINDEX for op, _ in seen)
    implied = ROWS | {apsw.SQLITE_REINDEX} if shaping else set[int]()
    rows = [(op, name) for op, name in seen if op not in implied and not (op in ROWS and name in CATALOGUE)]
    return [(frozenset(WRITES[op]), name if op in ROWS else "") for op, name in rows]


def check(text: str) -> None:
    found = read_sql(text, "sqlite")
    effects = {effect for statement in found for effect in statement.effects}
    tables = {name.casefold().rpartition(".")[2] for statement in found for name in statement.written}
    for wanted, table in written(text):
        assert "unknown" in effects or wanted & effects, (text, wanted, found)
        assert "unknown" in effects or not table or table.casefold() in tables, (text, table, found)


TABLES = ["t", "main.t", '"t"', "[t]", "`u`", "u AS x", "T"]
NAMES = [
    "a",
    "id",
    '"a"',
    "t.a",
    "x.id",
    "[b]",
    "rowid",
    "1",
    "'a'",
    "NULL",
    ":p",
    "?1",
    "x'00'",
    "0x1F",
    "(1)",
    "'it''s; DROP'",
]
table, name = st.sampled_from(TABLES), st.sampled_from(NAMES)
values = st.recursive(
    name,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["=", "IS", "<", "||", "AND", "OR", "-", "LIKE", "IN"]), inner).map(" ".join),
        inner.map("({})".format), inner.map("NOT {}".format), inner.map("abs({})".format), inner.map("-{}".format),
        inner.map("EXISTS (SELECT {} FROM u)".format), inner.map("(SELECT max({}) FROM t)".format),
        inner.map("CASE WHEN {} THEN 1 ELSE 2 END".format), inner.map("replace({}, 'a', 'b')".format),
        inner.map("id IN (WITH w(n) AS (VALUES(1)) SELECT {} FROM w)".format),
    ),
    max_leaves=4,
)  # fmt: skip
where = st.one_of(st.just(""), values.map(" WHERE {}".format))
heads = st.sampled_from(
    ["", "", "WITH w AS (SELECT 1) ", "WITH RECURSIVE w(n) AS (VALUES(1)) ", "EXPLAIN ", "EXPLAIN QUERY PLAN "]
)
tails = st.sampled_from(["", "", " RETURNING id", " -- end", " /* end", " ORDER BY 1"])
orelse = st.sampled_from(["", " OR REPLACE", " OR IGNORE", " OR ROLLBACK"])
upsert = st.sampled_from(
    [
        "",
        " ON CONFLICT DO NOTHING",
        " ON CONFLICT(id) DO UPDATE SET b = 1",
        " ON CONFLICT DO UPDATE SET b = 2 WHERE b = 1",
    ]
)
body = st.one_of(
    st.builds("DELETE FROM {}{}".format, table, where),
    st.builds("UPDATE{} {} SET b = {}{}".format, orelse, table, values, where),
    st.builds("UPDATE t SET b = {} FROM u{}".format, values, where),
    st.builds("INSERT{} INTO {} (id) VALUES ({}){}".format, orelse, st.sampled_from(["t",
    "main.u", '"t"']), values, upsert),
    st.builds("REPLACE INTO {} SELECT {}, 1, 2 FROM t".format, st.sampled_from(["t", "[t]"]), values),
    st.builds("INSERT INTO t SELECT id, {}, 2 FROM {}{}".format, values, table, where),
    st.builds("SELECT {} FROM {}{}".format, values, table, where),
    st.builds("SELECT {} UNION ALL SELECT {} FROM u".format, values, values),
    st.builds("VALUES ({})".format, values),
)  # fmt: skip
fixed = st.sampled_from([
    "DROP TABLE t", "DROP TABLE IF EXISTS main.u", "DROP VIEW v", "DROP INDEX i", "ALTER TABLE t ADD COLUMN c",
    "ALTER TABLE t RENAME TO w", "ALTER TABLE t RENAME a TO c", "ALTER TABLE u DROP COLUMN t_id", "REINDEX",
    "REINDEX t",
    "ANALYZE", "ANALYZE t", "VACUUM", "BEGIN IMMEDIATE", "COMMIT", "END", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
    "PRAGMA user_version = 3", "PRAGMA main.user_version=3", "PRAGMA table_info(t)", "ATTACH ':memory:' AS x",
    "DETACH x",
    "CREATE TABLE c(a PRIMARY KEY, b REFERENCES t ON DELETE CASCADE) WITHOUT ROWID, STRICT",
    "CREATE TEMP TABLE c AS SELECT * FROM t",
    "CREATE TABLE IF NOT EXISTS c(a UNIQUE ON CONFLICT REPLACE)", "CREATE UNIQUE INDEX c ON t(b) WHERE b > 1",
    "CREATE VIEW c AS SELECT * FROM t",
    "CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM u; SELECT CASE 1 WHEN 1 THEN 2 END; END",
    "CREATE VIRTUAL TABLE c USING fts5(a)", "INSERT INTO t DEFAULT VALUES", "SELECT * FROM pragma_user_version",
])  # fmt: skip
statement = st.one_of(st.builds("{}{}{}".format, heads, body, tails), fixed)
gaps = st.sampled_from(
    [
        ";",
        "; ",
        ";;",
        "; -- '\n",
        "; /* ' */ ",
        ";/* ; DROP TABLE t */",
        "\n;\n",
        " ",
        ";\ufeff",
        "; --\r DROP TABLE u\n",
    ]
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Statements after each other, now and then with letters lost, doubled or put in."""
    parts = draw(st.lists(statement, min_size=1, max_size=3))
    text = parts[0] + "".join(draw(gaps) + part for part in parts[1:])
    for _ in range(draw(st.integers(0, 2)) if draw(st.booleans()) else 0):
        place = draw(st.integers(0, len(text)))
        sign = draw(st.sampled_from([*"'\"`[]();-*/\\\n\0 #$@?:{}", "--", "/*", "*/", "OR ", "é", "\u00a0", "\x0c"]))
        text = text[:place] + sign + text[place + draw(st.integers(0, 2)) :]
    return text


EXAMPLES = [
    "SELECT 1 /* /* */; DELETE FROM t; /* */ */", "SELECT '\\'; DELETE FROM t; --'",
    "SELECT [a'] FROM t; DELETE FROM t; --']",
    "SELECT `'`; DELETE FROM t --`", "SELECT 1 --1\n; DELETE FROM t", "SELECT 1 # ; DELETE FROM t",
    "SELECT $$; DELETE FROM t; $$",
    "SELECT 1 {# ; DELETE FROM t #}", "EXPLAIN SELECT 1; DELETE FROM t",
    "REPLACE INTO t VALUES(';', 1, 2); DELETE FROM u",
    "WITH w AS (SELECT 1) REPLACE INTO t SELECT 1, 2, 3", "WITH t AS (SELECT 1) DELETE FROM t",
    "DELETE FROM main.t WHERE id IN (SELECT 1)",
    "SELECT 1;\u00a0DELETE FROM t", "\ufeffDELETE FROM t", "VACUUM INTO 'x'", "DELETE FROM \"t\"", "DELETE FROM 't'",
    "DROP TABLE 't'",
    "INSERT INTO 't'(id) VALUES (1)", "UPDATE 't' SET b=1", "SELECT 1 AS DELETE",
    "DELETE FROM t INDEXED BY i WHERE b = 1",
    "UPDATE t SET (a, b) = (SELECT 1, 2)", "INSERT INTO t AS n VALUES (1,2,3) ON CONFLICT DO UPDATE SET b = n.b",
    "PRAGMA user_version(5)",
    "SELECT e'a', n'b', 1e5, 1.5E-3, .5 FROM t; DELETE FROM u",
    "DELETE FROM t WHERE a = ?1 AND b = @x AND id = $y::z(1)",
]  # fmt: skip


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_sqlite_would_write_is_said_in_spite_of_quotes_and_comments(text: str) -> None:
    check(text)


@settings(max_examples=400, deadline=None)
@given(texts())
def test_what_sqlite_would_write_is_said_or_not_understood(text: str) -> None:
    check(text)


def test_sqlite_is_asked_rightly() -> None:
    """Else the law would hold for anything."""
    found = written(
        "SELECT 1; EXPLAIN DELETE FROM t; UPDATE t SET b=1; DROP TABLE u; REPLACE INTO t VALUES(1,2,3); NO; "
        "DELETE FROM t"
    )
    assert found == [(frozenset({"update"}), "t"), (frozenset({"drop"}), ""), (frozenset({"insert"}), "t")]


class Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(record)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40) | texts(), st.sampled_from([None, *DIALECTS]))
def test_no_text_makes_reading_raise_or_log(text: str, dialect: str | None) -> None:
    handler = Kept()
    logging.getLogger("sqlglot").addHandler(handler)
    try:
        found = read_sql(text, dialect)
    finally:
        logging.getLogger("sqlglot").removeHandler(handler)
    assert all(item.sql and (item.effects or item.understood) for item in found)
    assert all(("unknown" in item.effects) is not item.understood for item in found)
    assert not handler.seen
