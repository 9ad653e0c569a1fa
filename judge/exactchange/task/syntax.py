"""Says in plain words why a text is no YAML; the parser's own words name its inner states."""

from collections.abc import Sequence
from typing import Protocol

import yaml

from exactchange.task.document import Document, Spot
from exactchange.task.problem import Problem


class _Mark(Protocol):
    line: int
    column: int


def syntax_problem(document: Document, error: yaml.YAMLError) -> Problem:
    """The problem that a parser's error stands for, at its place."""
    at: _Mark | None = getattr(error, "problem_mark", None)
    began: _Mark | None = getattr(error, "context_mark", None)
    words = str(getattr(error, "problem", None) or error)
    message, suggestion, to_beginning = _explain(words, at, began, document.lines)
    chosen = began if to_beginning and began is not None else at
    return document.problem(None if chosen is None else Spot(chosen.line + 1, chosen.column + 1), message, suggestion)


def _explain(words: str, at: _Mark | None, began: _Mark | None, lines: Sequence[str]) -> tuple[str, str | None, bool]:
    """Message, remedy, and whether the mistake is where the construct began rather than where reading stopped."""
    char = _char(lines, at)
    if "cannot start any token" in words:
        if char == "\t":
            return "a tab; YAML allows only spaces to indent", "replace it by spaces", False
        return f"text cannot begin with {char!r}", f'quote it: "{char}…"', False
    if "mapping values are not allowed" in words:
        return (
            "a key and its colon cannot stand here",
            "quote a text that holds ': ', or indent the line like its neighbours",
            False,
        )
    if "',' or" in words:
        bracket = _char(lines, began)
        if at is not None and at.line >= len(lines) - 1:
            return f"this {bracket!r} is never closed", None, True
        return f"a comma or the end of the {bracket!r} of line {_line(began)} is missing", None, False
    if "unexpected end of stream" in words:
        return "this quote is never closed", None, True
    if "could not find expected ':'" in words:
        return "a key without its colon", "write `key: value`", True
    if "unknown escape character" in words:
        return "an escape that YAML does not know", "in 'single quotes' a backslash is only a backslash", False
    if "expected <block end>" in words or "expected '-' indicator" in words or "expected key" in words:
        return f"this line does not fit the block that begins in line {_line(began)}", "check the indentation", False
    return f"not YAML: {words}", None, False


def _char(lines: Sequence[str], mark: _Mark | None) -> str:
    if mark is None or mark.line >= len(lines) or mark.column >= len(lines[mark.line]):
        return ""
    return lines[mark.line][mark.column]


def _line(mark: _Mark | None) -> int:
    return 0 if mark is None else mark.line + 1
