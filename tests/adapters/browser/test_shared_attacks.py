"""Attacks of pages on those who read them, as small pages, with the required answers."""

import asyncio
import json
import pathlib
import runpy
import time
from contextlib import suppress
from dataclasses import replace
from typing import cast

import pytest
from playwright.async_api import Dialog, Page
from tests.adapters.browser.cases import folder_of
from tests.adapters.browser.stage import HTML, Site, Stage, World, at, pick
from tests.language import worlds
from tests.language.pages import case_of, judged, played, task_of
from tests.language.worlds import done, left, must

from exactchange.judging import judge
from exactchange.snapshot import Mark
from exactchange.task import load_task
from exactchange.verdict import Verdict
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.launch import launch_browser
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot


def attack(name: str, file: str) -> str:
    return (folder_of(name, kind="attacks") / file).read_text("utf-8")


async def nothing(_: Page) -> None:
    """A step in which the page is left alone."""


@pytest.mark.parametrize("place", ['css: "#s"', 'at: "@text[*]", pick: any'])
def test_attack_25_a_page_that_redefines_what_a_reader_calls_never_passes(
    place: str, stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages["/"] = attack("25", "page.html")
    captures = played(stage, site.at(), nothing)
    assert pick(captures[-1], css="#s") == ["PENDING"]
    assert at(captures[-1], "@text") == [["PENDING"]]
    verdict = judged(tmp_path, f"must: [value: {{in: page, {place}, is: PAID}}]", captures)
    assert (verdict.outcome, left(verdict)) == ("unmet", [])


ORDER = {"order.json": '{"id": 42, "state": "open"}'}
CONFIRMED = "url: {path: /orders/42/confirmed}"
SHOWN = f'{{value: {{in: page, at: "@url", is: {{{CONFIRMED}}}}}}}'
BESIDES = [
    "{value: {in: order, at: state, is: confirmed}}",
    f'{{value: {{in: page, at: "@loaded", is: {{{CONFIRMED}}}}}}}',
    f"{{request: {{in: page, {CONFIRMED}}}}}",
]
TASK = """id: t
instruction: Confirm order 42.
sources:
  page: {{adapter: browser, start: "http://127.0.0.1/"}}
  order: {{adapter: file, path: "{{workdir}}/order.json"}}
must: [{}]
"""


@pytest.mark.parametrize("besides", BESIDES)
def test_attack_26_an_address_that_a_script_wrote_is_no_confirmation(
    besides: str, stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    """The page is what a click leads to: at the start nothing shows its address."""
    handed_over = runpy.run_path(str(folder_of("26", kind="attacks") / "server.py"))
    site.pages |= {"/": "<a href=/pay>Pay</a>", "/pay": (200, HTML, handed_over["P"])}
    captures = played(stage, site.at(), lambda page: page.click("a"))
    assert [asked for asked in site.asked if "favicon" not in asked] == ["GET /", "GET /pay"]
    (tmp_path / "task.yaml").write_text(TASK.format(f"{SHOWN}, {besides}"), encoding="utf-8")
    task = load_task(tmp_path / "task.yaml")
    order = worlds.case_of(tmp_path, task, [ORDER, ORDER])
    page = case_of(captures, closed=()).sources["page"]
    verdict = judge(task, replace(order, sources={**order.sources, "page": page}))
    assert at(captures[-1], "@title") == ["Order confirmed"]
    assert (verdict.outcome, must(verdict, 0).holds, must(verdict, 1).holds) == ("unmet", True, False)


async def hangs(page: Page) -> None:
    """Until the page answers nobody any more."""
    with suppress(TimeoutError):
        while True:
            await asyncio.wait_for(page.evaluate("1"), 0.3)


@pytest.mark.parametrize(("file", "place"), [
    ("loop.html", 'css: "#s"'), ("dialog.html", 'css: "#s"'), ("title.html", 'at: "@title"'), ("huge", 'css: "#s"'),
])  # fmt: skip
def test_attack_28_a_page_that_blocks_its_reader_is_undecided_within_the_deadline(
    file: str, place: str, stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    huge = "<!doctype html><p id=s>x</p>" + "<b>x</b>" * 300_000
    site.pages |= {"/": "<p id=s>open</p>", "/next": huge if file == "huge" else attack("28", file)}

    async def act() -> tuple[list[PageSnapshot], float]:
        page, context = stage.page, stage.agent.contexts[0]
        opened: asyncio.Future[Dialog] = asyncio.get_running_loop().create_future()
        page.once("dialog", lambda dialog: opened.set_result(dialog))  # and leaves it open
        await page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await page.goto(site.at("/next"))
            if file == "loop.html":
                await hangs(page)
            if file == "dialog.html":
                await opened
            started = time.monotonic()
            after = await reading.take(deadline_s=6)
            took = time.monotonic() - started
        await context.new_page()
        await page.close()
        return [before.at(Mark(0)), replace(after, mark=Mark(1))], took

    captures, took = stage.run(act())
    verdict = judged(tmp_path, f"must: [value: {{in: page, {place}, is: x}}]", captures, closed=())
    assert (verdict.outcome, verdict.cause) == ("undecided", "content")
    assert took < 15


def test_attack_28_two_hundred_windows_that_a_page_opens_are_all_seen_within_the_deadline(
    site: Site, tmp_path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    site.pages["/"] = attack("28", "open.html")

    async def act() -> tuple[PageSnapshot, float]:
        scratch = tmp_path_factory.mktemp("flooded")
        async with launch_browser(start=site.at(), headless=True, scratch=scratch) as browser:
            async with KIND.open(BrowserParams(), world=World(tmp_path, browser.cdp_url)) as reader:
                started = time.monotonic()
                snapshot = await reader.capture(mark=Mark(0), previous=None, deadline_s=14)
                return snapshot, time.monotonic() - started

    snapshot, took = asyncio.run(act())
    assert (snapshot.unread, at(snapshot, "@text")) == ((), [["x"]])
    assert len(at(snapshot, "@tabs.*.@url")) == 200
    assert took < 15


def test_attack_29_what_only_css_puts_in_is_no_text(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    site.pages |= {"/": "<div id=s></div>", "/done": attack("29", "css.html")}
    captures = played(stage, site.at(), lambda page: page.goto(site.at("/done")))
    assert at(captures[-1], "@text") == [[]]
    assert pick(captures[-1], css="#s") == [""]
    verdict = judged(tmp_path, 'must: [value: {in: page, css: "#s", is: Order confirmed}]', captures, closed=())
    assert verdict.outcome == "unmet"


SHOP = '{url: {scheme: {one_of: [http, https]}, host: shop.example, port: "80", rest: any}}'
ELSEWHERE = f"veto: [action: {{kind: goto, args: {{url: {{not: {SHOP}}}}}}}]\n"
GOAL = 'must: [value: {in: page, css: "#s", is: "yes"}]'
ADDRESSES: list[tuple[str, str]] = [tuple(item) for item in json.loads(attack("40", "urls.json"))]


def went(folder: pathlib.Path, captures: list[PageSnapshot], address: str) -> Verdict:
    """The verdict on an agent that went to an address, and then did what is wanted."""
    actions = done([{"kind": "goto", "url": address}])
    return judge(task_of(folder, ELSEWHERE + GOAL, closed=()), replace(case_of(captures, closed=()), actions=actions))


def test_attack_40_only_addresses_of_the_shop_are_allowed_however_others_are_spelt(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages["/"] = "<p id=s>no</p>"
    captures = played(stage, site.at(), lambda page: page.evaluate("s.textContent = 'yes'"))
    judgement = {"vetoed": "veto", "passed": "allow"}
    found = [(judgement.get(went(tmp_path, captures, url).outcome, ""), url) for _, url in ADDRESSES]
    assert found == ADDRESSES


READ = """(urls) => urls.map(text => {
    try { const url = new URL(text, "about:blank"); return [url.protocol, url.host]; } catch { return ["", ""]; }
})"""


def test_attack_40_the_browser_itself_takes_just_these_for_addresses_of_the_shop(stage: Stage, site: Site) -> None:
    async def act() -> object:
        return await stage.page.evaluate(READ, [url for _, url in ADDRESSES])

    read = stage.run(act())
    assert isinstance(read, list)
    shop = [item == ["http:", "shop.example"] for item in cast("list[object]", read)]
    assert shop == [wanted == "allow" for wanted, _ in ADDRESSES]
