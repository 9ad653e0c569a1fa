"""Which kind of source a path is, by its type, its first bytes and its name, for `exactchange diff` and `snapshot`."""

import os
import pathlib
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from exactchange.errors import UsageError
from exactchange.values import Value

_SQLITE_MAGIC: Final = b"SQLite format 3\0"
_PAGE_SUFFIXES: Final = frozenset({".html", ".htm", ".xhtml", ".mhtml", ".mht"})
_SQLITE_SUFFIXES: Final = frozenset({".db", ".db3", ".sqlite", ".sqlite3"})


@dataclass(frozen=True, slots=True)
class Guess:
    """The name of a source kind, and parameters for it as a task file would give them."""

    kind: str
    params: Mapping[str, Value] = field(default_factory=dict[str, Value])


def kind_for_path(path: pathlib.Path, *, dialect: str | None = None) -> Guess:
    """The kind that reads this path. `dialect` is passed on to a file. Nothing need stand there: then the name tells.

    Raises UsageError where a dialect is given for what is no file, and where the path cannot be looked at.
    """
    found = _kind(path)
    if found == "browser" and dialect is not None:
        found = "file"  # a page has none: its text is meant
    params: dict[str, Value] = {} if found == "browser" else {"path": str(path)}
    if dialect is not None:
        if found != "file":
            raise UsageError(f"{path} is read as {found}, which has no dialects; leave --dialect out")
        params["dialect"] = dialect
    return Guess(found, params)


def _kind(path: pathlib.Path) -> str:
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode) and stat.S_ISDIR(os.stat(path).st_mode):
            return "tree"  # a person's own argument: what the link leads to is meant
    except (FileNotFoundError, NotADirectoryError):
        status = None
    except OSError as error:
        raise UsageError(f"{path} cannot be looked at: {error.strerror}") from error
    if status is not None and stat.S_ISDIR(status.st_mode):
        return "tree"
    if status is not None and stat.S_ISREG(status.st_mode) and status.st_size > 0 and _is_sqlite(path):
        return "sqlite"
    if path.suffix.casefold() in _PAGE_SUFFIXES:
        return "browser"
    if status is not None and stat.S_ISREG(status.st_mode) and status.st_size > 0:
        return "file"
    return "sqlite" if path.suffix.casefold() in _SQLITE_SUFFIXES else "file"


def _is_sqlite(path: pathlib.Path) -> bool:
    """By the first bytes; `.db` is many things (Thumbs.db, Berkeley), the other suffixes are SQLite's, if corrupt."""
    try:
        with path.open("rb") as file:
            head = file.read(len(_SQLITE_MAGIC))
    except OSError:
        head = b""  # unreadable: the name tells, and the reader of that kind says why
    return head == _SQLITE_MAGIC or path.suffix.casefold() in _SQLITE_SUFFIXES - {".db"}
