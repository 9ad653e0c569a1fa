"""Text that a person can see is told from text that is there all the same, and words stand apart as they are seen."""

import pathlib
from typing import cast

from tests.adapters.browser.stage import Site, Stage, at, changed, pick

from exactchange_adapters.browser.snapshot import PageSnapshot

AWAY = "position:absolute; left:-9999px"
SR_ONLY = (
    "position:absolute; width:1px; height:1px; padding:0; margin:-1px; overflow:hidden; clip:rect(0,0,0,0); "
    "white-space:nowrap; border:0"
)
UNSEEN = [
    "display:none", "visibility:hidden", "opacity:0", SR_ONLY, AWAY, "position:absolute; top:-400px",
    "position:fixed; top:0; left:0; transform:translateX(-100%)", "position:fixed; left:110vw",
    "position:relative; left:-9999px",
    "height:0; overflow:hidden", "width:0; overflow:hidden", "max-height:0; overflow:auto", "clip-path:inset(100%)",
    "clip-path:inset(50%)", "clip-path:inset(0 100% 0 0)", "clip-path:circle(0)", "font-size:0",
    "text-indent:-9999px; overflow:hidden", "position:absolute; clip:rect(1px, 1px, 1px, 1px)",
]  # fmt: skip
SEEN = [
    "", "overflow:hidden", "height:0", "opacity:.2", "position:absolute; left:0", "clip-path:inset(10%)",
    "clip-path:circle(50%)", "text-indent:-20px; padding-left:40px", "position:relative; left:40px",
    "display:contents; overflow:hidden; height:0", "position:fixed; top:4px", "transform:translateX(10px)",
    "position:absolute; clip:rect(0px, 400px, 400px, 0px)", "overflow:auto; height:40px", "font-size:9px",
    "position:absolute; left:-20px; width:200px",
]  # fmt: skip


def one(style: str, number: int) -> str:
    return f"<section id=s{number} style='{style}'>Order <b>{number}</b> confirmed</section>"


def look(stage: Stage, site: Site, html: str, script: str = "0") -> tuple[PageSnapshot, object]:
    site.pages["/"] = f"<!doctype html><body>{html}"

    async def act() -> tuple[PageSnapshot, object]:
        await stage.page.goto(site.at())
        found: object = await stage.page.evaluate(script)
        async with stage.reading() as reading:
            return await reading.take(), found

    return stage.run(act())


def test_what_nobody_can_see_is_hidden_text_and_what_anybody_can_is_not(stage: Stage, site: Site) -> None:
    page, _ = look(stage, site, "".join(one(style, n) for n, style in enumerate([*UNSEEN, *SEEN])))
    for number, style in enumerate([*UNSEEN, *SEEN]):
        text = f"Order {number} confirmed"
        wanted = ([""], [text]) if style in UNSEEN else ([text], [""])
        assert (pick(page, css=f"#s{number}", field="text"), pick(page, css=f"#s{number}", field="hidden")) == wanted, (
            style
        )
    assert at(page, "@text") == [[f"Order {n} confirmed" for n in range(len(UNSEEN), len(UNSEEN) + len(SEEN))]]


OTHERS: list[tuple[str, str, str]] = [
    ("<div hidden>x</div>", "", "x"),
    ("<p aria-hidden=true>x <b>y</b></p>z", "z", "x y"),
    ("<details><summary>s</summary>x</details>", "s", "x"),
    ("<script>x</script><style>y</style><template>z</template>", "", ""),
    ("<select><option>o</select><textarea>t</textarea>", "", ""),
    (f"<div style='{AWAY}'><p style='position:fixed; left:3px; top:3px'>here</p>x</div>", "here", "x"),
    ("<div style='height:0; overflow:hidden'>x<p style='position:absolute'>out</p></div>", "out", "x"),
    ("<div style='height:0; overflow:hidden; position:relative'><p style='position:absolute'>x</p></div>", "", "x"),
    ("<div style='clip-path:inset(100%)'><p style='position:absolute'>x</p></div>", "", "x"),
    ("<div style='font-size:0'><b>x</b><button>y</button></div>", "y", "x"),
    ("<div style='font-size:0'>x<b style='font-size:12px'>y</b></div>", "y", "x"),
    ("<div style='visibility:hidden'>x<b style='visibility:visible'>y</b></div>", "y", "x"),
    ("<div style='overflow:auto; height:50px'><div style='height:90px; position:relative'>top</div>"
     "<p style='height:300px'>low</p></div>", "top\nlow", ""),
    ("<div style='overflow:auto; height:50px; display:flex; flex-direction:column-reverse'>"
     "<p style='position:relative; height:90px; flex:none'>new</p>"
     "<p style='position:relative; height:900px; flex:none'>old</p></div>", "new\nold", ""),
]  # fmt: skip


def test_what_comes_out_of_what_is_cut_off_is_seen_and_what_was_scrolled_away_too(stage: Stage, site: Site) -> None:
    html = "".join(f"<main id=m{n}>{html}</main>" for n, (html, _, _) in enumerate(OTHERS))
    scroll = "for (const e of document.querySelectorAll('div')) e.scrollTop = 200; scrollTo(0, 40)"
    page, _ = look(stage, site, html + "<div style='height:3000px'></div>", scroll)
    for number, (text, seen, hidden) in enumerate(OTHERS):
        got = [pick(page, css=f"#m{number}", field=field)[0] for field in ("text", "hidden")]
        assert got == [seen, hidden], text


def test_text_in_a_shadow_tree_is_cut_off_with_its_host(stage: Stage, site: Site) -> None:
    script = "h.attachShadow({mode: 'open'}).innerHTML = 'bare <b>deep</b>'"
    page, _ = look(stage, site, f"<div id=h style='{AWAY}'></div>", script)
    assert at(page, "@text") == [[]]


def test_that_hidden_text_comes_or_goes_is_no_change_of_the_text(stage: Stage, site: Site) -> None:
    site.pages["/"] = f"<!doctype html><p>Shop</p><div id=live style='{SR_ONLY}'></div>"

    async def act() -> dict[str, tuple[object, object]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await stage.page.evaluate("live.textContent = 'Order confirmed'")
            return changed(before, await reading.take())

    assert stage.run(act()) == {}


def test_a_name_is_made_of_what_is_said_though_it_is_cut_off(stage: Stage, site: Site) -> None:
    page, _ = look(stage, site, f"<button><span aria-hidden=true>x</span><span style='{SR_ONLY}'>Close</span></button>")
    assert pick(page, role="button", field="name") == ["Close"]


BLOCKS = """<div id=w0 style="display:flex"><span>Name</span><span>Ada</span></div>
<div id=w1 style="display:grid"><a href=#>One</a><b>Two</b>Three</div>
<div id=w2><span style="display:block">Up</span><span style="display:block">Down</span></div>
<div id=w3><span>Ada</span><span>Lovelace</span></div>
<div id=w4><span style="display:inline-block">H</span><span style="display:inline-block">i</span></div>
<div id=w5 style="display:table"><b style="display:table-cell">x</b><b style="display:table-cell">y</b></div>
<div id=w6>Inbox<span style="position:absolute">3</span></div>
<div id=w7><label style="display:block">Full name<input></label><em>hint</em></div>
<ul id=w8><li>a<li>b</ul><div id=w9>a<div hidden>x</div>b<br>c</div>
<div id=w10 style="display:contents"><i>p</i><i>q</i></div>
<div id=w11>one <b>two</b>, <i>three</i>.</div><div id=w12 style="float:left">f<span style="float:right">g</span></div>
<dl id=w13><dt>Name<dd>Ada</dl><table id=w14><tr><th>A<th>B<tr><td>1<td>2</table>"""


def words(text: str) -> list[str]:
    return text.replace("\u200b", "").replace("\xad", "").split()


def test_words_are_those_of_the_browsers_own_reading(stage: Stage, site: Site) -> None:
    script = "[...document.querySelectorAll('[id^=w]')].map(e => e.innerText)"
    page, theirs = look(stage, site, BLOCKS, script)
    texts = cast("list[str]", theirs)
    assert len(texts) == 15
    for number, text in enumerate(texts):
        ours = pick(page, css=f"#w{number}", field="text")
        assert words(str(ours[0])) == words(text), number
    assert pick(page, css="#w0", field="text") == ["Name\nAda"]
    assert pick(page, css="#w3", field="text") == ["AdaLovelace"]


FIXTURES = pathlib.Path(__file__).parents[3] / "fixtures"


def test_the_text_of_every_page_that_others_sent_is_what_its_browser_reads(stage: Stage, site: Site) -> None:
    """But for shadow trees, which a browser's own reading leaves out, and lists of which only a part is there."""
    pages = [page for page in sorted(FIXTURES.glob("cases/*/*.html")) if page.parent.name[:4] not in ("d-03", "d-09")]
    assert len(pages) >= 12

    async def act() -> list[tuple[str, object, str]]:
        out: list[tuple[str, object, str]] = []
        async with stage.reading() as reading:
            for path in pages:
                site.pages["/"] = path.read_text("utf-8")
                await stage.page.goto(site.at())
                text = await stage.page.evaluate("document.body.innerText")
                out.append((path.parent.name, at(await reading.take(), "@text")[0], text))
        return out

    for name, ours, theirs in stage.run(act()):
        assert words(" ".join(cast("list[str]", ours))) == words(theirs), name
