"""A saved page, read without a browser, stands in the same places as the live page that a browser makes of it."""

import json
import pathlib
from collections.abc import Mapping
from typing import cast

import pytest
from tests.adapters.browser.stage import Site, Stage, World, at, changed, pick
from tests.adapters.browser.test_secrets import stored_bytes

from exactchange.diff import Diff
from exactchange.limits import CountedBudget
from exactchange.sources import diff_snapshots
from exactchange.values import ABSENT, Value
from exactchange_adapters.browser import KIND, markup, saved
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.saved_frames import read_frames
from exactchange_adapters.browser.snapshot import PageSnapshot


def read(folder: pathlib.Path, html: str | bytes, name: str = "page.html") -> PageSnapshot:
    path = folder / name
    path.write_bytes(html.encode() if isinstance(html, str) else html)
    return KIND.from_path(path, BrowserParams(), world=World(folder, None), budget=CountedBudget())


def places(page: PageSnapshot) -> Mapping[str, Value]:
    """What both kinds of page tell."""
    assert isinstance(page.tree, Mapping)
    return {name: _told(value) for name, value in page.tree.items() if not name.startswith("@") or name in TOLD}


TOLD = ("@title", "@text", "@frames", "@rows")


def _told(value: Value) -> Value:
    """Less what only a loaded document has."""
    if not isinstance(value, Mapping):
        return value
    return {name: _told(inner) for name, inner in value.items() if name != "@loaded"}


INPUTS = """<input type=text name=a value='x
y'><input name=b><input type=nonsense name=c value=z><input type=email name=d value=' a@b '><input type=email multiple
name=e value='a@b , c@d'><input type=url name=f value=' http://h '><input type=number name=g value=1e3><input
type=number
name=h value=many><input type=range name=i><input type=range name=j min=10 max=20 value=99><input type=range name=k
min=0
max=1 step=0.25 value=0.4><input type=range name=k2 min=5 max=1><input type=range name=k3 step=any value=1.5><input
type=color name=l><input type=color name=m value='#ABCDEF'><input type=date name=o
value=2024-02-30><input type=date name=p value=2024-02-29><input type=time name=q value=9:05><input type=time name=r
value=09:05><input type=datetime-local name=s value='2024-02-29T09:05'><input type=month name=t value=2024-13><input
type=month name=u value=2024-12><input type=week name=v value=2024-W07><input type=hidden name=w value=' h '><input
type=submit name=x><input type=submit name=y value=Go><input type=file name=z value=q><input type=search name=aa
value=' s ' disabled><input type=CHECKBOX name=bb checked><input type=checkbox name=cc value=v><input type=reset>"""
TICKS = """<form id=one><input type=radio name=r value=1 checked><input type=radio name=r value=2 checked></form>
<form><input type=radio name=r value=3><input type=radio name=r value=4 form=one></form><input type=radio name=r value=5
checked><input type=radio name=r value=6><input type=radio checked><input type=radio checked>"""
LISTS = """<select name=a><option>  one   two <option value=2>x</select><select name=b><option selected>1<option
selected>2<option>3</select><select name=c multiple><option selected>1<option selected>2<option>3</select><select name=d
size=3><option>1<option>2</select><select name=e></select><select name=f><option disabled>1<optgroup disabled><option>2
</optgroup><optgroup label=G><option>3</select><select name=g disabled><option>1</select><select name=h><option
value="">
pick</select><select multiple
name=z><option>a <b>c</b></select><fieldset disabled><select name=i><option>1</select><legend><input
name=free></legend><input name=shut>
<legend><input name=second></legend></fieldset>"""
TEXT = """<h1>One   two</h1><p>a<b>b</b> c<br>d&nbsp;e<pre>  kept
  lines</pre><textarea name=t>
first
second</textarea><div hidden>no</div><div style="display:none">no</div><div style='visibility:hidden'>no<i
style="visibility:
visible">yes</i></div><div style="opacity: 0">no<p>no</div><div style='display:contents'>yes</div><div hidden
style="display:block">yes</div><details><summary>sum</summary>no<p>no</details><details open><summary>sum</summary>yes
</details><dialog>no</dialog><dialog open>yes</dialog><div popover>no</div><div aria-hidden=true>no</div
><script>no</script>
<noscript>no<p>no</noscript><template><p>no</template><video><p>no</video><ul><li>1<li>2<ul><li>3</ul>
</ul><table><tr><td>a<td>b<tr><td>c</table><svg><title>no</title><text>yes</text></svg><p>a<!-- c
--> b<button>Save <b>it</b>
</button><a href=/x>link</a><label>In <input name=in></label><label for=f>For</label><input id=f><ruby>a<rp>(</rp
></ruby>
<dl><dt>t<dd>d</dl><x-y>custom</x-y><p>soft&shy;hyphen&#8203;zero"""
EDITORS = """<div contenteditable id=a>typed <b>text</b></div><div contenteditable=plaintext-only id=b>plain<div
contenteditable=false>x</div></div><div contenteditable=false id=c>no</div><div role=checkbox aria-checked=true id=d>box
</div><button aria-pressed=mixed id=e>B</button><div role=switch aria-checked=false aria-label=Dark></div><div popover
id=p
>pop</div><input type=password name=pw><p contenteditable id=q><textarea>in</textarea></p>"""
SHADOW = """<x-card><template shadowrootmode=open><input class=i value=deep><slot name=a>no</slot><slot>no</slot><p>in
</template><p slot=a>A<p>light<p slot=zz>no</p></x-card><x-shut aria-label=Shut><template shadowrootmode=closed><input
name=c
value=1><x-in><template shadowrootmode=open><b>deep</b><slot>fallback</slot></template></x-in></template>no</x-shut>"""
FRAMES = """<iframe srcdoc="<title>F</title><p>in <input name=q value=1><iframe srcdoc='<p>deeper'></iframe>"></iframe>
<iframe id=blank></iframe><iframe name=n src=about:blank></iframe>"""
ODD = """<p>a<div>b</p>c<table>lost<tr><td>x</table><b><p>m</b>n</p><form><form><input name=x></form><input
name=y></form>
<a>1<a>2</a><li>l<select><select><option>q</select></p><title>late</title><body class=x><svg><input name=s></svg
><math><mi>x
</math><h2>t<h3>u</h2><frameset><image src=x alt=pic><isindex><plaintext>the <rest>"""
PAGES = {
    "inputs": INPUTS, "ticks": TICKS, "lists": LISTS, "text": TEXT, "editors": EDITORS, "shadow": SHADOW,
    "frames": FRAMES, "odd": ODD,
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_saved_page_stands_in_the_places_of_the_live_one(
    name: str, stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    html = f"<!doctype html><meta charset=utf-8><title>The  {name} page</title><body>{PAGES[name]}"
    site.pages["/"] = html

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    live = stage.run(act())
    saved = read(tmp_path, html)
    assert places(saved) == places(live)
    assert saved.unread == ()
    for css in ("*", "input", "body p", ":checked", ":disabled", "[name]"):
        assert pick(saved, css=css, field="@name") == pick(live, css=css, field="@name"), css
        assert pick(saved, css=css, field="text") == pick(live, css=css, field="text"), css


def compared(folder: pathlib.Path, before: str, after: str) -> Diff:
    pages = [read(folder, html, f"{number}.html") for number, html in enumerate((before, after))]
    return diff_snapshots(KIND, "page", *pages, params=BrowserParams(), budget=CountedBudget())


def test_a_page_that_the_browser_saved_in_one_file_is_read_with_its_frames(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages["/"] = (
        "<!doctype html><title>Saved</title><p>Zürich <input id=m value=a><iframe id=f src=/f></iframe><iframe name=d "
        "srcdoc='<p>doc'></iframe><x-h><template shadowrootmode=open><p>in shadow</p><input id=s></template></x-h>"
    )
    site.pages["/f"] = "<p>framed <input id=q value=1>"

    async def act() -> tuple[PageSnapshot, str]:
        await stage.page.goto(site.at())
        session = await stage.page.context.new_cdp_session(stage.page)
        async with stage.reading() as reading:
            live = await reading.take()
        answer = cast("dict[str, str]", await session.send("Page.captureSnapshot", {"format": "mhtml"}))
        return live, answer["data"]

    live, archive = stage.run(act())
    saved_page = read(tmp_path, archive.encode(), "page.mhtml")
    assert places(saved_page) == places(live)
    assert at(saved_page, "@url") == at(live, "@url")


def test_an_archive_without_a_page_is_unread() -> None:
    for data in (b"MIME-Version: 1.0\n\nx", b"From: a\nContent-Type: multipart/related; boundary=b\n\n--b\n\nx\n--b--"):
        assert [frame.why for frame in read_frames(data)] == ["it holds no markup"]


PAIRS: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("<input id=m value=a>", "<input id=m value=b>", [("modified", "#m.value")]),
    ("<ul><li>b<li>c<li>d</ul>", "<ul><li>a<li>b<li>c<li>d</ul>", [("added", "@text[0]")]),
    ("<p>one<p>two", "<p>one", [("removed", "@text[1]")]),
    ("<p><a href=/a>x</a><p><a href=/b>y</a>", "<p><a href=/b>y</a>",
     [("removed", "@text[0]"), ("removed", "@structure[0]")]),
    ("<form action=/a>", "<form action=/b>", [("modified", "@structure[0]")]),
    ("<x-h><template shadowrootmode=open><input id=i value=1></template></x-h>",
     "<x-h><template shadowrootmode=open><input id=i value=2></template></x-h>", [("modified", "x-h[n=1].#i.value")]),
    ("<iframe id=f srcdoc='<p>a'></iframe>", "<iframe id=f srcdoc='<p>b'></iframe>",
     [("modified", "@frames.#f.@text[0]")]),
    ("<p>a</p>", "<p>a</p><p hidden>b</p>", []),
    ("<p class=a>x", "<p class=b>x", []),
    ("<p>x<script>a()</script>", "<p>x<script>b()</script>", []),
    ("<p>x", "<p>x<!-- y -->", []),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "wanted"), PAIRS)
def test_what_two_saved_pages_differ_in_is_a_change_or_a_note_and_never_silent(
    before: str, after: str, wanted: list[tuple[str, str]], tmp_path: pathlib.Path
) -> None:
    found = compared(tmp_path, before, after)
    assert sorted((change.op, change.address) for change in found.changes) == sorted(wanted)
    assert [note.kind for note in found.notes] == ["saved page", "markup"]
    assert found.complete


def test_the_same_file_has_nothing_to_be_said_about(tmp_path: pathlib.Path) -> None:
    found = compared(tmp_path, "<p>x", "<p>x")
    assert (found.changes, found.notes, found.unread) == ((), (), ())


def test_that_stylesheets_may_hide_text_is_said(tmp_path: pathlib.Path) -> None:
    for style in ("<style>p{display:none}</style>", "<link rel=stylesheet href=a.css>"):
        found = compared(tmp_path, f"{style}<p>x", f"{style}<p>y")
        assert any("stylesheets are not applied" in note.message for note in found.notes), style


def test_a_frame_whose_document_is_elsewhere_is_unread(tmp_path: pathlib.Path) -> None:
    found = compared(tmp_path, "<iframe id=f src=card.html></iframe>", "<iframe id=f src=card.html></iframe><p>x")
    assert [(item.address, item.cause) for item in found.unread] == [("@frames.#f", "content")]
    assert [change.address for change in found.changes] == ["@text[0]"]


def test_secrets_are_kept_as_keyed_hashes_that_tell_whether_they_are_equal(tmp_path: pathlib.Path) -> None:
    html = "<input type=password id=p value=hunter2-FAKE><input name=csrf_token type=hidden value=FAKE-abcdef>"
    pages = [read(tmp_path, html), read(tmp_path, html + "<p>x"), read(tmp_path, html.replace("FAKE", "OTHER"))]
    assert all("hunter2" not in repr(page.tree) and b"FAKE" not in stored_bytes(page) for page in pages)
    assert changed(pages[0], pages[1]).keys() == {"@text[0]"}
    assert changed(pages[0], pages[2]).keys() == {"#p.value", "input[name=csrf_token].value"}


SHOWN = """<title>is hunter2-FAKE</title><p>It is hunter2-FAKE.</p><input name=q value=hunter2-FAKE><a
title=hunter2-FAKE href=/?q=hunter2-FAKE>x</a><iframe srcdoc="<p>hunter2-FAKE</p>"></iframe><div><template
shadowrootmode=open>hunter2-FAKE</template></div><iframe srcdoc="<input type=password value=hunter2-FAKE>"></iframe>"""


def test_a_secret_is_hidden_wherever_else_it_stands_in_the_file(tmp_path: pathlib.Path) -> None:
    page = read(tmp_path, SHOWN)
    assert "hunter2" not in repr(page) and b"hunter2" not in stored_bytes(page)
    assert {part.address for part in page.unread} == {"@text", "@frames.iframe[n=1].@text"}


def test_a_token_in_a_script_or_a_link_hides_no_text(tmp_path: pathlib.Path) -> None:
    token = "FAKE0123456789abcdef"
    html = f"<input type=hidden name=csrf_token value={token}><script>t='{token}'</script><a href='/x?y={token}'>x</a>"
    page = read(tmp_path, html)
    assert not page.unread and token.encode() not in stored_bytes(page)


WRITTEN: list[tuple[bytes, str]] = [
    ("<meta charset=utf-8><p>Zürich".encode(), "Zürich"),
    ("<p>Zürich".encode(), "Zürich"),
    ("\ufeff<p>Zürich".encode(), "Zürich"),
    ("\ufeff<p>Zürich".encode("utf-16-le"), "Zürich"),
    ("\ufeff<p>Zürich".encode("utf-16-be"), "Zürich"),
    ("\ufeff<meta charset=latin1><p>Zürich".encode(), "Zürich"),
    ("<meta charset='ISO-8859-1'><p>“Zürich” €".encode("cp1252"), "“Zürich” €"),
    ("<meta http-equiv=content-type content='text/html; charset=windows-1251'><p>Привет".encode("cp1251"), "Привет"),
    ("<meta charset=shift_jis><p>東京".encode("cp932"), "東京"),
    ("<meta charset=gb2312><p>北京".encode("gb18030"), "北京"),
    (b"<meta charset=utf-8><p>Z\xfcrich", "Z\ufffdrich"),
]


@pytest.mark.parametrize(("data", "text"), WRITTEN)
def test_a_page_is_read_in_the_encoding_that_it_says(data: bytes, text: str) -> None:
    (frame,) = read_frames(data)
    assert json.loads(frame.nodes)[-1][1] == text


UNREAD: list[tuple[bytes, str]] = [
    (b"", "the file is empty"),
    (b" \n", "the file is empty"),
    (b'{"a": 1}', "it holds no markup"),
    (b"\x89PNG\r\n\x1a\n\0\0", "it is no text"),
    (b"<p>Z\xfcrich", "it does not say its encoding, and is not UTF-8"),
    (b"<meta charset=klingon><p>x", "it is written in klingon, which is not known here"),
    (b"<div>" * 600, "it is nested deeper than 512 elements, of which browsers make another tree"),
    (b"<x-h><template shadowrootmode=open>" * 300, "it is nested deeper than 512 elements"),
    (b"<b>a" * 100_000, "it is nested deeper"),
]


@pytest.mark.parametrize(("data", "reason"), UNREAD, ids=range(len(UNREAD)))
def test_what_is_no_page_is_unread_and_says_why(data: bytes, reason: str) -> None:
    (frame,) = read_frames(data)
    assert frame.nodes == "" and frame.why.startswith(reason)


def test_a_page_of_more_elements_than_are_read_is_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MOST_NODES", 100)
    assert [frame.why for frame in read_frames(b"<br>" * 99)] == ["the document is too large to read"]
    assert [frame.why for frame in read_frames(b"<br>" * 90)] == [""]


def test_a_page_that_is_unread_is_so_as_a_whole(tmp_path: pathlib.Path) -> None:
    page = read(tmp_path, b"<meta charset=klingon><p>x")
    assert page.tree is ABSENT and page.documents == ()
    assert [(item.path, item.cause) for item in page.unread] == [((), "content")]


def test_markup_that_takes_for_ever_is_unread_in_bounded_time(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "SECONDS", 1)
    page = read(tmp_path, "<p " + " ".join(f"a{number}" for number in range(400_000)) + ">")
    assert [item.reason for item in page.unread] == ["it takes more time or memory than a page may"]


def test_a_page_that_is_too_large_is_not_even_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "page.html"
    with path.open("wb") as file:
        file.truncate(saved.LARGEST_PAGE + 1)
    assert [item.reason for item in saved.read_saved(path).unread] == [f"more than {saved.LARGEST_PAGE} bytes"]


def test_nothing_in_a_page_is_run_or_asked_for(site: Site, tmp_path: pathlib.Path) -> None:
    url = site.at("/x")
    asking = (
        "<base href={0}><script src={0}></script><img src={0}><link rel=stylesheet href={0}><iframe src={0}></iframe>"
    )
    asking += "<iframe srcdoc='<img src={0}>'></iframe><meta http-equiv=refresh content='0;{0}'>"
    read(tmp_path, asking.format(url))
    assert site.asked == []
