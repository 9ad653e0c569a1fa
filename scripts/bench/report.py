"""The figures of pages as a table for people: what was measured, and what was not."""

from collections.abc import Iterator, Mapping, Sequence

from scripts.bench.rounds import median_ms, times
from scripts.bench.ways import AGAIN, ARIA, BASE, DIFF, FULL, IDLE, NODES, RRWEB, WHOLE, Figures

OURS = (FULL, AGAIN, IDLE)


def table(found: Sequence[Figures]) -> Iterator[str]:
    """Markdown: a row a way, a column a page; milliseconds (median), and how many times the base that is."""
    yield "| | " + " | ".join(f"{each.nodes:,} nodes" for each in found) + " |"
    yield "|---|" + "---:|" * len(found)
    for name in _names([each.captures for each in found], more=(ARIA, RRWEB)):
        yield f"| {_shown(name)} | " + " | ".join(_cell(each, each.captures, name, BASE) for each in found) + " |"
    for name in _names([each.diffs for each in found], more=(WHOLE, NODES)):
        yield f"| {_shown(name)} | " + " | ".join(_cell(each, each.diffs, name, DIFF) for each in found) + " |"
    yield "| changes for an item inserted at the head | " + " | ".join(str(each.inserted) for each in found) + " |"


def _names(found: Sequence[Mapping[str, object]], *, more: Sequence[str] = ()) -> list[str]:
    return list(dict.fromkeys([*(name for each in found for name in each), *more]))


def _shown(name: str) -> str:
    return f"**{name}**" if name in (*OURS, DIFF) else name


def _cell(each: Figures, seconds: Mapping[str, list[float]], name: str, base: str) -> str:
    if name not in seconds:
        return each.missing.get(name, "not measured")
    ratio = times(seconds[name], seconds[base])
    return f"{median_ms(seconds[name]):,.1f} ms" + ("" if name == base else f" ({ratio:,.1f} ×)")
