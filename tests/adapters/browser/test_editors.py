"""What an editor of code holds is told where all of it stands in the page; a part is never taken for the whole."""

import pytest
from tests.adapters.browser.stage import Site, Stage, at, pick

from exactchange_adapters.browser.editors import FOLDED, HIDDEN, IN_VIEW
from exactchange_adapters.browser.snapshot import PageSnapshot

LINE = "<div class=cm-line>"
MIRROR = (
    "<div id=e class=CodeMirror><div class=CodeMirror-vscrollbar{bar}>x</div>"
    "<pre class=CodeMirror-line>{text}</pre></div>"
)


def captured(stage: Stage, site: Site, page: str) -> PageSnapshot:
    site.pages["/"] = page

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    return stage.run(act())


@pytest.mark.parametrize(
    ("page", "value"),
    [
        (
            f"<div id=e contenteditable>{LINE}if x:</div>{LINE}    <b>y</b></div>{LINE}<br></div></div>",
            "if x:\n    y\n",
        ),
        (f"<div id=e contenteditable>{LINE}<img><span contenteditable=false>type here</span></div></div>", "type here"),
        (f"<div id=e contenteditable>{LINE}a<i cm-text=c>b</i></div></div>", "ab"),
        (f"<div id=e contenteditable>{LINE}a</div><p>and b</p></div>", "a\nand b"),
        (f"<div id=e contenteditable><p>{LINE}a</div>b</div>", "a\nb"),
        (MIRROR.format(bar=" hidden", text="  <b>a</b><span cm-text='\t'>    </span>b"), "  a\tb"),
        (MIRROR.format(bar=" hidden", text="\u200b"), ""),
        ("<div id=e class=ql-editor contenteditable><p>one</p><ul><li>two</li></ul><p><br></p></div>", "one\ntwo"),
        ("<div id=e class=ProseMirror contenteditable><p>one</p><p>two</p></div>", "one\ntwo"),
    ],
)
def test_an_editor_that_is_all_there_has_its_text_for_its_value(
    page: str, value: str, stage: Stage, site: Site
) -> None:
    snapshot = captured(stage, site, page)
    assert at(snapshot, "#e.value") == pick(snapshot, css="#e") == [value]
    assert snapshot.unread == ()


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (f"<div id=e contenteditable>{LINE}a</div><div class=cm-gap></div></div>", IN_VIEW),
        (f"<div id=e contenteditable>{LINE}a<span class=cm-foldPlaceholder>…</span></div></div>", FOLDED),
        (MIRROR.format(bar="", text="a"), IN_VIEW),
        (MIRROR.format(bar=" hidden", text="a<span class=CodeMirror-widget>…</span>"), FOLDED),
        (f"<div style='display: none'>{MIRROR.format(bar='', text='a')}</div>", HIDDEN),
        ("<div id=e class=CodeMirror><pre class=CodeMirror-line>a</pre></div>", IN_VIEW),  # other bars than its own
        ("<div id=e class=monaco-editor><div class=view-line>a</div></div>", IN_VIEW),
    ],
)
def test_an_editor_of_which_not_all_is_there_has_no_value_and_is_unread(
    page: str, reason: str, stage: Stage, site: Site
) -> None:
    snapshot = captured(stage, site, page)
    assert at(snapshot, "#e.value") == []
    assert [(item.address, item.reason, item.cause) for item in snapshot.unread] == [("#e.value", reason, "content")]


def test_the_value_of_an_editor_in_an_unread_place_is_no_answer_to_a_selector(stage: Stage, site: Site) -> None:
    snapshot = captured(stage, site, f"<div id=e contenteditable>{LINE}a</div><div class=cm-gap></div></div>")
    assert pick(snapshot, css="#e", field="value") == []
