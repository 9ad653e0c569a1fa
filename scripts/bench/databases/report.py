"""The figures of databases as tables for people, one for each size."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Final

from scripts.bench.databases.others import DEEPDIFF, EXCEPT, SESSION, SQLDIFF
from scripts.bench.databases.shapes import WAL
from scripts.bench.databases.ways import AGAIN, CHANGES, DIFF, FIRST, FLOOR, IDLE, STEP, Case, Figures
from scripts.bench.rounds import times

OURS: Final = (DIFF, CHANGES, AGAIN, IDLE, STEP)
WAYS: Final = (FLOOR, *OURS, SQLDIFF, EXCEPT, SESSION, DEEPDIFF)


def tables(found: Sequence[Figures]) -> Iterator[str]:
    """Markdown: a table a size, a row a way, a column a database; medians, and how many times the floor that is."""
    for size in dict.fromkeys(each.case.size for each in found):
        yield from _table(size, [each for each in found if each.case.size == size])
        yield ""


def title(case: Case) -> str:
    """What the database is, in words."""
    return f"{case.shape.title}, {'WAL' if case.journal == WAL else 'rollback journal'}"


def _table(size: int, found: Sequence[Figures]) -> Iterator[str]:
    yield f"| {size / 1_000_000:,.4g} MB | " + " | ".join(title(each.case) for each in found) + " |"
    yield "|---|" + "---:|" * len(found)
    for name in WAYS:
        shown = f"**{name}**" if name in OURS else name
        yield f"| {shown} | " + " | ".join(_cell(each, name) for each in found) + " |"
    yield f"| {FIRST} (once) | " + " | ".join(f"{_time(each.first)} {_of_floor(each)}" for each in found) + " |"
    for name in (DIFF, STEP):
        yield f"| {SQLDIFF}, in times of: {name} | " + " | ".join(_ratio(each, name) for each in found) + " |"
    yield "| memory beyond the start | " + " | ".join(_memory(each.memory) for each in found) + " |"
    yield "| rows | " + " | ".join(f"{each.rows:,}" for each in found) + " |"


def _cell(each: Figures, name: str) -> str:
    seconds = each.seconds.get(name)
    if seconds is None:
        return each.missing.get(name, "not measured")
    ratio = "" if name == FLOOR else f" ({_times(times(seconds, each.seconds[FLOOR]))})"
    return _time(statistics.median(seconds)) + ratio


def _of_floor(each: Figures) -> str:
    return f"({_times(each.first / statistics.median(each.seconds[FLOOR]))})"


def _ratio(each: Figures, name: str) -> str:
    theirs = each.seconds.get(SQLDIFF)
    return "not measured" if theirs is None else _times(times(theirs, each.seconds[name]))


def _times(ratio: float) -> str:
    return f"{ratio:.2g} ×" if ratio < 10 else f"{ratio:,.0f} ×"


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.1f} ms"


def _memory(size: int | None) -> str:
    return "not measured" if size is None else f"{size / 1_000_000:,.0f} MB"
