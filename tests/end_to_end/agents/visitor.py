"""Is captured with the focus in a field, with a dialog open and with a download under way: ``visitor.py REPORT``."""

import json
import os
import pathlib
import sys
from contextlib import closing

from playwright.sync_api import Dialog, Page, sync_playwright

from exactchange_fixtures.agents.channel import Handshake

FOCUS = "[document.activeElement.id, document.hasFocus(), document.activeElement.selectionStart]"
DOWNLOAD = """() => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["three words here"], {type: "text/plain"}));
  link.download = "words.txt";
  link.click();
}"""


def main() -> None:
    """Attach as any agent does, with Playwright's defaults, and report what became of focus, dialog and download."""
    with (
        closing(Handshake(pathlib.Path(os.environ["EXACTCHANGE_SOCKET"]))) as channel,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.connect_over_cdp(os.environ["EXACTCHANGE_CDP_URL"])
        page = next(page for page in browser.contexts[0].pages if page.url.startswith("http"))
        report = {**_focus(page, channel), **_dialog(page, channel), **_download(page, channel)}
        channel.finish(None)
    pathlib.Path(sys.argv[1]).write_text(json.dumps(report))


def _focus(page: Page, channel: Handshake) -> dict[str, object]:
    page.fill("#name", "Ada Lovelace")
    page.evaluate("document.querySelector('#name').setSelectionRange(3, 3)")
    before = page.evaluate(FOCUS)
    _captured(channel)
    _captured(channel)
    page.keyboard.type("x")
    return {"focus": [before, page.evaluate(FOCUS)], "typed": page.input_value("#name")}


def _dialog(page: Page, channel: Handshake) -> dict[str, object]:
    asked: list[Dialog] = []
    page.on("dialog", lambda dialog: asked.append(dialog))  # Playwright cannot take a built-in method
    with page.expect_event("dialog"):
        page.evaluate("setTimeout(() => { window.said = confirm('Go on?') }, 0)")
    _captured(channel)
    (dialog,) = asked
    dialog.accept()
    page.wait_for_function("window.said !== undefined")
    return {"dialog": dialog.message, "said": page.evaluate("window.said")}


def _download(page: Page, channel: Handshake) -> dict[str, object]:
    with page.expect_download() as waiting:
        page.evaluate(DOWNLOAD)
    _captured(channel)
    download = waiting.value
    return {"name": download.suggested_filename, "content": download.path().read_text(), "failure": download.failure()}


def _captured(channel: Handshake) -> None:
    channel.before({"kind": "observe", "what": "screen"})
    channel.after(None)


if __name__ == "__main__":
    main()
