"""A capture waits for what is under way in a document, no longer than it may, and says which place still moved."""

import time

import pytest
from tests.adapters.browser.stage import HTML, Answer, Site, Stage, at

from exactchange_adapters.browser.attach import attach
from exactchange_adapters.browser.look import look
from exactchange_adapters.browser.moved import moved
from exactchange_adapters.browser.snapshot import PageSnapshot
from exactchange_adapters.browser.underway import Underway

SCRIPT = {"content-type": "text/javascript"}


def notes(snapshot: PageSnapshot) -> list[str]:
    return [note.message.removeprefix("still moving when it was captured: ") for note in snapshot.notes]


def captured(stage: Stage, address: str, act: str = "", *, deadline_s: float = 15) -> tuple[PageSnapshot, float]:
    """The page as soon as it is there, or after a script that is run in it, and the seconds that it took."""

    async def work() -> tuple[PageSnapshot, float]:
        async with stage.reading() as reading:
            await stage.page.goto(address, wait_until="commit")
            if act:
                await reading.take()
                await stage.page.evaluate(act)
            begin = time.monotonic()
            return await reading.take(deadline_s=deadline_s), time.monotonic() - begin

    return stage.run(work())


def after(seconds: float, answer: Answer) -> "object":
    def slow() -> Answer:
        time.sleep(seconds)  # a server that takes its time is what is tested
        return answer

    return slow


def test_a_document_that_is_built_in_phases_is_read_when_the_last_is_over(stage: Stage, site: Site) -> None:
    site.pages |= {
        "/": """<p id=t>loading<script type=module>const r = await fetch('/config'); await r.text();
            setTimeout(() => import('/app.js'), 250)</script>""",
        "/app.js": (200, SCRIPT, b"setTimeout(() => { t.textContent = 'built' }, 250)"),
    }
    site.pages["/config"] = after(0.4, (200, HTML, b"1"))  # type: ignore[assignment]
    snapshot, _ = captured(stage, site.at())
    assert (at(snapshot, "@text"), notes(snapshot)) == ([["built"]], [])


@pytest.mark.parametrize(
    ("age", "built", "done"),
    [
        (5, 0, True),  # nothing was asked for by script
        (90, 20, False),
        (121, 20, True),  # a tenth of a second at least
        (790, 400, False),
        (801, 400, True),
        (4400, 3000, False),
        (4501, 3000, True),  # a second and a half at most
    ],
)
def test_a_document_is_built_once_it_paused_as_long_as_it_was_at_work(age: float, built: float, done: bool) -> None:
    state = Underway(age=age, built=built)
    assert (not [*state.reasons("1", "/", until=state.built_until(0, stirs=False))]) == done


@pytest.mark.parametrize(
    ("age", "built", "before", "stirs", "until"),
    [
        (500, 0, 0, True, 0),  # no script asked for anything
        (500, 400, 0, True, 500),
        (500, 400, 450, False, 450),
        (950, 400, 450, True, 450),  # it was built before that
        (850, 400, 450, True, 850),
    ],
)
def test_what_stirs_before_the_pause_is_over_prolongs_the_building(
    age: float, built: float, before: float, stirs: bool, until: float
) -> None:
    assert Underway(age=age, built=built).built_until(before, stirs=stirs) == until


def test_an_old_document_that_asks_for_something_is_not_built_anew(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<p>x", "/api": "1"}

    async def work() -> float:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await stage.page.wait_for_timeout(400)  # longer than it took to load
            await stage.page.evaluate("fetch('/api').then(r => r.text())")
            begin = time.monotonic()
            await reading.take()
            return time.monotonic() - begin

    assert stage.run(work()) < 0.3


FADING = """<style>p {transition: opacity .6s} p.out {opacity: 0}</style><p id=t ontransitionend="t.remove()">bye</p>"""


def test_a_transition_is_waited_for_with_what_comes_of_it(stage: Stage, site: Site) -> None:
    site.pages["/"] = FADING
    snapshot, _ = captured(stage, site.at(), "t.className = 'out'")
    assert (at(snapshot, "@text"), notes(snapshot)) == ([[]], [])


def test_a_transition_in_a_closed_shadow_tree_is_waited_for(stage: Stage, site: Site) -> None:
    site.pages["/"] = f"""<div id=h></div><script>const r = h.attachShadow({{mode: 'closed'}});
        r.innerHTML = `{FADING.replace(' ontransitionend="t.remove()"', "")}`; const t = r.querySelector('p');
        t.ontransitionend = () => t.remove(); window.out = () => {{ t.className = 'out' }}</script>"""
    snapshot, _ = captured(stage, site.at(), "out()")
    assert (at(snapshot, "@text"), notes(snapshot)) == ([[]], [])


@pytest.mark.parametrize("animation", ["turn 1s infinite", "turn 600s", "turn 1s paused", "turn 1s -2s forwards"])
def test_what_never_ends_or_ended_is_not_waited_for(animation: str, stage: Stage, site: Site) -> None:
    site.pages["/"] = f"""<style>@keyframes turn {{to {{rotate: 1turn}}}} p {{animation: {animation}}}</style><p>x"""
    snapshot, took = captured(stage, site.at(), "1")
    assert notes(snapshot) == []
    assert took < 1


def test_an_animation_that_is_begun_over_and_over_is_waited_for_once(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<p id=t>x<script>
        setInterval(() => { t.animate([{rotate: '0deg'}, {rotate: '9deg'}], 400) }, 100)</script>"""
    assert again(stage, site) == (["an animation of p #t"], [])


def test_an_element_that_says_it_is_busy_is_waited_for(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p id=t>x"
    act = "t.ariaBusy = 'true'; setTimeout(() => { t.textContent = 'y'; t.ariaBusy = 'false' }, 500)"
    snapshot, _ = captured(stage, site.at(), act)
    assert (at(snapshot, "@text"), notes(snapshot)) == ([["y"]], [])


def test_an_element_that_stays_busy_is_waited_for_once(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p id=t aria-busy=true>x"
    assert again(stage, site) == (["p #t, which says that it is busy"], [])


def test_a_document_that_is_never_loaded_is_waited_for_once(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x<script>onload = () => { document.open(); document.write('<p>y') }</script>"
    first, second = again(stage, site)
    assert (first, second) == ([f"a document that is still loading ({site.at()})"], [])


def again(stage: Stage, site: Site) -> tuple[list[str], list[str]]:
    """The notes of two captures of the page, of which the second comes at once."""

    async def work() -> tuple[list[str], list[str]]:
        async with stage.reading() as reading:
            await stage.page.goto(site.at())
            first = await reading.take()
            begin = time.monotonic()
            second = await reading.take()
            assert time.monotonic() - begin < 1
            return notes(first), notes(second)

    return stage.run(work())


@pytest.mark.parametrize(
    ("page", "moves", "place"),
    [
        ("<p>a<p>b<p id=t>c", "t.textContent = 'd'", "@text line 3"),
        ("<p id=t>a", "t.remove()", "@text line 1"),
        ("<input id=t value=x>", "t.value = 'y'", "#t.value"),
        ("<p id=t title=x>a", "t.title = 'y'", "#t"),
        ("<p id=t>a", "t.append(document.createElement('b'))", "its elements"),
        ("<p id=t>a", "localStorage.clock = Date.now()", '@storage.local["{origin}"].clock'),
        ("<p id=t>a", "history.replaceState(0, '', '#' + Date.now())", "@url"),
        ("<title>x</title><p>a", "document.title = 'y'", "@title"),
        ("<p id=t>a", "location = '/other'", "which document it shows"),
    ],
)
def test_the_place_that_moves_is_named(page: str, moves: str, place: str, stage: Stage, site: Site) -> None:
    site.pages |= {"/": page, "/other": "<p>other"}

    async def work() -> list[str]:
        await stage.page.goto(site.at())
        async with attach(stage.browser.cdp_url, own=True) as attached:
            before = await look(attached, limit_s=10)
            await stage.page.evaluate(moves)
            await stage.page.wait_for_load_state()
            after = await look(attached, limit_s=10)
            return moved(before.tabs[0].walks[0], after.tabs[0].walks[0])

    assert stage.run(work()) == [place.format(origin=site.at("").rstrip("/"))]


def test_a_page_that_never_rests_is_captured_within_the_deadline(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<p id=t>x</p><iframe srcdoc="<p>in"></iframe><script>let n = 0; setInterval(() => {
        t.textContent = frames[0].document.body.textContent = n += 1; fetch('/api' + n) }, 60)</script>"""
    snapshot, took = captured(stage, site.at(), deadline_s=5)
    (said,) = notes(snapshot)
    assert said.startswith("@text line 1, frame 1: @text line 1; requests: GET ")
    assert took < 5.4
