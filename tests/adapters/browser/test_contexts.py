"""What a browser context keeps is judged as long as the context is there, with tabs in it or without."""

from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage, at, changed

LATER = 4_000_000_000
"""When a cookie expires: a browser forgets others with the last window of their context."""


async def _elsewhere(stage: Stage, site: Site) -> Page:
    """A tab in a context of its own, with the cookie and the page that the first one had."""
    context = await stage.agent.new_context()
    await context.add_cookies([{"name": "theme", "value": "light", "url": site.at(), "expires": LATER}])
    page = await context.new_page()
    await page.goto(site.at())
    return page


def test_what_was_changed_in_a_context_is_seen_when_all_its_tabs_are_closed(stage: Stage, site: Site) -> None:
    """An agent that goes on in a window with the old cookies hides nothing by it."""
    site.pages["/"] = "<title>shop</title>"

    async def act() -> dict[str, tuple[object, object]]:
        first = stage.agent.contexts[0]
        await first.add_cookies([{"name": "theme", "value": "light", "url": site.at(), "expires": LATER}])
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await first.add_cookies([{"name": "theme", "value": "dark", "url": site.at(), "expires": LATER}])
            await stage.page.evaluate("localStorage.seen = 1")
            await reading.take()
            await _elsewhere(stage, site)
            await stage.page.close()
            after = await reading.take()
            assert at(after, "@title") == ["shop"]
            return changed(before, after)

    found = stage.run(act())
    assert found["@cookies.theme.value"] == ("light", "dark")
    assert found["@storage"][1] == {"local": {site.at()[:-1]: {"seen": "1"}}}
    assert "@contexts" in found


def test_a_context_that_was_closed_has_taken_all_that_it_kept_with_it(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<title>shop</title>"

    async def act() -> list[list[object]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            out: list[list[object]] = []
            page = await _elsewhere(stage, site)
            await reading.take()
            await page.close()
            out.append([*at(await reading.take(), "@contexts[n=2].@cookies.theme.value")])
            await page.context.close()
            last = await reading.take()
            return [*out, [*at(last, "@contexts")], [item.address for item in last.unread]]

    assert stage.run(act()) == [["light"], [], []]
