"""Dialogs and console errors are recorded, bounded and without secrets, and nobody is disturbed by it."""

import asyncio
from collections.abc import Mapping

import pytest
from playwright.async_api import Dialog
from tests.adapters.browser.stage import Site, Stage, at, changes
from tests.adapters.browser.test_secrets import stored_bytes

from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.notices import LONGEST, MOST_ERRORS, Notices, shown
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.snapshot import PageSnapshot


def judged(before: PageSnapshot, after: PageSnapshot, *closed: str) -> set[str]:
    """The facets that changed, of those that are closed."""
    params = BrowserParams(closed=closed)
    inside = [change.path for change in changes(before, after) if KIND.in_scope(change.path, params)]
    return {str(path[0]) for path in inside}


def test_dialogs_are_recorded_with_the_agents_answers(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<title>app</title>"

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        page = stage.page
        answers = iter([("accept", None), ("dismiss", None), ("accept", "Ada"), ("accept", "hunter-FAKE")])

        async def answer(dialog: Dialog) -> None:
            how, text = next(answers)
            await (dialog.dismiss() if how == "dismiss" else dialog.accept(text) if text else dialog.accept())

        await page.goto(site.at())
        page.on("dialog", answer)
        async with stage.reading() as reading:
            before = await reading.take()
            await page.evaluate("alert('Saved')")
            await page.evaluate("confirm('Delete?')")
            await page.evaluate("prompt('Your name?')")
            await page.evaluate("prompt('Your password, please')")
            after = await reading.take()
            page.remove_listener("dialog", answer)
            return before, after

    before, after = stage.run(act())
    assert at(before, "@dialogs") == [[]]
    *plain, secret = at(after, "@dialogs[*]")
    assert plain == [
        {"type": "alert", "message": "Saved", "answer": True, "text": None},
        {"type": "confirm", "message": "Delete?", "answer": False, "text": None},
        {"type": "prompt", "message": "Your name?", "answer": True, "text": "Ada"},
    ]
    assert isinstance(secret, Mapping) and isinstance(secret["text"], Mapping)
    assert b"hunter-FAKE" not in stored_bytes(after)
    assert judged(before, after) == set()  # open unless the task closes it
    assert judged(before, after, "dialogs") == {"@dialogs"}


def test_a_dialog_that_is_open_is_recorded_though_its_page_is_unread(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<title>app</title>"

    async def act() -> tuple[PageSnapshot, object]:
        page = stage.page
        held: list[Dialog] = []

        def keep(dialog: Dialog) -> None:
            held.append(dialog)

        page.on("dialog", keep)
        await page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            asking = asyncio.ensure_future(page.evaluate("confirm('Pay now?')"))
            await page.wait_for_event("dialog")
            taken = await reading.take(deadline_s=2)
            await held[0].accept()
            page.remove_listener("dialog", keep)
            return taken, await asking

    taken, answered = stage.run(act())
    assert at(taken, "@dialogs") == [[{"type": "confirm", "message": "Pay now?", "answer": None, "text": None}]]
    assert [item.path for item in taken.unread] == [()]
    assert answered is True  # the agent's own answer


ERRORS = """console.error('it', 'broke', 1, null, true, {a: 1}); console.assert(false, 'so'); console.warn('no error');
console.log('none either'); setTimeout(() => { throw new TypeError('late') }); Promise.reject(new Error('unhandled'));
fetch('/missing'); console.error('token=tok-FAKE', 'Authorization: Bearer abc-FAKE', 'http://h/?api_key=key-FAKE');
const inner = document.createElement('iframe'); inner.src = '%s'; document.body.append(inner)"""


def test_console_errors_are_recorded_from_every_frame(stage: Stage, site: Site) -> None:
    inner = site.at("/in", host="localhost")
    site.pages |= {"/": "<script>console.error('before')</script><p>x", "/in": "<script>console.error('in')</script>"}

    async def act() -> tuple[PageSnapshot, PageSnapshot, PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await stage.page.evaluate(ERRORS % inner)
            await stage.page.frame_locator("iframe").locator("html").wait_for(state="attached")
            after = await reading.take()
            return before, after, await reading.take()

    before, after, again = stage.run(act())
    assert at(before, "@console") == [[]]
    found = {(entry["source"], entry["text"]) for entry in at(after, "@console[*]") if isinstance(entry, Mapping)}
    assert {pair for pair in found if "token" not in str(pair[1])} == {
        ("console", "it broke 1 null true Object"),
        ("console", "so"),
        ("exception", "Uncaught TypeError: late"),
        ("exception", "Uncaught (in promise) Error: unhandled"),
        ("console", "in"),
    }
    assert len(found) == 6
    assert b"-FAKE" not in stored_bytes(after)
    assert again.digest == after.digest
    assert judged(before, after, "console") - judged(before, after) == {"@console"}


def test_an_error_is_told_once_though_its_page_comes_back_from_the_cache(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<p>one", "/two": "<p>two"}

    async def act() -> list[object]:
        page = stage.page
        async with stage.reading() as reading:
            await page.goto(site.at())
            await reading.take()
            await page.evaluate("console.error('once'); window.same = true")
            await page.goto(site.at("/two", host="localhost"))
            await reading.take()
            await page.go_back(wait_until="commit")
            taken = await reading.take()
            assert at(taken, "@text") == [["one"]]
            assert await page.evaluate("window.same")  # else it is another document, and this proves nothing
            return [entry["text"] for entry in at(taken, "@console[*]") if isinstance(entry, Mapping)]

    assert stage.run(act()) == ["once"]


def test_a_flood_of_errors_is_cut_off_and_said(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await stage.page.evaluate("for (let n = 0; n < 3000; n++) console.error('flood ' + n)")
            return await reading.take()

    taken = stage.run(act())
    assert len(at(taken, "@console[*]")) == MOST_ERRORS
    assert [(item.address, item.reason) for item in taken.unread] == [("@console", "more errors than are recorded")]


def test_a_message_that_is_too_long_is_not_cut_but_unread() -> None:
    notices = Notices(Secrecy())
    notices.on_dialog(1, {"type": "alert", "message": "x" * (LONGEST + 1)})
    notices.on_answer(1, {"result": True})
    notices.on_dialog(1, {"type": "prompt", "message": "Name?"})
    notices.on_answer(1, {"result": True, "userInput": "y" * (LONGEST + 1)})
    assert notices.dialogs() == [{"type": "prompt", "message": "Name?", "answer": True, "text": None}]
    assert dict(notices.missing()) == {"@dialogs": "a message of @dialogs is too long to record"}


def test_what_was_said_before_the_first_capture_is_forgotten_and_an_open_dialog_is_not() -> None:
    notices = Notices(Secrecy())
    notices.on_dialog(1, {"type": "alert", "message": "old"})
    notices.on_answer(1, {"result": True})
    notices.on_dialog(1, {"type": "confirm", "message": "Sure?"})
    notices.forget()
    notices.on_answer(1, {"result": False})
    assert notices.dialogs() == [{"type": "confirm", "message": "Sure?", "answer": False, "text": None}]


MESSAGES: list[tuple[str, str, bool]] = [
    ("token=abcdef", "abcdef", True),
    ('"password": "s3cret x"', "s3cret", True),
    ("authorization: bearer abcdef", "abcdef", True),
    ("failed for http://h/?access_token=abcdef&x=1", "abcdef", True),
    ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abcdef", "abcdef", True),
    ("http://ada:abcdef@h/", "abcdef", True),
    ("author=abcdef", "abcdef", False),
    ("max_tokens_seen: 12", "12", False),
    ("x is not a function", "function", False),
]


@pytest.mark.parametrize(("text", "part", "hidden"), MESSAGES)
def test_messages_lose_their_secrets_and_nothing_else(text: str, part: str, hidden: bool) -> None:
    secrecy = Secrecy()
    assert (part not in shown(text, secrecy)) is hidden
    assert hidden or shown(text, secrecy) == text
    assert shown(text, secrecy) == shown(text, secrecy)


TRAP = """<script>window.caught = [];
const trap = new Error('trap');
Object.defineProperty(trap, 'stack', {get() { caught.push('stack'); return '' }});
const plain = {};
Object.defineProperty(plain, 'id', {get() { caught.push('id'); return 1 }});
setInterval(() => { console.debug(trap); console.debug(plain); console.error('kept', plain) }, 5)</script>"""


def test_a_page_cannot_tell_that_its_console_is_heard(stage: Stage, site: Site) -> None:
    site.pages["/"] = TRAP

    async def act() -> object:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take(deadline_s=2)
            await reading.take(deadline_s=2)
            return await stage.page.evaluate("caught")

    assert stage.run(act()) == []
