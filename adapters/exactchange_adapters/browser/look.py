"""One look at everything in a browser, and settling: looking until two looks in a row are the same."""

import asyncio
import json
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from time import monotonic

from exactchange_adapters.browser.aside import Kept as Aside
from exactchange_adapters.browser.attach import Attached
from exactchange_adapters.browser.moved import moved
from exactchange_adapters.browser.snapshot import STRANGE
from exactchange_adapters.browser.stirred import Items
from exactchange_adapters.browser.tab import DIALOG, FrameWalk, Tab, Target
from exactchange_adapters.browser.traffic import lasting
from exactchange_adapters.browser.underway import SETTLE_S, Reason, underway
from exactchange_adapters.browser.world import Gone

GAP_S = 0.05
"""Long enough for what a click sets going to show: a request in flight, a document that is replaced."""
WIDER, LONGEST_GAP_S = 1.2, 0.2
"""What takes long is looked at less often, by so much after every look."""
SHORTEST_S = 0.1
RESERVE_S = 0.3
"""Kept back from a deadline for making a snapshot of what was seen."""

STRANGERS = 10_000
"""Tabs that could not be attached to are numbered from here."""
MOST_NAMED = 3
CHANGED = "what a page shows or stores"
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
    aside: tuple[tuple[str, str, Aside], ...] = ()
    """Of origins that were left since the last capture, with their browser contexts: what was read afterwards."""
    heard: tuple[Items, ...] = ()
    """What was heard of the items of others that were left."""

    @property
    def whole(self) -> bool:
        """Whether every tab answered."""
        return not any(tab.why for tab in self.tabs)


async def look(attached: Attached, *, limit_s: float) -> Look:
    """Look once. A tab that does not answer within the limit is left out with the reason."""
    clock = asyncio.get_running_loop().time
    end = clock() + limit_s
    attached.looked_at = monotonic()
    targets = await attached.targets()  # of a browser that is kept busy this takes a while, and no tab has more for it
    limit_s = max(end - clock(), SHORTEST_S)
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
    attached.contexts |= {tab.context for tab in [*seen, *strange]}  # what one keeps outlives the last of its tabs
    cookies: list[tuple[str, str]] = []
    for context in sorted(attached.contexts):
        try:
            cookies.append((context, json.dumps(await attached.cookies(context), sort_keys=True)))
        except Gone:  # it was closed, and its cookies with it
            attached.contexts.discard(context)
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


@dataclass
class Waited:
    """What was waited for in vain, so that it is waited for once: by the document that it is of."""

    in_vain: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def give_up(self, reasons: Sequence[Reason]) -> None:
        """Wait for none of these again, as long as its document is there."""
        self.in_vain |= {reason.key for reason in reasons if reason.key}

    def forget(self, loaders: Set[str]) -> None:
        """Only these documents are there still."""
        self.in_vain = {key for key in self.in_vain if key[0] in loaders}


async def settle(attached: Attached, *, deadline_s: float, waited: Waited) -> tuple[Look, str]:
    """Look until two looks in a row are the same and nothing is under way; (last look, what was still moving or "")."""
    clock = asyncio.get_running_loop().time
    begin = now = clock()
    limit = end = begin + deadline_s - RESERVE_S
    last = await look(attached, limit_s=max(end - now, SHORTEST_S))
    before, reasons, built, gap = last, [Reason("there was no time to look again")], dict[str, float](), GAP_S
    while not _hopeless(last):
        took, now = clock() - now, clock()
        if now + gap >= limit or now + gap + 2 * took >= end:  # a page must not be called unread for want of our time
            attached.traffic.give_up_waiting()
            waited.give_up(reasons)
            return last, _told(before, last, reasons)
        await asyncio.sleep(gap)
        now = clock()
        before, last = last, await look(attached, limit_s=max(end - now, SHORTEST_S))
        reasons = _reasons(attached, before, last, waited, built)
        if not reasons and last.whole:
            return last, ""
        limit = min(begin + max((reason.patience_s for reason in reasons), default=SETTLE_S), end)
        gap = min(gap * WIDER, LONGEST_GAP_S)
    return last, ""


def _hopeless(seen: Look) -> bool:
    """Whether a tab cannot be read however often one looks."""
    passing = (GONE, STRANGE)
    return any(tab.why and tab.why not in passing and not tab.why.startswith(DIALOG) for tab in seen.tabs)


def _reasons(attached: Attached, before: Look, after: Look, waited: Waited, built: dict[str, float]) -> list[Reason]:
    """Why to look again. `built`: until which age each document was at work on itself; kept up to date."""
    out = [Reason(CHANGED)] if before.tabs != after.tabs else []
    if before.cookies != after.cookies:
        out.append(Reason("@cookies"))
    flying = attached.traffic.in_flight()
    if flying or (before.traffic, before.unheard) != (after.traffic, after.unheard):
        named = flying or attached.traffic.latest(after.traffic - before.traffic)
        out.append(Reason(f"requests: {_few([text[:80] for text in named])}" if named else "requests"))
    if attached.traffic.downloading():
        out.append(Reason("a download"))
    there = {walk.loader: walk for tab in after.tabs for walk in tab.walks}
    was = {walk.loader: walk.text for tab in before.tabs for walk in tab.walks}
    waited.forget(there.keys())
    asked = bool(attached.traffic.in_flight(younger_s=SETTLE_S))
    for loader, walk in there.items():
        state = underway(walk.underway)
        stirs = asked or was.get(loader, walk.text) != walk.text
        built[loader] = state.built_until(built.get(loader, 0), stirs=stirs)
        where = lasting(attached.secrecy.url(walk.url))[:80]
        found = state.reasons(loader, where, until=built[loader])
        out += [reason for reason in found if reason.key not in waited.in_vain]
    return out


def _told(before: Look, after: Look, reasons: Sequence[Reason]) -> str:
    """What was still moving, for people: the places of what was seen to change, and what was under way."""
    return "; ".join(
        _changed(before, after) if reason.what == CHANGED else reason.what for reason in dict.fromkeys(reasons)
    )


def _changed(before: Look, after: Look) -> str:
    """The places that differ between two looks, with their tab and frame where there are several."""
    old = {tab.number: tab for tab in before.tabs}
    out: list[str] = []
    for tab in after.tabs:
        was = old.pop(tab.number, None)
        prefix = f"tab {tab.number}: " if len(after.tabs) > 1 else ""
        if was is None or was.why or tab.why or len(was.walks) != len(tab.walks):
            if was != tab:
                out.append(f"tab {tab.number}" if was is None or was.why or tab.why else f"{prefix}@frames")
            continue
        for number, (one, other) in enumerate(zip(was.walks, tab.walks, strict=True)):
            inner = f"{prefix}frame {number}: " if number else prefix
            out += [inner + place for place in moved(one, other)] if one != other else []
    return _few([*out, *(f"tab {number}" for number in old)])


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join([*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
