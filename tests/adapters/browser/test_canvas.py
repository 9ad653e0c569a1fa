"""What is drawn on a canvas is state, by hash; to look at it settles nothing and shows nothing."""

import re

from tests.adapters.browser.stage import Site, Stage, at, changed, changes, pick
from tests.adapters.browser.test_secrets import stored_bytes

from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.canvas import BLANK, DOUBTFUL
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

PAGE = """<canvas id=pad width=40 height=20></canvas><div id=box><canvas aria-label=Map width=8 height=8></canvas></div>
<canvas id=none width=0></canvas><script>
const draw = (canvas, color) => {
  const context = canvas.getContext('2d');
  context.fillStyle = color;
  context.fillRect(1, 1, 2, 2);
};
const map = document.querySelector('[aria-label]');
draw(map, 'red');
HTMLCanvasElement.prototype.toDataURL = () => 'data:image/png;base64,AAAA';
</script>"""


def test_a_canvas_is_read_by_hash_and_a_page_cannot_pretend(stage: Stage, site: Site) -> None:
    site.pages["/"] = PAGE

    async def act() -> list[PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            taken = [await reading.take(), await reading.take()]
            await stage.page.evaluate("draw(pad, 'blue')")
            taken.append(await reading.take())
            await stage.page.evaluate("draw(map, 'lime'); draw(map, 'red')")
            taken.append(await reading.take())
            await stage.page.evaluate("draw(map, 'rgb(255, 0, 1)')")
            taken.append(await reading.take())
            return taken

    first, idle, signed, same, other = stage.run(act())
    assert idle.digest == first.digest
    (drawn,) = at(first, "@canvas.canvas[label=Map].@pixels")
    assert isinstance(drawn, str) and re.fullmatch("[0-9a-f]{32}", drawn)
    assert at(first, "@canvas.#none.@pixels") == [BLANK]
    assert {address: before for address, (before, _) in changed(first, signed).items()} == {
        "@canvas.#pad.@pixels": BLANK
    }
    assert changed(signed, same) == {}
    assert list(changed(same, other)) == ["@canvas.canvas[label=Map].@pixels"]
    assert b"image/png" not in stored_bytes(other)
    assert pick(other, css="#box canvas", field="name") == ["Map"]


def test_a_blank_canvas_may_show_something_where_nothing_else_may_change(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<canvas id=g></canvas><canvas id=hidden hidden></canvas><script>
        const gl = g.getContext('webgl');
        if (gl) { gl.clearColor(1, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT) }</script>"""

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    taken = stage.run(act())
    assert [(item.address, item.reason) for item in taken.unread] == [("@canvas.#g.@drawn", DOUBTFUL)]
    assert [KIND.in_scope(taken.unread[0].path, BrowserParams(closed=closed)) for closed in ((), ("canvas",))] == [
        False,
        True,
    ]


def test_a_canvas_that_comes_is_no_control(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<p>x"

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await stage.page.evaluate(
                "document.body.append(Object.assign(document.createElement('canvas'), {id: 'c'}))"
            )
            return before, await reading.take()

    found = changes(*stage.run(act()))
    assert [change.address for change in found] == ["@canvas"]
    facets = [(KIND.in_scope(found[0].path, BrowserParams(closed=(name,)))) for name in ("controls", "canvas")]
    assert facets == [False, True]


def test_to_read_a_canvas_does_not_settle_how_it_is_drawn(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<canvas id=a></canvas>"

    async def act() -> object:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            return await stage.page.evaluate("a.getContext('bitmaprenderer') !== null")

    assert stage.run(act()) is True


def test_what_a_page_may_not_read_back_and_what_is_too_large_is_unread(stage: Stage, site: Site) -> None:
    dot = b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>'
    site.pages["/dot.svg"] = (200, {"content-type": "image/svg+xml"}, dot)
    site.pages["/"] = f"""<canvas id=tainted></canvas><canvas id=huge width=4000 height=4000></canvas>
        <canvas id=beyond width=70000 height=70000></canvas>
        <img src={site.at("/dot.svg", host="localhost")} onload="tainted.getContext('2d').drawImage(this, 0, 0)">"""

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    taken = stage.run(act())
    assert {(item.address, item.reason) for item in taken.unread} == {
        ("@canvas.#tainted.@pixels", "it shows a picture of another site, and no page may read it back"),
        ("@canvas.#huge.@pixels", "it is too large to read"),
        ("@canvas.#beyond.@pixels", "it is too large to read"),
    }
