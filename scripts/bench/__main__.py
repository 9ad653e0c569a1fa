"""`python -m scripts.bench`: measures captures and comparisons of pages, and prints a table; `--write` keeps it."""

import argparse
import asyncio
from pathlib import Path
from typing import Final

from scripts.bench.pages import SIZES, table_page
from scripts.bench.report import load, machine, table
from scripts.bench.stage import staged
from scripts.bench.ways import Figures, figures

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- measured -->\n", "<!-- /measured -->\n"


def main() -> None:
    """Print the table; with `--write` put it into docs/benchmarks.md."""
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES, help="sizes of the pages")
    parser.add_argument("--rounds", type=int, default=15, help="how often each way is measured, in turns")
    parser.add_argument("--rrweb", type=Path, help="the file dist/rrweb-snapshot.umd.min.cjs of rrweb-snapshot")
    parser.add_argument("--write", action="store_true", help="write the table to docs/benchmarks.md")
    options = parser.parse_args()
    text = asyncio.run(_measured(options.nodes, rounds=options.rounds, rrweb=options.rrweb))
    print(text)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + text + END + rest.partition(END)[2], encoding="utf-8")


async def _measured(sizes: list[int], *, rounds: int, rrweb: Path | None) -> str:
    found: list[Figures] = []
    browser = ""
    for nodes in sizes:
        async with staged(table_page(nodes)) as stage:
            told = stage.page.context.browser
            browser = f"Chromium {told.version if told is not None else 'unknown'}"
            found.append(await figures(stage, rounds=rounds if nodes <= 20_000 else min(rounds, 5), rrweb=rrweb))
    about = f"{machine(browser=browser)}; load {load()}; medians of {rounds} rounds (of 5 above 20,000 nodes)."
    return "\n".join([about, "", *table(found), ""])


if __name__ == "__main__":
    main()
