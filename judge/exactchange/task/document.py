"""A file as data, with the place of everything in it."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from exactchange.task.problem import Problem
from exactchange.values import Path, Value


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file: line and column from 1, and how many characters from there on are meant."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a node stands: its key (None for list items and the whole file), and its value."""

    key: Spot | None
    value: Spot


@dataclass(frozen=True, slots=True)
class Document:
    """A file as plain data. `name`: how verdicts call it; `shown`: how error messages call it.

    `marks`: the place of every node by its path. `doubtful`: paths of unquoted words such as `yes`, which are text here
    and true elsewhere.
    """

    name: str
    shown: str
    lines: Sequence[str] = ()
    data: Value = None
    marks: Mapping[Path, Mark] = field(default_factory=dict[Path, Mark])
    doubtful: tuple[Path, ...] = ()
    file: pathlib.Path | None = None
    """Where it was read; None of data that is no file."""

    def mark(self, path: Path) -> Mark | None:
        """The place of a node, or of the nearest one above it that the file has."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.marks:
                return self.marks[path[:end]]
        return None

    def spot(self, path: Path, *, key: bool = False) -> Spot | None:
        """The place of a node, or of its key; None in data that was not read from a file."""
        mark = self.mark(path)
        if mark is None:
            return None
        return mark.key if key and mark.key is not None else mark.value

    def problem(
        self, spot: Spot | None, message: str, suggestion: str | None = None, *, see: str | None = None, kind: str = ""
    ) -> Problem:
        """A problem at a place of this file. `see`: what explains it, the page on task files if left out."""
        if spot is None or spot.line > len(self.lines):
            return Problem(self.shown, message, suggestion, see=see, kind=kind)
        line = self.lines[spot.line - 1]
        width = max(1, min(spot.width, len(line) - spot.column + 1))
        where = f"{self.shown}:{spot.line}:{spot.column}"
        return Problem(where, message, suggestion, line, spot.column, width, see, kind)
