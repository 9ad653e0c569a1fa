"""A page that floods its console holds a reader up no longer than its deadline, and not for good."""

import time

from tests.adapters.browser.stage import Site, Stage, at

from exactchange_adapters.browser.reader import GRACE_S

FLOOD = """<p>here</p><script>const long = 'x'.repeat(2000);
setInterval(() => { for (let n = 0; n < 50; n++) console.error(n, long) }, 20)</script>"""
DEADLINE_S = 4


def test_a_page_that_never_stops_is_read_or_unread_within_the_deadline(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<p>there</p>", "/flood": FLOOD}

    async def act() -> tuple[object, list[str], float, object, list[str]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await stage.page.goto(site.at("/flood"))
            began = time.monotonic()
            flooded = await reading.take(deadline_s=DEADLINE_S)
            took = time.monotonic() - began
            await stage.page.goto(site.at())
            after = await reading.take()
            unread = [[item.address for item in taken.unread] for taken in (flooded, after)]
            return at(flooded, "@text"), unread[0], took, at(after, "@text"), unread[1]

    text, unread, took, after, still = stage.run(act())
    assert text == [["here"]] or "" in unread
    assert took < DEADLINE_S + GRACE_S + 1
    assert (after, still) == ([["there"]], ["@console"])
