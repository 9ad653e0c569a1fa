"""Two captures of an idle page, seconds apart, are equal: the pages of every fixture, and the main screens of Trac."""

import asyncio
import contextlib
import pathlib
from collections.abc import Generator, Mapping, Sequence
from typing import cast

import pytest
from tests.adapters.browser.stage import HTML, Stage, at, changes, serve
from tests.apps.applications import running
from tests.fixtures.world import Stage as Applications

from exactchange_adapters.browser.snapshot import PageSnapshot
from exactchange_adapters.browser.world import send

FIXTURES = pathlib.Path(__file__).parents[3] / "fixtures"
EVERYTHING = ["controls", "text", "url", "title", "tabs", "requests"]
APART_S = 2.0
DEMO = {
    "form": ["/register", "/registrations"],
    "settings": ["/settings", "/keys", "/audit"],
    "flights": ["/", "/results?from=Berlin&to=Lisbon", "/bookings"],
}
TRAC = ["/login", "/wiki", "/report/1", "/ticket/1", "/newticket", "/timeline", "/roadmap", "/admin/ticket/components"]
ENDLESS = {"28-page-never-answers"}
"""Pages that hang: there is nothing idle about them."""


def still(stage: Stage, addresses: Sequence[str]) -> PageSnapshot:
    """Each address in a tab of its own, captured twice; the two are compared, and the first is handed back."""

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        context = stage.agent.contexts[0]
        for number, address in enumerate(addresses):
            page = context.pages[0] if number == 0 else await context.new_page()
            await page.goto(address)
        async with stage.reading() as reading:
            first = await reading.take()
            await asyncio.sleep(APART_S)  # that time goes by is what is tested
            return first, await reading.take()

    first, second = stage.run(act())
    assert (first.notes, second.notes) == ((), ())
    assert changes(first, second) == changes(first, second, closed=EVERYTHING) == []
    assert first.digest == second.digest
    return first


@contextlib.contextmanager
def written() -> Generator[list[str]]:
    """The pages that are written out among the cases and attacks, each at its address."""
    site, server = serve()
    for file in sorted([*FIXTURES.glob("cases/*/*.html"), *FIXTURES.glob("attacks/*/*.html")]):
        if file.parent.name not in ENDLESS:
            site.pages["/" + file.relative_to(FIXTURES).as_posix()] = (200, HTML, file.read_bytes())
    yield [site.at(path) for path in site.pages]
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("task", DEMO)
def test_the_pages_of_the_demo_rest(task: str, stage: Stage, tmp_path: pathlib.Path) -> None:
    with Applications().playing(task, tmp_path, "fetch") as address:
        snapshot = still(stage, [address + path for path in DEMO[task]])
    assert (len(snapshot.documents), snapshot.unread) == (len(DEMO[task]), ())


def test_the_pages_of_cases_and_attacks_rest(stage: Stage) -> None:
    with written() as addresses:
        snapshot = still(stage, addresses)
    assert len(snapshot.documents) >= len(addresses) > 10


@pytest.mark.xdist_group("trac")
def test_the_main_screens_of_trac_rest(stage: Stage, tmp_path: pathlib.Path) -> None:
    with running("trac", tmp_path / "data") as address:
        snapshot = still(stage, [address.replace("//", "//admin:admin@") + path for path in TRAC])
    assert (len(snapshot.documents), snapshot.unread) == (len(TRAC), ())


def test_what_goes_wrong_in_a_world_apart_is_no_error_of_the_page(stage: Stage) -> None:
    async def act() -> PageSnapshot:
        await stage.page.goto("about:blank")
        async with stage.reading() as reading:
            await reading.take()
            session = await stage.agent.contexts[0].new_cdp_session(stage.page)
            tree = cast("Mapping[str, Mapping[str, str]]", (await send(session, "Page.getFrameTree", {}))["frameTree"])
            world = await send(session, "Page.createIsolatedWorld", {"frameId": tree["frame"]["id"]})
            for code in ("Promise.reject(1); console.error(2)", "setTimeout(() => { throw 3 })"):
                asked: dict[str, object] = {"expression": code, "contextId": world["executionContextId"]}
                await send(session, "Runtime.evaluate", asked)
            await stage.page.evaluate("setTimeout(() => { throw 4 })")
            return await reading.take()

    assert at(stage.run(act()), "@console[*].text") == ["Uncaught 4"]
