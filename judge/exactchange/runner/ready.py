"""Waits until an application answers, and notices when it never will."""

import asyncio
import http.client
import pathlib
import random
import socket
import subprocess
import urllib.parse
from collections.abc import Callable
from contextlib import suppress

from exactchange.errors import InfrastructureError, UsageError
from exactchange.runner.processes import POLL_S, tail

_ONE_TRY_S = 5.0
_UNGIVEN = range(10_240, 32_768)
"""Below what Linux (32768 and up), macOS and Windows (49152 and up) give by themselves; above what services like."""
_MOST_TRIED = 100


def free_port() -> int:
    """A port on loopback that nobody listens on now.

    It is none of those that the system gives to outgoing connections, of which a browser has many: such a one would
    often be taken before the application comes to listen.
    """
    for port in (*random.sample(_UNGIVEN, _MOST_TRIED), 0):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found: int = probe.getsockname()[1]
            return found
    raise InfrastructureError("no port on loopback can be listened on")


async def wait_ready(
    url: str, process: "subprocess.Popen[bytes] | None", *, output: pathlib.Path, limit_s: float
) -> None:
    """Wait for a 2xx answer. Raises InfrastructureError, with the application's last words, when none comes."""
    await _wait(lambda: _ask(url), url, process, output=output, limit_s=limit_s)


async def wait_listening(
    port: int, process: "subprocess.Popen[bytes] | None", *, output: pathlib.Path, limit_s: float
) -> None:
    """Wait until something listens on a loopback port; raises as `wait_ready`."""
    await _wait(lambda: _knock(port), f"port {port}", process, output=output, limit_s=limit_s)


async def _wait(
    probe: Callable[[], str | None],
    what: str,
    process: "subprocess.Popen[bytes] | None",
    *,
    output: pathlib.Path,
    limit_s: float,
) -> None:
    """Wait until the probe finds nothing wrong."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit_s
    while True:
        ended = process.poll() if process is not None else None
        if ended is not None:
            raise InfrastructureError(f"the application ended with {ended} before it was ready{_words(output)}")
        wrong = await asyncio.to_thread(probe)
        if wrong is None:
            return
        if loop.time() > deadline:
            raise InfrastructureError(f"{what} was not ready within {limit_s:g} s: {wrong}{_words(output)}")
        await asyncio.sleep(POLL_S)


def _knock(port: int) -> str | None:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_ONE_TRY_S):
            return None
    except OSError as error:
        return str(error)


def _ask(url: str) -> str | None:
    """None when it answers 2xx, else what was wrong. Redirects are not followed."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise UsageError(f"app.ready: {url!r} is no http:// address")
    connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=_ONE_TRY_S)
    try:
        connection.request("GET", urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, "")))
        status = connection.getresponse().status
        return None if 200 <= status < 300 else f"it answers {status}"
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()


def _words(output: pathlib.Path) -> str:
    said = tail(output)
    return f"; it said:\n{said}" if said else "; it said nothing"
