"""Reads what an origin keeps that no document shows any more, in a tab of our own that nobody sees.

Such a tab is `hidden`: the browser lists it as no page, so that no client is told of one, and it goes with ours.
Whatever it asks for is answered by us with an empty document, so nothing reaches a server or wakes a service worker.
"""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from exactchange_adapters.browser.areas import Areas, patience_s, read_areas
from exactchange_adapters.browser.world import Gone, Seen, answer, send

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

OLDEST = 140
"""Chromium of this version on knows of hidden tabs; an older one would show a tab to everybody."""
WORLD = "exactchange"
CLOSE_LIMIT_S = 1.0
_LATE: set[asyncio.Future[None]] = set()
"""Held, as the loop itself does not."""
_EMPTY = base64.b64encode(b'<!doctype html><link rel="icon" href="data:,">').decode()
_HEADERS = [
    {"name": "content-type", "value": "text/html; charset=utf-8"},
    {"name": "content-security-policy", "value": "default-src 'none'"},
]
_ITEMS = """(() => {
  const area = window.localStorage, out = [];
  for (let number = 0; number < area.length; number++) {
    const key = Storage.prototype.key.call(area, number);
    out.push([key, Storage.prototype.getItem.call(area, key)]);
  }
  return JSON.stringify([window.origin, out]);
})()"""


@dataclass(frozen=True, slots=True)
class Kept:
    """What an origin kept: `items` of its local storage; nothing where it is unread (`why`)."""

    items: tuple[tuple[str, str], ...] = ()
    areas: Areas = Areas()
    why: str = ""


async def can_hide(browser: "CDPSession") -> bool:
    """Whether this browser has tabs that nobody sees. Raises Gone when it does not answer."""
    return hides(str((await send(browser, "Browser.getVersion", {}))["product"]))


def hides(product: str) -> bool:
    """The same of what a browser calls itself, such as `Chrome/140.0.1`: the shell without a surface has none."""
    name, _, version = product.partition("/")
    major = version.partition(".")[0]
    return name in ("Chrome", "Edg") and major.isdecimal() and int(major) >= OLDEST


async def read_aside(browser: "CDPSession", context: str, origin: str, *, limit_s: float) -> Kept:
    """What this origin, such as `http://a.test:8000`, keeps in a browser context; unread when not within the limit."""
    try:
        async with asyncio.timeout(limit_s), _hidden(browser, context, origin) as tab:
            return await _read(tab, origin, limit_s)
    except TimeoutError:
        return _unread("it did not answer in time")
    except (Gone, ValueError) as error:
        return _unread(f"it cannot be read: {str(error)[:200]}")


def _unread(why: str) -> Kept:
    why = f"it was left, and {why}"
    return Kept((), Areas(why=why), why)


async def _read(tab: "_Hidden", origin: str, limit_s: float) -> Kept:
    went = await tab.send("Page.navigate", {"url": f"{origin}/"})
    if went.get("errorText"):
        raise ValueError(str(went["errorText"]))
    frame = str(went["frameId"])
    made = await tab.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
    seen = Seen(0, cast("CDPSession", tab), cast("int", made["executionContextId"]))
    shown, items = cast("tuple[str, list[list[str]]]", json.loads(await answer(seen, _ITEMS)))
    if shown != origin:
        raise ValueError("another origin was shown in its place")
    walked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    walked.set_result(None)
    areas = await read_areas(seen, frame, main=True, patience_s=patience_s(limit_s), walking=walked)
    return Kept(tuple((key, value) for key, value in items), areas)


class _Hidden:
    """Speaks to one target over the connection to the browser: a session of its own is for pages only."""

    def __init__(self, browser: "CDPSession", session: str, origin: str) -> None:
        self._origin = origin
        self._browser = browser
        self._session = session
        self._asked = 0
        self._waiting: dict[int, asyncio.Future[Mapping[str, object]]] = {}
        self._tasks: set[asyncio.Future[None]] = set()

    async def send(self, method: str, params: Mapping[str, object]) -> Mapping[str, object]:
        """What the target answers. Raises Gone when it has an error instead."""
        self._asked += 1
        number = self._asked
        self._waiting[number] = asyncio.get_running_loop().create_future()
        message = json.dumps({"id": number, "method": method, "params": dict(params)})
        try:
            await send(self._browser, "Target.sendMessageToTarget", {"sessionId": self._session, "message": message})
            return await self._waiting[number]
        finally:
            del self._waiting[number]

    def on_message(self, event: Mapping[str, object]) -> None:
        """`Target.receivedMessageFromTarget`, of any target."""
        if event.get("sessionId") != self._session:
            return
        said = cast("Mapping[str, object]", json.loads(str(event["message"])))
        if said.get("method") == "Fetch.requestPaused":
            self._answer(cast("Mapping[str, object]", said["params"]))
        waiting = self._waiting.get(cast("int", said.get("id", 0)))
        if waiting is None or waiting.done():
            return
        if "error" in said:
            waiting.set_exception(Gone(json.dumps(said["error"])))
        else:
            waiting.set_result(cast("Mapping[str, object]", said.get("result", {})))

    def _answer(self, paused: Mapping[str, object]) -> None:
        url = str(cast("Mapping[str, object]", paused["request"])["url"])
        task = asyncio.ensure_future(self._end(str(paused["requestId"]), meant=url.startswith(f"{self._origin}/")))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self, request: str, *, meant: bool) -> None:
        """A browser may try `https` first by itself: it is told that nobody answers there."""
        asked: dict[str, object] = {"requestId": request}
        with suppress(Gone):  # what it was for is gone
            if meant:
                document = {"responseCode": 200, "responseHeaders": _HEADERS, "body": _EMPTY}
                await self.send("Fetch.fulfillRequest", {**asked, **document})
            else:
                await self.send("Fetch.failRequest", {**asked, "errorReason": "ConnectionRefused"})

    def end(self) -> None:
        """Nobody waits for it any more."""
        for task in self._tasks:
            task.cancel()


@asynccontextmanager
async def _hidden(browser: "CDPSession", context: str, origin: str) -> "AsyncGenerator[_Hidden]":
    wanted: dict[str, object] = {"url": "about:blank", "hidden": True, "background": True, "browserContextId": context}
    target = await _created(browser, wanted)
    try:
        info = await send(browser, "Target.getTargetInfo", {"targetId": target})
        if cast("Mapping[str, object]", info["targetInfo"])["type"] == "page":
            raise ValueError("this browser hides no tabs")
        session = await send(browser, "Target.attachToTarget", {"targetId": target, "flatten": False})
        tab = _Hidden(browser, str(session["sessionId"]), origin)
        browser.on("Target.receivedMessageFromTarget", tab.on_message)
        try:
            await tab.send("Network.enable", {})
            await tab.send("Network.setBypassServiceWorker", {"bypass": True})
            await tab.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
            yield tab
        finally:
            browser.remove_listener("Target.receivedMessageFromTarget", tab.on_message)
            tab.end()
    finally:
        await _close(browser, target)


async def _created(browser: "CDPSession", wanted: dict[str, object]) -> object:
    """The new target. One that comes too late is closed as it comes."""
    creating = asyncio.ensure_future(send(browser, "Target.createTarget", wanted))
    try:
        return (await asyncio.shield(creating))["targetId"]
    except asyncio.CancelledError:
        late = asyncio.ensure_future(_close_late(browser, creating))
        _LATE.add(late)
        late.add_done_callback(_LATE.discard)
        raise


async def _close_late(browser: "CDPSession", creating: "asyncio.Future[Mapping[str, object]]") -> None:
    with suppress(Gone):
        await _close(browser, (await creating)["targetId"])


async def _close(browser: "CDPSession", target: object) -> None:
    with suppress(Gone, TimeoutError):
        async with asyncio.timeout(CLOSE_LIMIT_S):
            await send(browser, "Target.closeTarget", {"targetId": target})
