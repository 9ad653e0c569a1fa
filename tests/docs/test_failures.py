"""docs/failures.md: every line of its tables is a test that makes the failure, and states what comes of it."""

import ast
import pathlib

from tests.docs.failing import PAGE, ROWS, rows

TESTS = pathlib.Path(__file__).parents[1]
PLACES = [*sorted((TESTS / "docs").glob("test_failures_*.py")), TESTS / "end_to_end" / "test_broken_worlds.py"]


def _named(path: pathlib.Path) -> set[str]:
    """The lines of the page that a module holds something against: `as_stated("name", …)`, or `row="name"`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        given = [keyword.value for keyword in node.keywords if keyword.arg == "row"]
        given += node.args[:1] if called == "as_stated" else []
        found |= {item.value for item in given if isinstance(item, ast.Constant) and isinstance(item.value, str)}
    return found


def test_every_line_of_the_page_has_its_test_and_every_test_its_line() -> None:
    named = {name for path in PLACES for name in _named(path)}
    assert named == set(ROWS)


def test_every_line_says_what_becomes_of_the_verdict_and_no_name_stands_twice() -> None:
    found = rows()
    assert len(found) == len(ROWS) > 40
    assert PAGE.read_text("utf-8").count("<!-- ") == len(found)
    for row in found:
        assert row.what and row.effect
        assert row.outcome in ("passed", "unmet", "vetoed", "undecided", "no verdict"), row
        assert (row.cause is not None) == (row.outcome == "undecided"), row
        assert (row.score is None) == (row.outcome == "no verdict" or row.cause == "infrastructure"), row


def test_no_failure_makes_a_pass_that_is_not_as_it_is_without_it() -> None:
    for row in rows():
        if row.outcome == "passed":
            as_it_is = ("as it is", "a change like any other", "judged by start and end", "it is told all the same")
            assert any(words in row.effect for words in as_it_is), row
