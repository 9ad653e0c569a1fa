"""What a tab said before anybody could listen to it is unread, and never nothing."""

import pytest
from playwright.async_api import Dialog
from tests.adapters.browser.stage import Site, Stage, at

from exactchange_adapters.browser.notices import MISSED, UNHEARD
from exactchange_adapters.browser.snapshot import PageSnapshot

CLOSES: dict[str, str] = {
    "/asks": "<script>confirm('Delete?'); close()</script>",
    "/errs": "<script>console.error('no'); close()</script>",
}


async def opened(stage: Stage, site: Site, path: str, how: str) -> PageSnapshot:
    """The page after a window came up and closed itself, its dialog accepted as soon as it was there."""
    page, context = stage.page, stage.agent.contexts[0]
    await page.goto(site.at())

    async def accept(dialog: Dialog) -> None:
        await dialog.accept()

    async with stage.reading() as reading:
        assert (await reading.take()).unread == ()
        context.on("dialog", accept)
        async with context.expect_page() as coming:
            await page.evaluate(f"window.open('{path}', '', '{how}') && 0")
        window = await coming.value
        if not window.is_closed():
            await window.wait_for_event("close")
        context.remove_listener("dialog", accept)
        return await reading.take()


@pytest.mark.parametrize("how", ["", "noopener"])
@pytest.mark.parametrize(("path", "facet", "why"), [("/asks", "@dialogs", MISSED), ("/errs", "@console", UNHEARD)])
def test_what_a_window_said_that_closed_itself_is_recorded_or_unread(
    stage: Stage, site: Site, path: str, facet: str, why: str, how: str
) -> None:
    site.pages |= {"/": "<title>app</title>", **CLOSES}
    taken = stage.run(opened(stage, site, path, how))
    lost = {item.address: item.reason for item in taken.unread}
    if at(taken, facet) == [[]]:
        assert lost[facet] in (why, lost.get("@requests")), "on a busy machine nobody may have listened at all"


def test_of_a_window_that_stays_all_is_heard(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<title>app</title>", "/window": "<script>console.error('no')</script>"}

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            async with stage.page.expect_popup() as coming:
                await stage.page.evaluate("window.open('/window') && 0")
            window = await coming.value
            await reading.take()  # by now it is listened to, however busy the machine is
            await window.evaluate("alert('x')")  # dismissed at once, as nobody listens
            return await reading.take()

    taken = stage.run(act())
    assert {item.address for item in taken.unread} <= {"@requests"}
    assert at(taken, "@dialogs[*].type") == ["alert"]
    assert at(taken, "@console[*].text") == ["no"]
