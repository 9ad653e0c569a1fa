"""What a time is measured by: the clock on the wall, or the processor time of all processes that take part."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    """A stopwatch for one thing at a time."""

    def begin(self) -> None: ...

    def spent(self) -> float:
        """Seconds since it began."""
        ...


class WallClock:
    """As a person waits for it."""

    def __init__(self) -> None:
        self._begun = 0.0

    def begin(self) -> None:
        self._begun = time.perf_counter()

    def spent(self) -> float:
        return time.perf_counter() - self._begun


class ProcessorClock:
    """As the processors work for it, here, in the browser and in its driver: the same on an idle and a busy machine.

    Linux only. What they do in parallel counts twice, so it is more than a person waits on an idle machine.
    """

    def __init__(self) -> None:
        self._others: list[int] = []
        self._begun = 0.0

    def begin(self) -> None:
        self._others = list(_below(os.getpid()))
        self._begun = _used(self._others) + time.process_time()

    def spent(self) -> float:
        here = time.process_time()  # first, so that asking for the others' does not count
        return here + _used(self._others) - self._begun


def _used(processes: list[int]) -> float:
    return sum(_seconds(task) for process in processes for task in Path(f"/proc/{process}/task").glob("*/schedstat"))


def _seconds(schedstat: Path) -> float:
    try:
        return int(schedstat.read_text().split()[0]) / 1e9
    except OSError:
        return 0.0  # it has ended


def _below(top: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    todo = list(children.get(top, []))
    while todo:
        process = todo.pop()
        yield process
        todo += children.get(process, [])
