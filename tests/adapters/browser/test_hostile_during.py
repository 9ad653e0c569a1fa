"""Pages that turn on their reader while it reads: right or unread, in time, never a pass, and then all is well."""

import asyncio
import pathlib
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.async_api import Error
from tests.adapters.browser.hostile import MARGIN_S, MUST, PAGE, Met, meet
from tests.adapters.browser.stage import Site, Stage, at, drivers
from tests.language.pages import judged

from exactchange_adapters.browser.snapshot import PageSnapshot

LONG = "'x'.repeat(5.1e7)"
ALIKE = "<input id=s value=no><p>PAID</p>"
LIES = {
    "every prototype": """for (const name of Object.getOwnPropertyNames(window)) {
        const type = window[name]; if (typeof type !== 'function' || !type.prototype) continue;
        for (const key of Reflect.ownKeys(type.prototype)) try {
            Object.defineProperty(type.prototype, key, { get: () => () => 'yes', set() {} }) } catch {} }""",
    "names first, and frozen": """for (const name of ['Walk', 'Closed', 'Hosts', 'Owners', 'Secrets'])
        Object.defineProperty(window, 'exactChange' + name, { value: () => '0 1\\n{}' });
        for (const it of [document, window, Node.prototype, Object.prototype]) try { Object.freeze(it) } catch {}""",
    "proxies": "JSON = new Proxy({}, { get: () => () => 'yes' }); Map = new Proxy(Map, { construct: () => ({}) })",
    "another document": """setInterval(() => document.replaceChild(
        document.implementation.createHTMLDocument('x').documentElement, document.documentElement), 3)""",
}
HANGS = {
    "microtasks": "const next = () => Promise.resolve().then(next); next()",
    "now and then": "setInterval(() => { const end = Date.now() + 1000; while (Date.now() < end); }, 100)",
    "a frame": """const frame = document.createElement('iframe');
        frame.srcdoc = '<script>for (;;);</' + 'script>'; document.body.append(frame)""",
    "a dialog": "for (;;) alert(1)",
}
MOVES = {
    "itself": "setInterval(() => location.replace('/?' + Math.random()), 20)",
    "a blob": f"location = URL.createObjectURL(new Blob(['{ALIKE}'], {{ type: 'text/html' }}))",
    "a script": f"setInterval(() => {{ location = 'javascript:\"{ALIKE}\"' }}, 20)",
    "in circles": "location = '/circle'",
    "its history": """setInterval(() => {
        for (let n = 0; n < 50; n++) history.pushState(n, '', '/h' + n); history.go(-9) }, 5)""",
    "within itself": "setInterval(() => { location.hash = Math.random() }, 1)",
    "written anew": f"setInterval(() => {{ document.open(); document.write('{ALIKE}') }}, 20)",
    "closed": "window.close()",
}
FLOODS = {
    "errors": "for (let n = 0; n < 3000; n++) console.error(n, 'x'.repeat(1000))",
    "requests": "for (let n = 0; n < 500; n++) fetch('/?' + n).catch(() => {})",
    "dialogs": "for (let n = 0; n < 50; n++) alert(n)",
    "frames": """for (let n = 0; n < 200; n++) { const frame = document.createElement('iframe');
        frame.srcdoc = '<input id=s value=no>'; document.body.append(frame) }""",
    "nodes": "setInterval(() => { for (let n = 0; n < 20000; n++) document.body.append('x', new Comment()) }, 0)",
    "attributes that only a script can name": "for (let n = 0; n < 2e4; n++) p.setAttributeNS(null, 'A' + n, n)",
    "an address": "history.pushState(0, '', '/' + 'x'.repeat(1e6))",
    "shadow trees": """let host = p; for (let n = 0; n < 5000; n++)
        host = host.attachShadow({ mode: n % 2 ? 'open' : 'closed' }).appendChild(document.createElement('p'))""",
}
FRAMES = {
    "one after the other": """setInterval(() => { document.querySelector('iframe')?.remove();
        const next = document.createElement('iframe'); next.srcdoc = '<input id=s value=no>';
        document.body.append(next) }, 3)""",
    "moved": """const other = document.body.appendChild(document.createElement('iframe'));
        setInterval(() => { other.contentDocument.body.append(p); document.body.append(p) }, 1)""",
}
ASKS = {
    "to print": "setInterval(() => print(), 10)",
    "for a place": """setInterval(() => navigator.geolocation.getCurrentPosition(
        () => { s.value = 'yes' }, () => {}), 5)""",
    "for devices": """Notification.requestPermission(); navigator.requestMIDIAccess().catch(() => {});
        navigator.mediaDevices?.getUserMedia({ audio: true, video: true }).catch(() => {})""",
    "for the clipboard": "navigator.clipboard?.readText().catch(() => {}); navigator.clipboard?.writeText('x')",
    "for the screen": """document.documentElement.requestFullscreen().catch(() => {});
        setInterval(() => document.body.requestPointerLock(), 20); navigator.keyboard?.lock()""",
    "for files": """const file = document.body.appendChild(document.createElement('input'));
        file.type = 'file'; file.click()""",
    "for other programs": "setInterval(() => { location = 'mailto:a@b.example' }, 50)",
    "for a debugger": "setInterval(() => { debugger }, 5)",
    "to stay": "onbeforeunload = event => { event.preventDefault(); return 'x' }; location.reload()",
    "for locks": "navigator.locks?.request('a', () => new Promise(() => {})); document.domain = document.domain",
}
FRAMED = {
    "in sandboxes": """for (const may of ['', 'allow-scripts', 'allow-scripts allow-same-origin allow-modals']) {
        const frame = document.createElement('iframe'); frame.sandbox = may;
        frame.srcdoc = '<input id=s value=no><script>alert(s.value = "no")</' + 'script>';
        document.body.append(frame) }""",
    "without credentials": """const frame = document.createElement('iframe'); frame.credentialless = true;
        frame.src = '/?c'; document.body.append(frame)""",
    "as objects": """document.body.insertAdjacentHTML('beforeend', `<embed src='/?e' type='text/html'>
        <object data='/?o' type='text/html'></object><object data='data:text/html,<input id=s value=no>'></object>
        <portal src='/?p'></portal><fencedframe src='/?f'></fencedframe>`)""",
    "that hang as an image": """document.body.insertAdjacentHTML('beforeend', `<embed src='data:image/svg+xml,
        <svg xmlns="http://www.w3.org/2000/svg"><script>for (;;);</` + `script></svg>'>`)""",
    "without end": """const go = outer => { const frame = outer.body.appendChild(outer.createElement('iframe'));
        setTimeout(() => go(frame.contentDocument), 20) }; go(document)""",
}
TOO_LARGE = "the document is too large to read"
LARGE = {
    "a text": f"p.hidden = true; p.textContent = {LONG}",
    "an option": f"p.innerHTML = '<select hidden multiple>'; p.firstChild.append(new Option('a', {LONG}, 1, 1))",
    "a value": f"p.innerHTML = '<textarea hidden>'; p.firstChild.value = {LONG}",
    "a name": f"p.hidden = true; p.append(document.createElement('x-' + {LONG}))",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A browser that no other test has, since these may leave it in any state."""
    stage = Stage(tmp_path_factory.mktemp("hostile"))
    before = drivers()
    stage.start()
    yield stage
    stage.stop()
    assert drivers() <= before
    assert not stage.browser.alive()


@pytest.fixture
def hostile(site: Site) -> Site:
    site.pages |= {"/": PAGE, "/circle": (302, {"location": "/circle"}, b"")}
    return site


def held(met: Met, folder: pathlib.Path) -> PageSnapshot:
    """The capture while they were hostile, of which all holds that has to hold of any."""
    assert met.late_s < MARGIN_S
    assert met.grown_mib < 300
    assert {item.cause for snapshot in met.captures for item in snapshot.unread} <= {"content"}
    verdict = judged(folder, MUST, met.captures)
    assert verdict.outcome in ("unmet", "undecided")
    assert verdict.cause != "infrastructure"
    assert (met.after.unread, at(met.after, "@text")) == ((), [["PENDING"]])
    return met.captures[-1]


def shown(snapshot: PageSnapshot) -> list[str]:
    """The value of that field in every tab that was read."""
    return [str(value) for place in ("#s.value", "@tabs[*].#s.value") for value in at(snapshot, place)]


def test_pages_that_ask_people_for_something_are_read_and_get_nothing(
    own: Stage, hostile: Site, tmp_path: pathlib.Path
) -> None:
    last = held(meet(own, hostile, ASKS, deadline_s=4), tmp_path)
    unseen = [item for item in last.unread if item.path == () or item.path[0] == "@tabs"]  # on a busy machine
    assert len(shown(last)) + len(unseen) > len(ASKS) or not last.tree
    assert set(shown(last)) <= {"no"}
    assert not at(last, "@permissions.*[*]")


def test_pages_that_lie_are_read_as_they_are(own: Stage, hostile: Site, tmp_path: pathlib.Path) -> None:
    last = held(meet(own, hostile, LIES, deadline_s=6), tmp_path)
    assert last.unread == ()
    assert set(shown(last)) == {"no"}
    assert "yes" not in str(last.tree)


def test_what_is_too_large_never_leaves_the_page_be_it_in_the_last_node(
    own: Stage, hostile: Site, tmp_path: pathlib.Path
) -> None:
    met = meet(own, hostile, LARGE, deadline_s=8)
    last = held(met, tmp_path)
    assert {item.reason for item in last.unread} <= {TOO_LARGE, "the page did not answer in time"}
    assert met.grown_mib < 60  # one of them would be more


@pytest.mark.parametrize(
    "scripts", [MOVES, FLOODS, FRAMES, FRAMED, HANGS], ids="moves floods frames framed hangs".split()
)
def test_pages_that_hang_go_or_flood_are_right_or_unread_and_hold_up_no_other(
    scripts: dict[str, str], own: Stage, hostile: Site, tmp_path: pathlib.Path
) -> None:
    last = held(meet(own, hostile, scripts, deadline_s=4 if scripts is HANGS else 2), tmp_path)
    assert set(shown(last)) <= {"no"}
    if scripts is HANGS:  # a flood may take all the time that there is
        assert shown(last)


OUT_OF_MEMORY = "'x'.repeat(2 ** 27 + 1).split('')"


@pytest.mark.parametrize("way", ["chrome://crash", "chrome://kill", OUT_OF_MEMORY])
def test_a_tab_that_ends_while_it_is_read_is_unread_alone(way: str, own: Stage, hostile: Site) -> None:
    async def act() -> tuple[list[tuple[str, str]], list[object], PageSnapshot]:
        await own.clear()
        await own.page.goto(hostile.at())
        async with own.reading() as reading:
            await reading.take()  # of tabs that are there by now, nobody could say which came first
            page = await own.agent.contexts[0].new_page()
            await page.goto(hostile.at(host="localhost"))
            going = asyncio.gather(page.goto(way) if way.startswith("chrome:") else page.evaluate(way))
            ended = await reading.take(deadline_s=2)
            with suppress(Error):  # nobody tells it that its page is gone
                await page.close()
                await going
            return (
                [(item.address, item.reason) for item in ended.unread],
                [*at(ended, "#s.value")],
                await reading.take(),
            )

    unread, rest, after = own.run(act())
    assert (unread, rest) == ([("@tabs[n=2]", "the page crashed")], ["no"])
    assert {item.address for item in after.unread} <= {"@console"}  # where it ended before that was listened to
    assert (at(after, "#s.value"), at(after, "@tabs[*]")) == (["no"], [])
