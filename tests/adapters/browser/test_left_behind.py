"""What was stored in the very step that left an origin: read afterwards, unseen, or heard as it was set."""

import pathlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Captures, Site, Stage, World, at, changed
from tests.adapters.browser.test_kept import DATABASE

from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.aside import Kept, hides
from exactchange_adapters.browser.attach import attach
from exactchange_adapters.browser.kept import labelled
from exactchange_adapters.browser.left import MORE, MOST_READ
from exactchange_adapters.browser.origins import READ_AFTER
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.stirred import MOST_CHARACTERS, MOST_ITEMS, TOO_MANY, Items, Stirred

Do = Callable[[Page], Awaitable[object]]
KEEP = """async () => {
  localStorage.h = '1';
  await open('shop', 1, (db) => db.createObjectStore('kv').put('dark', 'theme')).then((db) => db.close());
  await caches.open('c1');
  const folder = await navigator.storage.getDirectory();
  const file = await (await folder.getFileHandle('n.txt', {create: true})).createWritable();
  await file.write('hi');
  await file.close();
  addEventListener('pagehide', () => { localStorage.last = '2'; });
}"""
NONE: Mapping[str, object] = {}
SHOP: Mapping[str, object] = {
    "@version": 1,
    "kv": {"@schema": {"path": None, "counts": False, "indexes": NONE}, "theme": "dark"},
}
FILE: Mapping[str, object] = {"@file": "n.txt", "type": "text/plain", "size": 2, "content": b"hi"}
SET = "localStorage.h = '1'; sessionStorage.s = '2'"
BEFORE = "localStorage.setItem('was', 'a'); sessionStorage.setItem('was', 'b')"


@dataclass(frozen=True)
class Step:
    """What a step changed below `@storage`; what is unread after it, and why; the notes."""

    changed: Mapping[str, object]
    unread: Mapping[str, str]
    notes: list[str]


async def step(reading: Captures, page: Page, do: Do) -> Step:
    before = await reading.take()
    await do(page)
    after = await reading.take()
    found = {name: new for name, (_, new) in changed(before, after).items() if "@storage" in name}
    return Step(found, {item.address: item.reason for item in after.unread}, [note.message for note in after.notes])


def leaving(script: str, *urls: str) -> Do:
    async def do(page: Page) -> None:
        await page.evaluate(script)
        for url in urls:
            await page.goto(url)

    return do


@asynccontextmanager
async def attached(stage: Stage, scratch: pathlib.Path) -> AsyncGenerator[Captures]:
    """A reader of a browser that is not the judge's."""
    world = World(scratch, stage.browser.cdp_url, own_browser=False)
    async with KIND.open(BrowserParams(), world=world) as reader:
        yield Captures(reader)


def stepped(stage: Stage, site: Site, do: Do) -> Step:
    async def act() -> Step:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await step(reading, stage.page, do)

    site.pages |= dict.fromkeys(("/", "/sandboxed"), DATABASE)
    return stage.run(act())


def test_all_that_an_origin_keeps_is_read_after_the_step_that_left_it(stage: Stage, site: Site) -> None:
    found, origin = stepped(stage, site, leaving(KEEP, site.at(host="localhost"))), site.at()[:-1]
    stored: Mapping[str, object] = {
        "local": {"h": "1", "last": "2"},
        "indexeddb": {"shop": SHOP},
        "caches": ["c1"],
        "files": {"n.txt": FILE},
    }
    assert found.changed == {"@storage": {kind: {origin: value} for kind, value in stored.items()}}
    assert (found.unread, found.notes) == ({}, [f"{READ_AFTER}{origin}"])


def test_nobody_sees_that_it_is_read(stage: Stage, site: Site) -> None:
    """No server, no agent, no service worker and no page, neither one that was left nor one that is there now."""
    site.pages |= dict.fromkeys(("/", "/woken"), DATABASE)
    site.pages["/sw.js"] = (
        200,
        {"content-type": "text/javascript"},
        b"onfetch = (e) => e.respondWith(fetch('/woken'))",
    )
    watch = "onblur = onfocus = onvisibilitychange = onstorage = () => { window.told = true; }"

    async def act() -> tuple[list[object], list[str], bool, list[list[Value]]]:
        page, told = stage.page, list[object]()
        await page.goto(site.at())
        await page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)")
        page.context.on("page", lambda other: told.append(other.url))
        session = await stage.agent.new_browser_cdp_session()
        async with stage.reading() as reading:
            await reading.take()
            await page.evaluate("localStorage.h = '1'")
            await page.goto(site.at(host="localhost"))
            await page.evaluate(watch)
            site.asked.clear()
            page.context.on("request", lambda request: told.append(request.url))
            after = await reading.take()
            asked, seen = list(site.asked), list(told)
        assert at(after, f'@storage.local["{site.at()[:-1]}"].h') == ["1"]
        assert [at(after, place) for place in ("@tabs", "@console[*]", "@dialogs[*]")] == [[NONE], [], []]
        listed = cast("object", await session.send("Target.getTargets"))
        seen += [await page.evaluate("window.told ?? document.hasFocus()"), len(page.context.pages)]
        urls = [at(after, f"@requests[{number}].url") for number in range(len(at(after, "@requests[*]")))]
        await page.goto(site.at())
        await page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all[0].unregister())")
        return seen, asked, "'type': 'other'" in str(listed), urls

    seen, asked, hidden, urls = stage.run(act())
    assert (seen, asked, hidden) == ([True, 1], [], False)
    assert urls == [[site.at(host="localhost")]]


def test_an_origin_is_read_whose_server_is_not_there(stage: Stage, site: Site) -> None:
    async def do(page: Page) -> None:
        await page.route("http://shop.test/**", lambda route: route.fulfill(body="hi", content_type="text/html"))
        await leaving("0", "http://shop.test/")(page)
        await page.unroute("http://shop.test/**")
        await leaving("localStorage.h = '1'", site.at())(page)

    found = stepped(stage, site, do)
    assert (found.changed, found.unread) == ({"@storage": {"local": {"http://shop.test": {"h": "1"}}}}, {})


def test_an_origin_that_was_opened_and_left_in_one_step_is_read(stage: Stage, site: Site) -> None:
    there = site.at(host="localhost")

    async def do(page: Page) -> None:
        await leaving("0", there)(page)
        await leaving("localStorage.h = '1'", site.at())(page)

    found = stepped(stage, site, do)
    assert found.changed == {"@storage": {"local": {there[:-1]: {"h": "1"}}}}


def test_a_page_in_a_sandbox_does_not_stand_for_its_origin(stage: Stage, site: Site) -> None:
    site.pages["/boxed"] = (200, {"content-type": "text/html", "content-security-policy": "sandbox"}, b"boxed")
    found = stepped(stage, site, leaving("localStorage.h = '1'", site.at("/boxed")))
    assert found.changed == {"@storage": {"local": {site.at()[:-1]: {"h": "1"}}}}


def test_what_a_tab_stored_before_it_was_closed_is_read_in_its_own_context(stage: Stage, site: Site) -> None:
    site.pages["/"] = DATABASE

    async def act() -> Step:
        await stage.page.goto(site.at(host="localhost"))
        context = await stage.agent.new_context()
        await context.new_page()
        page = await context.new_page()
        await page.goto(site.at())

        async def do(page: Page) -> None:
            await page.evaluate("localStorage.h = '1'")
            await page.close()

        async with stage.reading() as reading:
            return await step(reading, page, do)

    found = stage.run(act())
    assert list(found.changed.values()) == [{"local": {site.at()[:-1]: {"h": "1"}}}]
    assert (found.unread, found.notes) == ({}, [f"{READ_AFTER}{site.at()[:-1]}"])


def test_of_more_origins_than_are_read_the_rest_is_unread_until_the_next_capture(stage: Stage, site: Site) -> None:
    hosts = [f"a{number}.localhost" for number in range(MOST_READ + 1)]
    away = leaving("0", *(site.at(host=host) for host in hosts), "about:blank")
    site.pages["/"] = DATABASE

    async def act() -> tuple[Step, object]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await step(reading, stage.page, away), (await reading.take()).unread

    found, later = stage.run(act())
    assert later == ()
    unread = {f'@storage.local["{site.at(host=hosts[-1])[:-1]}"]', f'@storage.local["{site.at(host=hosts[-2])[:-1]}"]'}
    assert {name for name, why in found.unread.items() if why == MORE and "storage.local[" in name} == unread


@pytest.mark.parametrize(
    ("script", "local", "session"),
    [
        (SET, {"was": "a", "h": "1"}, {"was": "b", "s": "2"}),
        ("localStorage.removeItem('was'); sessionStorage.was = 'c'", None, {"was": "c"}),
        ("localStorage.was = 'c'; sessionStorage.clear(); sessionStorage.x = '1'", {"was": "c"}, {"x": "1"}),
        ("localStorage.clear(); sessionStorage.x = '1'; sessionStorage.clear()", None, None),
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_stored_items_that_changed_as_an_origin_was_left_are_known(
    stage: Stage,
    site: Site,
    tmp_path: pathlib.Path,
    script: str,
    local: Mapping[str, str] | None,
    session: Mapping[str, str] | None,
    own: bool,
) -> None:
    """Also in a browser that is not the judge's, where nothing is read afterwards."""
    site.pages["/"] = DATABASE

    async def act() -> tuple[list[list[Value]], list[str]]:
        await stage.page.goto(site.at())
        await stage.page.evaluate(BEFORE)
        async with stage.reading() if own else attached(stage, tmp_path) as reading:
            await reading.take()
            await stage.page.evaluate(script)
            await stage.page.goto(site.at(host="localhost"))
            after = await reading.take()
        return [at(after, f"@storage.{kind}.*") for kind in ("local", "session")], [n.message for n in after.notes]

    found, notes = stage.run(act())
    assert found == [[] if items is None else [items] for items in (local, session)]
    assert notes == ([f"{READ_AFTER}{site.at()[:-1]}"] if own else [])


@pytest.mark.parametrize(
    ("context", "origin", "limit_s", "why"),
    [
        ("", "http://a.test", 0.0001, "it was left, and it did not answer in time"),
        ("", "https://a.test:0x", 5, "it was left, and it cannot be read: "),
        ("none", "http://a.test", 5, "it was left, and it cannot be read: Target.createTarget: "),
    ],
)
def test_what_cannot_be_read_aside_is_unread_and_leaves_no_tab(
    stage: Stage, context: str, origin: str, limit_s: float, why: str
) -> None:
    async def act() -> tuple[Kept, str]:
        async with attach(stage.browser.cdp_url, own=True) as attached:
            here = (await attached.targets())[0].context
            kept = await attached.read_aside(context or here, origin, limit_s=limit_s)
            await attached.targets()
        session = await stage.agent.new_browser_cdp_session()
        return kept, str(cast("object", await session.send("Target.getTargets")))

    kept, listed = stage.run(act())
    assert (kept.why[: len(why)], kept.items, bool(kept.areas.why)) == (why, (), True)
    assert "'type': 'other'" not in listed


def test_of_what_is_heard_only_the_latest_is_kept_and_never_without_end() -> None:
    stirred, place = Stirred(labelled), ("c", "http://a")
    for number in range(3):
        stirred.hear(place, "k", str(number))
    assert stirred.all() == [Items(place, False, (("k", "2"),))]
    later = time.monotonic()
    stirred.hear(place, "l", None)
    stirred.forget(before=later)
    assert stirred.all() == [Items(place, False, (("l", None),))]
    stirred.clear(place)
    assert stirred.all() == [Items(place, True, ())]
    for number in range(MOST_ITEMS + 1):
        stirred.hear((7, "http://b"), str(number), "")
    assert [(items.place, items.items, items.why) for items in stirred.all()][0] == ((7, "http://b"), (), TOO_MANY)
    stirred.forget(before=time.monotonic() + 1)
    assert stirred.all() == []
    stirred.hear(place, "k", "x" * (MOST_CHARACTERS + 1))
    assert stirred.all() == [Items(place, False, (), TOO_MANY)]


@pytest.mark.parametrize(
    ("product", "hidden"),
    [("Chrome/156.0.1.2", True), ("Chrome/139.9", False), ("HeadlessChrome/156.0.1.2", False), ("Chrome", False)],
)
def test_no_tab_is_made_where_it_would_be_seen(product: str, hidden: bool) -> None:
    assert hides(product) == hidden
