"""Does what a twin does, then breaks something of the world: ``breaking.py TASK TWIN HOW [FILE]``.

The file is told the work directory before the judge is killed.
"""

import os
import pathlib
import signal
import sys
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing, suppress

from playwright.sync_api import Error, Page, sync_playwright

from exactchange_fixtures.agents.channel import Handshake, Stopped
from exactchange_fixtures.agents.hand import Hand
from exactchange_fixtures.agents.twins import TWINS

WORK = pathlib.Path(os.environ["EXACTCHANGE_WORKDIR"])
CDP = os.environ["EXACTCHANGE_CDP_URL"]


def _tear_config() -> None:
    (WORK / "settings.yaml").write_text("server: {timeout: 30, retries: [3")


def _config_becomes_a_directory() -> None:
    (WORK / "settings.yaml").unlink()
    (WORK / "settings.yaml").mkdir()


def _delete_config() -> None:
    (WORK / "settings.yaml").unlink()


def _overwrite_database() -> None:
    for name in _databases():
        (WORK / name).write_bytes(b"not a database, " * 512)


def _delete_database() -> None:
    for name in _databases():
        for path in WORK.glob(f"{name}*"):
            path.unlink()


def _databases() -> list[str]:
    return [path.name for path in WORK.glob("*.db")]


def _kill_browser() -> None:
    port = CDP.rsplit(":", 1)[1].strip("/")
    _kill(lambda command: b"--user-data-dir=" in command and b"--type=" not in command, listening=port)


def _kill_application() -> None:
    _kill(lambda command: b"--data" in command and os.fsencode(WORK) in command)


def _crash() -> None:
    sys.exit("the agent has had enough")


def _kill_judge() -> None:
    pathlib.Path(sys.argv[4]).write_text(os.fspath(WORK), encoding="utf-8")
    os.kill(os.getppid(), signal.SIGKILL)


def _tear_all() -> None:
    """Also what the application would mend when it closes."""
    _kill_application()
    _tear_config()
    _overwrite_database()
    for side in WORK.glob("*.db-*"):
        side.unlink()


def _set_cookie() -> None:
    """As a page might: by script, in the browser that the judge looks at."""
    _in_page(lambda page: page.evaluate("document.cookie = 'tracking=yes; path=/'"))


def _page_hangs() -> None:
    """A loop without an end, begun by the page itself; the agent does not wait for it."""
    _in_page(lambda page: page.evaluate("setTimeout(() => { for (;;); }, 50)"))


def _page_crashes() -> None:
    def crash(page: Page) -> None:
        crashed = page.context.new_cdp_session(page)
        with page.expect_event("crash"):
            crashed.send("Page.enable")
            with suppress(Error):  # nobody is left to answer
                page.goto("chrome://crash", timeout=10_000)

    _in_page(crash)


def _page_closed() -> None:
    _in_page(lambda page: page.close())


def _in_page(do: Callable[[Page], object]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(CDP, no_defaults=True)
        do(next(page for page in browser.contexts[0].pages if page.url.startswith("http")))


BREAKS: Mapping[str, Callable[[], None]] = {
    "config-torn": _tear_config,
    "config-directory": _config_becomes_a_directory,
    "config-deleted": _delete_config,
    "database-garbage": _overwrite_database,
    "database-deleted": _delete_database,
    "all-torn": _tear_all,
    "agent-crashes": _crash,
    "judge-killed": _kill_judge,
    "cookies-set": _set_cookie,
    "page-hangs": _page_hangs,
    "page-crashes": _page_crashes,
    "page-closed": _page_closed,
    "browser-killed": _kill_browser,
    "application-killed": _kill_application,
}


def main() -> None:
    """Play the twin as far as the runner lets it, break, and finish."""
    task, name, how = sys.argv[1:4]
    with closing(Handshake(pathlib.Path(os.environ["EXACTCHANGE_SOCKET"]))) as channel:
        answer: str | None = None
        try:
            answer = _play(task, name, channel)
        except Stopped:
            BREAKS[how]()  # told to stop, it does its worst
            return
        BREAKS[how]()
        channel.finish(answer)


def _play(task: str, name: str, channel: Handshake) -> str | None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(CDP, no_defaults=True)
        browser.contexts[0].on("dialog", lambda _: None)
        pages = [page for page in browser.contexts[0].pages if page.url.startswith("http")]
        return TWINS[task][name](Hand(pages[0], channel))


def _kill(wanted: Callable[[bytes], bool], *, listening: str | None = None) -> None:
    """Kill the one process of this run whose command line is meant, and wait until it is dead."""
    run = os.fsencode(WORK.parent)
    found: list[int] = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if entry.name.isdigit() and run in command and wanted(command) and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    (pid,) = found
    os.kill(pid, signal.SIGKILL)
    if listening is not None:
        _refused(listening)


def _refused(port: str) -> None:
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/json/version", timeout=5).close()
        except OSError:
            return


if __name__ == "__main__":
    main()
