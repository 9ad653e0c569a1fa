"""A browser, a server on loopback with one page, an agent that works in it, and a reader's connection."""

import http.server
import pathlib
import tempfile
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playwright.async_api import CDPSession, Page, async_playwright

from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange_adapters.browser.assemble import Memory, assemble
from exactchange_adapters.browser.attach import Attached, attach
from exactchange_adapters.browser.launch import launch_browser
from exactchange_adapters.browser.look import Look, look
from exactchange_adapters.browser.snapshot import PageSnapshot

LIMIT_S = 60.0


@dataclass
class Stage:
    """What the measured ways work with. `page` and `session` are the agent's, `attached` is the judge's."""

    page: Page
    session: CDPSession
    attached: Attached
    memory: Memory = field(default_factory=Memory)
    last: tuple[Look, PageSnapshot] | None = None

    async def capture(self) -> PageSnapshot:
        """One look and the snapshot of it with its digest, as the reader makes them after a step, less the waiting."""
        seen = await look(self.attached, limit_s=LIMIT_S)
        if self.last is not None and self.last[0] == seen:
            return self.last[1].at(Mark(0))
        snapshot = assemble(
            seen,
            traffic=self.attached.traffic,
            notices=self.attached.notices,
            secrecy=self.attached.secrecy,
            memory=self.memory,
            mark=Mark(0),
            notes=[],
            budget=CountedBudget(),
        )
        assert snapshot.digest and not snapshot.unread, snapshot.unread
        self.last = (seen, snapshot)
        return snapshot


@asynccontextmanager
async def staged(html: str) -> AsyncGenerator[Stage]:
    """A stage on which this page is shown."""
    with tempfile.TemporaryDirectory(prefix="exactchange-bench-") as name, _served(html) as url:
        async with (
            launch_browser(start=None, headless=True, scratch=pathlib.Path(name)) as browser,
            async_playwright() as playwright,
        ):
            agent = await playwright.chromium.connect_over_cdp(browser.cdp_url)
            page = agent.contexts[0].pages[0]
            await page.goto(url)
            async with attach(browser.cdp_url, own=True) as attached:
                yield Stage(page, await agent.contexts[0].new_cdp_session(page), attached)


class _served:
    """A server that answers every request with one page."""

    def __init__(self, html: str) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                """Nobody reads it."""

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(html.encode())

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}/"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
