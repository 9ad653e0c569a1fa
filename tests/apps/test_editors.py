"""Editors of code as applications ship them: their text is their value where all of it is drawn, else unread."""

import pathlib
from collections.abc import Callable, Iterator, Mapping

import pytest
from tests.adapters.browser.stage import Site, Stage, at, changed, serve
from tests.apps.applications import INSTALLED

from exactchange_adapters.browser.editors import FOLDED, HIDDEN, IN_VIEW
from exactchange_adapters.browser.snapshot import PageSnapshot

SCRIPT = {"content-type": "text/javascript"}
STYLE = {"content-type": "text/css"}
VENDOR = "node-red/node_modules/@node-red/editor-client/public/vendor"
SHORT = "def f():\n    return 1\n\n\tx"
LONG = "\n".join(f"line {number}" for number in range(400))


@pytest.fixture
def editors() -> Iterator[Site]:
    """A server of pages, and of the editors that the applications ship."""
    site, server = serve()
    yield site
    server.shutdown()
    server.server_close()


def shipped(pattern: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
    found = sorted(INSTALLED.glob(pattern))
    if not found:
        pytest.skip("the application that ships it is not installed; `make apps` does it")
    return 200, headers, pathlib.Path(found[0]).read_bytes()


def code_mirror(site: Site) -> None:
    here = "datasette/lib/python3*/site-packages/datasette/static/codemirror-5.??.?.min"
    site.pages |= {"/cm.js": shipped(f"{here}.js", SCRIPT), "/cm.css": shipped(f"{here}.css", STYLE)}
    site.pages["/"] = """<link rel=stylesheet href=/cm.css><script src=/cm.js></script><div id=e></div>
        <script>const show = (value) => { window.editor = CodeMirror(e, {value, lineNumbers: true}) }</script>"""


def ace(site: Site) -> None:
    site.pages["/ace.js"] = shipped(f"{VENDOR}/ace/ace.js", SCRIPT)
    site.pages["/"] = """<script src=/ace.js></script><div id=e style="height: 300px"></div>
        <script>const show = (value) => { window.editor = ace.edit(e, {value, useWorker: false}) }</script>"""


def monaco(site: Site) -> None:
    here = f"{VENDOR}/monaco/dist/editor"
    site.pages["/editor.js"] = shipped(f"{here}.js", SCRIPT)
    site.pages["/"] = """<script src=/editor.js></script>
        <div id=e style="height: 300px"></div>
        <script>const show = (value) => { window.editor = monaco.editor.create(e, {value}) }</script>"""


Make = Callable[[Site], None]
MAKERS = pytest.mark.parametrize("make", [code_mirror, ace])


def shown(stage: Stage, site: Site, *acts: str) -> list[PageSnapshot]:
    """The page after each of these scripts."""

    async def work() -> list[PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            out: list[PageSnapshot] = []
            for act in acts:
                await stage.page.evaluate(act)
                out.append(await reading.take())
            return out

    return stage.run(work())


def values(snapshot: PageSnapshot) -> list[object]:
    return [value for value in at(snapshot, "**.value") if value != ""]  # the field below that takes the keys


def unread(snapshot: PageSnapshot) -> list[str]:
    return [item.reason for item in snapshot.unread]


@pytest.mark.parametrize(("make", "place"), [(code_mirror, "div[n=1].value"), (ace, "#e.value")])
def test_the_text_of_an_editor_with_nothing_to_scroll_is_its_value(
    make: Make, place: str, stage: Stage, editors: Site
) -> None:
    make(editors)
    first, second = shown(stage, editors, f"show({SHORT!r})", "editor.setValue('x')")
    tab = "    " if make is ace else "\t"  # drawn as spaces
    assert (values(first), unread(first)) == ([SHORT.replace("\t", tab)], [])
    assert [address for address in changed(first, second) if address.endswith(".value")] == [place]
    assert values(second) == ["x"]


@MAKERS
def test_an_editor_with_more_than_is_in_view_is_unread(make: Make, stage: Stage, editors: Site) -> None:
    make(editors)
    (snapshot,) = shown(stage, editors, f"show({LONG!r})")
    assert (values(snapshot), unread(snapshot)) == ([], [IN_VIEW])


@MAKERS
def test_an_editor_that_is_hidden_is_unread(make: Make, stage: Stage, editors: Site) -> None:
    make(editors)
    (snapshot,) = shown(stage, editors, f"show({SHORT!r}); e.hidden = true; e.style.display = 'none'")
    assert (values(snapshot), unread(snapshot)) == ([], [HIDDEN])


def test_an_editor_with_something_in_place_of_text_is_unread(stage: Stage, editors: Site) -> None:
    code_mirror(editors)
    folds = "editor.markText({line: 0, ch: 0}, {line: 1, ch: 2}, {replacedWith: document.createElement('b')})"
    (snapshot,) = shown(stage, editors, f"show({SHORT!r}); {folds}")
    assert (values(snapshot), unread(snapshot)) == ([], [FOLDED])


def test_an_editor_whose_lines_never_tell_whether_all_are_there_is_unread(stage: Stage, editors: Site) -> None:
    monaco(editors)
    (snapshot,) = shown(stage, editors, f"show({SHORT!r})")
    assert IN_VIEW in unread(snapshot)
    assert values(snapshot) == []
