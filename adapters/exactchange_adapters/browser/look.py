"""One look at everything in a browser, and settling: looking until two looks in a row are the same."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from exactchange_adapters.browser.attach import Attached
from exactchange_adapters.browser.snapshot import STRANGE
from exactchange_adapters.browser.tab import DIALOG, FrameWalk, Tab, Target
from exactchange_adapters.browser.world import Gone

SETTLE_S = 2.0
GAP_S = 0.05
"""Long enough for what a click sets going to show: a request in flight, a document that is replaced."""
RESERVE_S = 0.3
"""Kept back from a deadline for making a snapshot of what was seen."""

STRANGERS = 10_000
"""Tabs that could not be attached to are numbered from here."""
GONE = "the page was replaced or closed while it was read"
BLOCKED_S = 0.3
"""How long a page is given that crashed or waits in a dialog: it is asked all the same, since either may be over."""


@dataclass(frozen=True, slots=True)
class TabLook:
    """What was seen of one tab; `why` says why nothing was. `number` counts tabs as they were first seen."""

    number: int
    context: str
    url: str
    walks: tuple[FrameWalk, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """Everything that was seen at one time; equal looks are equal states. `cookies` by browser context, as JSON."""

    tabs: tuple[TabLook, ...]
    cookies: tuple[tuple[str, str], ...]
    traffic: int
    unheard: tuple[str, ...] = ()
    """Why requests are missing from the record."""
    notices: int = 0
    """How much was told of dialogs and errors: none of it is waited for."""

    @property
    def whole(self) -> bool:
        """Whether every tab answered."""
        return not any(tab.why for tab in self.tabs)


async def look(attached: Attached, *, limit_s: float) -> Look:
    """Look once. A tab that does not answer within the limit is left out with the reason."""
    targets = await attached.targets()
    tabs = attached.tabs()
    pages = {target.id: target for target in targets if target.kind == "page"}
    here = [tab for tab in tabs if tab.target in pages]
    seen = await asyncio.gather(*(_look_at(tab, targets, limit_s) for tab in here))
    known = {tab.target for tab in tabs}
    strange = [
        TabLook(STRANGERS + number, target.context, target.url, why=STRANGE)
        for number, target in enumerate(pages.values())
        if target.id not in known
    ]
    contexts = sorted({tab.context for tab in [*seen, *strange]})
    cookies: list[tuple[str, str]] = []
    for context in contexts:
        with suppress(Gone):  # closed just now, and its cookies with it
            cookies.append((context, json.dumps(await attached.cookies(context), sort_keys=True)))
    attached.check()
    heard = (attached.traffic.version, attached.arrivals.reasons(), attached.notices.version)
    return Look((*seen, *strange), tuple(cookies), *heard)


async def _look_at(tab: Tab, targets: Sequence[Target], limit_s: float) -> TabLook:
    url = next((target.url for target in targets if target.id == tab.target), "")
    blind = TabLook(tab.number, tab.context_id, url)
    limit_s = min(limit_s, BLOCKED_S) if tab.blocked() else limit_s
    try:
        walks = await tab.walk(targets, limit_s=limit_s)
    except TimeoutError:
        return _because(blind, tab.blocked() or "the page did not answer in time")
    except Gone:
        return _because(blind, tab.blocked() or GONE)
    tab.answers()
    return TabLook(tab.number, tab.context_id, walks[0].url, tuple(walks))


def _because(blind: TabLook, why: str) -> TabLook:
    return TabLook(blind.number, blind.context, blind.url, why=why)


async def settle(attached: Attached, *, deadline_s: float) -> tuple[Look, str]:
    """Look until two looks in a row are the same and nothing is in flight; (last look, what was still moving or "")."""
    clock = asyncio.get_running_loop().time
    end = clock() + deadline_s - RESERVE_S
    patience = min(clock() + SETTLE_S, end)
    last = await look(attached, limit_s=max(end - clock(), 0.1))
    while clock() < patience and not _hopeless(last):
        await asyncio.sleep(GAP_S)
        now = await look(attached, limit_s=max(end - clock(), 0.1))
        moving = _moving(attached, last, now)
        last = now
        if not moving and last.whole:
            return last, ""
        if clock() >= patience:
            attached.traffic.give_up_waiting()
            return last, moving
    return last, ""


def _hopeless(seen: Look) -> bool:
    """Whether a tab cannot be read however often one looks."""
    passing = (GONE, STRANGE)
    return any(tab.why and tab.why not in passing and not tab.why.startswith(DIALOG) for tab in seen.tabs)


def _moving(attached: Attached, before: Look, after: Look) -> str:
    parts: list[str] = []
    if before.tabs != after.tabs:
        parts.append("what a page shows or stores")
    if before.cookies != after.cookies:
        parts.append("cookies")
    flying = attached.traffic.in_flight()
    if flying or (before.traffic, before.unheard) != (after.traffic, after.unheard):
        parts.append(f"{len(flying)} requests in flight ({flying[0][:80]})" if flying else "requests")
    if attached.traffic.downloading():
        parts.append("a download")
    if any(_loading(tab) for tab in after.tabs):
        parts.append("a document that is still loading")
    return ", ".join(parts)


def _loading(tab: TabLook) -> bool:
    return any('"ready":"loading"' in walk.text.partition("\n")[0] for walk in tab.walks)
