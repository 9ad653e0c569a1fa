"""What is measured of one database: captures and comparisons by us, and comparisons by others."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.bench.clocks import WallClock
from scripts.bench.databases.answers import Find, WrongAnswer, checked
from scripts.bench.databases.floor import Floor, mapped
from scripts.bench.databases.live import Live, living
from scripts.bench.databases.memory import memory
from scripts.bench.databases.others import Rows, others
from scripts.bench.databases.shapes import Shape, build, change, spread
from scripts.bench.rounds import Timed, measured

from exactchange_adapters.sqlite import SqliteSnapshot

FLOOR: Final = "memcmp of both files, mapped"
DIFF, CHANGES = "diff of two captures", "the same, as a list of changes"
FIRST, AGAIN, IDLE = "capture, the first", "capture, after a change", "capture, nothing changed"
STEP: Final = "step: capture and list of changes"
_COPIES: Final = 8
"""Of the database: two to compare, one to change, and up to five captures."""


@dataclass(frozen=True, slots=True)
class Case:
    """A database to measure on: its shape, the least of its bytes, its journal, how many rows a step changes."""

    shape: Shape
    size: int
    journal: str
    changed: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds by way, of every round; the first capture, of which there is one; bytes of memory; what is missing."""

    case: Case
    rows: int
    seconds: Mapping[str, list[float]]
    first: float
    memory: int | None
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Stage:
    """Two files of which the later is the earlier with some rows changed, and the same live."""

    before: Path
    after: Path
    live: Live
    rows: int
    memory: int | None


async def figures(case: Case, *, rounds: int) -> Figures:
    """Make the database, measure everything on it in turns, and remove it. Raises WrongAnswer, OSError."""
    async with _staged(case) as stage:
        live, began = stage.live, time.perf_counter()
        live.last = await live.capture()
        first = time.perf_counter() - began
        old = live.last.twin(live.last.mark)
        live.change()
        new = await live.capture()
        live.go_on_from(new, name=AGAIN, rows=live.rows)
        new = new.twin(new.mark)
        theirs, missing = others(stage.before, stage.after, case.shape)
        try:
            with mapped(stage.before, stage.after) as floor:
                ways = {FLOOR: _floor(floor)} | _diffs(live, old, new) | _captures(live) | _timed(theirs, live.rows)
                seconds = await measured(ways, rounds=rounds, clock=WallClock())
        finally:
            old.close()
            new.close()
        return Figures(case, stage.rows, seconds, first, stage.memory, missing)


@asynccontextmanager
async def _staged(case: Case) -> AsyncGenerator[_Stage]:
    with tempfile.TemporaryDirectory(prefix="exactchange-bench-") as name:
        free, needed = shutil.disk_usage(name).free, case.size * _COPIES
        if free < needed:
            raise OSError(f"{name}: {free:,} bytes are free and {needed:,} needed; set TMPDIR, or ask for smaller ones")
        before, after, live = (Path(name) / f"{part}.db" for part in ("before", "after", "live"))
        count = build(before, case.shape, size=case.size, journal=case.journal)
        rows = spread(case.changed, count)
        shutil.copy(before, after)
        shutil.copy(before, live)
        with closing(sqlite3.connect(after)) as connection:
            change(connection, case.shape, rows, "changed")
        for path in (before, after, live):
            _write_out(path)
        peak = memory(live, case.shape, rows)
        async with living(live, case.shape, rows) as found:
            yield _Stage(before, after, found, count, peak)


def _write_out(path: Path) -> None:
    """Have the disk hold it, or the system would be at work on that while others are timed."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _floor(floor: Floor) -> Timed:
    found: list[int] = []

    async def once() -> None:
        found[:] = floor.differing()

    async def after() -> None:
        if not found:
            raise WrongAnswer(f"{FLOOR}: no byte differs")

    return Timed(once, after=after)


def _diffs(live: Live, old: SqliteSnapshot, new: SqliteSnapshot) -> dict[str, Timed]:
    async def differ() -> AbstractSet[int]:
        return live.differ(old, new)

    async def changed() -> AbstractSet[int]:
        return live.changed(old, new)

    return {DIFF: checked(DIFF, differ, live.rows), CHANGES: checked(CHANGES, changed, live.rows)}


def _captures(live: Live) -> dict[str, Timed]:
    taken: list[SqliteSnapshot] = []

    async def change_rows() -> None:
        live.change()

    async def capture() -> None:
        taken.append(await live.capture())

    async def step() -> AbstractSet[int]:
        await capture()
        assert live.last is not None
        return live.changed(live.last, taken[-1])

    async def keep_changed() -> None:
        live.go_on_from(taken.pop(), name=AGAIN, rows=live.rows)

    async def keep_same() -> None:
        live.go_on_from(taken.pop(), name=IDLE, rows=frozenset())

    looked = checked(STEP, step, live.rows)

    async def keep_looked() -> None:
        assert looked.after is not None
        await looked.after()
        await keep_changed()

    return {
        AGAIN: Timed(capture, change_rows, keep_changed),
        IDLE: Timed(capture, None, keep_same),
        STEP: Timed(looked.once, change_rows, keep_looked),
    }


def _timed(ways: Mapping[str, Rows], rows: AbstractSet[int]) -> dict[str, Timed]:
    return {name: checked(name, _awaited(way), rows) for name, way in ways.items()}


def _awaited(way: Rows) -> Find:
    async def find() -> AbstractSet[int]:
        return way()

    return find
