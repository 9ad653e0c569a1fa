"""Hears what is done to the pages, from events that no page can see or silence, beside what the agent's log says."""

import asyncio
import importlib.resources
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from exactchange.errors import ExactChangeError
from exactchange.sources.witnessing import Act, Heard
from exactchange.values import Value, dumps
from exactchange_adapters.browser.element import Element, Told, element_of
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.tab import WORLD
from exactchange_adapters.browser.traffic import lasting

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

SAY = "exactChangeSay"
"""The function by which the script in a page tells; only the isolated world of the readers has it."""
MOST_ACTS = (300, 3000)
"""Of a run: those that a page's own scripts may have done, and those that somebody did."""
MOST_BYTES = 8 * 1024 * 1024
"""Of all acts that are kept of a run."""
LONGEST_MESSAGE = 512 * 1024
_REQUESTED_LATE_S = 30.0
"""How long after a page asked for another document the browser may begin to load it."""
_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "fill": ("text",),
    "select": ("values",),
    "check": ("checked",),
    "upload": ("files",),
}
_KINDS = frozenset("click fill select check upload key type submit drag".split())
_BUTTONS = ("left", "middle", "right", "back", "forward")

Tell = Callable[["CDPSession", str, dict[str, object]], None]


@dataclass(slots=True)
class _Tab:
    """What is known of where a tab is going. `asked_at`: when its page last asked for a document by itself."""

    target: str
    begun: bool
    asked_at: float = -_REQUESTED_LATE_S


class Witness:
    """Acts of all tabs of one browser, in the order in which they were heard. `tell` sends without waiting."""

    def __init__(self, secrecy: Secrecy, tell: Tell) -> None:
        self._secrecy = secrecy
        self._tell = tell
        self._acts: list[Act] = []
        self._unheard: dict[str, None] = {}
        self._kept = [0, 0]
        self._bytes = 0
        self._last: tuple[object, ...] | None = None
        self._clicks: dict[tuple[object, ...], int] = {}

    def listen(self, session: "CDPSession", *, tab: str = "", begun: bool = True) -> None:
        """Hear the documents that a session reaches, now and later; `tab`: also where this tab goes, if it is one.

        `begun`: it was there before, so that its next document is no longer the one that it was opened for.
        """
        session.on("Runtime.bindingCalled", partial(self._called, session))
        if tab:
            state = _Tab(tab, begun)
            session.on("Page.frameRequestedNavigation", partial(_requested, state))
            session.on("Page.frameStartedNavigating", partial(self._going, state))
        self._tell(session, "Page.enable", {})
        self._tell(session, "Runtime.enable", {})  # without it no function is put into a world that comes later
        self._tell(session, "Runtime.addBinding", {"name": SAY, "executionContextName": WORLD})
        asked: dict[str, object] = {"source": _script(), "worldName": WORLD, "runImmediately": True}
        self._tell(session, "Page.addScriptToEvaluateOnNewDocument", asked)

    def forget(self) -> None:
        """Begin: what was done before the first capture belongs to bringing the world up."""
        self.take()

    def take(self) -> Heard:
        """What was heard since the last time, without what is known for a secret by now."""
        heard = Heard(tuple(map(self._veiled, self._acts)), tuple(self._unheard))
        self._acts, self._unheard, self._last, self._clicks = [], {}, None, {}
        return heard

    def _veiled(self, act: Act) -> Act:
        veil = self._secrecy.veil
        args = cast("Mapping[str, Value]", veil.over(act.args))
        hidden = act.element is not None and veil.hides(str(act.element.get("nodes")))
        return (
            act if args is act.args and not hidden else replace(act, args=args, element=None if hidden else act.element)
        )

    def _called(self, session: "CDPSession", event: Mapping[str, object]) -> None:
        """`Runtime.bindingCalled`."""
        text = str(event.get("payload"))
        if event.get("name") != SAY:
            return
        try:
            if len(text) > LONGEST_MESSAGE:
                raise ValueError("too long")
            said = cast("object", json.loads(text))
            if not isinstance(said, dict):
                raise TypeError("no mapping")
            self._take(cast("dict[str, object]", said), (id(session), event.get("executionContextId")))
        except (ValueError, TypeError, KeyError, RecursionError, ExactChangeError):
            self._miss("something was done to a page that cannot be told")

    def _take(self, said: Mapping[str, object], world: tuple[object, ...]) -> None:
        kind, sure = str(said["k"]), said.get("t") is True
        if kind == "flood":
            self._miss(f"more {'was done to a page' if sure else 'events were made by a page'} than is listened to")
        elif kind == "reopened":
            self._miss("a page opened its document anew, and may have hidden what was done to it then")
        elif kind in _KINDS:
            element = _element(said, self._secrecy)
            act = Act(kind, _args(kind, said, element), sure, None if element is None else element.known)
            self._add(act, (*world, said.get("i"), kind, sure) if "i" in said else None)

    def _add(self, act: Act, place: tuple[object, ...] | None) -> None:
        position = self._clicks.get(place, -1) if act.kind == "click" and place else len(self._acts) - 1
        if place is not None and position >= 0 and (act.kind == "click" or place == self._last):
            merged = _merged(self._acts[position], act)
            if merged is not None:
                self._acts[position] = merged
                return
        size = len(dumps(act.args)) + len(str((act.element or {}).get("nodes", "")))
        if self._kept[act.sure] >= MOST_ACTS[act.sure] or self._bytes + size > MOST_BYTES:
            self._miss("more was done than is kept")
            return
        self._kept[act.sure] += 1
        self._bytes += size
        self._acts.append(act)
        self._last = place
        if place is not None and act.kind == "click":
            self._clicks[place] = len(self._acts) - 1

    def _miss(self, why: str) -> None:
        self._unheard[why] = None

    def _going(self, tab: _Tab, event: Mapping[str, object]) -> None:
        """`Page.frameStartedNavigating`: of a tab's own document, and not asked for by a page."""
        kind = _GOING.get(str(event.get("navigationType")))
        if event.get("frameId") != tab.target or kind is None:
            return
        first, tab.begun = not tab.begun, True
        asked = _now() - tab.asked_at < _REQUESTED_LATE_S
        tab.asked_at = -_REQUESTED_LATE_S
        if first or asked:
            return
        # A page that goes back in its history asks nobody, so that it may be the page's own doing.
        args: dict[str, Value] = {} if kind == "back" else {"url": lasting(self._secrecy.url(str(event.get("url"))))}
        self._add(Act(kind, args, kind != "back"), None)


_GOING = {
    "differentDocument": "goto",
    "reload": "reload",
    "reloadBypassingCache": "reload",
    "historyDifferentDocument": "back",
}


def _requested(tab: _Tab, event: Mapping[str, object]) -> None:
    """`Page.frameRequestedNavigation`."""
    if event.get("frameId") == tab.target and event.get("disposition") == "currentTab":
        tab.asked_at = _now()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _element(said: Mapping[str, object], secrecy: Secrecy) -> Element | None:
    nodes, at, hit = said.get("n"), said.get("at"), said.get("hit")
    if not isinstance(nodes, str) or type(at) is not int or type(hit) is not int:
        return None
    told = Told(at, hit, said.get("p"), "l" in said, "w" in said and said.get("k") in ("click", "drag"))
    return element_of(nodes, told, secrecy=secrecy)


def _args(kind: str, said: Mapping[str, object], element: Element | None) -> dict[str, Value]:
    args: dict[str, Value] = {} if element is None else {"target": dict(element.target)}
    if kind == "click":
        button, count = said.get("b"), said.get("c")
        args["button"] = _BUTTONS[button] if type(button) is int and 0 <= button < len(_BUTTONS) else "left"
        args["count"] = count if type(count) is int else 0
        x, y = said.get("x"), said.get("y")
        if isinstance(x, int | float) and isinstance(y, int | float):
            args["xy"] = [x, y]
    elif kind == "drag" and said.get("c") == 0:
        args["count"] = 0
    elif kind == "key":
        args["keys"] = str(said.get("keys"))[:100]
    elif element is not None:
        args |= {name: element.held[name] for name in _OF_KIND.get(kind, ()) if name in element.held}
    return args


def _merged(last: Act, act: Act) -> Act | None:
    """Both as one: a field that is written on, a click that was one of two. None where they are two acts."""
    if act.kind == "fill":
        return act
    if act.kind == "type":
        return last
    if act.kind == "click":
        before, now = last.args.get("count"), act.args.get("count")
        if isinstance(before, int) and isinstance(now, int) and now == before + 1 and before > 0:
            return replace(last, args={**last.args, "count": now})
    return None


@cache
def _script() -> str:
    return importlib.resources.files("exactchange_adapters.browser").joinpath("witness.js").read_text(encoding="utf-8")
