"""The witness hears what is done to pages, whatever they do against it, and keeps no secret."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage, World

from exactchange.snapshot import Mark
from exactchange.sources.witnessing import Act, Heard, Witness
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams

FORM = """<title>Form</title><form id=f action=/sent>
<label>E-mail <input name=mail></label> <input type=password id=pw aria-label=Password>
<label for=agree>I agree</label> <input type=checkbox id=agree>
<select id=plan aria-label=Plan><option>free<option>paid</select> <textarea data-testid=note></textarea>
<button id=save><b>Save</b> it</button></form><a href=/sent id=away>away</a>"""
SENT = "<h1>sent</h1>"


@asynccontextmanager
async def hearing(stage: Stage, **params: object) -> AsyncGenerator[Callable[[], Awaitable[Heard | None]]]:
    """A reader after its first capture; what it gives is what was heard since, once it has looked again."""
    async with KIND.open(BrowserParams.model_validate(params), world=_world(stage)) as reader:
        await reader.capture(mark=Mark(0), previous=None, deadline_s=15)

        async def heard() -> Heard | None:
            await reader.capture(mark=Mark(1), previous=None, deadline_s=15)
            assert isinstance(reader, Witness)
            return reader.witnessed()

        yield heard


def _world(stage: Stage) -> World:
    return World(stage._scratch, stage.browser.cdp_url)  # pyright: ignore[reportPrivateUsage]


def heard(stage: Stage, url: str, do: Callable[[Page], Awaitable[object]]) -> Heard:
    """What is heard of what is done to a page that is gone to before."""

    async def act() -> Heard:
        async with hearing(stage) as listen:
            await stage.page.goto(url)
            await listen()
            await do(stage.page)
            found = await listen()
            assert found is not None
            return found

    return stage.run(act())


def said(act: Act) -> str:
    """An act in one line, such as `click #save`; with a ? at the end where a script may have done it."""
    shown = [act.args[name] for name in ("keys", "text", "values", "checked", "files", "url") if name in act.args]
    what = [*([str(act.target["css"])] if act.target else []), *(json.dumps(item) for item in shown)]
    return " ".join([act.kind, *what]) + ("" if act.sure else " ?")


def lines(found: Heard) -> list[str]:
    return [said(act) for act in found.acts if act.args.get("count") != 0]


def test_what_is_done_is_told_by_kind_element_and_text(stage: Stage, site: Site) -> None:
    site.pages |= {"/": FORM, "/sent": SENT}

    async def do(page: Page) -> None:
        await page.type("[name=mail]", "ada")
        await page.click("label[for=agree]")
        await page.select_option("#plan", "paid")
        await page.fill("textarea", "two\nlines")
        await page.click("#save b")
        await page.wait_for_url("**/sent*")
        await page.keyboard.press("Control+k")

    found = heard(stage, site.at(), do)
    assert lines(found) == [
        'fill input[name="mail"] "ada"',
        "click label",
        "check #agree true",
        'select #plan ["paid"] ?',
        'fill textarea[data-testid="note"] "two\\nlines"',
        "click #save",
        "submit #f ?",
        'key body "Control+k"',
    ]
    assert found.unheard == ()
    assert [dict(act.target) for act in found.acts if act.kind in ("fill", "click") and act.args.get("count") != 0] == [
        {"css": 'input[name="mail"]', "role": "textbox", "name": "E-mail", "label": "E-mail"},
        {"css": "label"},
        {"css": 'textarea[data-testid="note"]', "role": "textbox", "testid": "note"},
        {"css": "#save", "role": "button", "name": "Save it"},
    ]


ELEMENTS: list[tuple[dict[str, str], bool | None]] = [
    ({"css": "#save"}, True),
    ({"css": "form > button"}, True),
    ({"css": "#save b"}, True),
    ({"css": "form"}, False),
    ({"css": "#pw"}, False),
    ({"role": "button", "name": "Save it"}, True),
    ({"role": "button", "name": "Save"}, False),
    ({"css": "button:nth-child(2)"}, None),
    ({"css": "label + button"}, None),
    ({"css": "[[["}, None),
    ({"xpath": "//button"}, None),
]


def test_an_element_is_recognised_by_every_way_to_select_it(stage: Stage, site: Site) -> None:
    from exactchange.limits import CountedBudget

    site.pages["/"] = FORM.replace("action=/sent", "onsubmit='return false'")
    [click, *_] = heard(stage, site.at(), lambda page: page.click("#save b")).acts
    assert click.element is not None
    found = [KIND.is_element(click.element, fields, budget=CountedBudget()) for fields, _ in ELEMENTS]
    assert found == [truth for _, truth in ELEMENTS]


@pytest.mark.parametrize("show", ["", "onload = () => { pw.type = 'text'; }"])
def test_no_secret_is_in_what_is_told(stage: Stage, site: Site, show: str) -> None:
    site.pages["/"] = FORM.replace("action=/sent", "onsubmit='return false'") + f"<script>{show}</script>"

    async def do(page: Page) -> None:
        await page.type("#pw", "hunter-of-2")
        await page.press("#pw", "Enter")
        await page.evaluate("document.querySelector('[name=mail]').id = 'api_token'")
        await page.fill("#api_token", "tok-98765")

    found = heard(stage, site.at(), do)
    everything = repr(found)
    assert "hunter" not in everything and "98765" not in everything
    texts = [act.args["text"] for act in found.acts if act.kind == "fill"]
    assert len(texts) == 2 and all(isinstance(text, dict) and set(text) == {"@secret"} for text in texts)


HOSTILE = """<script>
  EventTarget.prototype.addEventListener = () => {};
  EventTarget.prototype.removeEventListener = () => {};
  JSON.stringify = () => '"nothing"';
  for (const name of ["isTrusted", "detail", "type", "composedPath", "key"])
    Object.defineProperty(Event.prototype, name, { get: () => false, configurable: true });
  Array.prototype.filter = () => [];
  window.seen = [];
</script><script>
  for (const type of ["click", "keydown", "input"])
    window["on" + type] = (event) => { event.stopImmediatePropagation(); window.seen.push(type); };
</script>
<form name=forms><input name=getAttribute id=field><input name=type><input name=labels>
<button id=pay name=closest type=button>Pay</button></form><form name=documentElement></form>
<script>for (const name of ["onpointerdown", "onmousedown"]) document[name] = (e) => e.stopPropagation();</script>
<style>#pay {position: fixed; left: 0; top: 0; width: 90px; height: 90px}</style>"""
SILENCER = """<script>
  for (const type of ["click", "keydown", "input", "change"])
    addEventListener(type, (event) => { event.stopImmediatePropagation(); event.preventDefault(); }, true);
</script><button id=pay style="position: fixed; left: 0; top: 0; width: 90px; height: 90px">Pay</button>"""


@pytest.mark.parametrize("page", [HOSTILE, SILENCER], ids=["overrides", "stops"])
def test_no_page_silences_the_witness_or_sees_it(stage: Stage, site: Site, page: str) -> None:
    site.pages["/"] = page
    names: list[object] = []

    async def do(page: Page) -> None:
        await page.mouse.click(20, 20)  # the page breaks what finds an element
        names.append(await page.evaluate("Object.getOwnPropertyNames(window).filter((n) => /exact/i.test(n)).length"))

    found = heard(stage, site.at(), do)
    assert [(act.kind, act.sure, act.target.get("css"), act.target.get("name")) for act in found.acts] == [
        ("click", True, "#pay", "Pay")
    ]
    if page is SILENCER:  # the other one has no `filter` any more
        assert names == [0]


def test_what_a_script_did_is_told_apart(stage: Stage, site: Site) -> None:
    site.pages["/"] = FORM.replace("action=/sent", "onsubmit='return false'")

    async def do(page: Page) -> None:
        await page.evaluate("agree.click(); save.click(); pw.dispatchEvent(new Event('input', {bubbles: true}))")
        await page.evaluate("save.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
        await page.click("#agree")

    found = heard(stage, site.at(), do)
    assert [(act.kind, act.target.get("css"), act.sure) for act in found.acts] == [
        ("click", "#agree", False),
        ("check", "#agree", False),
        ("click", "#save", False),
        ("submit", "#f", False),
        ("fill", "#pw", False),
        ("key", "#save", False),
        ("click", "#agree", True),
        ("check", "#agree", True),
    ]


def test_a_flood_of_a_pages_own_events_hides_nothing_that_somebody_does(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<button id=a>a</button><script>for (let i = 0; i < 20000; i++) a.click();</script>"
    found = heard(stage, site.at(), lambda page: page.click("#a"))
    assert [said(act) for act in found.acts if act.sure] == ["click #a"]

    async def again(page: Page) -> None:
        await page.reload()
        await page.click("#a")

    found = heard(stage, site.at(), again)
    assert [said(act) for act in found.acts if act.sure] == [f'reload "{site.at()}"', "click #a"]
    assert len(found.acts) <= 302
    assert set(found.unheard) == {
        "more events were made by a page than is listened to",
        "more was done than is kept",  # of the run
    }


def test_a_page_that_opens_its_document_anew_is_told(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<button id=a onclick="document.open(); document.write(
        `<button id=pay>p</button>`); document.close()">a</button>"""

    async def do(page: Page) -> None:
        await page.click("#a")
        await page.click("#pay")

    found = heard(stage, site.at(), do)
    assert lines(found) == ["click #a", "click #pay"]
    assert found.unheard == ("a page opened its document anew, and may have hidden what was done to it then",)


def test_tabs_and_frames_are_heard_and_shadow_trees_named(stage: Stage, site: Site) -> None:
    site.pages |= {
        "/": f"<iframe src='{site.at('/in', host='localhost')}'></iframe><a id=pop href=/pop target=_blank>pop</a>"
        "<x-y></x-y><script>document.querySelector('x-y').attachShadow({mode: 'open'}).innerHTML = "
        "'<button id=deep>deep</button>'</script>",
        "/in": "<button id=inner>inner</button>",
        "/pop": "<button id=popped>popped</button>",
    }

    async def act() -> list[str]:
        page = stage.page
        async with hearing(stage) as listen:
            await page.goto(site.at())
            await listen()
            await page.frame_locator("iframe").locator("#inner").click()
            await page.click("#deep")
            async with page.expect_popup() as coming:
                await page.click("#pop")
            popup = await coming.value
            first = await listen()  # the judge is attached to the tab then, if it was not before
            await popup.click("#popped")
            second = await listen()
            await popup.close()
            assert first is not None and second is not None
            return [*lines(first), *lines(second)]

    assert stage.run(act()) == ["click #inner", "click #deep", "click #pop", "click #popped"]


def test_where_somebody_went_is_told_apart_from_where_a_page_led(stage: Stage, site: Site) -> None:
    site.pages |= {"/": FORM, "/sent": SENT, "/moved": "<script>location.href = '/sent'</script>"}

    async def do(page: Page) -> None:
        await page.click("#away")
        await page.wait_for_url("**/sent")
        await page.goto(site.at("/moved"))
        await page.wait_for_url("**/sent")
        await page.reload()

    found = heard(stage, site.at(), do)
    assert lines(found) == ["click #away", f'goto "{site.at("/moved")}"', f'reload "{site.at("/sent")}"']


def test_a_task_may_do_without(stage: Stage, site: Site) -> None:
    site.pages["/"] = FORM

    async def act() -> Heard | None:
        async with hearing(stage, witness=False) as listen:
            await stage.page.goto(site.at())
            await stage.page.click("#agree")
            return await listen()

    assert stage.run(act()) is None


def test_what_was_done_before_the_first_capture_is_not_told(stage: Stage, site: Site) -> None:
    site.pages["/"] = FORM

    async def act() -> Heard | None:
        await stage.page.goto(site.at())
        async with KIND.open(BrowserParams(), world=_world(stage)) as reader:
            await stage.page.click("#agree")
            await reader.capture(mark=Mark(0), previous=None, deadline_s=15)
            assert isinstance(reader, Witness)
            return reader.witnessed()

    assert stage.run(act()) == Heard()
