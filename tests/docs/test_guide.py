"""Every file of the guide loads, every command of it runs, and what it prints is what the guide shows."""

import pathlib
import re
from dataclasses import dataclass

import pytest
from tests.docs.examples import run, told

import exactchange

HOME = pathlib.Path(exactchange.__file__).parents[2]
GUIDE = (HOME / "docs" / "your-application.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(yaml|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = "…"
"""Alone on a line of an output: any number of lines that are not shown."""


@dataclass(frozen=True)
class Block:
    kind: str
    text: str


BLOCKS = [Block(match[1], match[2]) for match in FENCE.finditer(GUIDE)]


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder as a reader of the guide has it: beside the application that is judged."""
    (tmp_path / ".trac").symlink_to(HOME / ".trac")
    (tmp_path / "guide").mkdir()
    return tmp_path


@pytest.mark.timeout(600)
def test_the_guide_can_be_followed_from_its_first_line_to_its_last(folder: pathlib.Path) -> None:
    """In order, since each part of it mends what the one before showed."""
    assert {block.kind for block in BLOCKS} == {"yaml", "console"}
    for block in BLOCKS:
        first, _, rest = block.text.partition("\n")
        if block.kind == "yaml":
            write(folder, first.removeprefix("# "), rest)
        else:
            done = run(first.removeprefix("$ "), folder)
            assert shows(told(done.stdout), told(rest)), f"$ {first}\n{done.stdout}\n{done.stderr}"


def write(folder: pathlib.Path, name: str, text: str) -> None:
    """A file, or lines to add to one: `guide/rename.yaml, at the end`."""
    name, _, add = name.partition(", ")
    place = folder / name
    place.write_text((place.read_text(encoding="utf-8") if add else "") + text, encoding="utf-8")


def shows(printed: list[str], shown: list[str]) -> bool:
    """Whether the lines shown are those printed, in their order, but for lines that are left out where it says so."""
    if not shown:
        return not printed
    if shown[0] != LEFT_OUT:
        return bool(printed) and fits(printed[0], shown[0]) and shows(printed[1:], shown[1:])
    return any(shows(printed[skipped:], shown[1:]) for skipped in range(len(printed) + 1))


def fits(printed: str, shown: str) -> bool:
    """Equal but for what a run makes up anew: keys of 32 hexadecimal digits, and times."""
    return unmade(printed) == unmade(shown)


def unmade(line: str) -> str:
    return re.sub(r"\b1[0-9]{9}(?:[0-9]{6})?\b", "TIME", re.sub(r"\b[0-9a-f]{32}\b", "KEY", line))


def test_a_line_that_is_not_printed_is_noticed() -> None:
    assert shows(["a", "b", "c"], ["a", LEFT_OUT, "c"]) and shows(["a"], ["a", LEFT_OUT])
    assert not shows(["a", "b"], ["a"]) and not shows(["a", "b"], [LEFT_OUT, "a"]) and not shows([], ["a"])
