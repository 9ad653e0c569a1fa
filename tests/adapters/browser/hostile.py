"""Pages that turn on their reader while it reads: what they do, and a stage on which many of them do it at once."""

import asyncio
import pathlib
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from playwright.async_api import Error, Page
from tests.adapters.browser.stage import Site, Stage, World

from exactchange.snapshot import Mark
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.reader import GRACE_S
from exactchange_adapters.browser.snapshot import PageSnapshot

PAGE = "<title>t</title><input id=s value=no><p id=p>PENDING</p>"
MUST = "must: [value: {in: page, css: '#s', is: 'yes', pick: any}]"
"""What none of the pages ever does."""
MARGIN_S = GRACE_S + 1.5
"""What a busy machine may add to a deadline."""


@dataclass(frozen=True)
class Met:
    """What was captured before, while and after pages were hostile, and how much longer than its deadline it took."""

    captures: list[PageSnapshot]
    late_s: float
    grown_mib: int
    after: PageSnapshot


def meet(stage: Stage, site: Site, scripts: Mapping[str, str], *, deadline_s: float = 2) -> Met:
    """Capture while each script runs in a tab of a site of its own, beside a well-behaved one; then without them."""
    return stage.run(_meet(stage, site, scripts, deadline_s), limit_s=100)


async def _meet(stage: Stage, site: Site, scripts: Mapping[str, str], deadline_s: float) -> Met:
    context = stage.agent.contexts[0]
    await stage.page.goto(site.at())
    pages: list[Page] = []
    for number in range(len(scripts)):
        pages.append(await context.new_page())
        await pages[-1].goto(site.at(host=f"h{number}.localhost"))
    world = World(pathlib.Path("/nowhere"), stage.browser.cdp_url)
    async with KIND.open(BrowserParams(), world=replace(world, own_browser=True)) as reader:
        taken = [await reader.capture(mark=Mark(0), previous=None, deadline_s=15)]
        size = _resident_mib()
        for number, (page, script) in enumerate(zip(pages, scripts.values(), strict=True)):
            with suppress(TimeoutError):
                await asyncio.wait_for(page.evaluate(f"() => {{ setTimeout(() => {{ {script} }}, {number * 13}) }}"), 2)
        started = time.monotonic()
        taken.append(await reader.capture(mark=Mark(1), previous=taken[-1], deadline_s=deadline_s))
        late = time.monotonic() - started - deadline_s
    grown = _resident_mib() - size
    await _tidy(stage)
    await stage.page.goto(site.at())
    async with KIND.open(BrowserParams(), world=world) as reader:
        after = await reader.capture(mark=Mark(0), previous=None, deadline_s=15)
    return Met(taken, late, grown, after)


async def _tidy(stage: Stage) -> None:
    """Close all but one new tab, by the browser's own process: a page that hangs cannot hold it up."""
    context = stage.agent.contexts[0]
    own = await context.new_cdp_session(await context.new_page())
    kept = cast("dict[str, dict[str, str]]", await own.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    whole = await stage.agent.new_browser_cdp_session()
    asked: set[str] = set()
    while True:  # a page may open others for as long as it lives
        listed = cast("dict[str, list[dict[str, str]]]", await whole.send("Target.getTargets"))
        rest = {item["targetId"] for item in listed["targetInfos"] if item["type"] == "page"} - {kept}
        for target in rest - asked:
            with suppress(Error):  # it has closed itself
                await whole.send("Target.closeTarget", {"targetId": target})
        asked |= rest
        if not rest:
            break
        await asyncio.sleep(0.05)
    await whole.detach()


def _resident_mib() -> int:
    status = pathlib.Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
