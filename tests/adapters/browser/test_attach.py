"""A reader attaches to whatever Chromium somebody has, and says what is wrong with what is none."""

import asyncio
import http.server
import pathlib
import re
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import cast

import pytest
from playwright.async_api import Page, async_playwright
from playwright.sync_api import sync_playwright
from tests.adapters.browser.stage import HTML, Site, Stage, World, at

from exactchange.errors import InfrastructureError, UsageError
from exactchange.snapshot import Mark
from exactchange.values import Value
from exactchange_adapters.browser import KIND, endpoint
from exactchange_adapters.browser.existing import ARGUMENT, cdp_url_of, cdp_url_of_async
from exactchange_adapters.browser.finder import find_browser
from exactchange_adapters.browser.params import BrowserParams

PAGE = pathlib.Path(__file__).parents[3] / "docs/browser.md"
ROOT = ("--no-sandbox",)


async def titles(cdp_url: str, *, workdir: pathlib.Path = pathlib.Path("/nowhere")) -> list[Value]:
    """What a reader of the browser at this address finds in the first tab and in the others."""
    params = BrowserParams.model_validate({"cdp": cdp_url})
    async with KIND.open(params, world=World(workdir, None)) as reader:
        snapshot = await reader.capture(mark=Mark(0), previous=None, deadline_s=15)
        assert snapshot.unread == ()
        return [*at(snapshot, "@title"), *at(snapshot, "@tabs[*].@title")]


@contextmanager
def forwarded(port: int) -> Generator[int]:
    """A port of `::1` behind which a port of 127.0.0.1 is."""
    listening = socket.create_server(("::1", 0), family=socket.AF_INET6)

    def pump(source: socket.socket, drain: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                drain.sendall(data)
            drain.shutdown(socket.SHUT_WR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(("127.0.0.1", port))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield listening.getsockname()[1]
    listening.close()


def test_every_way_to_write_a_browsers_address_leads_to_it(
    stage: Stage, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):  # of no concern to a browser of one's own
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.pages["/"] = "<title>here</title>"
    port = int(stage.browser.cdp_url.rpartition(":")[2])
    found = cast("dict[str, str]", endpoint.ask("127.0.0.1", port, "/json/version"))
    web_socket = found["webSocketDebuggerUrl"]
    behind = f'{{"webSocketDebuggerUrl": "{web_socket}"}}'.encode()
    site.pages["/room/7/json/version"] = (200, HTML, behind)

    async def act() -> list[list[Value]]:
        await stage.page.goto(site.at())
        with forwarded(port) as other:
            ways = [
                f"http://127.0.0.1:{port}",
                f"http://localhost:{port}/",
                f"ws://127.0.0.1:{port}",
                web_socket,
                f"http://[::1]:{other}",
                site.at("/room/7"),
                site.at("/room/7/?token=hidden"),
            ]
            return [await titles(way) for way in ways]

    assert stage.run(act()) == [["here"]] * 7
    assert "GET /room/7/json/version?token=hidden" in site.asked


class _Node(http.server.BaseHTTPRequestHandler):
    said = b'{"Browser": "node.js/v20.20.0", "Protocol-Version": "1.1"}'

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.said)


WRONG = [
    ("http://127.0.0.1:{closed}", "nothing answers at http://127.0.0.1:.*refused.*--remote-debugging-port=N"),
    ("http://[::1]:{closed}", "nothing answers at"),
    ("http://{silent}", r"nothing answers at .*(no answer within|timed out)"),
    ("http://no-such-host.invalid:9222", "nothing answers at http://no-such-host.invalid:9222"),
    ("http://127.0.0.1:{site}", "is no browser: what it has at /json/version is no JSON"),
    ("http://127.0.0.1:{site}/none", "is no browser: it answers 404 for /none/json/version"),
    ("http://127.0.0.1:{node}", "is no browser: it calls itself 'node.js/v20.20.0'"),
    ("ws://127.0.0.1:{site}/devtools/browser/x", "no browser to attach to at ws://127.0.0.1:"),
    ("ws://127.0.0.1:{closed}/devtools/browser/x", "no browser to attach to at ws://127.0.0.1:.*REFUSED"),
    ("ws://user:secret@127.0.0.1:{closed}/x?token=secret", "no browser to attach to at ws://127.0.0.1:"),
    ("ws://user:secret@127.0.0.1:{site}/none?token=secret", "attach to at ws://127.0.0.1:.* 404 .*debugging-port=N"),
    ("http://user:secret@127.0.0.1:{closed}/?token=secret", "nothing answers at http://127.0.0.1:"),
    ("chrome", "'chrome' is no debugging address"),
    ("127.0.0.1:9222", "is no debugging address"),
    ("file:///etc/passwd", "is no debugging address"),
    ("http://127.0.0.1:99999999", "is no debugging address"),
]


@pytest.mark.parametrize(("address", "message"), WRONG)
def test_a_wrong_address_is_an_error_that_says_what_is_there(
    site: Site, monkeypatch: pytest.MonkeyPatch, address: str, message: str
) -> None:
    monkeypatch.setattr(endpoint, "ASK_LIMIT_S", 0.5)
    site.pages["/json/version"] = "<p>hello"
    node = http.server.HTTPServer(("127.0.0.1", 0), _Node)
    threading.Thread(target=node.serve_forever, args=[0.01], daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as closed:
        names = {"site": site.port, "node": node.server_port, "closed": closed.getsockname()[1]}
        closed.close()
        where = address.format(silent=f"127.0.0.1:{silent.getsockname()[1]}", **names)
        begun = time.monotonic()
        with pytest.raises(InfrastructureError, match=message) as error:
            asyncio.run(titles(where))
    node.shutdown()
    node.server_close()
    assert time.monotonic() - begun < 10
    assert "secret" not in str(error.value)
    assert "Call log" not in str(error.value) and "\n" not in str(error.value)
    assert not [thread for thread in threading.enumerate() if thread.name == "exactchange-browser"]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_page_of_the_synchronous_kind_leads_to_its_browser(
    tmp_path: pathlib.Path, site: Site, persistent: bool
) -> None:
    site.pages["/"] = "<title>mine</title>"
    chosen = find_browser().path
    with sync_playwright() as playwright:
        if persistent:
            context = playwright.chromium.launch_persistent_context(
                tmp_path / "profile", executable_path=chosen, args=[*ROOT, ARGUMENT]
            )
        else:
            context = playwright.chromium.launch(executable_path=chosen, args=[*ROOT, ARGUMENT]).new_context()
        page = context.new_page()
        page.goto(site.at())
        url = cdp_url_of(page)
        found = _in_thread(url)
        assert page.title() == "mine"
        context.close()
    assert "mine" in found


def _in_thread(cdp_url: str) -> list[Value]:
    """Playwright's synchronous kind keeps an event loop of its own in the thread that calls it."""
    found: list[list[Value]] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(titles(cdp_url))))
    thread.start()
    thread.join(60)
    return found[0]


TASK = """
id: mail
instruction: Give the address ada@example.org.
sources: {page: {adapter: browser, closed: [controls]}}
must:
  - change: {in: page, at: "#email.value", to: ada@example.org}
"""


def test_the_example_of_the_page_on_browsers_judges_a_page_in_hand(
    tmp_path: pathlib.Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    site.pages["/"] = "<label>E-mail <input id=email></label>"
    (tmp_path / "mail.yaml").write_text(TASK)
    monkeypatch.chdir(tmp_path)
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=find_browser().path, args=[*ROOT, ARGUMENT]).new_page()
        page.goto(site.at())
        names: dict[str, object] = {"page": page, "workdir": tmp_path}
        exec(example, names)  # noqa: S102  # our own page
        assert page.input_value("#email") == "ada@example.org"
    assert names["outcome"] == "passed", names["session"]


async def _launched(args: list[str]) -> list[Value]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser().path, args=[*ROOT, *args])
        pages: list[Page] = [await (await browser.new_context()).new_page() for _ in range(2)]
        for number, page in enumerate(pages):
            await page.set_content(f"<title>{number}</title>")
        urls = {await cdp_url_of_async(page) for page in pages}
        found = await titles(*urls)
        await browser.close()
        return sorted(found, key=str)  # the browser does not tell which of those that were there was opened first


def test_a_page_of_the_asynchronous_kind_leads_to_its_browser_with_every_context() -> None:
    assert asyncio.run(_launched([ARGUMENT])) == ["0", "1"]


def test_a_port_that_was_chosen_by_hand_is_found_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert asyncio.run(_launched([f"--remote-debugging-port={port}"])) == ["0", "1"]


def test_a_browser_that_only_its_client_reaches_is_an_error_with_a_remedy() -> None:
    with pytest.raises(UsageError, match=r'no debugging port.*start it with args=\["--remote-debugging-port=0"\]'):
        asyncio.run(_launched([]))


def test_a_page_of_a_client_over_the_port_leads_back_to_it(stage: Stage) -> None:
    assert stage.run(cdp_url_of_async(stage.page)) == stage.browser.cdp_url
