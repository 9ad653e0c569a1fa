"""`exactchange docs`: whoever has the command has the pages that its messages name."""

import os
import pathlib
import pty
import re
import subprocess
import sys
from contextlib import suppress

import pytest
from tests.cli.conftest import MAIN, Command

from exactchange.cli.docs import anchor, docs_dir, headings
from exactchange.task.pages import ACTIONS, ANCHORS, NOISE, PAGE, see
from exactchange.values import Path

PAGES = sorted((pathlib.Path(__file__).parents[2] / "docs").glob("*.md"))
LINKS = [
    (page, target, section)
    for page in PAGES
    for target, section in re.findall(r"\]\(([\w-]*(?:\.md)?)(?:#([^)\s]+))?\)", page.read_text(encoding="utf-8"))
    if target.endswith(".md") or (section and not target)
]


def test_a_checkout_shows_its_own_pages(exactchange: Command) -> None:
    assert docs_dir() == PAGES[0].parent
    said = exactchange("docs")
    assert said.code == 0 and [line.split()[0] for line in said.out.splitlines()] == [page.stem for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_shown_as_it_was_written_where_nobody_looks_at_a_terminal(
    exactchange: Command, page: pathlib.Path
) -> None:
    for name in (page.stem, page.name, f"docs/{page.name}"):
        said = exactchange("docs", name)
        assert (said.code, said.out) == (0, page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("section", ANCHORS)
def test_every_section_that_a_mistake_names_is_shown(exactchange: Command, section: str) -> None:
    said = exactchange(*PAGE.split()[1:-1], f"{PAGE.split()[-1]}#{section}")
    assert said.code == 0 and anchor(headings(said.out)[0][2]) == section


@pytest.mark.parametrize(
    ("place", "command"),
    [
        (("sources", "page", "noise", "on", 0), NOISE),
        (("sources", "page", "noise"), NOISE),
        (("sources", "noise", "adapter"), f"{PAGE}#sources-and-places-in-them"),
        (("veto", 0, "action", "kind"), ACTIONS),
        (("veto", 0, "any", 1, "action", "args", "button"), ACTIONS),
        (("veto", 0, "action", "args", "button", "matches"), f"{PAGE}#matchers"),
        (("veto", 0, "action", "target", "role"), f"{PAGE}#sources-and-places-in-them"),
    ],
)
def test_a_mistake_names_the_page_that_explains_its_place(exactchange: Command, place: Path, command: str) -> None:
    assert see(place) == command
    said = exactchange(*command.split()[1:])
    assert said.code == 0 and anchor(headings(said.out)[0][2]) == command.rpartition("#")[2]


@pytest.mark.parametrize(("page", "target", "section"), LINKS)
def test_every_link_between_pages_leads_to_a_heading(page: pathlib.Path, target: str, section: str) -> None:
    there = page.parent / target if target else page
    assert there.is_file()
    assert not section or section in [anchor(text) for _, _, text in headings(there.read_text(encoding="utf-8"))]


def test_a_section_ends_before_the_next_that_is_no_deeper(exactchange: Command) -> None:
    said = exactchange("docs", "task-language#params")
    assert (
        said.out.startswith("## Params\n") and len([line for line in said.out.splitlines() if line[:3] == "## "]) == 1
    )


def test_on_a_terminal_a_page_is_laid_out(home: pathlib.Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", MAIN, "docs", "task-language#params"]
    environment = {**os.environ, "HOME": str(home), "COLUMNS": "90", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=theirs, env=environment) as process:
        os.close(theirs)
        text = b""
        with suppress(OSError):  # Linux ends a terminal that nobody writes to any more with EIO
            while read := os.read(ours, 4096):
                text += read
    assert process.returncode == 0 and b"\x1b[" in text and b"Params" in text and b"## Params" not in text


def test_a_heading_in_a_block_of_code_is_none() -> None:
    text = "# A\n```sh\n# no\n```\n~~~\n```\n## no\n~~~\n## B `x`, y\n"
    assert [(level, anchor(said)) for _, level, said in headings(text)] == [(1, "a"), (2, "b-x-y")]


@pytest.mark.parametrize(
    ("topic", "hint"),
    [("task-langage", "did you mean 'task-language'?"), ("nothing", "there are adapters"), ("../README", "there are"),
     ("/etc/passwd", "there are"), ("cli#exit-code", "did you mean 'exit-codes'?"), ("cli#qqq", "there are")],
)  # fmt: skip
def test_a_page_or_section_that_is_not_there_is_refused_with_the_ones_that_are(
    exactchange: Command, topic: str, hint: str
) -> None:
    said = exactchange("docs", topic)
    assert (said.code, said.out) == (2, "") and hint in said.err


def test_as_a_document_a_page_says_where_it_lies(exactchange: Command) -> None:
    found = exactchange("docs", "cli", "--json").document
    assert found["schema"] == "exactchange/docs/1" and pathlib.Path(found["file"]).read_text("utf-8") == found["text"]
    assert [item["page"] for item in exactchange("docs", "--json").document["pages"]] == [page.stem for page in PAGES]
