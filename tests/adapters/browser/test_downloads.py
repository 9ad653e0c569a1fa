"""What is in a file that a page downloads is known where our browser puts it; else a rule on it cannot be told."""

import asyncio
import hashlib
import os
import pathlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.async_api import BrowserContext
from tests.adapters.browser.stage import Answer, Site, Stage, World, at
from tests.language.pages import judged

from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange_adapters.browser import KIND, downloaded
from exactchange_adapters.browser.downloaded import ELSEWHERE, Unknown, read_file
from exactchange_adapters.browser.older import OLDER, as_recorded, told
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

REPORT = b"a,b\n1,2\n"
RIGHT = hashlib.sha256(REPORT).hexdigest()
ALLOW = 'allow: [{in: page, at: "@downloads.**"}]'
SAYS = '{{value: {{in: page, at: "@downloaded[name=report.csv].sha256", is: "{}"}}}}'


def sent(name: str, content: bytes) -> Answer:
    return 200, {"content-disposition": f"attachment; filename={name}", "content-type": "text/csv"}, content


@pytest.fixture
def shop(site: Site) -> Site:
    site.pages |= {
        "/": """<a id=get href=/report>get</a><a id=made download=made.txt>made</a><input id=pin type=password>
            <script>made.href = URL.createObjectURL(new Blob(['made here']))</script>""",
        "/report": sent("report.csv", REPORT),
    }
    return site


async def got(context: BrowserContext, what: str) -> bytes:
    """What the agent finds in the file that a click in the first tab brings."""
    async with context.pages[0].expect_download() as coming:
        await context.pages[0].click(what)
    return (await (await coming.value).path()).read_bytes()


async def around(stage: Stage, site: Site, *, own: bool = True, before: str = "") -> tuple[list[PageSnapshot], bytes]:
    """The captures before and after a report is downloaded, and what the agent got. `before`: typed as a password."""
    world = World(pathlib.Path("/nowhere"), stage.browser.cdp_url, own_browser=own)
    await stage.page.goto(site.at())
    await stage.page.fill("#pin", before)
    async with KIND.open(BrowserParams(), world=world) as reader:
        taken = [await reader.capture(mark=Mark(0), previous=None, deadline_s=15)]
        content = await got(stage.agent.contexts[0], "#get")
        taken.append(await reader.capture(mark=Mark(1), previous=taken[0], deadline_s=15))
    return taken, content


def test_the_content_of_what_our_browser_downloads_is_known_and_the_agent_has_its_file(
    stage: Stage, shop: Site
) -> None:
    async def act() -> tuple[list[bytes], PageSnapshot]:
        await stage.page.goto(shop.at())
        other = await stage.agent.new_context()
        await (await other.new_page()).goto(shop.at())
        async with stage.reading() as reading:
            await reading.take()
            contents = [await got(stage.agent.contexts[0], name) for name in ("#get", "#made")]
            return [*contents, await got(other, "#get")], await reading.take()

    contents, last = stage.run(act())
    assert contents == [REPORT, b"made here", REPORT]
    assert last.unread == ()
    assert sorted(map(str, at(last, "@downloaded.*.sha256"))) == sorted(hashlib.sha256(c).hexdigest() for c in contents)
    assert at(last, "@downloaded[name=made.txt].sha256") == [hashlib.sha256(b"made here").hexdigest()]


@pytest.mark.parametrize(("own", "content", "outcome"), [
    (True, RIGHT, "passed"), (True, RIGHT[::-1], "unmet"), (False, RIGHT, "undecided"),
])  # fmt: skip
def test_a_must_says_what_was_downloaded(
    own: bool, content: str, outcome: str, stage: Stage, shop: Site, tmp_path: pathlib.Path
) -> None:
    captures, had = stage.run(around(stage, shop, own=own))
    assert had == REPORT
    rules = f"must: [{SAYS.format(content)}]\n{ALLOW}"
    assert judged(tmp_path, rules, captures, closed=()).outcome == outcome


def test_that_nobody_knows_what_was_downloaded_does_no_harm_where_no_rule_asks(
    stage: Stage, shop: Site, tmp_path: pathlib.Path
) -> None:
    captures, _ = stage.run(around(stage, shop, own=False))
    assert [(item.path, item.reason) for item in captures[-1].unread] == [
        (("@downloaded", "name=report.csv", "sha256"), ELSEWHERE)
    ]
    named = 'must: [value: {in: page, at: "@downloads[*].name", is: report.csv}]'
    assert judged(tmp_path, f"{named}\n{ALLOW}", captures, closed=()).outcome == "passed"
    assert judged(tmp_path, f"{named}\nveto: [{SAYS.format('0' * 64)}]\n{ALLOW}", captures, closed=()).outcome == (
        "undecided"
    )
    assert judged(tmp_path, named, captures, closed=()).outcome != "undecided"


def test_a_step_after_it_that_changed_nothing_is_redundant_all_the_same(
    stage: Stage, shop: Site, tmp_path: pathlib.Path
) -> None:
    captures, _ = stage.run(around(stage, shop, own=False))
    rules = 'must: [value: {in: page, at: "@downloads[*].name", is: report.csv}]\nbonus: [effort: {redundant: 0}]'
    verdict = judged(tmp_path, f"{rules}\n{ALLOW}", [*captures, replace(captures[-1], mark=Mark(2))], closed=())
    assert [(item.tier, item.holds) for item in verdict.findings] == [("must", True), ("bonus", False)]


def test_a_file_that_is_too_large_is_unread(stage: Stage, shop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloaded, "LARGEST", 4)
    captures, _ = stage.run(around(stage, shop))
    assert [item.reason for item in captures[-1].unread] == ["the file is too large to read"]


@pytest.mark.parametrize(("name", "typed"), [("password.txt", ""), ("report.csv", "hunter2-FAKE-4711")])
def test_of_a_file_that_holds_a_secret_no_plain_hash_is_kept(name: str, typed: str, stage: Stage, shop: Site) -> None:
    shop.pages["/report"] = sent(name, f"{typed},x\n".encode())
    captures, _ = stage.run(around(stage, shop, before=typed))
    (kept,) = at(captures[-1], "@downloaded.*.sha256")
    assert isinstance(kept, dict)
    assert list(kept) == ["@secret"]


def test_of_a_recording_made_before_contents_were_read_it_is_unread(stage: Stage, shop: Site) -> None:
    captures, _ = stage.run(around(stage, shop))
    tree = captures[-1].tree
    assert isinstance(tree, dict)
    older = replace(captures[-1], tree={name: value for name, value in tree.items() if name != "@downloaded"})
    loaded = told(older, budget=CountedBudget())
    assert [(unread.path, unread.reason) for unread in loaded.unread] == [(("@downloaded",), OLDER)]
    assert as_recorded(loaded).unread == ()


def linked(path: pathlib.Path) -> None:
    (path.parent / "other").write_bytes(REPORT)
    path.symlink_to(path.parent / "other")


MADE: dict[str, Callable[[pathlib.Path], object]] = {
    "not there": lambda path: None,
    "shorter": lambda path: path.write_bytes(REPORT[:-1]),
    "longer": lambda path: path.write_bytes(REPORT + b"x"),
    "a link": linked,
    "a pipe": os.mkfifo,
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE.keys())
def test_what_is_not_the_file_that_the_browser_wrote_is_not_read(
    made: Callable[[pathlib.Path], object], tmp_path: pathlib.Path
) -> None:
    made(tmp_path / "file")
    with pytest.raises(Unknown, match="before it could be read"):
        read_file(str(tmp_path / "file"), len(REPORT))
    with pytest.raises(Unknown):
        read_file(f"{tmp_path}/file\0", len(REPORT))


def test_the_file_that_the_browser_wrote_is_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_bytes(REPORT)
    assert asyncio.run(asyncio.to_thread(read_file, str(tmp_path / "file"), len(REPORT))) == (RIGHT, REPORT.decode())
