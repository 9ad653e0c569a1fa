"""The debugging address of a browser: asked before anything is attached to, so that a wrong one says what is wrong."""

import asyncio
import http.client
import json
import re
from typing import cast
from urllib.parse import SplitResult, urlsplit, urlunsplit

from exactchange.errors import InfrastructureError

ASK_LIMIT_S = 10.0
"""How long an address may be silent; a busy machine's browser takes a second."""
LARGEST_ANSWER = 1024 * 1024
_LONGEST_REASON = 300
_ADDRESS = re.compile(r"(?:ws|http)s?://\S+", re.IGNORECASE)
REMEDY = "a Chromium that was started with --remote-debugging-port=N answers at http://127.0.0.1:N"


async def endpoint_of(cdp_url: str) -> str:
    """The address to connect to. `http` is asked for its WebSocket, and so is a `ws` that names no path.

    No proxy is used. Raises InfrastructureError where nothing answers within ASK_LIMIT_S or what does is no browser.
    """
    parts = _parts(cdp_url)
    if parts.scheme in ("https", "wss") or (parts.scheme == "ws" and parts.path.strip("/")):
        return cdp_url
    path = f"{parts.path.rstrip('/')}/json/version"
    asking = asyncio.to_thread(ask, parts.hostname or "", parts.port or 80, path, query=parts.query)
    try:
        answer = await asyncio.wait_for(asking, ASK_LIMIT_S)
    except (TimeoutError, OSError, http.client.HTTPException) as error:
        why = str(error) or f"no answer within {ASK_LIMIT_S:.0f} s"
        raise InfrastructureError(f"nothing answers at {shown(cdp_url)} ({why}); {REMEDY}") from error
    except ValueError as error:
        raise InfrastructureError(f"what answers at {shown(cdp_url)} is no browser: {error}; {REMEDY}") from error
    said = cast("dict[str, object]", answer) if isinstance(answer, dict) else {}
    socket = said.get("webSocketDebuggerUrl")
    if not isinstance(socket, str):
        told = said.get("Browser", "")
        called = f"it calls itself {str(told)[:80]!r}" if told else "it names no browser"
        raise InfrastructureError(f"what answers at {shown(cdp_url)} is no browser: {called}; {REMEDY}")
    return socket


def ask(host: str, port: int, path: str, *, query: str = "") -> object:
    """The JSON at a path of a debugging address.

    Raises OSError or HTTPException where nothing answers, ValueError where what does is no such thing.
    """
    connection = http.client.HTTPConnection(host, port, timeout=ASK_LIMIT_S)
    try:
        connection.request("GET", f"{path}?{query}" if query else path)
        answer = connection.getresponse()
        data = answer.read(LARGEST_ANSWER)
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise ValueError(f"it answers {answer.status} for {path}")
    try:
        return cast("object", json.loads(data))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"what it has at {path} is no JSON") from error


def shown(cdp_url: str) -> str:
    """The address for people: without a user's name, a password or a query, which may be a key to a rented browser."""
    try:
        parts = urlsplit(cdp_url)
    except ValueError:
        return "the address"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def told(message: str) -> str:
    """What a driver says of an address, in a line: it repeats addresses in a spelling of its own, and whole answers."""
    return _ADDRESS.sub(lambda found: shown(found[0]), message.strip().partition("\n")[0])[:_LONGEST_REASON]


def _parts(cdp_url: str) -> SplitResult:
    try:
        parts = urlsplit(cdp_url)
        usable = parts.scheme in ("http", "https", "ws", "wss") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable, parts = False, SplitResult("", "", "", "", "")
    if not usable:
        raise InfrastructureError(f"{shown(cdp_url)!r} is no debugging address; {REMEDY}")
    return parts
