"""What is wrong with a task file: every mistake with its place, its line and a remedy, all at once."""

import difflib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from exactchange.errors import UsageError

_WIDEST = 100  # columns of a source line that are shown around a mistake


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake. `where`: `file:line:column`, counted from 1 (`file` alone where no line is to blame).

    `message` and `suggestion` are one phrase each. `line_text`: the line as it stands in the file; `column` and `width`
    (characters, from 1) mark the part of it that is wrong. `see`: the page and heading that explain it. `kind`: of a
    warning, what it is about; empty of a mistake.
    """

    where: str
    message: str
    suggestion: str | None = None
    line_text: str | None = None
    column: int = 1
    width: int = 1
    see: str | None = None
    kind: str = ""

    @property
    def said(self) -> str:
        """What is wrong and how to mend it, in one line."""
        return self.message + (f"; {self.suggestion}" if self.suggestion else "")

    def __str__(self) -> str:
        head = f"{self.where}: {self.said}"
        if self.line_text is None:
            return head
        text, pad, width = window(self.line_text, self.column, self.width)
        return f"{head}\n    {text}\n    {' ' * pad}{'^' * width}"


class TaskError(UsageError):
    """A task that cannot be used. `problems`: everything that is wrong with it, in the order of the files."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(dict.fromkeys(problems))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class NeedsTrust(TaskError):
    """A task that can be used as soon as somebody says that the code beside it is trusted."""


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """`did you mean 'change'?` for the known word nearest to a misspelt one; None when none is near."""
    near = nearest(word, known)
    return None if near is None else f"did you mean {near!r}?"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a misspelt one most likely stands for; None when none is near."""
    folded = {name.casefold(): name for name in sorted(known)}
    near = difflib.get_close_matches(word.casefold(), sorted(folded), n=1, cutoff=0.65)
    return folded[near[0]] if near else None


def one_of(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def window(line: str, column: int, width: int) -> tuple[str, int, int]:
    """The part of a line around a mark as it prints, the cells before the mark, and the mark's width in cells."""
    start = max(0, column - 1 - _WIDEST // 2) if len(line) > _WIDEST else 0
    shown = line[start : start + _WIDEST]
    before = shown[: column - 1 - start]
    marked = shown[column - 1 - start : column - 1 - start + width]
    left, right = ("… " if start else ""), (" …" if start + _WIDEST < len(line) else "")
    pad = len(left) + sum(map(_cells, before))
    return left + "".join(map(_printable, shown)) + right, pad, max(1, sum(map(_cells, marked)))


def _printable(char: str) -> str:
    if char == "\t":
        return " "
    return char if char.isprintable() else "\ufffd"


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
