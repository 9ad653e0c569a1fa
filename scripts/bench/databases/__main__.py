"""`python -m scripts.bench.databases`: measures captures and comparisons of databases; `--write` keeps the tables."""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Final

import apsw
from scripts.bench.databases.report import tables, title
from scripts.bench.databases.shapes import JOURNALS, SHAPES
from scripts.bench.databases.ways import Case, Figures, figures
from scripts.bench.keeping import keep
from scripts.bench.machine import load, machine

PLAN: Final[Mapping[float, Sequence[str]]] = {1.0: ["keyed"], 100.0: list(SHAPES), 1000.0: ["keyed"]}
"""Megabytes, and the kinds of tables that are measured of databases of that size unless others are asked for."""
LARGEST_FOR_MANY: Final = 200_000_000
"""Bytes; of larger databases some ways take half a minute each time."""
FEW_ROUNDS: Final = 3
"""On those."""


def main() -> None:
    """Print the tables; with `--write` put them into docs/benchmarks.md."""
    parser = argparse.ArgumentParser(prog="python -m scripts.bench.databases", description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=list(PLAN), help="sizes of the databases")
    parser.add_argument("--shapes", choices=SHAPES, nargs="+", help="kinds of tables")
    parser.add_argument("--journals", choices=JOURNALS, nargs="+", default=JOURNALS)
    parser.add_argument("--changed", type=int, default=10, help="rows that differ")
    parser.add_argument("--rounds", type=int, default=7, help="how often each way is measured, in turns")
    parser.add_argument("--write", action="store_true", help="write the tables to docs/benchmarks.md")
    options = parser.parse_args()
    text = asyncio.run(_measured(cases(options), options.rounds))
    print(text)
    if options.write:
        keep("databases", text)


def cases(options: argparse.Namespace) -> Sequence[Case]:
    """The databases that the options ask for."""
    found: list[Case] = []
    for megabytes in options.megabytes:
        for name in options.shapes or PLAN.get(megabytes, list(SHAPES)):
            size = int(megabytes * 1_000_000)
            found += [Case(SHAPES[name], size, journal, options.changed) for journal in options.journals]
    return found


async def _measured(wanted: Sequence[Case], rounds: int) -> str:
    found: list[Figures] = []
    for case in wanted:
        print(f"{case.size / 1_000_000:,.4g} MB, {title(case)}", file=sys.stderr, flush=True)
        fewer = min(rounds, FEW_ROUNDS) if case.size > LARGEST_FOR_MANY else rounds
        found.append(await figures(case, rounds=fewer))
    about = f"Time on the wall, load {load()}, medians of {rounds} rounds, {FEW_ROUNDS} above 200 MB."
    on = machine(packages=["apsw", "deepdiff"], more=[f"SQLite {apsw.sqlite_lib_version()}"])
    return "\n".join([about, f"{on}.", "", *tables(found)])


if __name__ == "__main__":
    main()
