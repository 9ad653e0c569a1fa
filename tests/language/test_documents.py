"""Rule 26 over documents that come and leave, in a real browser: each is judged at its last capture, by itself."""

import asyncio
import pathlib
from dataclasses import replace

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage
from tests.language.pages import Act, judged, nameless, played, task_of
from tests.language.worlds import left, must

from exactchange.episode import RunWorld
from exactchange.reports.allow import allow_line
from exactchange.session import Session, judge_episode
from exactchange.snapshot import Mark, Unread
from exactchange.verdict import Verdict
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.snapshot import PageSnapshot

SAVE = "must: [{value: {in: answer, at: '', is: done}}]"
MAIL = f"{SAVE}\nallow: [{{in: page, at: '#mail.value', to: ada@example.org}}]"
FIELDS = "<input id=mail><input type=checkbox id=agree>"
BY_NAVIGATION = f"<title>Form</title><form action=/done>{FIELDS}<button id=save>Save</button></form>"
BY_FETCH = f"<title>Form</title>{FIELDS}<button id=save onclick=\"fetch('/done')\">Save</button>"
DONE = "<title>Done</title><p>Thanks</p><input type=checkbox id=agree checked><input id=other value=7>"
FRAMED = "<title>Frames</title><iframe name=inner src=/inner></iframe>"


async def fill(page: Page) -> None:
    await page.fill("#mail", "ada@example.org")


async def tick(page: Page) -> None:
    await page.check("#agree")


async def untick(page: Page) -> None:
    await page.uncheck("#agree")


async def save(page: Page) -> None:
    async with page.expect_response("**/done*"):
        await page.click("#save")


async def reload(page: Page) -> None:
    await page.reload()


async def form(page: Page) -> None:
    await page.evaluate("location.href = '/'")
    await page.wait_for_url("**/")


async def away(page: Page) -> None:
    await page.evaluate("location.href = '/away'")
    await page.wait_for_url("**/away")


async def back(page: Page) -> None:
    await page.go_back(wait_until="commit")  # what comes out of the cache of pages is loaded already


@pytest.fixture
def pages(site: Site) -> Site:
    site.pages |= {"/": BY_NAVIGATION, "/fetch": BY_FETCH, "/done": DONE, "/away": "<title>Away</title>"}
    site.pages |= {"/framed": FRAMED, "/inner": FIELDS}
    return site


def spots(verdict: Verdict) -> list[tuple[str, object]]:
    """Addresses of what changed without leave, and after which step its document was last read."""
    return [(change.address, change.at.get("step")) for change in verdict.unexplained]


@pytest.mark.parametrize("path", ["/", "/fetch"])
def test_rule_26_a_form_that_saves_by_navigation_is_judged_as_one_that_saves_by_fetch(
    path: str, stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    right = played(stage, pages.at(path), fill, save)
    assert judged(tmp_path, MAIL, right).outcome == "passed"
    assert left(judged(tmp_path, SAVE, right)) == ["#mail.value"]
    wrong = judged(tmp_path, MAIL, played(stage, pages.at(path), fill, tick, save))
    assert (wrong.outcome, left(wrong)) == ("unmet", ["#agree.checked"])


def test_rule_26_what_is_left_over_says_in_which_document_and_the_printed_line_covers_it(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), fill, tick, save)
    verdict = judged(tmp_path, MAIL, captures)
    assert [change.at["document"] for change in verdict.unexplained] == [pages.at()]
    assert spots(verdict) == [("#agree.checked", 2)]
    line = allow_line(verdict.unexplained[0])
    assert judged(tmp_path, f"{MAIL[:-1]}, {line.removeprefix('- ')}]", captures).outcome == "passed"
    assert judged(tmp_path, f"{MAIL}\nignore: [{{in: page, at: '#agree.checked'}}]", captures).outcome == "passed"


def test_rule_26_a_must_explains_what_left_and_only_the_end_meets_it(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    rules = "must: [{change: {in: page, at: '#mail.value', from: '', to: ada@example.org}}]"
    failed = judged(tmp_path, rules, played(stage, pages.at(), fill, reload))  # it looked saved, and was not
    assert (failed.outcome, must(failed).holds, left(failed)) == ("unmet", False, [])
    pages.pages["/"] = BY_NAVIGATION.replace("action=/done", "action=/")
    pages.pages["/done"] = DONE + "<input id=mail value=ada@example.org>"
    twice = judged(tmp_path, rules, played(stage, pages.at(), fill, reload, fill))
    assert (twice.outcome, left(twice)) == ("passed", [])


def test_rule_26_a_page_that_is_loaded_again_is_another_document(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    quiet = played(stage, pages.at(), reload)
    assert quiet[0].digest == nameless(quiet)[0].digest, "which document it is, is no part of its state"
    assert [page.documents[0].identity for page in quiet] == ["1", "2"]
    assert judged(tmp_path, SAVE, quiet).outcome == "passed"
    assert spots(judged(tmp_path, SAVE, played(stage, pages.at(), tick, reload))) == [("#agree.checked", 1)]


def test_rule_26_each_visit_of_a_form_is_judged_by_itself(stage: Stage, pages: Site, tmp_path: pathlib.Path) -> None:
    captures = played(stage, pages.at(), tick, reload, tick, away)
    assert spots(judged(tmp_path, SAVE, captures)) == [("#agree.checked", 1), ("#agree.checked", 3)]
    one = f"{SAVE}\nallow: [{{in: page, at: '#agree.checked', to: true, max: %d}}]"
    assert spots(judged(tmp_path, one % 1, captures)) == [("#agree.checked", 3)]
    assert judged(tmp_path, one % 2, captures).outcome == "passed"


async def tick_inside(page: Page) -> None:
    await page.frame_locator("iframe").locator("#agree").check()


async def frame_away(page: Page) -> None:
    async with page.expect_event("framenavigated"):
        await page.frames[1].evaluate("location.href = '/done'")


def test_rule_26_a_frame_has_a_document_of_its_own(stage: Stage, pages: Site, tmp_path: pathlib.Path) -> None:
    address = "@frames.iframe[name=inner].#agree.checked"
    gone = judged(tmp_path, SAVE, played(stage, pages.at("/framed"), tick_inside, frame_away))
    assert spots(gone) == [(address, 1)]
    with_page = judged(tmp_path, SAVE, played(stage, pages.at("/framed"), tick_inside, away))
    assert spots(with_page) == [(address, 1)]
    assert judged(tmp_path, SAVE, played(stage, pages.at("/framed"), frame_away, away)).outcome == "passed"


def second(act: Act) -> Act:
    """The act in the second tab."""

    async def there(page: Page) -> None:
        await act(page.context.pages[1])

    return there


async def open_form(page: Page) -> None:
    await (await page.context.new_page()).goto(page.url.partition("?")[0])


async def close(page: Page) -> None:
    await page.close()


def test_rule_26_a_tab_that_is_closed_is_judged_as_it_last_was(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), open_form, second(tick), second(close))
    assert spots(judged(tmp_path, SAVE, captures)) == [("@tabs[n=2].#agree.checked", 2)]
    assert judged(tmp_path, SAVE, [captures[0], captures[1], replace(captures[3], mark=Mark(2))]).outcome == "passed"


def test_rule_26_a_tab_that_becomes_the_first_shows_the_document_it_showed(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), open_form, tick, second(fill), close)
    verdict = judged(tmp_path, SAVE, captures)
    assert [span.path for span in KIND.documents(captures)] == [(), ()]
    assert spots(verdict) == [("#agree.checked", 3), ("#mail.value", 4)]
    assert verdict.unexplained[1].before == "", "compared with what it was in its own tab"


async def push(page: Page) -> None:
    await page.evaluate("history.pushState({}, '', '/other'); location.hash = 'there'")


async def writes(page: Page) -> None:
    await page.evaluate("document.open(); document.write('<input id=agree type=checkbox checked>'); document.close()")


def test_rule_26_a_page_that_changes_its_address_or_writes_itself_anew_is_the_same_document(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    pushed = played(stage, pages.at(), tick, push, untick)
    assert {page.documents[0].identity for page in pushed} == {"1"}
    assert judged(tmp_path, SAVE, pushed).outcome == "passed"
    written = judged(tmp_path, SAVE, played(stage, pages.at(), writes))
    assert "#agree.checked" in left(written)


def test_rule_26_a_document_that_comes_back_from_the_cache_is_the_one_that_left(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), tick, away, back, untick)
    assert [page.documents[0].identity for page in captures] == ["1", "1", "2", "1", "1"]
    assert judged(tmp_path, SAVE, captures).outcome == "passed"
    assert spots(judged(tmp_path, SAVE, captures[:4])) == [("#agree.checked", None)]
    assert spots(judged(tmp_path, SAVE, captures[:3])) == [("#agree.checked", 1)]


def hidden(page: PageSnapshot) -> PageSnapshot:
    """The capture in which the page could not be read."""
    why = Unread((), "", "a dialog is open (confirm), and the page waits for its answer")
    return replace(page, tree={"@url": "http://127.0.0.1/"}, unread=(why,), documents=())


def test_rule_26_how_a_document_was_where_it_could_not_be_read_is_undecided(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), fill, fill, save)
    for number, outcome in ((1, "passed"), (2, "undecided")):  # with what came after it is known what it was
        seen = [hidden(page) if at == number else page for at, page in enumerate(captures)]
        assert judged(tmp_path, MAIL, seen).outcome == outcome
    arrived = played(stage, pages.at(), save, form, tick)
    assert judged(tmp_path, SAVE, [arrived[0], hidden(arrived[1]), *arrived[2:]]).outcome == "unmet"
    quiet = judged(tmp_path, SAVE, [arrived[0], hidden(arrived[1]), arrived[2]])
    assert quiet.outcome == "undecided"
    assert any("how it last was is not known: after step 1 a dialog is open" in item.reason for _, item in quiet.unread)
    assert judged(tmp_path, SAVE, [arrived[0], hidden(arrived[1]), arrived[2]], closed=()).outcome == "passed"


def test_rule_26_a_recording_that_does_not_tell_documents_apart_is_never_a_pass(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), fill)
    assert judged(tmp_path, MAIL, captures).outcome == "passed"
    old = judged(tmp_path, MAIL, nameless(captures))
    assert (old.outcome, "does not tell which document" in old.unread[0][1].reason) == ("undecided", True)
    assert judged(tmp_path, SAVE, nameless(captures)).outcome == "unmet"
    assert judged(tmp_path, SAVE, nameless(captures), closed=()).outcome == "passed"


def test_rule_26_what_happened_after_a_document_was_last_read_is_said(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), fill, tick, save, unread_after=(2,))
    verdict = judged(tmp_path, MAIL, captures)
    said = [item.message for item in verdict.warnings if item.kind == "between captures"]
    assert verdict.outcome == "passed"
    assert any(f"{pages.at()}, last read after step 1, gone at step 3" in message for message in said)
    whole = judged(tmp_path, MAIL, played(stage, pages.at(), fill, save))
    assert [item for item in whole.warnings if item.kind == "between captures"] == []


def test_rule_26_a_recorded_episode_is_judged_as_it_was(stage: Stage, pages: Site, tmp_path: pathlib.Path) -> None:
    acts, record = (tick, reload, fill, save), tmp_path / "episode"
    task = task_of(tmp_path, SAVE)

    async def live() -> Verdict:
        await asyncio.to_thread(stage.run, stage.page.goto(pages.at()))
        world = RunWorld(tmp_path, cdp_url=stage.browser.cdp_url, port=pages.port)
        async with Session(task, world=world, record=record) as session:
            for act in acts:
                await session.before({"kind": "click"})
                await asyncio.to_thread(stage.run, act(stage.page))
                await session.after()
            return await session.finish("done")

    now = asyncio.run(live())
    assert spots(now) == [("#agree.checked", 1), ("#mail.value", 3)]
    assert judge_episode(task, record) == replace(now, mode="offline")
    again = judged(tmp_path, SAVE, played(stage, pages.at(), *acts))
    assert spots(again) == spots(now)
