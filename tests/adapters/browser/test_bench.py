import asyncio

import pytest
from scripts.bench.clocks import WallClock
from scripts.bench.keeping import kept
from scripts.bench.machine import machine
from scripts.bench.pages import table_page
from scripts.bench.report import table
from scripts.bench.stage import staged
from scripts.bench.ways import BASE, DIFF, NODES, RRWEB, WHOLE, Figures, figures


async def _small() -> Figures:
    async with staged(table_page(300)) as stage:
        return await figures(stage, rounds=1, clock=WallClock(), rrweb=None)


def test_the_benchmark_measures_every_way_and_an_inserted_item_is_one_change() -> None:
    found = asyncio.run(_small())
    assert (found.inserted, len(found.captures), set(found.diffs)) == (1, 6, {DIFF, WHOLE, NODES})
    rows = list(table([found]))
    assert f"| {RRWEB} | not measured: name its bundle by --rrweb |" in rows
    assert next(row for row in rows if row.startswith(f"| {BASE} |")).endswith(" ms |")
    assert "cores of" in machine(packages=["deepdiff"], more=["Chromium 1"])


def test_a_table_is_kept_between_its_own_comments_and_nowhere_else() -> None:
    page = "a\n<!-- wall -->\nold\n<!-- /wall -->\nb\n<!-- processor -->\n<!-- /processor -->\n"
    assert kept(page, "wall", "new\n") == page.replace("old", "new")
    assert kept(page, "processor", "x\n") == page.replace("<!-- /processor", "x\n<!-- /processor")
    with pytest.raises(ValueError):
        kept("a page of nothing", "wall", "new")
