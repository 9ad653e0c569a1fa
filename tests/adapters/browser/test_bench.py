import asyncio

from scripts.bench.pages import table_page
from scripts.bench.report import machine, table
from scripts.bench.stage import staged
from scripts.bench.ways import BASE, DIFF, NODES, RRWEB, WHOLE, Figures, figures


async def _small() -> Figures:
    async with staged(table_page(300)) as stage:
        return await figures(stage, rounds=1, rrweb=None)


def test_the_benchmark_measures_every_way_and_an_inserted_item_is_one_change() -> None:
    found = asyncio.run(_small())
    assert (found.inserted, len(found.captures), set(found.diffs)) == (1, 6, {DIFF, WHOLE, NODES})
    rows = list(table([found]))
    assert f"| {RRWEB} | not measured: name its bundle by --rrweb |" in rows
    assert next(row for row in rows if row.startswith(f"| {BASE} |")).endswith(" ms |")
    assert "cores of" in machine(browser="Chromium 1")
