"""What a new tab asks for is recorded from its first request on, or `@requests` is unread and says which tab."""

import asyncio
import os
import pathlib
import signal
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from tests.adapters.browser.stage import HTML, Answer, Captures, Site, Stage, drivers, requests_of, serve
from tests.judging.kit import Data, case, judged, told, value
from tests.judging.kit import act as action

from exactchange.case import Evidence
from exactchange.snapshot import Mark
from exactchange.verdict import Outcome
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

SAVED: Answer = (200, {"content-disposition": "attachment; filename=r.csv", "content-type": "text/csv"}, b"a,b\n")
Step = Callable[[Stage, Site], Coroutine[object, object, object]]


@pytest.fixture
def pages(site: Site) -> Site:
    site.pages |= {
        "/": "<p>x",
        "/pop": "<script>fetch('/from-pop')</script>",
        "/from-pop": "1",
        "/two": "<p>two",
        "/closing": "<script>fetch('/from-pop').then(() => close())</script>",
        "/moved": (302, {"location": "/two"}, b""),
        "/nothing": (204, HTML, b""),
        "/file": SAVED,
        "/x": "1",
        "/shared.js": (200, {"content-type": "text/javascript"}, b"fetch('/x')"),
    }
    return site


@asynccontextmanager
async def deaf(driver: int) -> AsyncGenerator[None]:
    """A reader that hears nothing for a while: its connection stands still, and what is sent to it waits."""
    os.kill(driver, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(driver, signal.SIGCONT)


@asynccontextmanager
async def recording(stage: Stage, site: Site) -> AsyncGenerator[tuple[Captures, int]]:
    """A reader that has begun its record, and its driver's process."""
    await stage.page.goto(site.at())
    before = drivers()
    async with stage.reading() as reading:
        await reading.take()
        (driver,) = drivers() - before
        yield reading, driver


def lost(snapshot: PageSnapshot) -> list[str]:
    return [item.reason for item in snapshot.unread if item.address == "@requests"]


def urls(snapshot: PageSnapshot) -> list[str]:
    return [str(item["url"]) for item in requests_of(snapshot)]


async def asked(site: Site, what: str) -> None:
    async with asyncio.timeout(10):
        while not any(line.endswith(what) for line in site.asked):
            await asyncio.sleep(0.01)


LOST = [
    ("window.open('/pop')", "/from-pop", "/pop"),
    ("window.open('/closing')", "/from-pop", "/closing"),
    ("window.open('/moved')", "/two", "/two"),
    ("setTimeout(w => w.location = '/two', 300, window.open('/pop'))", "/two", "/pop"),
    ("setTimeout(w => w.close(), 300, window.open('/nothing'))", "/nothing", "/nothing"),
    ("window.open('/file')", "/file", "/file"),
    ("window.open('').fetch('/x')", "/x", ""),
    ("setTimeout(w => w.close(), 300, w = window.open('')); w.fetch('/x')", "/x", ""),
]


@pytest.mark.parametrize(("script", "last", "named"), LOST)
def test_what_nobody_listened_to_is_unread_and_names_the_tab(
    stage: Stage, pages: Site, script: str, last: str, named: str
) -> None:
    async def act() -> PageSnapshot:
        async with recording(stage, pages) as (reading, driver):
            await stage.page.evaluate("fetch('/x?heard')")
            async with deaf(driver):
                await stage.page.evaluate(f"{script}; 0")
                await asked(pages, last)
                await asyncio.sleep(0.4)  # for what the tab does after its last request
            return await reading.take()

    snapshot = stage.run(act())
    assert urls(snapshot) == [pages.at("/x?heard")]  # what was heard stays, and the rest was lost for certain
    (reason,) = lost(snapshot)
    assert f"the tab of {pages.at(named) if named else 'about:blank'} was let go by another client" in reason
    assert {item.cause for item in snapshot.unread} == {"content"}


def test_a_tab_that_is_heard_from_its_second_document_on_stays_unread(stage: Stage, pages: Site) -> None:
    async def act() -> list[PageSnapshot]:
        async with recording(stage, pages) as (reading, driver):
            async with deaf(driver):
                await stage.page.evaluate("void (w = window.open('/pop'))")
                await asked(pages, "/from-pop")
            first = await reading.take()
            await stage.page.evaluate("w.location = '/two'")
            await asked(pages, "/two")
            second = await reading.take()
            await stage.page.evaluate("w.close()")
            return [first, second, await reading.take()]

    taken = stage.run(act())
    assert urls(taken[-1]) == [pages.at("/two")]
    assert [len(lost(snapshot)) for snapshot in taken] == [1, 1, 1]
    assert all(pages.at("/pop") in lost(snapshot)[0] for snapshot in taken)


def test_a_document_that_is_asked_for_again_does_not_stand_for_the_first_time(stage: Stage, pages: Site) -> None:
    async def act() -> PageSnapshot:
        async with recording(stage, pages) as (reading, driver):
            async with deaf(driver):
                await stage.page.evaluate("void (w = window.open('/pop'))")
                await asked(pages, "/from-pop")
            await reading.take()  # it listens from now on
            await stage.page.evaluate("void w.location.reload()")
            async with asyncio.timeout(10):
                while len(urls(snapshot := await reading.take())) < 2:
                    pass
            return snapshot

    snapshot = stage.run(act())
    assert urls(snapshot) == [pages.at("/pop"), pages.at("/from-pop")]
    assert len(lost(snapshot)) == 1


async def new_tab(stage: Stage, site: Site) -> None:
    await (await stage.agent.contexts[0].new_page()).goto(site.at("/pop"))


async def new_context(stage: Stage, site: Site) -> None:
    await (await (await stage.agent.new_context()).new_page()).goto(site.at("/pop"))


async def link(stage: Stage, site: Site) -> None:
    await stage.page.evaluate("document.body.innerHTML = '<a href=/pop target=_blank>pop</a>'")
    await stage.page.click("a")


async def no_opener(stage: Stage, site: Site) -> None:
    await stage.page.evaluate("void window.open('/pop', '_blank', 'noopener')")


async def frame(stage: Stage, site: Site) -> None:
    address = site.at("/pop", host="localhost")
    await stage.page.evaluate(
        f"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{address}'}}))"
    )


HELD = [new_tab, new_context, link, no_opener, frame]


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("step", HELD)
def test_a_tab_that_waits_for_every_client_is_heard_however_late_one_is(
    stage: Stage, pages: Site, step: Step, late: bool
) -> None:
    async def act() -> PageSnapshot:
        async with recording(stage, pages) as (reading, driver):
            if late:
                async with deaf(driver):
                    going = asyncio.ensure_future(step(stage, pages))
                    await asyncio.sleep(0.5)
                    assert "GET /from-pop" not in pages.asked  # it waits for the reader
                await going
            else:
                await step(stage, pages)
            await asked(pages, "/from-pop")
            return await reading.take()

    snapshot = stage.run(act())
    assert [url.rpartition("/")[2] for url in urls(snapshot)] == ["pop", "from-pop"]
    assert snapshot.unread == ()


async def blank(stage: Stage, site: Site) -> None:
    await stage.agent.contexts[0].new_page()


async def save(stage: Stage, site: Site) -> None:
    await stage.page.evaluate("document.body.innerHTML = '<a href=/file target=_blank>save</a>'")
    async with stage.agent.contexts[0].expect_page():
        await stage.page.click("a")


async def local_file(stage: Stage, site: Site) -> None:
    await (await stage.agent.contexts[0].new_page()).goto(pathlib.Path(__file__).with_name("conftest.py").as_uri())


async def data(stage: Stage, site: Site) -> None:
    await (await stage.agent.contexts[0].new_page()).goto("data:text/html,<p>x#top")


async def settings(stage: Stage, site: Site) -> None:
    await (await stage.agent.contexts[0].new_page()).goto("chrome://version")


async def written(stage: Stage, site: Site) -> None:
    await (await stage.agent.contexts[0].new_page()).set_content("<title>written</title>")


async def refused(stage: Stage, site: Site) -> None:
    await stage.page.evaluate("void window.open('javascript:fetch(\"/x\")').close()")


QUIET = [blank, save, local_file, data, settings, written, refused]


@pytest.mark.parametrize("step", QUIET)
def test_a_tab_that_lost_nothing_leaves_the_record_whole(stage: Stage, pages: Site, step: Step) -> None:
    async def act() -> PageSnapshot:
        async with recording(stage, pages) as (reading, _):
            await step(stage, pages)
            await asyncio.sleep(0.3)
            return await reading.take()

    assert lost(stage.run(act())) == []


@pytest.mark.parametrize(
    ("address", "named"),
    [("{}/pop?token=abc", "{}/pop?token=secret-"), ("data:text/html,<script>fetch('{}/x')</script>", "data:text/html")],
)
def test_a_tab_that_another_client_opens_at_an_address_is_unread(
    stage: Stage, pages: Site, address: str, named: str
) -> None:
    here = pages.at("")

    async def act() -> PageSnapshot:
        async with recording(stage, pages) as (reading, _):
            session = await stage.agent.new_browser_cdp_session()
            await session.send("Target.createTarget", {"url": address.format(here)})
            snapshot = await reading.take()
            await session.detach()
            return snapshot

    (reason,) = lost(stage.run(act()))
    assert f"the tab of {named.format(here)}" in reason
    assert "abc" not in reason


def test_what_a_shared_worker_sends_is_unread_also_when_it_ran_before(stage: Stage, pages: Site) -> None:
    async def act() -> list[PageSnapshot]:
        tab = await stage.agent.contexts[0].new_page()
        await tab.goto(pages.at("/two"))
        async with recording(stage, pages) as (reading, _):
            await tab.evaluate("void (w = new SharedWorker('/shared.js'))")
            await asked(pages, "/x")
            taken = [await reading.take()]
        async with recording(stage, pages) as (reading, _):
            taken.append(await reading.take())
        await tab.close()
        async with recording(stage, pages) as (reading, _):
            return [*taken, await reading.take()]

    first, second, third = stage.run(act())
    assert pages.at("/x") not in urls(first)
    for snapshot in (first, second):
        assert f"the shared worker {pages.at('/shared.js')}" in lost(snapshot)[0]
    assert third.unread == ()


def test_what_was_lost_before_the_record_began_is_not_missing_from_it(stage: Stage, pages: Site) -> None:
    async def act() -> list[PageSnapshot]:
        await stage.page.goto(pages.at())
        before = drivers()
        async with stage.reading() as reading:
            (driver,) = drivers() - before
            async with deaf(driver):
                await stage.page.evaluate("void window.open('/pop')")
                await asked(pages, "/from-pop")
            return [await reading.take(), await reading.take()]

    assert [snapshot.unread for snapshot in stage.run(act())] == [(), ()]


RULES: list[tuple[Mapping[str, Sequence[Data]], list[str], Outcome]] = [
    ({}, [], "passed"),  # no rule on requests: the task is not concerned
    ({"veto": [{"request": {"in": "page", "url": {"path": "/pop"}}}]}, [], "undecided"),
    ({"veto": [{"request": {"in": "page", "url": {"path": "/never"}}}]}, [], "undecided"),
    ({"veto": [{"request": {"in": "page", "url": {"path": "/x"}}}]}, [], "vetoed"),
    ({"must": [{"request": {"in": "page", "url": {"path": "/x"}}}]}, [], "passed"),
    ({"must": [{"request": {"in": "page", "url": {"path": "/x"}, "count": 1}}]}, [], "undecided"),
    ({"must": [{"request": {"in": "page", "url": {"path": "/pop"}}}]}, [], "undecided"),
    ({"allow": [{"in": "page", "at": "@requests[*]"}]}, ["requests"], "undecided"),
]


@pytest.fixture(scope="module")
def missed(whole_stage: Stage) -> Iterator[list[PageSnapshot]]:
    """A run that fills in a field, sends one request that was heard, and opens a tab that was not."""
    site, server = serve()
    site.pages |= {"/": "<input id=i>", "/pop": "<p>pop", "/x": "1"}

    async def act() -> list[PageSnapshot]:
        async with recording(whole_stage, site) as (reading, driver):
            before = await reading.take()
            await whole_stage.page.fill("#i", "1")
            await whole_stage.page.evaluate("fetch('/x')")
            async with deaf(driver):
                await whole_stage.page.evaluate("void (w = window.open('/pop'))")
                await asked(site, "/pop")
            return [before.at(Mark(0)), (await reading.take()).at(Mark(1))]

    whole_stage.run(whole_stage.clear())
    yield whole_stage.run(act())
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("rules", "closed", "outcome"), RULES)
def test_only_what_depends_on_the_requests_is_undecided(
    missed: list[PageSnapshot], rules: Mapping[str, Sequence[Data]], closed: list[str], outcome: Outcome
) -> None:
    page = Evidence("page", KIND, BrowserParams.model_validate({"closed": closed}), tuple(missed))
    must = [value("#i.value", "1", source="page"), *rules.get("must", [])]
    others = {name: section for name, section in rules.items() if name != "must"}
    verdict = judged(case(page, actions=[action("fill", 1)]), *must, sources=["page"], **others)
    assert told(verdict)[0] == outcome
