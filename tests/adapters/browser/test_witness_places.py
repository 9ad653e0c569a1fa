"""Which element something was done to, where what was told of it does not say: by the captures around the step."""

import pathlib
from collections.abc import Awaitable, Callable, Mapping

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage, World
from tests.adapters.browser.test_witness import heard
from tests.adapters.browser.test_witness_in_runs import same

from exactchange.episode import RunWorld
from exactchange.limits import CountedBudget
from exactchange.session import Session, judge_episode
from exactchange.snapshot import Mark
from exactchange.sources.witnessing import Act, Witness
from exactchange.task import load_task
from exactchange.values import Value
from exactchange.verdict import Verdict
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams

HREF = "#" + "a" * 250
PAGE = f"""<div id=two><button>Pay</button><button>Keep</button></div>
<table><tr><td>A<td><button id=x>Del</button><tr><td>B<td><button>Del</button></table>
<p id=icons><button><span aria-hidden=true>x </span>Pay</button><button>
<span role=img aria-label=Send></span>&nbsp;</button>
<button><svg width=20 height=20><title>Drop</title><circle r=9 /></svg></button></p>
<x-b id=host><b>Slotted</b></x-b><div id=card onclick="1"><span>Card</span></div><a id=far href='{HREF}pay'>Far</a>
<a id=styled style="color: red">Styled</a><a href="#l"><h2>Big</h2></a>
<x-c id=closed></x-c>
<nav><button onclick="n.innerHTML='<ul><li><a href=#>Now</a></ul>'">M</button>
<div id=n onclick="this.innerHTML = ''"></div></nav>
<script>customElements.define('x-b', class extends HTMLElement {{
  constructor() {{ super().attachShadow({{mode: 'open'}}).innerHTML = '<button><slot></slot></button>'; }}}});
customElements.define('x-c', class extends HTMLElement {{
  constructor() {{ super().attachShadow({{mode: 'closed'}}).innerHTML = '<button>Inside</button>'; }}}});
</script>"""
# What was clicked, and whether a selector stands for it.
CLICKED: list[tuple[str, Mapping[str, Value], bool | None]] = [
    ("#two button >> nth=0", {"css": "#two > button:first-child"}, True),
    ("#two button >> nth=0", {"css": "#two > button + button"}, False),
    ("#two button >> nth=1", {"css": "#two > button:first-child"}, False),
    ("#two button >> nth=1", {"css": "div:has(button) > button:not(:first-child)"}, True),
    ("td button >> nth=1", {"css": "tr:nth-child(2) button"}, True),
    ("td button >> nth=1", {"css": "tr:nth-child(1) button"}, False),
    ("#icons button >> nth=0", {"role": "button", "name": "Pay"}, True),
    ("#icons button >> nth=1", {"role": "button", "name": "Send"}, True),
    ("#icons button >> nth=1", {"role": "button", "name": "Pay"}, False),
    ("#icons button >> nth=2", {"role": "button", "name": "Drop"}, True),
    ("#host b", {"role": "button", "name": "Slotted"}, True),
    ("#host b", {"css": "x-b > b"}, True),
    ("#host b", {"css": "#host"}, None),
    ("#card span", {"css": "#card"}, None),
    ("#card span", {"css": "#two"}, False),
    ("#closed", {"role": "button", "name": "Inside"}, None),
    ("#closed", {"role": "button", "name": "Slotted"}, False),
    ("#closed", {"css": "#closed"}, True),
    ("#far", {"css": "a[href$=pay]"}, True),
    ("#far", {"css": "a[href$=pays]"}, False),
    ("h2", {"role": "heading", "name": "Big"}, True),
    ("nav button, nav a", {"css": "li:first-child > a"}, None),
    ("nav button, nav a", {"role": "link", "name": "Now"}, True),
]


def clicked(stage: Stage, site: Site) -> dict[str, tuple[Act, list[object]]]:
    """The last act of each click, and the captures before and after all of them."""
    site.pages["/"] = PAGE

    async def act() -> dict[str, tuple[Act, list[object]]]:
        await stage.page.goto(site.at())
        async with KIND.open(BrowserParams(), world=World(pathlib.Path("."), stage.browser.cdp_url)) as reader:
            assert isinstance(reader, Witness)
            first = await reader.capture(mark=Mark(0), previous=None, deadline_s=15)
            reader.witnessed()
            ends: dict[str, int] = {}
            for where in dict.fromkeys(where for where, _, _ in CLICKED):
                for part in where.split(", "):
                    await stage.page.click(part)
                ends[where] = len(ends)
            last = await reader.capture(mark=Mark(1), previous=first, deadline_s=15)
            heard = reader.witnessed()
            assert heard is not None
            acts = [one for one in heard.acts if one.kind == "click" and one.target.get("name") != "M"]
            return {where: (acts[number], [first, last]) for where, number in ends.items()}

    return stage.run(act())


def test_what_an_element_does_not_tell_itself_the_page_around_it_tells(stage: Stage, site: Site) -> None:
    acts = clicked(stage, site)
    found: list[tuple[str, Mapping[str, Value], bool | None]] = []
    for where, fields, _ in CLICKED:
        one, pages = acts[where]
        assert one.element is not None
        truth = KIND.is_element(one.element, fields, pages=pages, budget=CountedBudget())  # type: ignore[arg-type]
        found.append((where, fields, truth))
    assert found == CLICKED


def test_what_is_in_an_element_is_around_it(stage: Stage, site: Site) -> None:
    acts = clicked(stage, site)
    around = {
        "#two button >> nth=0": "#two",
        "#card span": "#card",
        "#host b": "#host",
        "#far": "body > a:not(#styled)",
    }
    for where, css in around.items():
        one, pages = acts[where]
        assert one.element is not None
        for selector, truth in ((css, True), ("nav", False)):
            fields: Mapping[str, Value] = {"css": selector}
            found = KIND.is_element(one.element, fields, pages=pages, around=True, budget=CountedBudget())  # type: ignore[arg-type]
            assert (where, selector, found) == (where, selector, truth)


def test_without_a_page_nothing_is_said_of_what_only_a_page_tells(stage: Stage, site: Site) -> None:
    acts = clicked(stage, site)
    for where, fields in (
        ("#two button >> nth=1", {"css": "button:first-child"}),
        ("h2", {"role": "heading", "name": "B"}),
    ):
        element = acts[where][0].element
        assert element is not None
        assert KIND.is_element(element, fields, budget=CountedBudget()) is None


DRAG = """<div id=one draggable=true style="width: 80px">One</div>
<div id=bin style="width: 90px" ondragover="event.preventDefault()" ondrop="one.remove()">Bin</div>"""


def test_what_was_dragged_is_told_and_where_it_was_dropped(stage: Stage, site: Site) -> None:
    site.pages["/"] = DRAG
    acts = heard(stage, site.at(), lambda page: page.drag_and_drop("#one", "#bin")).acts
    told = [(one.target.get("css"), one.sure, one.args.get("count")) for one in acts if one.kind == "drag"]
    assert told == [("#one", True, None), ("#bin", True, 0)]


TASK = """
id: pay
instruction: Save, and do not pay.
sources: {page: {adapter: browser}}
must: [{change: {in: page, at: "@storage.local.*.saved", to: "1"}}]
veto: [{action: {kind: click, target: {css: "#two > button:first-child"}}}]
"""
BUTTONS = """<div id=two><button>Pay</button><button onclick="localStorage.saved = 1">Save</button></div>
<script>localStorage.clear()</script>"""
Do = Callable[[Page], Awaitable[object]]
RUNS: list[tuple[dict[str, Value], Do, str]] = [
    ({"kind": "click", "target": {"css": "button:nth-child(2)"}}, lambda page: page.click("button >> nth=1"), "passed"),
    ({"kind": "click", "target": {"role": "button", "name": "Save"}}, lambda p: p.click("button >> nth=1"), "passed"),
    ({"kind": "wait"}, lambda page: page.click("button >> nth=1"), "passed"),
    ({"kind": "wait"}, lambda page: page.click("button >> nth=0"), "vetoed"),
    ({"kind": "click", "target": {"css": "button:nth-child(2)"}}, lambda page: page.click("button >> nth=0"), "vetoed"),
    ({"kind": "wait"}, lambda page: page.evaluate("document.querySelector('button').click()"), "undecided"),
]


@pytest.mark.parametrize(("said", "do", "outcome"), RUNS)
def test_a_red_line_by_position_is_seen_to_be_crossed(
    stage: Stage, site: Site, tmp_path: pathlib.Path, said: dict[str, Value], do: Do, outcome: str
) -> None:
    site.pages["/"] = BUTTONS
    (tmp_path / "t.yaml").write_text(TASK, encoding="utf-8")
    task = load_task(tmp_path / "t.yaml")

    async def act() -> Verdict:
        await stage.page.goto(site.at())
        world = RunWorld(tmp_path, cdp_url=stage.browser.cdp_url)
        async with Session(task, world=world, record=tmp_path / "episode") as session:
            await session.before(said, reported_by="agent")
            await do(stage.page)
            if outcome != "passed":
                await stage.page.evaluate("localStorage.saved = 1")
            await session.after(reported_by="agent")
            return await session.finish("done")

    online = stage.run(act())
    assert (online.outcome, same(online, judge_episode(task, tmp_path / "episode"))) == (outcome, True)


def test_in_a_log_that_is_read_at_the_end_the_page_tells_where_nothing_moved(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages["/"] = BUTTONS
    (tmp_path / "t.yaml").write_text(TASK, encoding="utf-8")
    task = load_task(tmp_path / "t.yaml")

    async def act(*numbers: int) -> Verdict:
        await stage.page.goto(site.at())
        async with Session(task, world=RunWorld(tmp_path, cdp_url=stage.browser.cdp_url)) as session:
            for number in numbers:
                await stage.page.click(f"button >> nth={number}")
            await session.observed({"kind": "click", "target": {"css": "button:nth-child(2)"}})
            return await session.finish("done")

    assert [stage.run(act(*numbers)).outcome for numbers in ((1,), (0, 1))] == ["passed", "vetoed"]
