"""Finds the debugging address of a browser in which somebody has a Playwright page already, so that it can be read."""

import http.client
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from exactchange.errors import UsageError
from exactchange_adapters.browser.endpoint import ask

if TYPE_CHECKING:
    from playwright.async_api import Page
    from playwright.sync_api import Page as SyncPage

ARGUMENT = "--remote-debugging-port=0"
HOST = "127.0.0.1"
_GIVE = "or give the address that you connected to as `cdp_url`"
_NO_PORT = (
    f'this browser has no debugging port, and no second way in: start it with args=["{ARGUMENT}"], '
    "which leaves all else as it is"
)
_PS_LIMIT_S = 10.0


def cdp_url_of(page: "SyncPage") -> str:
    """Where a reader can attach to the browser of a page: `RunWorld(workdir, cdp_url=cdp_url_of(page))`.

    Looks only. Raises UsageError for a browser without a debugging port, of another machine, or of another family.
    """
    _check_family(page.context.browser)
    assert page.context.browser is not None
    whole, own = page.context.browser.new_browser_cdp_session(), page.context.new_cdp_session(page)
    try:
        processes = cast("Mapping[str, object]", whole.send("SystemInfo.getProcessInfo"))
        told = cast("Mapping[str, object]", own.send("Target.getTargetInfo"))
    finally:
        own.detach()
        whole.detach()
    return _address(processes, told)


async def cdp_url_of_async(page: "Page") -> str:
    """As `cdp_url_of`, of a page of Playwright's asynchronous kind."""
    import asyncio

    _check_family(page.context.browser)
    assert page.context.browser is not None
    whole, own = await page.context.browser.new_browser_cdp_session(), await page.context.new_cdp_session(page)
    try:
        processes = cast("Mapping[str, object]", await whole.send("SystemInfo.getProcessInfo"))
        told = cast("Mapping[str, object]", await own.send("Target.getTargetInfo"))
    finally:
        await own.detach()
        await whole.detach()
    return await asyncio.to_thread(_address, processes, told)


def _check_family(browser: object) -> None:
    kind: object = getattr(getattr(browser, "browser_type", None), "name", "")
    if browser is None:
        raise UsageError(f"the context of this page does not say which browser it is in; update Playwright, {_GIVE}")
    if kind != "chromium":
        raise UsageError(f"pages of {kind} cannot be judged: use Chromium, Chrome, Edge or Brave")


def _address(processes: Mapping[str, object], told: Mapping[str, object]) -> str:
    """The address of the browser with this process, once it has shown that the page is its own."""
    listed = cast("Sequence[Mapping[str, object]]", processes["processInfo"])
    process = next(cast("int", item["id"]) for item in listed if item["type"] == "browser")
    port = _port(_command(process))
    target = cast("Mapping[str, object]", told["targetInfo"])["targetId"]
    try:
        pages = ask(HOST, port, "/json/list")
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise UsageError(
            f"the debugging port {port} of this page's browser does not answer: {error}; {_GIVE}"
        ) from error
    if not isinstance(pages, list) or target not in [_id(item) for item in cast("list[object]", pages)]:
        raise UsageError(f"the browser at port {port} is not the one that this page is in; start another one, {_GIVE}")
    return f"http://{HOST}:{port}"


def _id(item: object) -> object:
    return cast("Mapping[str, object]", item).get("id") if isinstance(item, dict) else None


def _command(process: int) -> Sequence[str]:
    """What a process of this machine was started with. Raises UsageError where there is none of this number."""
    try:
        if Path("/proc/self").exists():
            return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
        done = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(process)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PS_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"the browser of this page is not to be found on this machine; start it here, {_GIVE}"
        ) from error
    words = done.stdout.decode(errors="replace").strip().split(" --")  # of a path with a space in it nothing is lost
    return [words[0], *(f"--{word}" for word in words[1:])]


def _port(command: Sequence[str]) -> int:
    said = {name: value for name, equals, value in (word.partition("=") for word in command) if equals}
    port = said.get("--remote-debugging-port", "")
    if port == "0" and "--user-data-dir" in said:  # chosen by the browser, which notes it in its profile
        try:
            port = Path(said["--user-data-dir"], "DevToolsActivePort").read_text(encoding="utf-8").partition("\n")[0]
        except OSError:
            port = ""
    if not port.isascii() or not port.isdigit() or int(port) == 0:
        raise UsageError(_NO_PORT)
    return int(port)
