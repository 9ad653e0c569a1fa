"""Clears away what a reader made in the pages of a browser that goes on: nothing listens any more or takes room."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from exactchange_adapters.browser.world import Gone, send

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

LIMIT_S = 1.0
"""A page that hangs keeps what it has: nobody waits for it."""
# Which fields held passwords stays known, to the next reader as well.
_LEAVE = """(() => {
  if (Object.hasOwn(globalThis, "exactChangeLeave")) globalThis.exactChangeLeave();
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (/^exactChange(?!Secrets|Say)/.test(name)) delete globalThis[name];
})()"""


async def leave(sessions: Iterable["CDPSession"], *, world: str) -> None:
    """Clear the isolated worlds of this name in all frames that these sessions reach; what does not answer is left."""
    try:
        async with asyncio.timeout(LIMIT_S):
            await asyncio.gather(*(_leave(session, world) for session in sessions))
    except TimeoutError:
        return  # it goes with the page


async def _leave(session: "CDPSession", world: str) -> None:
    try:
        answer = await send(session, "Page.getFrameTree", {})
        for frame in _frames(cast("Mapping[str, object]", answer["frameTree"])):
            made = await send(session, "Page.createIsolatedWorld", {"frameId": frame, "worldName": world})
            await send(session, "Runtime.evaluate", {"expression": _LEAVE, "contextId": made["executionContextId"]})
    except Gone:
        return  # the page went, and all of this with it


def _frames(tree: Mapping[str, object]) -> list[str]:
    below = cast("Iterable[Mapping[str, object]]", tree.get("childFrames", ()))
    own = str(cast("Mapping[str, object]", tree["frame"])["id"])
    return [own, *(name for child in below for name in _frames(child))]
