"""The judge's own browser: starts quietly, says where it is, and leaves nothing."""

import asyncio
import http.client
import json
import os
import pathlib
import signal
import sys
from importlib.metadata import entry_points
from typing import cast

import pytest
from tests.adapters.browser.stage import Site

from exactchange.errors import InfrastructureError
from exactchange.sources.browsers import GROUP, LaunchBrowser
from exactchange_adapters.browser.finder import VARIABLE, NoBrowser
from exactchange_adapters.browser.launch import launch_browser


def listed(cdp_url: str) -> list[dict[str, str]]:
    connection = http.client.HTTPConnection(cdp_url.removeprefix("http://"), timeout=10)
    connection.request("GET", "/json/list")
    found = json.loads(connection.getresponse().read())
    connection.close()
    return [item for item in cast("list[dict[str, str]]", found) if item["type"] == "page"]


def running(group: int) -> bool:
    """Whether a process of the group lives; the dead wait for the first process of the machine to collect them."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            state, _, its_group = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if entry.name.isdigit() and int(its_group) == group and state != b"Z":
            return True
    return False


def test_it_starts_on_its_page_and_leaves_no_process_and_no_file(tmp_path: pathlib.Path, site: Site) -> None:
    site.pages["/"] = "<title>first</title>"

    async def act() -> tuple[int, list[dict[str, str]], str, bool]:
        async with launch_browser(start=site.at(), headless=True, scratch=tmp_path) as browser:
            assert [path.name for path in tmp_path.iterdir()] != []
            async with asyncio.timeout(30):  # the browser's network works: the page comes in
                while (pages := await asyncio.to_thread(listed, browser.cdp_url))[0]["title"] != "first":
                    await asyncio.sleep(0.05)
            version, alive = browser.version, browser.alive()
        assert not browser.alive()
        return browser.pid, pages, version, alive

    pid, pages, version, alive = asyncio.run(act())
    assert [page["url"] for page in pages] == [site.at()]
    assert "Chrome/" in version
    assert alive
    assert not running(pid)
    assert list(tmp_path.iterdir()) == []


def test_without_a_start_page_the_first_tab_is_blank(tmp_path: pathlib.Path) -> None:
    async def act() -> list[dict[str, str]]:
        async with launch_browser(start=None, headless=True, scratch=tmp_path) as browser:
            return await asyncio.to_thread(listed, browser.cdp_url)

    assert [page["url"] for page in asyncio.run(act())] == ["about:blank"]


def test_it_is_ended_when_the_run_fails_and_when_it_died_before(tmp_path: pathlib.Path) -> None:
    async def fail() -> int:
        pid = 0
        with pytest.raises(ZeroDivisionError):
            async with launch_browser(start=None, headless=True, scratch=tmp_path) as browser:
                pid = browser.pid
                _ = 1 / 0
        return pid

    async def die() -> int:
        async with launch_browser(start=None, headless=True, scratch=tmp_path) as browser:
            os.killpg(browser.pid, signal.SIGKILL)
        return browser.pid

    for act in (fail, die):
        assert not running(asyncio.run(act()))
        assert list(tmp_path.iterdir()) == []


def test_two_run_side_by_side(tmp_path: pathlib.Path) -> None:
    async def act() -> set[str]:
        async with (
            launch_browser(start=None, headless=True, scratch=tmp_path) as one,
            launch_browser(start=None, headless=True, scratch=tmp_path) as two,
        ):
            return {one.cdp_url, two.cdp_url}

    assert len(asyncio.run(act())) == 2


def test_no_browser_and_one_that_does_not_start_are_errors_of_the_infrastructure(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act() -> None:
        async with launch_browser(start=None, headless=True, scratch=tmp_path):
            raise AssertionError("it started")

    monkeypatch.setenv(VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(NoBrowser):
        asyncio.run(act())
    broken = tmp_path / "broken"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && exec echo Chromium 1\necho no display here >&2; exit 9\n')
    broken.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(broken))
    with pytest.raises(InfrastructureError, match="ended with 9 while starting: no display here"):
        asyncio.run(act())
    assert list(tmp_path.iterdir()) == [broken]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display, or no variable names it")
@pytest.mark.parametrize(("display", "said"), [("", "there is none"), (":97", "its display may be gone")])
def test_a_browser_that_is_shown_without_a_display_says_what_to_do(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, display: str, said: str
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)

    async def act() -> None:
        async with launch_browser(start=None, headless=False, scratch=tmp_path):
            raise AssertionError("it started")

    with pytest.raises(InfrastructureError, match=f"{said}.*leave out --headed.*xvfb-run"):
        asyncio.run(act())
    assert list(tmp_path.iterdir()) == []


def test_the_core_finds_it_by_its_entry_point() -> None:
    (point,) = entry_points(group=GROUP, name="chromium")
    launch: LaunchBrowser = point.load()
    assert launch is launch_browser
