"""Names of elements are those of the browser's own accessibility tree, in all ways in which pages give them."""

from typing import cast

from playwright.async_api import CDPSession
from tests.adapters.browser.stage import Site, Stage

from exactchange.limits import CountedBudget
from exactchange_adapters.browser.document import parse_document
from exactchange_adapters.browser.naming import name_of, role_of

PAGE = """<!doctype html><style>.before::before{content:'pre '}</style>
<p><span id=t1>First</span> <span id=t2>Second</span><span id=hid hidden>Hidden <i>x</i></span></p>
<div style=display:none><span id=hidp>In hidden</span></div>
<span id=alab aria-label=Lab>no</span><button id=btnv value=v>Btn</button>
<input aria-labelledby="t1 t2" id=n1>
<input aria-labelledby="missing" title=T id=n2>
<input aria-labelledby="n3 t1" aria-label=Own id=n3>
<input aria-labelledby="hid" id=n4>
<input aria-labelledby="hidp" id=n5>
<input aria-labelledby="chain" id=n6><span id=chain aria-labelledby=t2>chain text</span>
<input aria-labelledby="alab" id=n7>
<input aria-labelledby="btnv" id=n8>
<input aria-label="" title=Tip id=n9>
<input aria-label=" " placeholder=P id=n10>
<label>Wrap <input id=n11></label>
<label>Wrap <input id=n12> after</label>
<label for=n13>For</label><input id=n13>
<label for=n14>One</label><label>Two <input id=n14></label>
<label>Amount <input value=3 id=other> EUR <input type=checkbox id=n15></label>
<label><input type=checkbox id=n16> Flash the screen <select id=s16><option>1<option selected>2</select> times</label>
<input title=Only id=n17>
<input placeholder=Only id=n18>
<input title=T placeholder=P id=n19>
<input type=submit id=n20>
<input type=submit value="" id=n21>
<input type=image alt=Alt id=n22>
<input type=image id=n23>
<input type=image title=Tit id=n24>
<input type=button id=n25>
<input type=button title=Tit id=n26>
<input type=reset value=Undo id=n27>
<input type=file id=n28 aria-label=File>
<button id=n29><img src="data:," alt=Pic></button>
<button id=n30><img src="data:," alt=""> Text</button>
<button id=n31><svg width=9 height=9><title>Svg</title></svg></button>
<button id=n32><svg width=9 height=9 aria-label=SvgL role=img></svg></button>
<button id=n33 title=Tip></button>
<button id=n34><span>A</span><span>B</span></button>
<button id=n35><div>A</div><div>B</div></button>
<button id=n36><span style=display:none>no</span>yes</button>
<button id=n37><span style="position:absolute;left:-9999px">sr</span>x</button>
<button id=n38><i aria-label=Icon></i></button>
<button id=n39><span role=img aria-label=Star>*</span> fav</button>
<button id=n40><span aria-hidden=true>x</span></button>
<button id=n41 aria-label=L>text</button>
<button id=n42>a<br>b</button>
<fieldset id=n43><legend>Leg</legend><input aria-label=x></fieldset>
<table id=n44><caption>Cap</caption><tr><td>x</table>
<figure id=n45><img src="data:,"><figcaption>Fig</figcaption></figure>
<div role=group aria-label=G id=n46><button>x</button></div>
<div role=checkbox aria-checked=true id=n47 tabindex=0>Check <b>me</b></div>
<div role=textbox contenteditable aria-label=Ed id=n48>text</div>
<div contenteditable id=n49>text</div>
<div role=slider aria-valuenow=3 id=n50 tabindex=0 title=Vol></div>
<div role=combobox aria-expanded=false id=n51 tabindex=0>content</div>
<div role=combobox aria-label=C id=n52 tabindex=0></div>
<div role=menuitem id=n53 tabindex=0>Menu <span role=presentation>p</span></div>
<div role=listbox><div role=option id=n54 tabindex=0>Opt</div></div>
<div role=tab id=n55 tabindex=0>Tab</div>
<div role=switch id=n56 tabindex=0 aria-checked=true aria-labelledby=t1>x</div>
<details id=n57><summary id=n57s>Sum</summary>body</details>
<dialog open id=n58 aria-labelledby=t1>x</dialog>
<dialog open id=n59>text</dialog>
<output id=n60 aria-label=Out>5</output>
<label for=n61>Prog</label><progress id=n61 value=.3></progress>
<label>Met <meter id=n62 value=.4></meter></label>
<select id=n63 aria-label=Sel><option>a</select>
<label for=n64>Sel</label><select id=n64 multiple><option>a</select>
<textarea id=n65 placeholder=Ph></textarea>
<label for=n66><b>B</b>old</label><input id=n66>
<label for=n67><img src="data:," alt=Im></label><input id=n67>
<label for=n68 hidden>Hid</label><input id=n68>
<label for=n69 aria-label=AL>text</label><input id=n69>
<button id=n70><input value=inner aria-label=In></button>
<button id=n71><style>.x{}</style>S</button>
<button id=n72 class=before>x</button>
<input type=checkbox id=n73 title=Tit><label for=n73><a href=#>Link</a> agree</label>
<button id=n74><span title=Sub></span></button>
<label>Outer <button id=n75>Inner</button></label>
<a href=# id=n76 role=button>Lnk</a>
<input type=radio name=r value=1 id=n77><label for=n77>R1</label>
<input list=dl id=n78 aria-label=DL><datalist id=dl><option value=1></datalist>
<button id=n79>&#x200b;x&shy;y</button>
<button id=n80>  two   words </button>
<button id=n81><span hidden>h</span><span style=visibility:hidden>v</span>s</button>
<button id=n82><span style=opacity:0>clear</span></button>
<button id=n83><details><summary>q</summary>w</details></button>
<input type=color id=n84 aria-label=Col>
<input type=search id=n85 aria-label=Se>
<input type=date id=n86 aria-label=Da>
<input type=range id=n87 title=Ra>
<div role=searchbox tabindex=0 id=n88 aria-placeholder=AP></div>
<input aria-placeholder=AP id=n89>
<button id=n90 aria-labelledby="n90 t1" aria-label=Own>text</button>
<button id=n91 aria-description=desc></button>
<button id=n92><p>para</p>tail</button>
<div role=tree><div role=treeitem id=n93 tabindex=0>Tree
<div role=group><div role=treeitem tabindex=0>Child</div></div></div>
<input aria-labelledby=mix id=n97><span id=mix>vis <i hidden>not</i></span>
<label>a <input type=hidden><input id=n98></label>
<button id=n99><svg width=9 height=9 aria-hidden=true><title>No</title></svg>Yes</button>
<div role=radio aria-checked=false id=n94 tabindex=0><span>R</span><span>S</span></div>
<div role=spinbutton id=n95 tabindex=0 aria-valuenow=4>4</div>
<button id=n96><span style=display:inline-block>A</span><span style=display:inline-block>B</span></button>"""
"""Every element whose id is `n` and a number is a case."""

HOSTS = """<!doctype html><x-button id=h1>Save <b>now</b></x-button><x-button id=h2></x-button>
<x-button id=h3><i slot=icon aria-label=Disk></i>Keep</x-button><x-field id=h4><span slot=label>City</span></x-field>
<button id=h5><x-badge>3</x-badge> new</button>
<script>
const define = (name, html) => customElements.define(name, class extends HTMLElement {
  connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = html.replace('NUMBER', this.id.slice(1)) } })
define('x-button', '<button id=nNUMBER><slot name=icon></slot><slot>Usual</slot></button>')
define('x-field', '<label><slot name=label>Field</slot> <input id=nNUMBER></label>')
define('x-badge', '<b><slot></slot></b>')
</script>"""


DIFFERENT: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "n16": (("checkbox", "Flash the screen times"), ("checkbox", "Flash the screen 2 times")),
    "n49": (("textbox", ""), ("generic", "")),
    "n57": (("group", "Sum"), ("group", "")),
    "n70": (("button", "In"), ("button", "inner")),
    "n72": (("button", "x"), ("button", "pre x")),
    "n79": (("button", "xy"), ("button", "\u200bx\u00ady")),
    "n84": (("", "Col"), ("ColorWell", "Col")),
    "n86": (("", "Da"), ("Date", "Da")),
}
"""Ours and theirs. What is typed or chosen is state and no part of a name, which would move with it; what a style puts
in is not read; `<details>` goes by its summary; what has no width is dropped. The others are Chromium's own words.
"""


async def ask(session: CDPSession, method: str, **params: object) -> dict[str, object]:
    return cast("dict[str, object]", await session.send(method, params))


async def told(session: CDPSession) -> dict[str, tuple[str, str]]:
    """Role and name by id, of what the browser's tree holds."""
    await ask(session, "DOM.enable")
    todo = [cast("dict[str, object]", (await ask(session, "DOM.getDocument", depth=-1, pierce=True))["root"])]
    ids: dict[object, str] = {}
    for node in todo:
        said = cast("list[str]", node.get("attributes", []))
        ids[node["backendNodeId"]] = dict(zip(said[::2], said[1::2], strict=True)).get("id", "")
        for part in ("children", "shadowRoots"):
            todo += cast("list[dict[str, object]]", node.get(part, []))
    tree = await ask(session, "Accessibility.getFullAXTree")
    found: dict[str, tuple[str, str]] = {}
    for node in cast("list[dict[str, object]]", tree["nodes"]):
        identity = ids.get(node.get("backendDOMNodeId"), "")
        role, name = (cast("dict[str, str]", node.get(part, {})).get("value", "") for part in ("role", "name"))
        if not node["ignored"] and identity[:1] == "n" and identity[1:].isdigit():
            found[identity] = (role, " ".join(name.split()))
    return found


def both(stage: Stage, site: Site, html: str) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]:
    """Role and name by id, ours and the browser's."""
    site.pages["/"] = html

    async def act() -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]:
        await stage.page.goto(site.at())
        session = await stage.page.context.new_cdp_session(stage.page)
        theirs = await told(session)
        await session.detach()
        async with stage.reading() as reading:
            snapshot = await reading.take()
        document = parse_document(snapshot.documents[0].text(), budget=CountedBudget())
        ours = {
            node.attributes.get("id", ""): (role_of(node), name_of(document, node.number)) for node in document.nodes
        }
        return {identity: ours[identity] for identity in theirs}, theirs

    return stage.run(act())


def test_every_name_is_the_one_that_the_browser_says(stage: Stage, site: Site) -> None:
    ours, theirs = both(stage, site, PAGE)
    assert len(theirs) > 90
    assert {
        identity: (ours[identity], said) for identity, said in theirs.items() if _plain(said) != ours[identity]
    } == DIFFERENT


def test_what_is_slotted_into_a_component_is_part_of_the_names_in_it(stage: Stage, site: Site) -> None:
    ours, theirs = both(stage, site, HOSTS.replace("id=h5", "id=n5"))
    assert {identity: name for identity, (_, name) in ours.items()} == {
        "n1": "Save now",
        "n2": "Usual",
        "n3": "Disk Keep",
        "n4": "City",
        "n5": "3 new",
    }
    assert ours == theirs


def _plain(said: tuple[str, str]) -> tuple[str, str]:
    """Chromium's own word for ARIA's combobox where it is a menu."""
    return ("combobox" if said[0] == "ComboBoxMenuSelect" else said[0], said[1])
