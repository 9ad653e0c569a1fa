"""What an agent has arranged for in its browser goes on working while a reader is attached, and afterwards."""

import asyncio
import pathlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import cast

import pytest
from playwright.async_api import Page, Route
from tests.adapters.browser.stage import HTML, Answer, Captures, Site, Stage, World, drivers, requests_of

from exactchange.snapshot import Mark
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.reader import open_reader
from exactchange_adapters.browser.tab import WORLD

SCRIPT = {"content-type": "text/javascript"}
WORKER: Answer = (
    200,
    SCRIPT,
    b"""addEventListener('activate', () => clients.claim());
    addEventListener('fetch', e => e.respondWith(new Response('by the worker')))""",
)
FRESH: Answer = (200, {**SCRIPT, "cache-control": "max-age=3600"}, b"window.loaded = 1")


@asynccontextmanager
async def reading(stage: Stage, *, own: bool = False) -> AsyncGenerator[Captures]:
    """A reader of a browser that somebody else started, unless it is our own."""
    world = World(pathlib.Path("/nowhere"), stage.browser.cdp_url, own_browser=own)
    async with KIND.open(BrowserParams(), world=world) as reader:
        captures = Captures(reader)
        await captures.take()
        yield captures


def test_requests_that_the_agent_answers_itself_and_its_scripts_are_as_before(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"

    async def answer(route: Route) -> None:
        await route.fulfill(body="by the agent")

    def double(_: object, said: int) -> int:
        return said * 2

    async def act() -> list[object]:
        context = await stage.agent.new_context()
        page = await context.new_page()
        await context.add_init_script("window.begun = 1")
        await context.expose_binding("told", double)
        await context.route("**/api", answer)
        found: list[object] = []
        async with reading(stage) as captures:
            for tab in (page, await context.new_page()):
                await tab.goto(site.at())
                ask = "async () => [await (await fetch('/api')).text(), await told(2), window.begun]"
                found.append(await tab.evaluate(ask))
            snapshot = await captures.take()
            found.append([(item["status"], item["failed"]) for item in requests_of(snapshot)[-1:]])
        found.append(await page.evaluate("fetch('/api').then(answer => answer.text())"))
        return found

    both = ["by the agent", 4, 1]
    assert stage.run(act()) == [both, both, [(200, False)], "by the agent"]
    assert "GET /api" not in site.asked


def test_what_the_agent_pretends_stays_pretended(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"
    state = """() => [innerWidth, innerHeight, devicePixelRatio, navigator.userAgent, navigator.language,
        Intl.DateTimeFormat().resolvedOptions().timeZone, matchMedia('(prefers-color-scheme: dark)').matches,
        matchMedia('(prefers-reduced-motion: reduce)').matches, 'ontouchstart' in window, document.hasFocus()]"""

    async def act() -> list[object]:
        context = await stage.agent.new_context(
            viewport={"width": 411, "height": 731},
            device_scale_factor=2,
            user_agent="Somebody/1.0",
            locale="de-DE",
            timezone_id="Asia/Tokyo",
            color_scheme="dark",
            reduced_motion="reduce",
            has_touch=True,
        )
        page = await context.new_page()
        await page.goto(site.at())
        found = [await page.evaluate(state)]
        async with reading(stage) as captures:
            found.append(await page.evaluate(state))
            await captures.take()
            found.append(await page.evaluate(state))
        return [*found, await page.evaluate(state)]

    before, *others = stage.run(act())
    assert others == [before] * 3


def test_a_context_that_is_offline_stays_so(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"
    ask = "() => fetch('/x').then(() => true, () => false).then(reached => [reached, navigator.onLine])"

    async def act() -> list[list[object]]:
        context = await stage.agent.new_context()
        page = await context.new_page()
        await page.goto(site.at())
        await context.set_offline(True)
        async with reading(stage) as captures:
            found = [await page.evaluate(ask)]
            await captures.take()
            found.append(await page.evaluate(ask))
        return [*found, await page.evaluate(ask)]

    *during, after = stage.run(act())
    assert during == [[False, False]] * 2
    assert after[0] is False  # Chromium forgets what `onLine` says as soon as any client that listened leaves
    assert "GET /x" not in site.asked


async def _back(page: Page, site: Site) -> object:
    await page.goto(site.at("/"))
    await page.goto(site.at("/two"))
    await page.evaluate("void setTimeout(() => history.back())")  # Playwright's own way waits for a load that never is
    await page.wait_for_function("!location.pathname.endsWith('two') && 'persisted' in window")
    return await page.evaluate("window.persisted")


def test_the_browsers_caches_serve_as_before(stage: Stage, site: Site) -> None:
    kept = "<script>addEventListener('pageshow', e => { window.persisted = e.persisted })</script>"
    site.pages |= {"/": f"{kept}<script src=/fresh.js></script>", "/two": f"{kept}<p>two", "/fresh.js": FRESH}

    async def act() -> tuple[object, object, object]:
        before = await _back(stage.page, site)
        async with reading(stage):
            during = await _back(stage.page, site)
            await stage.page.goto(site.at("/"))
        return before, during, await _back(stage.page, site)

    before, *others = stage.run(act())
    assert others == [before] * 2
    assert site.asked.count("GET /fresh.js") == 1


@pytest.mark.parametrize(("own", "said"), [(False, "by the worker"), (True, "by the server")])
def test_a_service_worker_answers_in_anybodys_browser_but_our_own(
    stage: Stage, site: Site, own: bool, said: str
) -> None:
    site.pages |= {"/": "<p>x", "/sw.js": WORKER, "/x": (200, HTML, b"by the server")}

    async def act() -> tuple[object, list[str]]:
        context = await stage.agent.new_context()
        page = await context.new_page()
        await page.goto(site.at())
        await page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)")
        async with reading(stage, own=own) as captures:
            found = await page.evaluate("fetch('/x').then(answer => answer.text())")
            snapshot = await captures.take()
            return found, [item.reason for item in snapshot.unread if item.address == "@requests"]

    found, unread = stage.run(act())
    assert found == said
    assert [reason.partition(" answered")[0] for reason in unread] == ([] if own else ["a service worker"])


def test_windows_that_pages_open_are_neither_held_nor_woken(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<p>x", "/pop": "<script>name += document.hasFocus() + document.visibilityState</script>"}
    seen = "() => [name, document.hasFocus(), document.visibilityState, opener !== null]"

    async def opened(features: str) -> list[object]:
        async with stage.agent.contexts[0].expect_page() as coming:
            await stage.page.evaluate(f"void window.open('/pop', '_blank', '{features}')")
        page = await coming.value
        await page.wait_for_load_state()
        found: list[object] = await page.evaluate(seen)
        await page.close()
        return found

    async def act() -> list[list[object]]:
        await stage.page.goto(site.at())
        found = [await opened(""), await opened("noopener")]
        async with reading(stage) as captures:
            found += [await opened(""), await opened("noopener")]
            await captures.take()
        return found

    plain, alone, *others = stage.run(act())
    assert others == [plain, alone]
    assert (plain[-1], alone[-1]) == (True, False)


async def _listeners(page: Page) -> int:
    """How many functions wait for events in the page's process, in whatever world."""
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    await session.send("Performance.enable")
    told = cast("Mapping[str, list[Mapping[str, object]]]", await session.send("Performance.getMetrics"))
    await session.detach()
    return next(cast("int", item["value"]) for item in told["metrics"] if item["name"] == "JSEventListeners")


async def _kept(page: Page) -> object:
    """The names that readers keep in their world, in the page and in its frame."""
    session = await page.context.new_cdp_session(page)
    tree = cast("Mapping[str, Mapping[str, Mapping[str, str]]]", await session.send("Page.getFrameTree"))
    frame = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": WORLD}
    world = cast("Mapping[str, int]", await session.send("Page.createIsolatedWorld", frame))["executionContextId"]
    ask = "Object.getOwnPropertyNames(globalThis).filter(name => name.startsWith('exactChange')).join()"
    asked = {"expression": ask, "contextId": world}
    told = cast("Mapping[str, Mapping[str, object]]", await session.send("Runtime.evaluate", asked))
    await session.detach()
    return told["result"]["value"]


def test_a_reader_that_is_gone_listens_to_no_page_and_keeps_nothing_in_it(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<input id=a type=password><iframe srcdoc='<p>in it'></iframe>"

    async def act() -> tuple[list[int], list[object]]:
        await stage.page.goto(site.at())
        counts = [await _listeners(stage.page)]
        kept: list[object] = []
        for _ in range(2):  # the second one finds all that it needs
            async with reading(stage):
                counts.append(await _listeners(stage.page))
                kept.append("exactChangeWalk" in str(await _kept(stage.page)))
            counts.append(await _listeners(stage.page))
            kept.append(await _kept(stage.page))
        return counts, kept

    (before, during, after, again, last), kept = stage.run(act())
    assert before == after == last == 0 < during == again
    assert kept == [True, "exactChangeSay,exactChangeSecrets"] * 2


def test_a_page_that_hangs_does_not_keep_a_reader_that_leaves(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"

    async def act() -> float:
        await stage.page.goto(site.at())
        async with reading(stage):
            await stage.page.evaluate(
                "void setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); })"
            )
            begun = asyncio.get_running_loop().time()
        return asyncio.get_running_loop().time() - begun

    assert stage.run(act()) < 5


def test_a_reader_that_is_gone_leaves_no_process_no_thread_and_no_session(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x<iframe srcdoc='in it'></iframe>"

    async def act() -> tuple[set[int], set[int]]:
        await stage.page.goto(site.at())
        before = drivers()
        for _ in range(2):
            async with reading(stage):
                assert len(drivers() - before) == 1
        async with asyncio.timeout(5):
            while drivers() != before:
                await asyncio.sleep(0.01)
        return before, drivers()

    before, after = stage.run(act())
    assert before == after


def test_another_reader_hears_what_is_done_as_the_first_one_did(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<button id=a>A</button>"

    async def act() -> list[list[str]]:
        await stage.page.goto(site.at())
        found: list[list[str]] = []
        for _ in range(2):
            async with open_reader(stage.browser.cdp_url, own=False, witness=True) as reader:
                await reader.capture(mark=Mark(0), previous=None, deadline_s=15)
                await stage.page.click("#a")
                await reader.capture(mark=Mark(1), previous=None, deadline_s=15)
                heard = reader.witnessed()
                found.append([] if heard is None else [done.kind for done in heard.acts])
        return found

    assert stage.run(act()) == [["click"]] * 2
