"""What an origin keeps besides documents, as its frames tell it: databases, caches, service workers, permissions."""

import asyncio
import importlib.resources
import json
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

from exactchange_adapters.browser.world import Gone, Seen, answer, send

T = TypeVar("T")
MOST_BYTES = 8 * 1024 * 1024
"""Of one database."""
MOST_OF_ALL = 8 * MOST_BYTES
"""Of all databases of an origin, shared out evenly: which one is too large must not depend on which is read first."""
MOST_NAMES = 200
LONGEST_NAMES = 256 * 1024
"""Characters of the names of all databases, caches or workers of an origin."""
DEEPEST = 40
BATCH = 200
PATIENCE_S = 3.0
"""How long an origin's stores may take to answer, such as one that a page holds open for itself."""
IMPATIENCE_S = 1.0
"""Half of it, and half again, for those that come after one that did not answer, or did not answer the last time."""
PATIENCE_SHARE = 0.3
"""Of the time that there is for a tab, at most."""
ASKED_FOR = (
    "camera",
    "clipboard-read",
    "display-capture",
    "geolocation",
    "idle-detection",
    "local-fonts",
    "local-network-access",
    "microphone",
    "midi",
    "notifications",
    "persistent-storage",
    "window-management",
)
"""The permissions that a person is asked for; others are granted or denied without a word."""
_LIMITS = {
    "bytes": MOST_BYTES,
    "all": MOST_OF_ALL,
    "names": MOST_NAMES,
    "named": LONGEST_NAMES,
    "depth": DEEPEST,
    "batch": BATCH,
}


@dataclass(frozen=True, slots=True)
class Areas:
    """What a frame told of its origin. `partition`: the site within which it stores apart, "" where it does not.

    `text` is JSON, "" when unread (`why`).
    """

    text: str = ""
    partition: str = ""
    why: str = ""


async def read_areas(seen: Seen, frame: str, *, main: bool, patience_s: float, walking: "asyncio.Future[T]") -> Areas:
    """Ask a frame's world. Opens databases at the version that they have, and closes them again, whatever happens.

    `main`: the frame is a tab's own, which is asked for permissions. `walking`: the walk of it; as long as that lasts,
    the page's process cannot answer, and patience begins when it is over. Raises `Gone` when the document was replaced.
    """
    partition = "" if main else await _partition(seen, frame)
    names = ASKED_FOR if main else ()
    try:
        text = await _answered(answer(seen, _begin(names), promised=True), walking, patience_s)
        return Areas(text, partition, "" if text else "it was asked for by another reader as well")
    except TimeoutError:
        text = await answer(seen, "globalThis.exactChangeAreas?.end() ?? ''")
        return Areas(text, partition) if text else Areas("", partition, "it did not answer in time")
    except ValueError as error:
        return Areas("", partition, f"it cannot be read: {error}")


async def _answered(asking: Coroutine[object, object, str], walking: "asyncio.Future[T]", patience_s: float) -> str:
    asked = asyncio.ensure_future(asking)
    both: set[asyncio.Future[Any]] = {asked, walking}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        return await asyncio.wait_for(asked, patience_s)
    finally:
        asked.cancel()  # where the look is given up, nobody waits for it


def patience_s(left_s: float) -> float:
    """How long the first frame of a tab may take, with so much time left for all of it."""
    return min(PATIENCE_S, PATIENCE_SHARE * left_s)


def impatient(patience: float) -> float:
    """The same for one that was late before, and for the next one after one that was late: all of them take no longer
    than two.
    """
    return min(patience, IMPATIENCE_S) / 2


def late(areas: Areas) -> bool:
    """Whether something in there did not answer in time."""
    return "did not answer in time" in (areas.why or areas.text)


def told_by(areas: Areas, origin: str) -> bool:
    """Whether it was this origin that told it."""
    return areas.text.startswith(f'{{"origin":{json.dumps(origin, ensure_ascii=False)},')


async def _partition(seen: Seen, frame: str) -> str:
    """The site below whose pages a frame of another site has stores of its own."""
    try:
        found = await send(seen.session, "Storage.getStorageKeyForFrame", {"frameId": frame})
    except Gone as error:
        if "opaque origin" in str(error):
            return ""  # such as a data address: it stores nothing
        raise
    return partition_of(cast("str", found["storageKey"]))


def partition_of(storage_key: str) -> str:
    """The site that a browser's own name of a store says it is within; "" for that of a tab's own pages."""
    _, inside, rest = storage_key.partition("^")
    return (rest[1:] if rest.startswith("0") else f"^{rest}") if inside else ""


def _begin(names: Sequence[str]) -> str:
    return f"{_world()}.begin({json.dumps(_LIMITS)}, {json.dumps(names)})"


@cache
def _world() -> str:
    script = importlib.resources.files("exactchange_adapters.browser").joinpath("areas.js").read_text(encoding="utf-8")
    _, arrow, maker = script.partition("\n() =>")
    kept = 'Object.hasOwn(globalThis, "exactChangeAreas")'
    return f"({kept} ? globalThis.exactChangeAreas : ({arrow}{maker.rstrip()})())"
