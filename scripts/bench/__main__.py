"""`python -m scripts.bench`: measures captures and comparisons of pages, and prints a table; `--write` keeps it."""

import argparse
import asyncio
from pathlib import Path
from typing import Final

from scripts.bench.clocks import ProcessorClock, WallClock
from scripts.bench.keeping import keep
from scripts.bench.machine import load, machine
from scripts.bench.pages import SIZES, table_page
from scripts.bench.report import table
from scripts.bench.stage import staged
from scripts.bench.ways import LARGEST_FOR_SLOW, Figures, figures

PACKAGES: Final = ("playwright", "deepdiff")
FEW_ROUNDS: Final = 5
"""On the largest pages."""


def main() -> None:
    """Print the table; with `--write` put it into docs/benchmarks.md."""
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES, help="sizes of the pages")
    parser.add_argument("--rounds", type=int, default=15, help="how often each way is measured, in turns")
    parser.add_argument("--rrweb", type=Path, help="the file dist/rrweb-snapshot.umd.min.cjs of rrweb-snapshot")
    parser.add_argument("--write", action="store_true", help="write the table to docs/benchmarks.md")
    parser.add_argument("--processor", action="store_true", help="processor time of all processes instead: Linux only")
    options = parser.parse_args()
    text = asyncio.run(_measured(options))
    print(text)
    if options.write:
        name = "processor" if options.processor else "wall"
        keep(name, text)


async def _measured(options: argparse.Namespace) -> str:
    found: list[Figures] = []
    browser = ""
    clock = ProcessorClock() if options.processor else WallClock()
    for nodes in options.nodes:
        async with staged(table_page(nodes)) as stage:
            told = stage.page.context.browser
            browser = f"Chromium {told.version if told is not None else 'unknown'}"
            rounds = options.rounds if nodes <= LARGEST_FOR_SLOW else min(options.rounds, FEW_ROUNDS)
            found.append(await figures(stage, rounds=rounds, clock=clock, rrweb=options.rrweb))
    what = "Processor time of all processes" if options.processor else "Time on the wall"
    about = f"{what}, load {load()}, medians of {options.rounds} rounds."
    return "\n".join([about, f"{machine(packages=PACKAGES, more=[browser])}.", "", *table(found), ""])


if __name__ == "__main__":
    main()
