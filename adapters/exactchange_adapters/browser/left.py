"""Origins that a page left in the very step that changed them: read afterwards, or told by what was heard of them."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from exactchange.address import key
from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange.snapshot import Note
from exactchange.values import Value
from exactchange_adapters.browser.areas import Areas, late
from exactchange_adapters.browser.aside import Kept as Aside
from exactchange_adapters.browser.attach import Attached
from exactchange_adapters.browser.kept import labelled
from exactchange_adapters.browser.look import Look
from exactchange_adapters.browser.origins import READ_AFTER, origin_of
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.stirred import Items, Place

if TYPE_CHECKING:
    from exactchange_adapters.browser.assemble import Memory
    from exactchange_adapters.browser.tab import FrameWalk

MOST_READ = 6
"""Of so many origins, what they keep is read after one step; of more it is unread."""
EACH_S = 2.0
ALL_S = 4.0
SHORTEST_S = 0.8
"""What there is for it however little of a deadline is left: the reader answers a little later than that."""
MORE = "it was left, and more origins were left in one step than are read afterwards"
_STORING = ("http://", "https://")


@dataclass
class Leaving:
    """Which origins were shown at the last capture, so that it is known which ones have been left."""

    _shown: frozenset[tuple[str, str]] = frozenset()
    """Browser contexts with origins."""
    _unread: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    async def after(self, seen: Look, attached: Attached, *, left_s: float, first: bool) -> Look:
        """A look, with what is known of the origins that are not there any more. `left_s`: until the deadline.

        `first`: nothing was left, since what comes before the first capture brings the world up.
        """
        places = set(_places(seen))
        shown = {(place, label) for place, label in places if isinstance(place, str)}
        visited, heard = attached.visited_since(), attached.stirred.all()
        attached.stirred.forget(before=attached.looked_at)
        here = {context for context, _ in seen.cookies}
        wanted = set[tuple[str, str]]() if first else (self._shown | visited | self._unread)
        gone = sorted(pair for pair in wanted - shown if pair[0] in here and pair[1].startswith(_STORING))
        self._shown = frozenset((context, origin) for context, origin in shown if " " not in origin)
        aside = await _read_all(attached, gone, left_s) if gone and await attached.can_read_aside() else ()
        self._unread = {(context, origin) for context, origin, kept in aside if _is_unread(kept)}
        told = {(context, origin) for context, origin, _ in aside}
        rest = () if first else tuple(items for items in heard if items.place not in places | told)
        return replace(seen, aside=aside, heard=rest) if aside or rest else seen


def notes_of(seen: Look) -> list[Note]:
    """For each origin that was read although no document shows it, that it was."""
    return [Note("left", f"{READ_AFTER}{origin}") for _, origin, kept in seen.aside if not _is_unread(kept)]


def _is_unread(kept: Aside) -> bool:
    return bool(kept.why or kept.areas.why) or late(kept.areas)


async def _read_all(
    attached: Attached, gone: Sequence[tuple[str, str]], left_s: float
) -> tuple[tuple[str, str, Aside], ...]:
    clock = asyncio.get_running_loop().time
    end = clock() + min(max(left_s, SHORTEST_S), ALL_S)
    out: list[tuple[str, str, Aside]] = []
    for number, (context, origin) in enumerate(gone):
        limit = min(end - clock(), EACH_S)
        if number < MOST_READ and limit > 0:
            kept = await attached.read_aside(context, origin, limit_s=limit)
        else:
            kept = Aside((), Areas(why=MORE), MORE)
        out.append((context, origin, kept))
    return tuple(out)


def _places(seen: Look) -> Iterator[Place]:
    """Where the documents of a look store: of a tab that could not be read, by its address."""
    for tab in seen.tabs:
        labels = [""] * len(tab.walks)
        for number, walk in enumerate(tab.walks):
            origin, partition = _origin(walk), walk.areas.partition
            above = labels[walk.parent] if walk.parent >= 0 else ""
            # A frame in one of its own origin told nothing, and shares what that has.
            labels[number] = above if above.partition(" ")[0] == origin else labelled(origin, partition)
        for label in [*labels, *([origin_of(tab.url)] if tab.why else [])]:
            if label:
                yield tab.context, label
                yield tab.number, label


def _origin(walk: "FrameWalk") -> str:
    """What a document says of itself, since one in a sandbox has none; of one that says nothing by its address."""
    end = walk.text.find("\n")
    if walk.why or end < 0:
        return origin_of(walk.url)
    try:
        origin = str(cast("dict[str, object]", json.loads(walk.text[:end]))["origin"])
    except (ValueError, KeyError, TypeError):
        return origin_of(walk.url)
    return "" if origin == "null" else origin


def take_left(seen: Look, memory: "Memory", *, secrecy: Secrecy, budget: Budget) -> None:
    """Remember what is known of origins that were left, and of what it is not known."""
    lost = memory.lost
    for context, origin, found in seen.aside:
        items = Items((context, origin), True, found.items, found.why)
        _take(items, memory.local.setdefault(context, {}), lost, secrecy, budget)
        memory.kept.take(context, origin, found.areas, secrecy=secrecy, budget=budget)
    for items in seen.heard:
        place = items.place[0]
        area = memory.local.setdefault(place, {}) if isinstance(place, str) else memory.session.setdefault(place, {})
        _take(items, area, lost, secrecy, budget)


def _take(
    heard: Items, area: dict[str, dict[str, Value]], lost: dict[Place, str], secrecy: Secrecy, budget: Budget
) -> None:
    label, why = heard.place[1], heard.why
    try:
        budget.spend(nodes=len(heard.items))
    except OverBudget as error:
        why = str(error)
    if why:
        area.pop(label, None)
        lost[heard.place] = why
        return
    if heard.cleared:
        area[label] = {}
        lost.pop(heard.place, None)
    items = dict(area.get(label, {}))
    for name, text in heard.items:
        items.pop(key(name), None)
        if text is not None:
            items[key(name)] = secrecy.named(name, text)
    area[label] = dict(sorted(items.items()))
