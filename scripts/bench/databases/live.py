"""A database that another process changes, and the judge's reader of it, as they are in an episode."""

import os
from collections.abc import AsyncGenerator
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

from scripts.bench.databases.answers import WrongAnswer, check, of_diff, of_narrowed
from scripts.bench.databases.shapes import Shape
from scripts.bench.databases.writer import Writer, writing

from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange.sources import diff_snapshots
from exactchange.testing import Bench
from exactchange_adapters.sqlite import KIND, SqliteParams, SqliteSnapshot
from exactchange_adapters.sqlite.reader import SqliteReader

DEADLINE_S: Final = 600.0
_LARGEST: Final = 1 << 40


@dataclass
class Live:
    """`last`: the newest capture, from which the next one goes on. `rows`: those that every change changes."""

    params: SqliteParams
    reader: SqliteReader
    writer: Writer
    rows: frozenset[int]
    last: SqliteSnapshot | None = None
    steps: "count[int]" = field(default_factory=count)

    def change(self) -> None:
        """One step: the other process gives all rows another note."""
        self.writer.change(f"changed by {os.getpid()} in step {next(self.steps)}")

    async def capture(self) -> SqliteSnapshot:
        """The database as it is now. Raises WrongAnswer when it is not read."""
        snapshot = await self.reader.capture(mark=Mark(), previous=self.last, deadline_s=DEADLINE_S)
        if snapshot.unread or snapshot.absent:
            raise WrongAnswer(f"the database was not read: {snapshot.unread}")
        return snapshot

    def differ(self, before: SqliteSnapshot, after: SqliteSnapshot) -> AbstractSet[int]:
        """Rows of the narrowed trees."""
        return of_narrowed(KIND.narrow(before, after, params=self.params, budget=CountedBudget()))

    def changed(self, before: SqliteSnapshot, after: SqliteSnapshot) -> AbstractSet[int]:
        """Rows of the list of changes."""
        budget = CountedBudget()
        return of_diff(diff_snapshots(KIND, "db", before, after, params=self.params, budget=budget))

    def go_on_from(self, snapshot: SqliteSnapshot, *, name: str, rows: AbstractSet[int]) -> None:
        """Let this be the newest capture, and the last one go. Raises WrongAnswer when not just these rows differ."""
        if self.last is not None:
            check(name, self.differ(self.last, snapshot), rows)
            self.last.close()
        self.last = snapshot


@asynccontextmanager
async def living(path: Path, shape: Shape, rows: frozenset[int]) -> AsyncGenerator[Live]:
    """A database with its writer and its reader, of which nothing is captured yet."""
    params = SqliteParams(path=str(path), largest=_LARGEST)
    with writing(path, shape, rows) as writer:
        async with KIND.open(params, world=Bench(KIND, params, path.parent)) as reader:
            live = Live(params, reader, writer, rows)
            try:
                yield live
            finally:
                if live.last is not None:
                    live.last.close()
