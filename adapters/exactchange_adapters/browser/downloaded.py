"""What is in the files that pages download, where the browser runs on this machine and says where it puts them."""

import asyncio
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exactchange.values import ABSENT, State
from exactchange_adapters.browser.secrets import MARK, Secrecy, looks_secret
from exactchange_adapters.browser.world import Gone, send

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

LARGEST = 64 * 1024 * 1024
"""Bytes of one file."""
MOST_OF_ALL = 4 * LARGEST
MOST_FILES = 1000
LONGEST_S = 5.0
LOOKED_THROUGH = 1024 * 1024
"""In a file of so many bytes secrets are looked for."""
ELSEWHERE = "only of a browser that the judge started is it known where it puts a file"
NOT_SAID = "the browser did not say where it put the file"
_WORDS = re.compile(r"[\w-]+")
_BLOCK = 1024 * 1024
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Unknown(Exception):
    """What a file held cannot be told; the message says why, for people."""


@dataclass
class Contents:
    """What was in each file once it was there. `here`: the browser is one that was started on this machine.

    `told` is called whenever more is known.
    """

    secrecy: Secrecy
    here: bool
    told: Callable[[], None]
    _held: dict[str, State] = field(default_factory=dict[str, State])
    """By the browser's name for a download; ABSENT where it cannot be told."""
    _why: dict[str, str] = field(default_factory=dict[str, str])
    _names: dict[str, str] = field(default_factory=dict[str, str])
    _bytes: int = 0
    _reading: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def listen(self, session: "CDPSession") -> None:
        """Hear, over the browser's own session, where files are put; where they go stays as its clients want it.

        The browser tells it only to who also says where to put them: so that is said of a context of no use.
        """
        if not self.here:
            return
        session.on("Browser.downloadWillBegin", self._begins)
        session.on("Browser.downloadProgress", self._goes_on)
        try:
            made = await send(session, "Target.createBrowserContext", {})
            context = {"browserContextId": made["browserContextId"]}
            await send(
                session, "Browser.setDownloadBehavior", {"behavior": "default", "eventsEnabled": True, **context}
            )
            await send(session, "Target.disposeBrowserContext", context)
        except Gone:
            self.here = False

    def of(self, name: str, state: str) -> State:
        """The SHA-256 of what a download brought, a keyed hash of what is secret; None of one that was canceled."""
        if state == "canceled":
            return None
        return self._held.get(name, ABSENT) if state == "completed" else ABSENT

    def why(self, name: str, state: str) -> str:
        """Why it is not known."""
        if state == "inProgress":
            return "the download is not at its end"
        return self._why.get(name, NOT_SAID if self.here else ELSEWHERE)

    def awaited(self, name: str) -> bool:
        """Whether it is still to be told of a download that is complete."""
        return self.here and name not in self._held

    def give_up(self, name: str) -> None:
        """It was waited for in vain: what comes later is taken all the same."""
        self._held.setdefault(name, ABSENT)

    def _begins(self, event: Mapping[str, object]) -> None:
        """`Browser.downloadWillBegin`."""
        if len(self._names) < MOST_FILES:
            self._names[str(event.get("guid"))] = str(event.get("suggestedFilename"))

    def _goes_on(self, event: Mapping[str, object]) -> None:
        """`Browser.downloadProgress`."""
        name, path, size = str(event.get("guid")), event.get("filePath"), event.get("receivedBytes")
        if event.get("state") == "completed" and name in self._names and isinstance(path, str) and path:
            task = asyncio.ensure_future(self._take(name, path, int(size) if isinstance(size, int | float) else 0))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    async def _take(self, name: str, path: str, size: int) -> None:
        try:
            if size > LARGEST or self._bytes + size > MOST_OF_ALL:
                raise Unknown("the file is too large to read")
            self._bytes += size
            digest, text = await asyncio.to_thread(read_file, path, size)
            called = _WORDS.findall(self._names[name])
            secret = any(map(looks_secret, called)) or self.secrecy.veil.hides(text)
            self._held[name] = {MARK: self.secrecy.print(digest)} if secret else digest
        except Unknown as error:
            self._held[name] = ABSENT
            self._why[name] = str(error)
        self.told()


def read_file(path: str, size: int) -> tuple[str, str]:
    """The SHA-256 of a file of so many bytes, as 64 hexadecimal digits, and its text where it is short, else "".

    Raises Unknown where there is no such file.
    """
    end = time.monotonic() + LONGEST_S
    whole, start, left = hashlib.sha256(), b"", size
    try:
        opened = os.open(path, _FLAGS)
        with os.fdopen(opened, "rb") as file:
            about = os.fstat(opened)
            if not stat.S_ISREG(about.st_mode) or about.st_size != size:
                raise Unknown("the file was changed before it could be read")
            while left > 0 and (block := file.read(min(left, _BLOCK))):
                whole.update(block)
                left -= len(block)
                start = start or block
                if time.monotonic() > end:
                    raise Unknown("the file could not be read in time")
    except (OSError, ValueError) as error:  # a path with a NUL in it
        raise Unknown("the file was taken away before it could be read") from error
    if left:
        raise Unknown("the file was changed before it could be read")
    return whole.hexdigest(), start.decode("utf-8", "replace") if size <= LOOKED_THROUGH else ""
