"""Pages that lie, hang, vanish or flood: the right state or unread, within the deadline, and never nothing."""

import asyncio
import os
import signal
import time
from contextlib import suppress

import pytest
from playwright.async_api import CDPSession, Dialog
from tests.adapters.browser.stage import Site, Stage, at, drivers, leaves

from exactchange.errors import InfrastructureError
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot


def test_a_page_that_redefines_what_a_reader_calls_is_read_as_it_is(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<p id=s>PENDING</p><input id=i value=open><script>
        const forged = 'PAID';
        JSON.stringify = () => '{"forged": true}';
        for (const [type, name] of [[Node, 'textContent'], [CharacterData, 'data'], [HTMLInputElement, 'value'],
            [Document, 'title'], [Document, 'URL'], [HTMLElement, 'innerText'], [Element, 'attributes']])
            Object.defineProperty(type.prototype, name, {get: () => forged});
        for (const [type, name] of [[Array, 'push'], [Map, 'set'], [WeakSet, 'has'], [Element, 'checkVisibility']])
            type.prototype[name] = () => false;
        window.getComputedStyle = () => ({display: 'none'});
        const store = {length: 1, key: () => 'k', getItem: () => forged};
        Object.defineProperty(window, 'localStorage', {get: () => store});
        </script>"""

    async def act() -> dict[str, object]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return dict(leaves(await reading.take()))

    found = stage.run(act())
    assert found["@text"] == ["PENDING"]
    assert found["#i.value"] == "open"
    assert found["@url"] == site.at()
    assert not [address for address in found if "storage" in address]
    assert "PAID" not in str(found)


NAMES = """lastChild firstChild previousSibling nextSibling nodeType tagName localName attributes shadowRoot
    matches checkVisibility hasAttribute parentElement childNodes isContentEditable offsetHeight title URL
    documentElement readyState
    value checked elements length data body children""".split()


def test_no_element_stands_for_what_the_reader_keeps_in_its_world(stage: Stage, site: Site) -> None:
    kept = "exactChangeWalk exactChangeSecrets exactChangeClosed exactChangeOwners exactChangeHosts".split()
    named = "".join(f"<embed id={name}><form name={name}></form><div id={name}></div>" for name in kept)
    site.pages[
        "/"
    ] = f"""{named}<input id=pin type=password value=1234><div id=host></div><iframe srcdoc="in it"></iframe>
        <script>host.attachShadow({{mode: 'closed'}}).innerHTML = '<p>closed'</script>"""

    async def act() -> dict[str, object]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return dict(leaves(await reading.take()))

    found = stage.run(act())
    assert "1234" not in str(found)
    assert found["@text"] == ["closed"]
    assert found["@frames.iframe[n=1].@text"] == ["in it"]


def test_an_attribute_that_only_a_script_can_name_is_read(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p id=p>x<script>p.setAttributeNS(null, 'ODD', 'capitals')</script>"

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    snapshot = stage.run(act())
    assert snapshot.unread == ()
    assert '"ODD":"capitals"' in snapshot.documents[0].text()


def test_elements_that_are_called_like_properties_hide_nothing(stage: Stage, site: Site) -> None:
    inputs = "".join(f"<input name={name} value=x>" for name in NAMES)
    others = "".join(f"<form name={name}></form><img name={name}><object id={name}></object>" for name in NAMES)
    site.pages["/"] = f"<title>real</title><form id=f>{inputs}<p>hidden?</p></form>{others}<p>end"

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        assert await stage.page.evaluate("f.lastChild.name") == "lastChild"  # a page's script is fooled
        async with stage.reading() as reading:
            return await reading.take()

    snapshot = stage.run(act())
    assert snapshot.unread == ()
    assert at(snapshot, "@text") == [["hidden?", "end"]]
    assert (at(snapshot, "@title"), at(snapshot, "@url")) == (["real"], [site.at()])
    assert len(at(snapshot, "input[*].value")) == len(NAMES)


def test_an_endless_title_is_unread_and_the_rest_is_read(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x<script>document.title = 'Paid '.repeat(1000000)</script>"

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    snapshot = stage.run(act())
    assert [(item.address, item.cause) for item in snapshot.unread] == [("@title", "content")]
    assert at(snapshot, "@text") == [["x"]]


HANGS = ["while (true);", "const next = () => Promise.resolve().then(next); next()"]


@pytest.mark.parametrize("script", HANGS)
def test_a_page_that_hangs_is_unread_within_the_deadline(stage: Stage, site: Site, script: str) -> None:
    site.pages |= {"/": "<p>fine", "/hang": f"<p>soon<script>setTimeout(() => {{ {script} }}, 100)</script>"}

    async def act() -> tuple[PageSnapshot, float, PageSnapshot]:
        context = stage.agent.contexts[0]
        async with stage.reading() as reading:
            await stage.page.goto(site.at("/hang"))
            await reading.take(deadline_s=2)
            started = time.monotonic()
            hung = await reading.take(deadline_s=2)
            took = time.monotonic() - started
            other = await context.new_page()  # the browser itself is still there
            await stage.page.close()
            await other.goto(site.at())
            return hung, took, await reading.take()

    hung, took, after = stage.run(act())
    assert [(item.path, item.cause) for item in hung.unread] == [((), "content")]
    assert "did not answer" in hung.unread[0].reason
    assert took < 4
    assert (after.unread, at(after, "@text")) == ((), [["fine"]])


def test_a_background_tab_that_hangs_leaves_the_rest_readable(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<p>fine", "/hang": "<script>setTimeout(() => { while (true); }, 200)</script>"}

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            other = await stage.agent.contexts[0].new_page()
            await other.goto(site.at("/hang", host="localhost"))  # another site, so another process
            await asyncio.sleep(0.5)
            snapshot = await reading.take(deadline_s=2)
            await other.close()
            return snapshot

    snapshot = stage.run(act())
    assert at(snapshot, "@text") == [["fine"]]
    assert [item.address for item in snapshot.unread] == ["@tabs[n=2]"]


def test_a_frame_of_another_site_that_hangs_is_unread_alone(stage: Stage, site: Site) -> None:
    site.pages |= {
        "/": f"""<p>main</p><iframe id=bad src="{site.at("/hang", host="localhost")}"></iframe>""",
        "/hang": "<script>setTimeout(() => { while (true); }, 300)</script>",
    }

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        await asyncio.sleep(0.6)
        async with stage.reading() as reading:
            return await reading.take(deadline_s=3)

    snapshot = stage.run(act())
    assert [(item.address, item.cause) for item in snapshot.unread] == [("@frames.#bad", "content")]
    assert at(snapshot, "@text") == [["main"]]
    assert KIND.in_scope(snapshot.unread[0].path, BrowserParams())


def test_a_page_that_waits_in_a_dialog_is_unread_and_says_so(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x<script>setTimeout(() => alert('wait'), 300)</script>"

    async def act() -> PageSnapshot:
        opened: asyncio.Future[Dialog] = asyncio.get_running_loop().create_future()
        stage.page.once("dialog", lambda dialog: opened.set_result(dialog))
        async with stage.reading() as reading:
            await stage.page.goto(site.at())
            dialog = await opened
            snapshot = await reading.take(deadline_s=4)
            await dialog.accept()
            assert at(await reading.take(), "@text") == [["x"]]
            return snapshot

    snapshot = stage.run(act())
    assert [(item.path, item.cause) for item in snapshot.unread] == [((), "content")]
    assert "a dialog is open (alert)" in snapshot.unread[0].reason


async def _crash(session: CDPSession) -> None:
    await session.send("Page.crash")


def test_a_tab_whose_process_ended_is_unread(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            crashed = asyncio.Event()
            stage.page.once("crash", lambda _: crashed.set())
            session = await stage.page.context.new_cdp_session(stage.page)
            with suppress(TimeoutError):  # the process that should answer is the one that ends
                await asyncio.wait_for(_crash(session), 0.2)
            await crashed.wait()
            dead = await reading.take(deadline_s=3)
            page = stage.page
            await stage.agent.contexts[0].new_page()
            await page.close()
            return dead, await reading.take()

    dead, after = stage.run(act())
    assert [(item.path, item.cause) for item in dead.unread] == [((), "content")]
    assert after.unread == ()


def test_a_document_beyond_the_limit_is_unread(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<script>
        const all = document.createDocumentFragment();
        for (let i = 0; i < 310000; i++) all.append(document.createElement('i'));
        document.documentElement.append(all)</script>"""

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take(deadline_s=30)

    snapshot = stage.run(act())
    assert [item.reason for item in snapshot.unread] == ["the document is too large to read"]
    assert not snapshot.documents


def test_a_page_that_never_rests_is_read_and_said_to_move(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p id=t>0<script>setInterval(() => { t.textContent = performance.now() }, 5)</script>"

    async def act() -> tuple[PageSnapshot, float]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            started = time.monotonic()
            return await reading.take(), time.monotonic() - started

    snapshot, took = stage.run(act())
    assert snapshot.unread == ()
    assert [note.kind for note in snapshot.notes] == ["unsettled"]
    assert snapshot.notes[0].message.endswith("@text line 1")
    assert took < 4


def test_windows_that_a_page_opens_by_the_dozen_are_all_seen(stage: Stage, site: Site) -> None:
    site.pages |= {
        "/": "<button onclick='for (let i = 0; i < 12; i++) window.open(\"/w?\" + i)'>go</button>",
        "/w": "<title>w</title><p>w",
    }

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await stage.page.evaluate("document.querySelector('button').click()")
            return await reading.take(deadline_s=20)

    snapshot = stage.run(act())
    opened = len(stage.agent.contexts[0].pages) - 1
    assert opened >= 1
    assert len(at(snapshot, "@tabs[*]")) == opened
    heard_late = {("@tabs",), ("@requests",), ("@dialogs",), ("@console",)}  # perhaps
    assert {item.path[:1] for item in snapshot.unread} <= heard_late


def test_a_worker_of_the_page_does_not_answer_for_the_server(stage: Stage, site: Site) -> None:
    worker = b"""addEventListener('fetch', e =>
        e.respondWith(new Response('<p>PAID', {headers: {'content-type': 'text/html'}})))"""
    site.pages |= {
        "/": "<p>PENDING<script>window.ready = navigator.serviceWorker.register('/sw.js')"
        ".then(() => navigator.serviceWorker.ready).then(() => true)</script>",
        "/sw.js": (200, {"content-type": "text/javascript"}, worker),
    }

    async def act() -> object:
        async with stage.reading() as reading:
            await stage.page.goto(site.at())
            await reading.take()
            await stage.page.evaluate("ready")
            await stage.page.goto(site.at())
            return at(await reading.take(), "@text")

    assert stage.run(act()) == [["PENDING"]]


def test_a_reader_whose_driver_died_is_no_state_but_an_error(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"

    async def act() -> None:
        await stage.page.goto(site.at())
        before = drivers()
        async with stage.reading() as reading:
            await reading.take()
            (driver,) = drivers() - before
            os.kill(driver, signal.SIGKILL)
            for _ in range(2):
                with pytest.raises(InfrastructureError):
                    await reading.take(deadline_s=5)

    stage.run(act())


def test_a_browser_that_is_gone_is_no_state_but_an_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    stage = Stage(tmp_path_factory.mktemp("gone"))
    stage.start()

    async def act() -> None:
        async with stage.reading() as reading:
            await reading.take()
            os.killpg(stage.browser.pid, signal.SIGKILL)
            with pytest.raises(InfrastructureError, match="browser"):
                await reading.take(deadline_s=5)
            with pytest.raises(InfrastructureError, match="browser"):
                await reading.take(deadline_s=5)

    try:
        stage.run(act())
    finally:
        stage.stop()
