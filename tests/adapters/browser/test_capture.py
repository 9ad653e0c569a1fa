"""What is read of a page: controls with live state, text, frames, shadow trees, storage, cookies."""

import socket

import pytest
from playwright.async_api import Error
from tests.adapters.browser.stage import Site, Stage, at, changed, leaves

from exactchange_adapters.browser.snapshot import PageSnapshot

FORM = """<!doctype html><title> A  form </title>
<form>
  <label>E-mail <input id=email></label>
  <input type=checkbox name=agree> <input type=number name=age value=7>
  <input type=radio name=plan value=basic checked> <input type=radio name=plan value=pro>
  <select name=country><option value=de>Germany<option value=fr>France</select>
  <select name=langs multiple><option value=a selected>A<option value=b>B</select>
  <textarea name=note>hi</textarea> <input type=range name=level min=0 max=10 value=3>
  <input type=date name=day> <input type=file name=upload>
  <button type=button>Save</button> <button type=button disabled>Never</button>
</form>
<div contenteditable id=editor>rich</div>
<details id=more><summary>More</summary>inside</details> <dialog id=ask>Sure?</dialog>
<button role=switch aria-checked=false aria-label="Dark mode"
  onclick="this.ariaChecked = this.ariaChecked != 'true'"></button>
"""


def test_every_kind_of_control_is_read_with_its_live_state(stage: Stage, site: Site) -> None:
    site.pages["/"] = FORM

    async def act() -> tuple[dict[str, object], dict[str, tuple[object, object]]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            page = stage.page
            await page.fill("#email", "ada@example.org")
            await page.check("[name=agree]")
            await page.fill("[name=age]", "36")
            await page.check("[value=pro]")
            await page.select_option("[name=country]", "fr")
            await page.select_option("[name=langs]", ["a", "b"])
            await page.fill("[name=note]", "one\ntwo")
            await page.fill("[name=level]", "9")
            await page.fill("[name=day]", "1843-09-05")
            await page.set_input_files("[name=upload]", {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"})
            await page.fill("#editor", "richer")
            await page.click("summary")
            await page.evaluate("document.getElementById('ask').showModal()")
            await page.evaluate("document.querySelector('[role=switch]').click()")
            after = await reading.take()
            return dict(leaves(before)), changed(before, after)

    before, found = stage.run(act())
    assert before["@title"] == "A form"
    assert before["#email.value"] == ""
    assert before["#email.@name"] == "E-mail"
    assert before["button[label=Never].@disabled"] is True
    assert {address: pair for address, pair in found.items() if not address.startswith("@text")} == {
        "#email.value": ("", "ada@example.org"),
        "input[name=agree].checked": (False, True),
        "input[name=age].value": ("7", "36"),
        "input[name=plan].value": ("basic", "pro"),
        "select[name=country].value": ("de", "fr"),
        "select[name=langs].value[1]": (found["select[name=langs].value[1]"][0], "b"),
        "textarea[name=note].value": ("hi", "one\ntwo"),
        "input[name=level].value": ("3", "9"),
        "input[name=day].value": ("", "1843-09-05"),
        "input[name=upload].files[0]": (found["input[name=upload].files[0]"][0], "notes.txt"),
        "#editor.value": ("rich", "richer"),
        "#more.open": (False, True),
        "#ask.open": (False, True),
        'button[label="Dark mode"].checked': (False, True),
    }


def test_a_property_that_markup_does_not_show_is_state(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<input id=city value=Rome><input type=checkbox id=all>"

    async def act() -> dict[str, tuple[object, object]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            html = await stage.page.content()
            await stage.page.evaluate("city.value = 'Oslo'; document.getElementById('all').indeterminate = true")
            assert await stage.page.content() == html
            return changed(before, await reading.take())

    found = stage.run(act())
    assert found["#city.value"] == ("Rome", "Oslo")
    assert found["#all.indeterminate"][1] is True


TEXTS: list[tuple[str, list[str]]] = [
    ("<p>one</p><p>two</p>", ["one", "two"]),
    ("<p>a&nbsp;  b\n c</p>", ["a b c"]),
    ("<p>soft&shy;ly zero\u200bwidth</p>", ["softly zerowidth"]),
    ("<pre>a  b\nc</pre>", ["a  b", "c"]),
    ("<p>a<br>b</p>", ["a", "b"]),
    ("<p><b>bo</b>ld and <i>it</i></p>", ["bold and it"]),
    ("<p>a</p><p style='display:none'>hidden</p>", ["a"]),
    ("<p style='visibility:hidden'>hid<b style='visibility:visible'>seen</b></p>", ["seen"]),
    ("<p style='opacity:0'>clear</p>", []),
    ("<p hidden>h</p><p aria-hidden=true>off</p>", []),
    ("<details><summary>S</summary>shut<p>in</p></details>", ["S"]),
    ("<details open><summary>S</summary>open<p>in</p></details>", ["S", "open", "in"]),
    ("<template><p>t</p></template><script>var s</script><style>p{}</style><noscript>n</noscript>", []),
    ("<div style='display:contents'>lives</div>", ["lives"]),
    ("<textarea>v</textarea><select><option>o</select>", []),
    ("<ul><li>1<li>2</ul><table><tr><td>x<td>y</table>", ["1", "2", "x", "y"]),
    ("<style>#q::after{content:'Order confirmed'}</style><p id=q>Order</p>", ["Order"]),
]


def test_text_is_what_a_person_can_see(stage: Stage, site: Site) -> None:
    for number, (body, _) in enumerate(TEXTS):
        site.pages[f"/{number}"] = f"<!doctype html><body>{body}"

    async def act() -> list[object]:
        out: list[object] = []
        async with stage.reading() as reading:
            for number in range(len(TEXTS)):
                await stage.page.goto(site.at(f"/{number}"))
                out.append(at(await reading.take(), "@text")[0])
        return out

    for (body, wanted), got in zip(TEXTS, stage.run(act()), strict=True):
        assert got == wanted, body


def test_every_frame_is_read_whatever_its_origin_or_process(stage: Stage, site: Site) -> None:
    inner = "<input name=card value=1><p>inner</p>"
    site.pages |= {
        "/": f"""<iframe id=same src=/inner></iframe>
            <iframe name=site src="{site.at("/deep", host="localhost")}"></iframe>
            <iframe title=box sandbox="allow-scripts" src=/inner></iframe>
            <iframe srcdoc="<input id=in value=doc>"></iframe>""",
        "/inner": inner,
        "/deep": f"""<input id=outer value=2><iframe id=deeper src="{site.at("/inner")}"></iframe>""",
    }

    async def act() -> tuple[dict[str, object], dict[str, tuple[object, object]]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            assert before.unread == ()
            frame = next(
                f for f in stage.page.frames if f.url.endswith("/inner") and f.parent_frame != stage.page.main_frame
            )
            await frame.fill("[name=card]", "4242")
            return dict(leaves(before)), changed(before, await reading.take())

    before, found = stage.run(act())
    assert before["@frames.#same.input[name=card].value"] == "1"
    assert before["@frames.iframe[name=site].#outer.value"] == "2"
    assert before["@frames.iframe[name=site].@frames.#deeper.input[name=card].value"] == "1"
    assert before["@frames.iframe[n=1].input[name=card].value"] == "1"
    assert before["@frames.iframe[n=2].#in.value"] == "doc"
    assert found == {"@frames.iframe[name=site].@frames.#deeper.input[name=card].value": ("1", "4242")}


SHADOW = """<p><x-open id=o></x-open></p><p><x-closed id=c></x-closed></p><div id=plain></div><x-empty></x-empty>
<script>
customElements.define('x-open', class extends HTMLElement { constructor() { super();
  this.attachShadow({mode: 'open'}).innerHTML = '<b>off</b><input id=a value=1>' } })
customElements.define('x-closed', class extends HTMLElement { constructor() { super();
  this.mine = this.attachShadow({mode: 'closed'}); this.mine.innerHTML = '<b>off</b><input id=a value=1>' } })
window.inPlain = plain.attachShadow({mode: 'closed'}); inPlain.innerHTML = 'quiet <input name=deep>'
</script>"""


def test_shadow_trees_are_read_open_or_closed(stage: Stage, site: Site) -> None:
    site.pages["/"] = SHADOW

    async def act() -> tuple[dict[str, object], dict[str, tuple[object, object]]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            assert before.unread == ()
            await stage.page.evaluate(
                "o.shadowRoot.querySelector('b').textContent = 'on'; c.mine.querySelector('input').value = '2';"
                "inPlain.querySelector('input').value = 'x'"
            )
            return dict(leaves(before)), changed(before, await reading.take())

    before, found = stage.run(act())
    assert before["@text"] == ["off", "off", "quiet"]
    assert found == {
        "@text[0]": ("off", "on"),
        "#c.#a.value": ("1", "2"),
        "#plain.input[name=deep].value": ("", "x"),
    }


def test_cookies_and_storage_are_read_for_every_origin_also_after_it_left(stage: Stage, site: Site) -> None:
    site.pages |= {
        "/": "<script>localStorage.theme = 'dark'; sessionStorage.tab = 'one'; document.cookie = 'lang=en'</script>",
        "/other": "<script>localStorage.seen = 'yes'</script>",
    }
    first, second = site.at()[:-1], site.at(host="localhost")[:-1]

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            here = await reading.take()
            await stage.page.goto(site.at("/other", host="localhost"))
            return here, await reading.take()

    here, there = stage.run(act())
    assert at(here, f'@storage.local["{first}"].theme') == ["dark"]
    assert at(here, f'@storage.session["{first}"].tab') == ["one"]
    assert at(here, "@cookies.lang.value") == ["en"]
    assert at(there, f'@storage.local["{first}"].theme') == ["dark"]
    assert at(there, f'@storage.local["{second}"].seen') == ["yes"]


def test_cookies_of_one_name_are_told_apart(stage: Stage, site: Site) -> None:
    site.pages["/shop/"] = "<script>document.cookie = 'a=1; path=/'; document.cookie = 'a=2; path=/shop'</script>"

    async def act() -> dict[str, object]:
        await stage.page.goto(site.at("/shop/"))
        async with stage.reading() as reading:
            return dict(leaves(await reading.take()))

    found = stage.run(act())
    assert found["@cookies.a.value"] == "1"
    assert found['@cookies[name=a,domain="127.0.0.1",path="/shop"].value'] == "2"


def test_other_tabs_stand_below_tabs_and_their_coming_is_a_change(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<a href=/two target=_blank>two</a>", "/two": "<title>Two</title><input id=x value=1>"}

    async def act() -> tuple[dict[str, object], list[str]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            async with stage.page.expect_popup() as popup:
                await stage.page.click("a")
            await (await popup.value).wait_for_load_state()
            after = await reading.take()
            return dict(leaves(after)), [address for address in changed(before, after)]

    found, addresses = stage.run(act())
    assert found["@url"] == site.at()
    assert found["@tabs[n=2].@url"] == site.at("/two")
    assert found["@tabs[n=2].#x.value"] == "1"
    assert "@tabs[n=2]" in addresses


@pytest.mark.parametrize("method", ["pushState", "hash"])
def test_the_address_is_the_documents_own_also_where_it_did_not_navigate(stage: Stage, site: Site, method: str) -> None:
    site.pages["/"] = "<p>x"

    async def act() -> list[object]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            script = "history.pushState({}, '', '/done?x=1')" if method == "pushState" else "location.hash = 'done'"
            await stage.page.evaluate(script)
            snapshot = await reading.take()
            return [*at(snapshot, "@url"), *at(snapshot, "@loaded")]

    assert stage.run(act()) == [site.at("/done?x=1") if method == "pushState" else site.at("/#done"), site.at()]


def test_a_context_of_the_agents_own_is_read_with_its_cookies_and_may_close(stage: Stage, site: Site) -> None:
    site.pages |= {
        "/first": "<p>x",
        "/": "<title>mine</title><script>document.cookie = 'who=agent'; localStorage.k = 'v'</script>",
    }

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await stage.page.goto(site.at("/first"))
        async with stage.reading() as reading:
            await reading.take()
            context = await stage.agent.new_context()
            await (await context.new_page()).goto(site.at())
            during = await reading.take()
            await context.close()
            return during, await reading.take()

    during, after = stage.run(act())
    assert at(during, "@tabs[n=2].@title") == ["mine"]
    assert at(during, "@contexts[n=2].@cookies.who.value") == ["agent"]
    assert at(during, f'@contexts[n=2].@storage.local["{site.at()[:-1]}"].k') == ["v"]
    assert at(during, "@cookies") == [{}]
    assert (after.unread, at(after, "@tabs"), at(after, "@contexts")) == ((), [{}], [])


def test_the_page_that_stands_at_the_top_is_the_first_that_shows_something(stage: Stage, site: Site) -> None:
    site.pages |= {"/one": "<p>one", "/two": "<p>two"}

    async def act() -> list[object]:
        context = stage.agent.contexts[0]
        async with stage.reading() as reading:
            out: list[object] = [at(await reading.take(), "@url")]
            first = await context.new_page()
            await first.goto(site.at("/one"))
            out.append(at(await reading.take(), "@url"))
            second = await context.new_page()
            await second.goto(site.at("/two"))
            out.append(at(await reading.take(), "@url"))
            await first.close()
            out.append(at(await reading.take(), "@url"))
            return out

    wanted = [["about:blank"], [site.at("/one")], [site.at("/one")], [site.at("/two")]]
    assert stage.run(act()) == wanted


XHTML = b"""<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title>
<style>p {}</style></head><body><p>strict</p><input id="i" value="1"/>
<input type="password" value="p"/></body></html>"""
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg"><style>text {}</style><title>pic</title>
<text y="20">drawn</text></svg>"""
DOCUMENTS: list[tuple[str, bytes, object]] = [
    ("application/xhtml+xml", XHTML, ["strict"]),
    ("image/svg+xml", SVG, ["drawn"]),
    ("text/plain", b"a  b\nc", ["a  b", "c"]),
    ("application/json", b'{"a": 1}', ['{"a": 1}']),
    ("text/xml", b"<r><a>one</a></r>", None),
    ("image/png", b"", []),
]


def test_documents_that_are_no_html_are_read(stage: Stage, site: Site) -> None:
    for number, (kind, body, _) in enumerate(DOCUMENTS):
        site.pages[f"/{number}"] = (200, {"content-type": kind}, body)

    async def act() -> list[PageSnapshot]:
        async with stage.reading() as reading:
            taken: list[PageSnapshot] = []
            for number in range(len(DOCUMENTS)):
                await stage.page.goto(site.at(f"/{number}"))
                taken.append(await reading.take())
            return taken

    taken = stage.run(act())
    for snapshot, (kind, _, text) in zip(taken, DOCUMENTS, strict=True):
        assert snapshot.unread == (), kind
        assert text is None or at(snapshot, "@text") == [text], kind
    assert at(taken[0], "#i.value") == ["1"]
    assert "@secret" in str(at(taken[0], "input[n=1].value"))


def test_a_server_that_is_not_there_is_an_error_page_not_nothing(stage: Stage) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/"

    async def act() -> PageSnapshot:
        async with stage.reading() as reading:
            await reading.take()
            with pytest.raises(Error, match="REFUSED"):
                await stage.page.goto(address)
            return await reading.take()

    snapshot = stage.run(act())
    assert snapshot.unread == ()
    assert at(snapshot, "@url") == ["chrome-error://chromewebdata/"]
    assert at(snapshot, "@requests[0].failed") == [True]
