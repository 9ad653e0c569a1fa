"""Accessible names agree with the browser's own accessibility tree, and keys tell every element apart."""

import json
from typing import cast

from hypothesis import example, given
from hypothesis import strategies as st
from playwright.async_api import CDPSession
from tests.adapters.browser.stage import Site, Stage

from exactchange.address import Style, format_path, parse_pattern
from exactchange.limits import CountedBudget
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import Document, Node, parse_document
from exactchange_adapters.browser.keys import keys_of, looks_generated

PAGE = """<!doctype html>
<label for=a>E-mail</label><input id=a class=c>
<label>Full <b>name</b> <input id=b class=c></label>
<label>Pick <select id=c class=c><option>one<option>two</select> one</label>
<input id=d class=c aria-label=" Search  the shop "> <input id=e class=c placeholder="City">
<input id=f class=c title="Zip">
<span id=l1>First</span> <span id=l2 hidden>hidden second</span><input id=g class=c aria-labelledby="l1 l2">
<label for=h>one</label><label for=h>two</label><input id=h class=c type=checkbox>
<button id=i class=c>Save <i>now</i></button> <button id=j class=c aria-label=Close>x</button>
<button id=k class=c><img src="data:," alt="Delete"></button> <input id=m class=c type=submit>
<input id=n class=c type=submit value=Go> <input id=o class=c type=reset> <input id=p class=c type=button value=Press>
<input id=q class=c type=image alt="Find" src="data:,"> <textarea id=r class=c aria-label=Note></textarea>
<div id=s class=c role=switch aria-checked=true tabindex=0>Dark <span>mode</span></div>
<div id=t class=c role=button tabindex=0 title="by title"></div> <a id=u class=c href=/>Help <span hidden>no</span></a>
<input id=v class=c> <label for=w><span style="display:none">secret</span>Seen</label><input id=w class=c>
<label for=x>Level</label><input id=x class=c type=range><label for=y>Day</label><input id=y class=c type=number>
<select id=z class=c aria-label=Many multiple><option>1</select>
<div id=aa class=c role=checkbox aria-checked=false tabindex=0 aria-labelledby=l1></div>
<button id=ab class=c title="Tip">Text</button> <button id=ac class=c><span aria-hidden=true>★</span>Star</button>
"""


async def ask(session: CDPSession, method: str, **params: object) -> dict[str, object]:
    return cast("dict[str, object]", await session.send(method, params))


def test_names_and_roles_agree_with_the_accessibility_tree(stage: Stage, site: Site) -> None:
    site.pages["/"] = PAGE

    async def act() -> tuple[dict[str, tuple[str, str]], Document]:
        await stage.page.goto(site.at())
        session = await stage.page.context.new_cdp_session(stage.page)
        await ask(session, "DOM.enable")
        root = cast("dict[str, int]", (await ask(session, "DOM.getDocument"))["root"])["nodeId"]
        found = await ask(session, "DOM.querySelectorAll", nodeId=root, selector=".c")
        wanted: dict[str, tuple[str, str]] = {}
        for node in cast("list[int]", found["nodeIds"]):
            attributes = cast("list[str]", (await ask(session, "DOM.getAttributes", nodeId=node))["attributes"])
            tree = await ask(session, "Accessibility.getPartialAXTree", nodeId=node, fetchRelatives=False)
            ax = cast("list[dict[str, dict[str, str]]]", tree["nodes"])[0]
            identity = attributes[attributes.index("id") + 1]
            wanted[identity] = (ax["role"]["value"], " ".join(ax["name"]["value"].split()))
        await session.detach()
        async with stage.reading() as reading:
            snapshot = await reading.take()
            return wanted, parse_document(snapshot.documents[0].text(), budget=CountedBudget())

    wanted, document = stage.run(act())
    ours = {
        document.nodes[control.number].attributes["id"]: (control.role, control.name)
        for control in Controls(document).all
    }
    links = {name for name, (role, _) in wanted.items() if role == "link"}
    assert len(wanted) == 28
    assert ours == {name: _spelt(*pair) for name, pair in wanted.items() if name not in links}


def _spelt(role: str, name: str) -> tuple[str, str]:
    """Chromium's own word for ARIA's combobox where it is a menu."""
    return ("combobox" if role == "ComboBoxMenuSelect" else role, name)


GENERATED = (
    "ember1234 :r1: radix-:r3: mui-42 a1b2c3d4e5 react-select-2-input 123456 7 «r0» _r_1_ headlessui-menu-3".split()
)
WRITTEN = "email save-button user_name step2 main nav address1 q1 question-10 fieldset-address facade".split()


def test_ids_that_a_framework_made_up_are_told_from_written_ones() -> None:
    assert [name for name in GENERATED if not looks_generated(name)] == []
    assert [name for name in WRITTEN if looks_generated(name)] == []


attributes = st.dictionaries(
    st.sampled_from(["id", "name", "data-testid", "aria-label", "role"]),
    st.sampled_from(["a", "email", "x y", 'q"', "b.c", "n=1", "button", "#h", "é", ":r1:"]),
    max_size=3,
)


IN = [[1, "open", {}, 1, {"e": True}]]
BELOW = parse_document(
    json.dumps([[-1, "html", {}, 1], [0, "details", {"id": "more"}, 1, {"o": True}], *IN, *IN]), budget=CountedBudget()
)
"""Elements that are called like the state of the control that they are in."""


@st.composite
def documents(draw: st.DrawFn) -> Document:
    nodes: list[list[object]] = [[-1, "html", {}, 1]]
    for number in range(1, draw(st.integers(2, 25))):
        parent = draw(st.integers(0, number - 1))
        tag = draw(st.sampled_from(["div", "input", "button", "select", "#shadow", "form", "details", "open"]))
        state: dict[str, object] = {"t": draw(st.sampled_from(["text", "radio", "checkbox"])), "v": "v"}
        if state["t"] != "text":
            state["c"] = draw(st.booleans())
        states: dict[str, dict[str, object]] = {"input": state, "button": {}, "select": {"v": None}}
        states |= {"details": {"o": True}, "open": {"e": True}}
        live = [states[tag]] if tag in states else []
        nodes.append([parent, tag, {} if tag == "#shadow" else draw(attributes), 3, *live])
    return parse_document(json.dumps(nodes), budget=CountedBudget())


@given(documents())
def test_no_two_elements_have_one_key_and_every_key_is_an_address(document: Document) -> None:
    numbers = [node.number for node in document.nodes if node.tag and node.tag != "#shadow"]
    keys = keys_of(document, numbers, {})
    assert len(set(keys.values())) == len(numbers)
    for path in keys.values():
        assert parse_pattern(format_path(path, style=Style.PAGE)).matches(path)


@given(documents())
@example(BELOW)
def test_no_control_is_lost_in_the_tree(document: Document) -> None:
    controls = Controls(document)
    tree = controls.tree
    for control in controls.all:
        here: object = tree
        for segment in control.path:
            here = cast("dict[str, object]", here)[str(segment)]
        assert {name: cast("dict[str, object]", here)[name] for name in control.leaves} == control.leaves
    groups = {control.path for control in controls.all}
    radios = [c.path for c in controls.all if _in_a_group(document.nodes[c.number])]
    assert len(groups) == len(controls.all) - len(radios) + len(set(radios))


def _in_a_group(node: Node) -> bool:
    return node.state is not None and node.state.get("t") == "radio" and bool(node.attributes.get("name"))
