"""The adapter keeps the contract that every adapter keeps, and idles on the applications that ship."""

import pathlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tests.adapters.browser.stage import Site, Stage, at, changes

from exactchange.testing import Bench, check_adapter
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams

EVERYTHING = ["controls", "text", "url", "title", "tabs", "requests"]


def test_the_browser_passes_the_adapter_kit(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    site.pages["/"] = "<form><label>Name <input name=who></label><select name=c><option>a<option>b</select></form>"
    stage.run(stage.page.goto(site.at()))
    bench = Bench(KIND, BrowserParams(), tmp_path, cdp_url=stage.browser.cdp_url, deadline_s=3)

    def change() -> None:
        stage.run(stage.page.fill("[name=who]", "Ada"))

    def spoil() -> None:
        stage.run(stage.page.evaluate("setTimeout(() => { while (true); }, 0)"))

    check_adapter(bench, change=change, spoil=spoil, offline=False)

    async def leave() -> None:
        page = stage.page
        await page.context.new_page()
        await page.close()

    stage.run(leave())


PAGES = [
    ("form", ["/register", "/registrations"]),
    ("settings", ["/settings"]),
    ("flights", ["/"]),
]


@pytest.mark.parametrize(("name", "paths"), PAGES)
def test_two_captures_of_the_shipped_applications_are_equal(
    stage: Stage, tmp_path: pathlib.Path, name: str, paths: list[str]
) -> None:
    async def act(address: str) -> None:
        async with stage.reading() as reading:
            for path in paths:
                await stage.page.goto(address + path)
                first, second = await reading.take(), await reading.take()
                assert (first.unread, first.notes) == ((), ()), path
                assert at(first, "@text") != [[]]
                assert first.digest == second.digest, path
                assert changes(first, second, closed=EVERYTHING) == [], path
                await stage.page.reload()
                again = await reading.take()
                looks = [change.address for change in changes(second, again, closed=EVERYTHING)]
                assert [address for address in looks if not address.startswith(("@requests", "@storage"))] == [], path

    with running(name, tmp_path) as address:
        stage.run(act(address))


@contextmanager
def running(name: str, data: pathlib.Path) -> Generator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", f"exactchange_fixtures.{name}", "--port", str(port), "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _ready(f"http://127.0.0.1:{port}/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _ready(address: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert server.poll() is None, "the application ended"
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.05)  # until it listens
    raise AssertionError("the application did not start")
