"""`python -m scripts.mutation [FILE...]`: which small changes of the verdict logic no test notices."""

import argparse
import configparser
import os
import pathlib
import sys
from collections import Counter
from typing import Final

import pytest
from scripts.mutation.child import QUIET
from scripts.mutation.hunt import Fate, Hunt
from scripts.mutation.mutants import Mutant

EQUIVALENT: Final = pathlib.Path(__file__).with_name("equivalent.txt")
LOGIC: Final = pathlib.Path(__file__).parents[1] / "verdict_logic.ini"


def main() -> int:
    """0 when enough mutants are killed; 1 when not, or a line of `equivalent.txt` names none; 2 when it cannot run."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutation", description=__doc__)
    parser.add_argument("files", nargs="*", help="modules to change; all of scripts/verdict_logic.ini if left out")
    parser.add_argument("--tests", nargs="+", required=True, help="what pytest runs; its options, too")
    parser.add_argument("--functions", action="store_true", help="leave out what runs at import: it is dear to try")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="try these mutants alone")
    parser.add_argument("--bar", type=float, default=95, help="the score that is asked for, in percent")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes side by side")
    options, more = parser.parse_known_args()
    files: list[str] = options.files or verdict_logic()
    known = equivalents(EQUIVALENT.read_text(encoding="utf-8"))
    found: dict[str, Counter[str]] = {file: Counter() for file in files}
    seen: set[str] = set()

    def tell(mutant: Mutant, fate: Fate) -> None:
        found[mutant.file][fate] += 1
        seen.add(mutant.name)
        if fate in ("survived", "untested"):
            print(f"{mutant.file}:{mutant.line} {mutant.name} {fate} {mutant.function}: {mutant.change}", flush=True)

    only: frozenset[str] = frozenset(options.only)
    hunt = Hunt(files, known, tell, whole=not options.functions, only=only, workers=options.workers)
    pytest.main([*QUIET, *options.tests, *more], plugins=[hunt])
    if hunt.broken:
        print(hunt.broken)
    if not seen:
        return 2
    total = sum(found.values(), Counter[str]())
    for file, fates in (*found.items(), ("all", total)):
        print(_line(file, fates))
    part = options.files or options.functions or options.only
    stale: frozenset[str] = frozenset() if part else known - seen
    if stale:
        print(f"equivalent.txt: no such mutant: {' '.join(sorted(stale))}")
    if hunt.broken:
        return 2
    return int(_score(total) < options.bar or bool(stale))


def verdict_logic() -> list[str]:
    """The files that `scripts/verdict_logic.ini` names, relative to the working directory."""
    said = configparser.ConfigParser()
    said.read(LOGIC, encoding="utf-8")
    return sorted(str(file) for pattern in said["run"]["include"].split() for file in pathlib.Path().glob(pattern))


def equivalents(text: str) -> frozenset[str]:
    """Names of the mutants that a list says change nothing: the first word of each line but comments."""
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return frozenset(words[0] for words in lines if words)


def _score(fates: Counter[str]) -> float:
    """Killed of all that could be killed, in percent."""
    dead = fates["killed"] + fates["timeout"]
    could = fates.total() - fates["equivalent"]
    return 100 * dead / could if could else 100


def _line(file: str, fates: Counter[str]) -> str:
    counted = ", ".join(f"{fates[fate]} {fate}" for fate in ("killed", "timeout", "survived", "untested", "equivalent"))
    return f"{file}: {fates.total()} mutants: {counted}: {_score(fates):.1f} %"


if __name__ == "__main__":
    sys.exit(main())
