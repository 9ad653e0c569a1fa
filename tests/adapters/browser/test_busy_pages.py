"""A page that is busy with its walk, as a large one is, is waited for before its stores are given up."""

import pytest
from tests.adapters.browser.stage import Site, Stage

from exactchange_adapters.browser import areas, tab
from exactchange_adapters.browser.snapshot import PageSnapshot
from exactchange_adapters.browser.underway import with_underway

BUSY = "(() => { const end = Date.now() + 1500; while (Date.now() < end); })()"


def slowly(walk: str) -> str:
    return f"({BUSY}, {with_underway(walk)})"


def test_patience_with_stores_begins_when_the_walk_is_over(
    stage: Stage, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(areas, "PATIENCE_S", 0.5)
    monkeypatch.setattr(tab, "with_underway", slowly)
    site.pages["/"] = "<p>x"

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    assert stage.run(act()).unread == ()
