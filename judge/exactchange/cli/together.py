"""Runs side by side, as many as there are processors, and their results in order."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactchange.cli import output

if TYPE_CHECKING:
    from exactchange.reports import Entry

News = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    """One run: what it is called, and how it is begun; it is given a function that takes its news."""

    title: str
    begin: "Callable[[News], Awaitable[Entry]]"


async def together(jobs: Sequence[Job], take: "Callable[[int, Entry], None]") -> None:
    """Do all jobs; `take` gets the number of each and what came of it, in their order, as soon as it is known.

    Shown is the progress of the one that is waited for. When this is cancelled, every job is.
    """
    room = asyncio.Semaphore(output.processors())
    ears = [_Ear() for _ in jobs]
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(_in_turn(job, ear, room)) for job, ear in zip(jobs, ears, strict=True)]
        for number, (job, ear) in enumerate(zip(jobs, ears, strict=True)):
            with output.progress(job.title) as news:
                ear.listen(news)
                entry = await running[number]
            ear.listen(None)
            take(number, entry)


class _Ear:
    """Takes the news of one job, and passes it on while somebody listens."""

    def __init__(self) -> None:
        self._news: News | None = None
        self._last = ""

    def listen(self, news: News | None) -> None:
        self._news = news
        if news is not None and self._last:
            news(self._last)

    def hear(self, text: str) -> None:
        self._last = text
        if self._news is not None:
            self._news(text)


async def _in_turn(job: Job, ear: _Ear, room: asyncio.Semaphore) -> "Entry":
    async with room:
        return await job.begin(ear.hear)
