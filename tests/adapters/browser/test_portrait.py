"""A stored page drawn for people runs nothing, asks for nothing and shows what was there, whatever page it was."""

import pathlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.adapters.browser.stage import Site, Stage

from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.saved_frames import read_frames
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack


@dataclass
class Opened:
    """What happened when the file was opened in a browser."""

    asked: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])
    dialogs: list[str] = field(default_factory=list[str])
    found: Sequence[object] = ()
    text: str = ""
    hidden: str = ""


LOOK = """() => {
  const every = [...document.querySelectorAll('*')], ours = document.querySelector('header input');
  const live = every.filter(e => !['HTML', 'HEAD', 'META', 'TITLE', 'STYLE', 'BODY', 'HEADER', 'MAIN', 'SECTION', 'DIV',
    'SPAN', 'P', 'B', 'H2', 'H3', 'LABEL', 'INPUT', 'TEXTAREA', 'SELECT', 'OPTION', 'BR', 'HR']
    .includes(e.tagName));
  const attributes = every.flatMap(e => [...e.attributes].map(a => a.name));
  const allowed = ['class', 'title', 'role', 'aria-level', 'type', 'disabled', 'checked', 'selected', 'value',
    'multiple', 'placeholder', 'lang', 'charset', 'http-equiv', 'content', 'name', 'id'];
  return [live.map(e => e.outerHTML), attributes.filter(a => !allowed.includes(a)),
    every.filter(e => e.namespaceURI !== 'http://www.w3.org/1999/xhtml').length,
    [...document.querySelectorAll('main input, main select, main textarea')].filter(e => !e.disabled).length,
    document.querySelectorAll('meta').length, document.querySelectorAll('style').length,
    document.querySelectorAll('[id]').length, window.ran === undefined, document.forms.length, document.links.length];
}"""
NOTHING: Sequence[object] = [[], [], 0, 0, 4, 1, 1, True, 0, 0]
"""What LOOK finds in a file that holds nothing but ours."""


def opened(stage: Stage, file: pathlib.Path, *, picture: pathlib.Path | None = None) -> Opened:
    """Open a file in a context of its own, with an eye on every request, word and dialog."""

    async def act() -> Opened:
        seen = Opened()
        context = await stage.agent.new_context()
        page = await context.new_page()
        context.on("request", lambda request: seen.asked.append(request.url))
        page.on("console", lambda message: seen.said.append(message.text))
        page.on("pageerror", lambda error: seen.said.append(str(error)))
        page.on("dialog", lambda dialog: seen.dialogs.append(dialog.message))
        await page.goto(file.as_uri())
        seen.found = await page.evaluate(LOOK)
        seen.text = await page.inner_text("main")
        await page.check("#all")
        seen.hidden = await page.inner_text("main")
        if picture is not None:
            await page.screenshot(path=picture, full_page=True)
        await context.close()
        return seen

    return stage.run(act())


def drawn(stage: Stage, page: PageSnapshot, folder: pathlib.Path) -> Opened:
    file = folder / "drawn.html"
    file.write_text(KIND.portrait(page, title="a page"), encoding="utf-8")
    seen = opened(stage, file)
    assert seen.asked == [file.as_uri()] and seen.said == [] and seen.dialogs == []
    assert seen.found == NOTHING
    return seen


def capture(stage: Stage, site: Site, text: str, script: str = "") -> PageSnapshot:
    site.pages["/"] = text

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        if script:
            await stage.page.evaluate(script)
        async with stage.reading() as reading:
            return await reading.take()

    return stage.run(act())


SHOP = """<!doctype html><h1>Order</h1><label>Mail <input id=m></label><input type=checkbox id=c>
<textarea id=t></textarea><input type=radio name=r value=1 checked><input type=radio name=r
value=2 id=r2><select id=s><option>DE<option>FR</select>
<select multiple id=n><option value=1>one<option value=2>two<option value=3>three</select><input type=password id=p>
<p hidden>out of sight</p><p style="visibility:hidden">unseen</p><details><summary>More</summary>folded</details>
<table><tr><th>Name<td>Ada</table><img alt=Logo><a href=/next>Next</a><div contenteditable id=e>x</div>
<x-card><template shadowrootmode=open><b>in the shadow</b></template></x-card><button disabled>Save</button>
<iframe srcdoc="<p>in the frame <input value=deep>"></iframe>"""
USED = """() => { const $ = id => document.getElementById(id); $('m').value = 'ada@example.org'; $('c').checked = true;
  $('t').value = '\\nfirst\\n<b>second</b>'; $('r2').checked = true; $('s').value = 'FR'; $('p').value = 'hunter2-FAKE';
  $('n').options[0].selected = $('n').options[2].selected = true; $('e').textContent = 'typed'; }"""
VALUES = """() => [...document.querySelectorAll('main input, main select, main textarea')].map(e =>
  ['checkbox', 'radio'].includes(e.type) ? e.checked
    : e.multiple ? [...e.selectedOptions].map(o => o.text) : e.value)"""


def test_what_was_shown_and_typed_is_shown_and_what_was_not_seen_on_demand(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    page = capture(stage, site, SHOP, USED)
    seen = drawn(stage, page, tmp_path)
    for text in ("Order", "Name", "Ada", "img: Logo", "Next", "in the shadow", "in the frame", "typed", "Save", "More"):
        assert text in seen.text, text
    for text in ("out of sight", "unseen", "folded"):
        assert text not in seen.text and text in seen.hidden, text
    assert "secret" in seen.text and "hunter2" not in (tmp_path / "drawn.html").read_text(encoding="utf-8")

    async def values() -> object:
        await stage.page.goto((tmp_path / "drawn.html").as_uri())
        return await stage.page.evaluate(VALUES)

    assert stage.run(values()) == [
        "ada@example.org", True, "\nfirst\n<b>second</b>", False, True, "FR", ["one", "three"], "deep",
    ]  # fmt: skip


HOSTILE = pathlib.Path(__file__).with_name("hostile_markup.txt").read_text(encoding="utf-8").splitlines()
"""A page in each line; ASKED stands for an address that nobody may ask for."""


def test_nothing_of_a_hostile_page_runs_or_asks_for_anything(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    """Read from markup, so that the pages need not be lived through: a walk tells the same of the live ones."""
    pages = [line.replace("ASKED", site.at("/asked")) for line in HOSTILE]
    documents = [frame.nodes for page in pages for frame in read_frames(f"<!doctype html>{page}".encode())]
    assert len(documents) > len(pages) and "" in documents, "of frames elsewhere nothing is told"
    seen = drawn(stage, made(*filter(None, documents)), tmp_path)
    assert "</script><script>window.ran=1</script>" in seen.text, "what was text is text"
    assert site.asked == []


def test_a_file_that_holds_anything_else_is_noticed(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(f"<main><img src={site.at('/asked')}><svg/></main><header><input id=all type=checkbox></header>")
    seen = opened(stage, file)
    assert seen.found != NOTHING and len(seen.asked) == 2 and seen.said


def test_nothing_of_a_hostile_live_page_runs_or_asks_for_anything(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    body = "".join(line.replace("ASKED", site.at("/asked")) for line in HOSTILE[:-1] if "refresh" not in line)
    page = capture(stage, site, f"<!doctype html><meta charset=utf-8><body>{body}")
    before = len(site.asked)
    drawn(stage, page, tmp_path)
    assert len(site.asked) == before


DEEP = "[" + '[-1,"b",{},3],' + ",".join(f'[{number},"b",{{}},3]' for number in range(3000)) + "]"
MADE = [
    '[[-1,"html",{},1],[0,"script",{},3],[1,"window.ran=1"],[0,"iframe",{"srcdoc":"<script>parent.ran=1</script>"},3]]',
    '[[-1,"img src=x onerror=window.ran=1",{"on\\"><svg onload=window.ran=1>":"x"},3],[0,"<script>ran=1</script>"]]',
    '[[-1,"p",{"title":"x"},3],[0,"div",{},3],[1,"table",{},3],[2,"p",{},3],[3,"\\ud800</p></table>"]]',
    '[[-1,"a",{},3],[0,"a",{"href":"javascript:window.ran=1"},3],[1,"button",{},3,{}],[2,"button",{},3,{}]]',
    '[[-1,"#shadow",{},1],[0,"input",{},3,{"t":"\\"><img src=x onerror=window.ran=1>","v":"</textarea>"}]]',
    '[[-1,"select",{},3,{"v":["</select><img src=x onerror=window.ran=1>"]}],[0,"option",{"label":"</select>"},3]]',
    '[[-1,"textarea",{},3,{"v":"</textarea><svg onload=window.ran=1>"}]]',
    DEEP,
]  # fmt: skip


def test_a_recording_that_somebody_made_up_draws_nothing_but_ours(stage: Stage, tmp_path: pathlib.Path) -> None:
    seen = drawn(stage, made(*MADE), tmp_path)
    assert 'tab 1: "><script>' in seen.text


def made(*documents: str) -> PageSnapshot:
    """Each document in a tab of its own, with an address that is markup."""
    stored = [
        StoredDocument(("@tabs", f"n={number}") if number > 1 else (), pack(nodes), number)
        for number, nodes in enumerate(documents, 1)
    ]
    return PageSnapshot("browser", {"@url": '"><script>window.ran=1</script>'}, documents=tuple(stored))
