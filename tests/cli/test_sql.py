"""`exactchange sql`: what it says of statements, where it takes them from, and with what it leaves."""

import pathlib
import re

import pytest
from tests.cli.conftest import Command, Said
from tests.docs.examples import COMMAND, run, told

HOME = pathlib.Path(__file__).parents[2]
PAGE = (HOME / "docs" / "cli.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## What SQL does\n")[2].partition("\n## ")[0]


def test_the_examples_of_the_page_print_what_it_shows(tmp_path: pathlib.Path) -> None:
    shown = re.findall(r"^\$ (exactchange sql .*)\n((?:(?!\$ |```).*\n)*)", SECTION, re.MULTILINE)
    assert len(shown) == 2 and COMMAND.exists()
    for line, lines in shown:
        assert told(run(line, tmp_path).stdout) == told(lines)


def test_a_statement_is_one_line_and_the_reason_another(exactchange: Command) -> None:
    said = exactchange("sql", "SELECT *\nFROM orders;\n\nVACUUM", "--dialect", "sqlite")
    assert said.out.splitlines() == [
        "read                orders                       SELECT * FROM orders",
        "unknown                                          VACUUM",
        "  why: 'VACUUM' begins no statement that is known",
    ]
    assert said.code == 3


CODES = [
    ("SELECT 1", 0), ("DROP TABLE t", 0),
    ("", 0), ("/* nothing */", 0), ("SELECT own(1)", 3),
    ("SELECT 'a\\'; x; -- '", 3),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), CODES)
def test_it_leaves_with_three_when_something_is_not_understood(exactchange: Command, text: str, code: int) -> None:
    said = exactchange("sql", text)
    assert (said.code, said.err) == (code, "")
    assert exactchange("sql", text, "--json").code == code


def test_the_document_says_all_of_a_statement(exactchange: Command) -> None:
    said = exactchange("sql", 'DELETE FROM "t"', "--dialect", "sqlite", "--json")
    why = "nothing restricts the rows of t"
    told_of = {"sql": 'DELETE FROM "t"', "effects": ["delete"], "tables": ["t"], "bounded": False}
    statement = {**told_of, "understood": True, "why": why}
    assert said.document == {"schema": "exactchange/sql/1", "statements": [statement]}
    assert exactchange("sql", " ", "--json").document["statements"] == []


def test_a_file_is_read_and_a_text_is_none(exactchange: Command, home: pathlib.Path) -> None:
    (home / "a.sql").write_text("\ufeffDROP TABLE t;\n", encoding="utf-8")
    assert exactchange("sql", "a.sql").out.startswith("drop ")
    assert exactchange("sql", "DROP TABLE a.sql").out.startswith("drop ")
    assert exactchange("sql", "x" * 5000).code == 3
    (home / "b.sql").write_bytes(b"SELECT '\xff'")
    for name, why in (("b.sql", "no UTF-8 text: byte 8"), ("c.sql", "there is no file c.sql")):
        said: Said = exactchange("sql", name)
        assert said.code == 2 and why in said.err and not said.out


def test_an_unknown_dialect_is_wrong_usage(exactchange: Command) -> None:
    said = exactchange("sql", "SELECT 1", "--dialect", "oracle", "--json")
    assert said.code == 2 and "'sqlite', 'postgres', 'mysql', 'tsql'" in said.document["error"]


def test_stdin_is_read_where_no_text_is_given(process: Command) -> None:
    for words in (["sql"], ["sql", "-"]):
        assert process(*words).out == "no statement\n"


def test_what_was_written_drives_no_terminal(exactchange: Command) -> None:
    said = exactchange("sql", "SELECT '\x9b31m\u202e' FROM \"\u202et\"; \x1b[2J", "--dialect", "sqlite")
    assert said.code == 3 and "\x1b" not in said.out and "\u202e" not in said.out and "\x9b" not in said.out
