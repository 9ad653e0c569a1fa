"""A stage for the tests: one real Chromium, a server, an agent with a Playwright of its own, and readers."""

import asyncio
import http.server
import os
import pathlib
import threading
import zlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import TypeVar

from playwright.async_api import Browser, Page, async_playwright

from exactchange.address import Style, format_path, nodes, parse_pattern
from exactchange.diff import Change
from exactchange.errors import UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange.sources import Reader, diff_snapshots
from exactchange.sources.standing import misplaced
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.launch import Launched, launch_browser
from exactchange_adapters.browser.params import BrowserParams, ElementSelector
from exactchange_adapters.browser.snapshot import PageSnapshot
from exactchange_adapters.browser.standings import STANDINGS

T = TypeVar("T")
Answer = tuple[int, Mapping[str, str], bytes]
SAMPLED = int(os.environ.get("SAMPLED", "10"))
HTML: Mapping[str, str] = {"content-type": "text/html; charset=utf-8"}


@dataclass(frozen=True)
class World:
    """What `KIND.open` asks of a run."""

    workdir: pathlib.Path
    cdp_url: str | None
    claimed: frozenset[pathlib.Path] = frozenset()
    own_browser: bool = True


@dataclass
class Site:
    """A server on loopback: what it answers by path, and what it was asked."""

    pages: dict[str, "str | Answer | Callable[[], Answer]"] = field(default_factory=lambda: {})
    asked: list[str] = field(default_factory=list[str])
    port: int = 0

    def at(self, path: str = "/", *, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def answer(self, method: str, path: str) -> Answer:
        self.asked.append(f"{method} {path}")
        page = self.pages.get(f"{method} {path}", self.pages.get(path.partition("?")[0], ""))
        if callable(page):
            return page()
        if isinstance(page, str):
            return 200 if page else 404, HTML, page.encode()
        return page


def serve() -> tuple[Site, http.server.ThreadingHTTPServer]:
    site = Site()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """The tests look at `Site.asked`."""

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", "0")))
            self._answer()

        def _answer(self) -> None:
            status, headers, body = site.answer(self.command, self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return site, server


class Stage:
    """Runs on one event loop in a thread of its own, so that tests stay plain functions."""

    def __init__(self, scratch: pathlib.Path) -> None:
        self._scratch = scratch
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._stack = AsyncExitStack()
        self.browser: Launched
        self.agent: Browser
        self._reader: Reader[PageSnapshot] | None = None

    def run(self, work: Coroutine[object, object, T], *, limit_s: float = 60) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(limit_s)

    def start(self) -> None:
        self._thread.start()
        self.run(self._start())

    def stop(self) -> None:
        self.run(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _start(self) -> None:
        self.browser = await self._stack.enter_async_context(
            launch_browser(start=None, headless=True, scratch=self._scratch)
        )
        playwright = await self._stack.enter_async_context(async_playwright())
        self.agent = await playwright.chromium.connect_over_cdp(self.browser.cdp_url)

    async def clear(self) -> None:
        """One blank tab and no cookie, as a browser that has just been started."""
        context = self.agent.contexts[0]
        for other in self.agent.contexts[1:]:
            await other.close()
        for page in context.pages[1:]:
            await page.close()
        if not context.pages:
            await context.new_page()
        if context.pages[0].url != "about:blank":  # else the two navigations of a new browser may wait for each other
            await context.pages[0].goto("about:blank")
        await context.clear_cookies()

    @property
    def page(self) -> Page:
        return self.agent.contexts[0].pages[0]

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator["Captures"]:
        world = World(self._scratch, self.browser.cdp_url)
        async with KIND.open(BrowserParams(), world=world) as reader:
            yield Captures(reader)


class Captures:
    """A reader that numbers its captures."""

    def __init__(self, reader: Reader[PageSnapshot]) -> None:
        self._reader = reader
        self._last: PageSnapshot | None = None
        self._step = -1

    async def take(self, *, deadline_s: float = 15) -> PageSnapshot:
        self._last = await self._reader.capture(mark=Mark(self._step), previous=self._last, deadline_s=deadline_s)
        self._step += 1
        strange = misplaced_in(self._last)
        assert not strange, strange
        return self._last


def misplaced_in(snapshot: PageSnapshot) -> list[str]:
    """What is in a snapshot and, by the standings of the kind, never is: some of each facet, and of the elements."""
    tree: Mapping[str, Value] = snapshot.tree if isinstance(snapshot.tree, Mapping) else {}
    parts = [nodes({name: tree[name]}) for name in tree if name.startswith("@")]
    parts.append(nodes({name: value for name, value in tree.items() if not name.startswith("@")}))
    some = [pair for part in parts for pair in islice(part, SAMPLED)]
    found = ((path, misplaced(path, value, STANDINGS, slashed=False)) for path, value in some)
    return [f"{format_path(path, style=Style.PAGE)}: {why}" for path, why in found if why is not None]


def changes(before: PageSnapshot, after: PageSnapshot, **params: object) -> list[Change]:
    source = BrowserParams.model_validate(params)
    return list(diff_snapshots(KIND, "page", before, after, params=source, budget=CountedBudget()).changes)


def changed(before: PageSnapshot, after: PageSnapshot) -> dict[str, tuple[object, object]]:
    return {change.address: (change.before, change.after) for change in changes(before, after)}


def leaves(snapshot: PageSnapshot) -> dict[str, Value]:
    """Every scalar and list of the tree by its address."""
    return {
        format_path(path, style=Style.PAGE): value
        for path, value in nodes(snapshot.tree)
        if not isinstance(value, Mapping) and not any(isinstance(segment, int) for segment in path)
    }


def at(snapshot: PageSnapshot, address: str) -> list[Value]:
    return [match.value for match in KIND.find(snapshot, parse_pattern(address), budget=CountedBudget())]


def requests_of(snapshot: PageSnapshot) -> list[Mapping[str, Value]]:
    """The entries of `@requests`, in order."""
    return [item for item in at(snapshot, "@requests[*]") if isinstance(item, Mapping)]


def pick(snapshot: PageSnapshot, **selector: object) -> list[Value]:
    wanted = ElementSelector.model_validate(selector)
    return [match.value for match in KIND.select(snapshot, wanted, budget=CountedBudget())]


def drivers() -> set[int]:
    """Process ids of the Playwright drivers that this process started."""
    found: set[int] = set()
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes()
        except (OSError, ValueError):
            continue  # it has ended
        if parent == os.getpid() and b"playwright" in command and b"node" in command:
            found.add(int(entry.name))
    return found


class Blobs:
    """A store of blobs in memory; see `exactchange.sources.BlobStore`."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        name = blake2b(data, digest_size=32).hexdigest()
        self._blobs[name] = data
        return name

    def get(self, name: str, *, limit: int) -> bytes:
        data = self._blobs.get(name)
        if data is None or len(data) > limit:
            raise UsageError(f"no blob {name}")
        return data

    def unpacked(self) -> list[bytes]:
        return [zlib.decompress(data) for data in self._blobs.values()]
