"""How other tools find the rows that differ between two database files."""

import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Generator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, cast

import apsw
from deepdiff import DeepDiff
from scripts.bench.databases.answers import WrongAnswer, agreed
from scripts.bench.databases.shapes import KEY, TABLE, Shape

SQLDIFF, EXCEPT, SESSION = "sqldiff", "ATTACH, EXCEPT both ways", "session extension"
DEEPDIFF: Final = "rows to dicts, DeepDiff"
LARGEST_FOR_DEEPDIFF: Final = 5_000_000
"""Bytes of a database; it takes about a second for each million."""
_CHANGED: Final = re.compile(rf"^UPDATE {TABLE} SET note=.* WHERE (?:{KEY}|rowid)=(\d+);$")
Rows = Callable[[], AbstractSet[int]]


def others(before: Path, after: Path, shape: Shape) -> tuple[Mapping[str, Rows], Mapping[str, str]]:
    """Ways by name, and why one is not measured by the names of the others."""
    ways: dict[str, Rows] = {EXCEPT: lambda: _except(before, after)}
    missing: dict[str, str] = {}
    program = shutil.which("sqldiff")
    if program is None:
        missing[SQLDIFF] = "not measured: not installed (Debian has it in sqlite3-tools)"
    else:
        ways[SQLDIFF] = lambda: _sqldiff(program, before, after)
    if not shape.keyed:
        missing[SESSION] = "sees no table without a key"
    elif not hasattr(apsw, "Session"):
        missing[SESSION] = "not measured: apsw was built without it"
    else:
        ways[SESSION] = lambda: _session(before, after)
    if before.stat().st_size > LARGEST_FOR_DEEPDIFF:
        missing[DEEPDIFF] = f"not measured above {LARGEST_FOR_DEEPDIFF // 1_000_000} MB"
    else:
        ways[DEEPDIFF] = lambda: _deepdiff(before, after)
    return ways, missing


def _sqldiff(program: str, before: Path, after: Path) -> AbstractSet[int]:
    done = subprocess.run([program, str(before), str(after)], check=True, capture_output=True, text=True)
    return agreed(SQLDIFF, [_updated(statement) for statement in done.stdout.splitlines()])


def _updated(statement: str) -> int:
    found = _CHANGED.match(statement)
    if found is None:
        raise WrongAnswer(f"{SQLDIFF}: no row that was changed: {statement[:100]}")
    return int(found[1])


def _except(before: Path, after: Path) -> AbstractSet[int]:
    with _both(before, after) as connection:
        sides = (
            [
                cast("int", row[0])
                for row in connection.execute(f"SELECT * FROM {a}.{TABLE} EXCEPT SELECT * FROM {b}.{TABLE}")
            ]
            for a, b in (("main", "old"), ("old", "main"))
        )
        return agreed(EXCEPT, *sides)


def _session(before: Path, after: Path) -> AbstractSet[int]:
    with _both(before, after) as connection:
        session = apsw.Session(connection, "main")
        session.attach(TABLE)
        session.diff("old", TABLE)
        changes = apsw.Changeset.iter(session.changeset())
        return agreed(SESSION, [cast("tuple[int]", change.old or change.new)[0] for change in changes])


@contextmanager
def _both(before: Path, after: Path) -> "Generator[apsw.Connection]":
    with closing(apsw.Connection(str(after), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        connection.execute("ATTACH ? AS old", (str(before),))
        yield connection


def _deepdiff(before: Path, after: Path) -> AbstractSet[int]:
    found = DeepDiff(_dicts(before), _dicts(after))
    return {int(key) for key in cast("AbstractSet[Any]", found.affected_root_keys)}


def _dicts(path: Path) -> Mapping[int, Mapping[str, object]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {row[KEY]: dict(row) for row in connection.execute(f"SELECT * FROM {TABLE}")}
