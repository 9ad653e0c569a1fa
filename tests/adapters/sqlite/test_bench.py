"""The benchmark of databases: every way finds the rows that were changed, or there are no figures."""

import asyncio
import pathlib
import sqlite3
import sys
import tempfile
from collections.abc import Set as AbstractSet

import pytest
from scripts.bench.clocks import WallClock
from scripts.bench.databases.__main__ import main
from scripts.bench.databases.answers import WrongAnswer, agreed, checked
from scripts.bench.databases.floor import mapped
from scripts.bench.databases.others import DEEPDIFF, EXCEPT, SESSION, SQLDIFF, others
from scripts.bench.databases.report import OURS, tables
from scripts.bench.databases.shapes import ROLLBACK, SHAPES, WAL, build, change, spread
from scripts.bench.databases.ways import FIRST, FLOOR, Case, Figures, figures
from scripts.bench.rounds import measured

SIZES = {"blobs": 250_000} | dict.fromkeys(["keyed", "keyless", "indexed"], 60_000)


@pytest.fixture(autouse=True)
def scratch(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def pair(folder: pathlib.Path, name: str, rows: frozenset[int]) -> tuple[pathlib.Path, pathlib.Path]:
    before, after = folder / "before.db", folder / "after.db"
    build(before, SHAPES[name], size=SIZES[name], journal=ROLLBACK)
    after.write_bytes(before.read_bytes())
    connection = sqlite3.connect(after)
    if rows:
        change(connection, SHAPES[name], rows, "it is another one")
    connection.close()
    return before, after


@pytest.mark.parametrize(("name", "journal"), [("keyless", WAL), ("indexed", ROLLBACK), ("blobs", WAL)])
def test_every_way_finds_the_rows_that_another_process_changed(scratch: pathlib.Path, name: str, journal: str) -> None:
    found = asyncio.run(figures(Case(SHAPES[name], SIZES[name], journal, 10), rounds=1))
    assert {FLOOR, *OURS, EXCEPT, DEEPDIFF} <= found.seconds.keys()
    assert found.seconds.keys() | found.missing.keys() == {FLOOR, *OURS, SQLDIFF, EXCEPT, SESSION, DEEPDIFF}
    assert all(len(seconds) == 1 for seconds in found.seconds.values())
    assert found.memory is None or found.memory < 100_000_000
    assert not list(scratch.iterdir())


def test_the_benchmark_prints_a_table_and_leaves_nothing_behind(
    scratch: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--megabytes", "0.05", "--shapes", "keyed", "--journals", WAL, "--changed", "3", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["bench", *asked])
    main()
    first, machine, _, head, _, *rows = capsys.readouterr().out.splitlines()
    assert first.endswith("medians of 1 rounds, 3 above 200 MB.") and "cores of" in machine
    assert head == "| 0.05 MB | with a key, WAL |"
    shown = [row.split(" | ")[0].strip("| *") for row in rows if row]
    assert shown[:6] == [FLOOR, *OURS]
    assert {SQLDIFF, EXCEPT, SESSION, DEEPDIFF, f"{FIRST} (once)", "rows"} < set(shown)
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("rows", [frozenset[int](), frozenset([1]), frozenset([2, 9, 15])])
def test_the_other_tools_say_which_rows_differ(tmp_path: pathlib.Path, name: str, rows: frozenset[int]) -> None:
    before, after = pair(tmp_path, name, rows)
    ways, missing = others(before, after, SHAPES[name])
    assert {way: set(find()) for way, find in ways.items()} == {way: rows for way in ways}
    assert len(ways) + len(missing) == 4
    with mapped(before, after) as floor:
        assert bool(floor.differing()) == bool(rows)


def test_what_is_not_there_is_not_measured_and_the_table_says_why(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ways, missing = others(*pair(tmp_path, "keyless", frozenset([1])), SHAPES["keyless"])
    assert SQLDIFF not in ways and SESSION not in ways
    case = Case(SHAPES["keyless"], 60_000, ROLLBACK, 1)
    text = "\n".join(tables([Figures(case, 5, {name: [0.5] for name in (FLOOR, *OURS)}, 1.0, None, missing)]))
    assert f"| {SQLDIFF} | not measured: not installed (Debian has it in sqlite3-tools) |" in text
    assert f"| {SESSION} | sees no table without a key |" in text
    assert f"| {EXCEPT} | not measured |" in text and "| memory beyond the start | not measured |" in text
    assert f"| **{OURS[0]}** | 500.0 ms (1 ×) |" in text


@pytest.mark.parametrize("found", [set[int](), {1}, {1, 2, 3}, {2, 3}])
def test_a_way_that_finds_other_rows_stops_the_benchmark(found: AbstractSet[int]) -> None:
    async def find() -> AbstractSet[int]:
        return found

    way = checked("a way", find, frozenset([1, 2]))
    with pytest.raises(WrongAnswer, match="a way"):
        asyncio.run(measured({"a way": way}, rounds=1, clock=WallClock()))


def test_both_sides_of_a_comparison_name_the_same_rows_once() -> None:
    assert agreed("a way", [1, 2], [2, 1]) == {1, 2}
    for sides in ([[1], [2]], [[1], []], [[1, 1], [1, 1]]):
        with pytest.raises(WrongAnswer):
            agreed("a way", *sides)


@pytest.mark.parametrize(("count", "total"), [(1, 1), (10, 10), (3, 1000), (10, 755_500)])
def test_as_many_rows_are_changed_as_were_asked_for(count: int, total: int) -> None:
    rows = spread(count, total)
    assert len(rows) == count and 1 <= min(rows) <= max(rows) <= total


def test_more_rows_than_there_are_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="cannot change 10 of 9 rows"):
        spread(10, 9)
