"""Makes the snapshot of what was seen: one tree of values, short addresses, no secret in it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from exactchange.address import Style, format_path, key, key_segment
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Note, Unread
from exactchange.values import Path, Value
from exactchange_adapters.browser.arrivals import WORKER
from exactchange_adapters.browser.canvas import hashed
from exactchange_adapters.browser.collecting import no_collection
from exactchange_adapters.browser.cookies import cookie_values
from exactchange_adapters.browser.filling import filling_of
from exactchange_adapters.browser.kept import Kept, labelled
from exactchange_adapters.browser.known import Known, know
from exactchange_adapters.browser.left import take_left
from exactchange_adapters.browser.look import Look, TabLook
from exactchange_adapters.browser.notices import Notices
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument
from exactchange_adapters.browser.stirred import Place
from exactchange_adapters.browser.tab import FrameWalk
from exactchange_adapters.browser.traffic import Traffic

Area = dict[str, dict[str, Value]]
"""Storage by origin and key."""
BETWEEN = "a service worker stood between it and the server"
_Place: TypeAlias = tuple[dict[str, Value], Path, Mapping[int, Path]]
"""What is in a frame, where that stands, and the keys of the elements in it that hold frames."""


@dataclass
class Memory:
    """What a reader remembers from look to look: a document that left is judged by what it last held."""

    local: dict[str, Area] = field(default_factory=dict[str, Area])
    """By browser context."""
    session: dict[int, Area] = field(default_factory=dict[int, Area])
    """By number of tab."""
    kept: Kept = field(default_factory=Kept)
    lost: dict[Place, str] = field(default_factory=dict[Place, str])
    """Why the items are not known that an origin stored; see `take_left`."""
    primary: int = 0
    contexts: list[str] = field(default_factory=list[str])
    """In the order in which they were first seen."""
    top: str = ""
    """The browser context whose cookies and storage stand at the top, as long as it is there."""
    documents: dict[str, int] = field(default_factory=dict[str, int])
    """Numbers of the documents by what the browser calls them: its own names differ in equal runs."""

    known: "Mapping[tuple[int, Path], Known]" = field(default_factory=lambda: {})
    """The documents of the last capture, by tab and place."""

    def identity(self, loader: str) -> str:
        """The number of a document, in the order of first sight; "" where it is not known which one it is."""
        return str(self.documents.setdefault(loader, len(self.documents) + 1)) if loader else ""


@dataclass
class _Making:
    secrecy: Secrecy
    memory: Memory
    budget: Budget
    unread: list[Unread] = field(default_factory=list[Unread])
    documents: list[StoredDocument] = field(default_factory=list[StoredDocument])
    known: dict[tuple[int, Path], Known] = field(default_factory=dict[tuple[int, Path], Known])

    def lost(self, path: Path, place: str | int, name: str) -> None:
        """Say of what an origin stored that it is not known."""
        for (where, label), why in self.memory.lost.items():
            if where == place:
                self.missing((*path, "@storage", name, key(label)), why)

    def missing(self, path: Path, reason: str) -> None:
        self.unread.append(Unread(path, format_path(path, style=Style.PAGE), reason, "content"))


def assemble(
    seen: Look,
    *,
    traffic: Traffic,
    notices: Notices,
    secrecy: Secrecy,
    memory: Memory,
    mark: Mark,
    notes: Sequence[Note],
    budget: Budget,
) -> PageSnapshot:
    """The snapshot of a look; updates the memory."""
    making = _Making(secrecy, memory, budget)
    with no_collection():
        return _assembled(seen, traffic, notices, making, mark, notes)


def _assembled(
    seen: Look, traffic: Traffic, notices: Notices, making: _Making, mark: Mark, notes: Sequence[Note]
) -> PageSnapshot:
    memory = making.memory
    take_left(seen, memory, secrecy=making.secrecy, budget=making.budget)
    tree: dict[str, Value] = {}
    primary = _primary(seen, memory)
    others: dict[str, Value] = {}
    for tab in seen.tabs:
        number = key_segment([("n", tab.number)])
        if tab is primary:
            tree.update(_tab(tab, (), making))
        else:
            others[number] = _tab(tab, ("@tabs", number), making)
    memory.known = making.known
    _contexts(seen, primary, tree, making)
    tree["@downloads"] = traffic.downloads()
    tree["@requests"] = traffic.requests()
    tree["@tabs"] = others
    tree |= {"@dialogs": notices.dialogs(), "@console": notices.console()}
    for facet, reason in notices.missing().items():
        making.missing((facet,), reason)
    _downloaded(traffic, tree, making)
    if traffic.too_many:
        making.missing(("@requests",), "more requests or downloads than are recorded")
    if traffic.by_worker:
        making.missing(
            ("@requests",), "a service worker answered in the server's place, which may have been asked otherwise"
        )
    if seen.unheard:
        making.missing(("@requests",), "; ".join(seen.unheard))
    tabs = [why for why in seen.unheard if not why.startswith(WORKER)]
    if tabs and "@dialogs" not in notices.missing():
        making.missing(("@dialogs",), "; ".join(tabs))
    if primary is None:
        making.missing((), "no tab is open")
    return PageSnapshot("browser", tree, mark, tuple(making.unread), tuple(notes), tuple(making.documents))


def _downloaded(traffic: Traffic, tree: dict[str, Value], making: _Making) -> None:
    """What the files hold that were downloaded, where there are any."""
    held, unknown = traffic.downloaded()
    if held:
        tree["@downloaded"] = held
    for place, reason in unknown:
        making.missing(("@downloaded", *place), reason)


def _primary(seen: Look, memory: Memory) -> TabLook | None:
    """The tab whose page stands at the top: the first that shows something, as long as it is open."""
    kept = next((tab for tab in seen.tabs if tab.number == memory.primary and not _blank(tab)), None)
    chosen = kept or next((tab for tab in seen.tabs if not _blank(tab)), seen.tabs[0] if seen.tabs else None)
    memory.primary = 0 if chosen is None else chosen.number
    return chosen


def _blank(tab: TabLook) -> bool:
    return tab.url in ("", "about:blank", "chrome://newtab/", "chrome://new-tab-page/")


def _tab(tab: TabLook, path: Path, making: _Making) -> dict[str, Value]:
    if tab.why:
        making.missing(path, tab.why)
        return {"@url": making.secrecy.url(tab.url)}
    tree: dict[str, Value] = {}
    places: list[_Place] = []
    for walk in tab.walks:
        here, place = _place(walk, tree, path, places, making)
        places.append((here, place, _frame(walk, tab, here, place, making)))
    making.lost(path, tab.number, "session")
    session = _filled(making.memory.session.get(tab.number, {}))
    if session:
        tree["@storage"] = {"session": session}
    return tree


def _place(
    walk: FrameWalk,
    tree: dict[str, Value],
    path: Path,
    places: Sequence[_Place],
    making: _Making,
) -> tuple[dict[str, Value], Path]:
    """The mapping and path for what is in a frame: below `@frames` of its parent, under the key of its element."""
    if walk.parent < 0:
        return tree, path
    above, above_path, frames = places[walk.parent]
    own = frames.get(walk.owner, ())
    while not own or _lookup(above, own):
        own = ("iframe", key_segment([("lost", len(places))]))
    here = above.setdefault("@frames", {})
    for segment in own:
        assert isinstance(here, dict)
        here = here.setdefault(str(segment), {})
    assert isinstance(here, dict)
    return here, (*above_path, "@frames", *own)


def _lookup(above: Mapping[str, Value], own: Path) -> bool:
    here: Value = above.get("@frames", {})
    for segment in own:
        if not isinstance(here, Mapping) or segment not in here:
            return False
        here = here[str(segment)]
    return True


def _frame(walk: FrameWalk, tab: TabLook, here: dict[str, Value], path: Path, making: _Making) -> Mapping[int, Path]:
    """Fill in what a frame holds, or say why it is unread; gives the keys of the frames in it."""
    here["@url"] = making.secrecy.url(walk.url)
    if walk.why:
        making.missing(path, walk.why)
        return {}
    try:
        return _read(walk, tab, here, path, making)
    except (OverBudget, UsageError, ValueError) as error:
        making.missing(path, str(error))
        return {}


def _read(walk: FrameWalk, tab: TabLook, here: dict[str, Value], path: Path, making: _Making) -> Mapping[int, Path]:
    """Fill in what a frame holds: nothing, where it is too much or makes no sense."""
    memory, secrecy = making.memory, making.secrecy
    head_text, _, line = walk.text.partition("\n")
    making.budget.spend(bytes=len(head_text))
    head = cast("Mapping[str, object]", json.loads(head_text))
    if not head["whole"]:
        raise OverBudget("the document is too large to read")
    line = hashed(line, secrecy.print)
    before = memory.known.get((tab.number, path))
    known = know(line, hide=secrecy.hide, typed=secrecy.veil.typed, budget=making.budget, before=before)
    secrecy.names |= known.fresh.secret_names
    filling = filling_of(known, line)
    _storage(head, tab, walk.areas.partition, making)
    memory.kept.take(tab.context, str(head["origin"]), walk.areas, secrecy=secrecy, budget=making.budget)
    making.known[tab.number, path] = known
    here.update(filling.tree)
    here["@url"] = secrecy.url(str(head["url"]))
    if head.get("worker"):
        making.missing((*path, "@loaded"), BETWEEN)
    elif head["loaded"]:
        here["@loaded"] = secrecy.url(str(head["loaded"]))
    if walk.parent < 0:
        here["@title"] = " ".join(str(head["title"]).split())
    for place, reason in filling.missing:
        making.missing((*path, *place), reason)
    for facet in cast("list[str]", head["cut"]):
        making.missing((*path, facet), "it is too long to read")
    making.documents.append(StoredDocument(path, known.packed, tab.number, memory.identity(walk.loader)))
    return filling.frames


def _storage(head: Mapping[str, object], tab: TabLook, partition: str, making: _Making) -> None:
    origin = labelled(str(head["origin"]), partition)
    for name, place, areas in (
        ("local", tab.context, making.memory.local.setdefault(tab.context, {})),
        ("session", tab.number, making.memory.session.setdefault(tab.number, {})),
    ):
        items = head.get(name)
        if isinstance(items, list):
            pairs = cast("list[list[str]]", items)
            making.budget.spend(nodes=len(pairs))
            making.memory.lost.pop((place, origin), None)
            areas[origin] = {key(item): making.secrecy.named(item, text) for item, text in pairs}


def _contexts(seen: Look, primary: TabLook | None, tree: dict[str, Value], making: _Making) -> None:
    """Cookies and local storage, which belong to a browser context; that of the first primary tab stands at the top,
    also when its tabs are closed: whoever goes on in another context leaves them as they are.
    """
    memory = making.memory
    there = [context for context, _ in seen.cookies]
    memory.contexts += [context for context in there if context not in memory.contexts]
    top = memory.top if memory.top in there else "" if primary is None else primary.context
    if primary is not None and not _blank(primary):
        memory.top = top
    others: dict[str, Value] = {}
    for context, text in seen.cookies:
        own = () if context == top else ("@contexts", _context_key(memory, context))
        here = tree if not own else cast("dict[str, Value]", others.setdefault(own[1], {}))
        here["@cookies"] = cookie_values(cast("list[Mapping[str, object]]", json.loads(text)), making.secrecy)
        local = _filled(memory.local.get(context, {}))
        session = cast("Mapping[str, Value]", here.get("@storage", {}))
        kept = memory.kept.storage(context)
        if local or session or kept:
            here["@storage"] = {**({"local": local} if local else {}), **session, **kept}
        here["@permissions"] = memory.kept.permissions(context)
        making.lost(own, context, "local")
        for path, reason in memory.kept.missing(context):
            making.missing((*own, *path), reason)
    if others:
        tree["@contexts"] = others


def _context_key(memory: Memory, context: str) -> str:
    return key_segment([("n", memory.contexts.index(context) + 1)])


def _filled(area: Area) -> dict[str, Value]:
    """Origins with something in their storage: an origin that stores nothing is no change."""
    return {key(origin): items for origin, items in area.items() if items}
