"""Literal DEFAULTs and affinities are what SQLite itself makes of them."""

import itertools
import pathlib

import pytest
from tests.adapters.sqlite.support import edit, found, snapshot

from exactchange.address import key_segment
from exactchange.values import Scalar, same
from exactchange_adapters.sqlite import KIND
from exactchange_adapters.sqlite.cells import parse_content_segment, parse_key
from exactchange_adapters.sqlite.ddl import called, normalised

TYPES = (
    "",
    "INT",
    "INTEGER",
    "TEXT",
    "VARCHAR(10)",
    "BLOB",
    "REAL",
    "DOUBLE",
    "NUMERIC",
    "DECIMAL(10,5)",
    "DATE",
    "CHARINT",
)
LITERALS = (
    "NULL", "1", "-1", "+2", "0", "1.5", "-0.0", "1e3", "1E-2", ".5", "5.", "0x10", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "1e400",
    "'x'", "'it''s'", "''", "'5'", "' 5 '", "'5.0'", "'1e2'", "'0x10'",
    "'5x'", "'-7'", "'.5'", "'1_0'", "'٣'", "x'00ff'", "x''", "TRUE", "false", "(1)", "(-2.5)", "('y')", '"quoted"',
    "'9223372036854775808'", "'9007199254740993.0'",
    "1.0", "100000000000000000000", "'inf'", "'nan'", "12345678901234567.0",
)  # fmt: skip


@pytest.mark.parametrize("declared", TYPES)
def test_a_literal_default_is_the_value_that_the_database_gives(declared: str, tmp_path: pathlib.Path) -> None:
    columns = ", ".join(f"c{n} {declared} DEFAULT {literal}" for n, literal in enumerate(LITERALS))
    path = edit(tmp_path / "a.db", f"CREATE TABLE t(id INTEGER PRIMARY KEY, {columns}); INSERT INTO t(id) VALUES(1)")
    snap = snapshot(path)
    shape = KIND.row_shape(snap, ("t", "id=1"))
    actual = KIND.row_at(snap, ("t", "id=1"))
    assert shape is not None and actual is not None
    # How many digits of a real number become text is up to the library that wrote the row.
    text = declared in ("TEXT", "VARCHAR(10)")
    wrong = [
        (literal, shape.defaults.get(f"c{n}"), actual[f"c{n}"])
        for n, literal in enumerate(LITERALS)
        if not same(shape.defaults.get(f"c{n}"), actual[f"c{n}"])
        and not (text and literal in ("9223372036854775808", "12345678901234567.0"))
    ]
    assert wrong == []


@pytest.mark.parametrize("default", ["CURRENT_TIMESTAMP", "(1+1)", "(random())", "(lower('X'))", "(date('now'))"])
def test_a_default_that_is_an_expression_is_not_known(default: str, tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", f"CREATE TABLE t(id INTEGER PRIMARY KEY, c DEFAULT {default})")
    shape = KIND.row_shape(snapshot(path), ("t", "id=1"))
    assert shape is not None and not shape.defaults


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("create table T ( a , b )", "CREATE TABLE T(a, b)"),
        ('CREATE TABLE "my table"([key] INT, `x``y`, "Plain")', 'CREATE TABLE "my table"("key" INT, "x`y", Plain)'),
        (
            "CREATE INDEX i ON t(a COLLATE nocase DESC) where a>1;",
            "CREATE INDEX i ON t(a COLLATE nocase DESC) WHERE a > 1",
        ),
        (
            "CREATE VIEW v AS SELECT a.b, x'Ab', '--', 1.5e3 FROM a -- end",
            "CREATE VIEW v AS SELECT a.b, x'Ab', '--', 1.5e3 FROM a",
        ),
        ("CREATE TABLE t(a CHECK(a->>'$.x' IN (1,2)))", "CREATE TABLE t(a CHECK (a ->> '$.x' IN (1, 2)))"),
        ("", ""),
        ("CREATE TABLE t(a 'unterminated", "CREATE TABLE t(a ' unterminated"),
    ],
)
def test_a_statement_has_one_spelling(sql: str, expected: str) -> None:
    assert normalised(sql) == expected
    assert normalised(expected) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    list(itertools.pairwise(["t(a)", "t('a')", 't("A")', "t(a b)", "t(ab)", "t(a,b)", "t(a.b)", "t(a .5)"])),
)
def test_statements_that_differ_in_a_token_are_spelt_differently(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


def test_calls_are_seen_through_case_quotes_comments_and_white_space() -> None:
    assert {"hex", "zeroblob"} <= called('CREATE TABLE t(a AS ("HEX" /* x */ (zeroBlob\n(5))))')


VALUES: tuple[Scalar, ...] = (
    0, -5, 2**63 - 1, 1.5, -0.0, 1e300, float("inf"), "", "a", "null", "true", "inf", "nan", "1", "1.0", "infinity",
    "x'00'", "a,b=c", 'q"q', "\xe9\0", "\udcff", b"", b"\0\xff", None, "-5", "1e5",
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_a_key_is_read_back_as_it_was_printed(value: Scalar) -> None:
    read = parse_key(key_segment([("k", value), ("n", 1)]))
    assert read is not None and same(read["k"], value) and read["n"] == 1


@pytest.mark.parametrize(
    ("text", "read"), [("#1a2b~2", ("1a2b", 2)), ("#1a2b", ("1a2b", 1)), ("id=1", None), ("#1a~x", None), ("", None)]
)
def test_a_content_segment_is_read_back(text: str, read: object) -> None:
    assert parse_content_segment(text) == read


def test_every_cell_of_every_kind_is_found_by_its_address(tmp_path: pathlib.Path) -> None:
    cells = (
        "0",
        "-5",
        "1.5",
        "9e999",
        "''",
        "'null'",
        "'1'",
        "x''",
        "x'00ff'",
        "'a,b=c'",
        "'q\"q'",
        "'é' || char(0)",
        "CAST(x'ff' AS TEXT)",
    )
    path = edit(
        tmp_path / "a.db", "CREATE TABLE t(k PRIMARY KEY, v)", *(f"INSERT INTO t VALUES({cell}, 1)" for cell in cells)
    )
    snap = snapshot(path)
    matches = found(snap, "t[*].v")
    assert len({match.address for match in matches}) == len(cells)
    for match in matches:
        assert [other.path for other in found(snap, match.address)] == [match.path]
        assert KIND.row_at(snap, match.path) is not None
