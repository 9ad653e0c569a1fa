"""The isolated world of one frame: what is asked of it, and how closed shadow trees are opened to it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from exactchange_adapters.browser.closed import SNAPSHOT, WHOLE, any_closed, closed_roots

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

_OPENED = "function() { const c = exactChangeClosed, n = !c.has(this.host); c.set(this.host, this); return n; }"
# Asked of the prototype: an element of the page may be called like a property of the document.
_TOP = "Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement').get.call(document)"


class Gone(Exception):
    """The document was replaced while it was being read; the next look finds the new one."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A frame that was walked: position of its walk, the session that reaches it, its isolated world."""

    position: int
    session: "CDPSession"
    world: int


async def answer(seen: Seen, expression: str, *, promised: bool = False) -> str:
    """The text that an expression stands for, or `promised`, comes to. Raises ValueError with what it says instead."""
    asked: dict[str, object] = {"expression": expression, "contextId": seen.world, "returnByValue": True}
    if promised:
        asked["awaitPromise"] = True
    said = await send(seen.session, "Runtime.evaluate", asked)
    value = cast("Mapping[str, object]", said["result"]).get("value")
    if not isinstance(value, str):
        details = cast("Mapping[str, object]", said.get("exceptionDetails", {}))
        raise ValueError(str(details.get("text", "no answer"))[:200])
    return value


async def open_one(seen: Seen, number: int) -> bool:
    """Whether an element has a closed shadow tree; if so, the next walk sees it. Nothing in the page changes."""
    element = await object_of(
        seen, "Runtime.evaluate", {"expression": f"exactChangeHosts[{number}]", "contextId": seen.world}
    )
    described = await send(seen.session, "DOM.describeNode", {"objectId": element})
    node = cast("Mapping[str, object]", described["node"])
    for root in cast("Sequence[Mapping[str, object]]", node.get("shadowRoots", ())):
        if root.get("shadowRootType") == "closed":
            await _open_root(seen, root["backendNodeId"])
            return True
    return False


async def open_all(seen: Seen, frame: str) -> list[bool]:
    """For each closed shadow tree of a frame whether it is one that no walk has seen yet: the next one sees it."""
    if not any_closed(await send(seen.session, "DOMSnapshot.captureSnapshot", dict(SNAPSHOT)), frame):
        return []
    top = await object_of(seen, "Runtime.evaluate", {"expression": _TOP, "contextId": seen.world})
    answer = await send(seen.session, "DOM.describeNode", {"objectId": top, **WHOLE})
    return await asyncio.gather(*(_open_root(seen, root) for root in closed_roots(answer)))


async def _open_root(seen: Seen, backend_id: object) -> bool:
    tree = await node_of(seen, backend_id)
    return await call_on(seen, tree, _OPENED) is True


async def object_of(seen: Seen, method: str, params: dict[str, object]) -> object:
    """The object that the browser answers with. Raises Gone when there is none."""
    answer = await send(seen.session, method, params)
    name = "object" if method == "DOM.resolveNode" else "result"
    found = cast("Mapping[str, object]", answer[name])
    if "objectId" not in found:
        raise Gone(f"{method}: the element is not there any more")
    return found["objectId"]


async def node_of(seen: Seen, backend_id: object) -> object:
    """The object of a node in the isolated world."""
    return await object_of(seen, "DOM.resolveNode", {"backendNodeId": backend_id, "executionContextId": seen.world})


async def call_on(seen: Seen, this: object, function: str) -> object:
    """What a function says of an object, as plain data."""
    answer = await send(
        seen.session,
        "Runtime.callFunctionOn",
        {"objectId": this, "functionDeclaration": function, "returnByValue": True},
    )
    return cast("Mapping[str, object]", answer["result"]).get("value")


async def send(session: "CDPSession", method: str, params: dict[str, object]) -> Mapping[str, object]:
    """What the browser answers. Raises Gone when it has an error instead: the document or tab is not there any more."""
    from playwright.async_api import Error

    try:
        return cast("Mapping[str, object]", await session.send(method, params))
    except Error as error:
        raise Gone(f"{method}: {error.message}") from error
