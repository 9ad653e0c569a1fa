"""Every example of the README runs, and what it prints is what a run prints."""

import pathlib
import re
from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Page, sync_playwright
from tests.docs.examples import run, told

import exactchange
from exactchange.cli.catalogue import COMMANDS
from exactchange.values import Value
from exactchange_fixtures.settings import open_site

HOME = pathlib.Path(exactchange.__file__).parents[2]
README = (HOME / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = {name: [m[2] for m in FENCE.finditer(README) if m[1] == name] for name in ("yaml", "python", "sh", "console")}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the README's task, as its reader would have it."""
    (tmp_path / "timeout.yaml").write_text(BLOCKS["yaml"][0], encoding="utf-8")
    return tmp_path


def test_the_output_shown_is_the_output_of_the_command_above_it(folder: pathlib.Path) -> None:
    command, _, shown = BLOCKS["console"][0].removeprefix("$ ").partition("\n")
    done = run(command, folder)
    assert done.returncode == 1, done.stderr
    assert told(done.stdout) == told(shown)


class Agent:
    """The agent of the example's reader: plans two actions, and performs them in the page."""

    def __init__(self) -> None:
        self._page: Page | None = None

    def plan(self, instruction: str, cdp_url: str) -> Iterator[Mapping[str, Value]]:
        assert "timeout" in instruction
        with sync_playwright() as playwright:
            self._page = playwright.chromium.connect_over_cdp(cdp_url).contexts[0].pages[0]
            yield {"kind": "fill", "target": {"css": "#server-timeout"}, "text": "30"}
            yield {"kind": "click", "target": {"css": "#save"}}

    def perform(self, action: Mapping[str, Value]) -> None:
        assert self._page is not None
        if action["kind"] == "fill":
            self._page.fill("#server-timeout", "30")
        else:
            with self._page.expect_navigation():
                self._page.click("#save")


def copies(folder: pathlib.Path) -> None:
    """Two copies of a work directory: as the application seeds it, and with the timeout set."""
    for name in ("copy-before", "copy-after", "before", "after"):
        (folder / name).mkdir()
        open_site(folder / name, "navigate").close()
    after = folder / "copy-after" / "settings.yaml"
    after.write_text(after.read_text().replace("timeout: 20", "timeout: 30"))
    (folder / "actions.jsonl").write_text('{"kind": "click", "target": {"css": "#save"}}\n')


def test_the_five_lines_of_python_and_the_commands_after_them_do_what_they_say(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    exec(compile(BLOCKS["python"][0], "README.md", "exec"), {"my_agent": Agent()})  # noqa: S102  # the example itself
    assert capsys.readouterr().out == "passed\n"
    copies(folder)
    agents_page = (HOME / "docs" / "agents.md").read_text(encoding="utf-8")
    (folder / "my_agent.py").write_text(next(m[2] for m in FENCE.finditer(agents_page) if m[1] == "python"))
    lines = [line for block in BLOCKS["sh"] for line in block.splitlines() if line.startswith("exactchange")]
    # Two copies hold no page, so that nothing can be said about it: no verdict, but the findings are there.
    expected = {"run": 0, "judge runs/1": 0, "judge timeout.yaml": 4, "diff": 0}
    assert len(lines) == len(expected)
    for line, (start, code) in zip(lines, expected.items(), strict=True):
        assert line.startswith(f"exactchange {start}")
        done = run(line, folder)
        assert done.returncode == code, (line, done.stdout, done.stderr)


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    targets = re.findall(r"^(\w+):", (HOME / "Makefile").read_text(), re.MULTILINE)
    assert [line.split()[1] for line in BLOCKS["sh"][0].splitlines()] == ["demo", "test"]
    assert {"demo", "test"} <= set(targets)


def test_every_command_is_in_the_table_and_nothing_else() -> None:
    listed = re.findall(r"^\| `exactchange ([\w-]+)` \|", README, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (HOME / target).exists(), target


def test_the_pictures_are_of_the_words_that_the_program_uses() -> None:
    picture = (HOME / "docs" / "verdict.svg").read_text(encoding="utf-8")
    for word in ("server.retries", "NOT", "strict"):
        assert word in picture.replace("&#160;", " ")
