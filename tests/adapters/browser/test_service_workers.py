"""A service worker that a page registers while it is read, and that answers for documents and for what they ask."""

import asyncio
import pathlib

import pytest
from tests.adapters.browser.stage import Site, Stage, World, at
from tests.language.pages import judged
from tests.language.worlds import must

from exactchange.snapshot import Mark
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

WORKER = b"""const paid = () => new Response('<p>PAID', { headers: { 'content-type': 'text/html' } });
addEventListener('install', event => { skipWaiting();
    event.waitUntil(caches.open('c').then(cache => cache.put('/cached', paid())));
    event.waitUntil(event.addRoutes?.([{ condition: { urlPattern: '/cached' }, source: { cacheName: 'c' } }])) });
addEventListener('activate', event => event.waitUntil(clients.claim()));
addEventListener('fetch', event => /order|api/.test(event.request.url) && event.respondWith(paid()));"""
REGISTER = """navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)
    .then(() => navigator.serviceWorker.controller || new Promise(claimed => {
        navigator.serviceWorker.oncontrollerchange = claimed })).then(() => 1)"""
ORDER = "<p>PENDING<script>fetch('/api').then(answer => answer.text()).then(text => { document.title = text })</script>"
BETWEEN = "a service worker stood between it and the server"


@pytest.fixture
def shop(site: Site) -> Site:
    site.pages |= {"/": "<title>t</title><p>shop", "/order": ORDER, "/api": "PENDING", "/cached": ORDER}
    site.pages |= {"/sw.js": (200, {"content-type": "text/javascript"}, WORKER)}
    return site


async def around(stage: Stage, start: str, *, own: bool, goto: str, tab: str = "") -> list[PageSnapshot]:
    """Captures of a tab before and after it went to an address, `tab` of another one; its worker came in between."""
    world = World(pathlib.Path("/nowhere"), stage.browser.cdp_url, own_browser=own)
    await stage.page.goto(start)
    async with KIND.open(BrowserParams(), world=world) as reader:
        taken = [await reader.capture(mark=Mark(0), previous=None, deadline_s=15)]
        registering = asyncio.ensure_future(stage.page.evaluate(REGISTER))
        await reader.capture(mark=Mark(0), previous=taken[0], deadline_s=15)
        await registering
        if tab:
            await (await stage.agent.contexts[0].new_page()).goto(tab)
        await stage.page.goto(goto)
        taken.append(await reader.capture(mark=Mark(1), previous=taken[0], deadline_s=15))
    await stage.page.evaluate(
        "navigator.serviceWorker.getRegistrations().then(all => Promise.all(all.map(one => one.unregister())))"
    )
    return taken


def loaded(goto: str) -> str:
    return f'must: [value: {{in: page, at: "@loaded", is: {{url: {{path: "{goto}"}}}}}}]'


def test_a_worker_that_claims_a_page_of_our_browser_answers_nothing(stage: Stage, shop: Site) -> None:
    last = stage.run(around(stage, shop.at(), own=True, goto=shop.at("/order")))[-1]
    assert (last.unread, at(last, "@text"), at(last, "@title")) == ((), [["PENDING"]], ["PENDING"])
    assert at(last, "@loaded") == [shop.at("/order")]
    assert {"GET /order", "GET /api"} <= set(shop.asked)


@pytest.mark.parametrize("path", ["/order", "/cached"])
def test_where_a_worker_answered_nobody_knows_what_the_server_sent(
    path: str, stage: Stage, shop: Site, tmp_path: pathlib.Path
) -> None:
    captures = stage.run(around(stage, shop.at(), own=False, goto=shop.at(path)))
    last = captures[-1]
    assert (at(last, "@text"), at(last, "@loaded")) == ([["PAID"]], [])
    assert {item.address: item.reason for item in last.unread}["@loaded"] == BETWEEN
    assert "@requests" in {item.address for item in last.unread}
    verdict = judged(tmp_path, loaded(path), captures, closed=())
    assert must(verdict, 0).holds is None
    assert verdict.outcome != "passed"


def test_a_tab_of_our_browser_that_a_worker_was_quicker_with_says_so(stage: Stage, shop: Site) -> None:
    captures = stage.run(around(stage, shop.at(), own=True, goto=shop.at(), tab=shop.at("/order")))
    last = captures[-1]
    heard = (at(last, "@tabs[*].@text"), at(last, "@tabs[*].@loaded"), {item.address for item in last.unread})
    assert heard in (
        ([["PENDING"]], [shop.at("/order")], set[str]()),
        ([["PAID"]], list[str](), {"@tabs[n=2].@loaded", "@requests"}),
    )


def test_a_frame_of_another_site_in_our_browser_has_no_worker_answer_for_its_server(stage: Stage, shop: Site) -> None:
    frame = shop.at("/", host="localhost")
    script = f"if (location.href !== '{frame}') document.write('<iframe src={frame}></iframe>')"
    shop.pages["/"] = f"<title>t</title><p>shop<script>{script}</script>"

    async def act() -> PageSnapshot:
        await stage.page.goto(shop.at())
        async with stage.reading() as reading:
            await reading.take()
            inner = stage.page.frames[1]
            await inner.evaluate(REGISTER)
            await inner.goto(shop.at("/order", host="localhost"))
            return await reading.take()

    last = stage.run(act())
    assert (last.unread, at(last, "@frames.iframe[n=1].@text")) == ((), [["PENDING"]])
