"""A page of Trac that is opened again: what the time changed is noise by rule, and what a person changed is not."""

import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Stage
from tests.adapters.browser.test_noise_pages import rules
from tests.trac.recorded import CHECKOUT, SEED

from exactchange.snapshot import Mark
from exactchange_adapters.browser.snapshot import PageSnapshot

TRACD = CHECKOUT / ".trac" / "bin" / "tracd"
START_LIMIT_S = 30.0
TRIES = 10


@pytest.fixture
def stage(tmp_path: pathlib.Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    stage.start()
    yield stage
    stage.stop()


@contextmanager
def trac(folder: pathlib.Path) -> Generator[str]:
    """A running Trac on a copy of the seed; its address."""
    shutil.copytree(SEED, folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    signed_in = f"--basic-auth=*,{folder}/htpasswd,Demo"
    command = [str(TRACD), "-s", "--hostname", "127.0.0.1", "--port", str(port), signed_in, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/wiki")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _wait(address: str) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < limit, "Trac does not answer"


async def new_ticket(page: Page, address: str) -> None:
    await page.goto(f"{address}/newticket")
    await page.fill("#field-summary", "The printer hums")
    await page.click("input[name=submit]")
    await page.wait_for_url("**/ticket/*")


def said(before: PageSnapshot, after: PageSnapshot) -> dict[str, str | None]:
    """The lines of text that changed, each with the rule that takes it."""
    return {address: rule for address, rule in rules(before, after).items() if address.startswith("@text")}


def test_when_a_ticket_was_opened_is_noise_and_what_was_said_of_it_is_not(stage: Stage, tmp_path: pathlib.Path) -> None:
    def at(page: PageSnapshot) -> PageSnapshot:
        return page.at(Mark(0, time.time_ns(), time.monotonic_ns()))

    async def act(address: str) -> list[PageSnapshot]:
        page = stage.page
        page.set_default_timeout(15_000)
        await page.set_extra_http_headers({"authorization": f"Basic {b64encode(b'admin:admin').decode()}"})
        await page.goto(f"{address}/login")
        async with stage.reading() as reading:
            await new_ticket(page, address)
            second = first = at(await reading.take())
            for _ in range(TRIES):  # until the page says that a second has gone by
                await page.reload()
                second = at(await reading.take())
                if said(first, second):
                    break
            await page.fill("#comment", "It still hums")
            await page.click("input[name=submit]")
            await page.wait_for_url("**#comment:1")
            return [first, second, at(await reading.take())]

    with trac(tmp_path / "env") as address:
        first, again, then = stage.run(act(address), limit_s=120)
    opened_again, commented = said(first, again), said(again, then)
    assert set(opened_again.values()) == {"relative-time"}
    assert None in commented.values()
    assert not set(opened_again.values()) - set(said(first, then).values()), "it stays noise beside a change"
