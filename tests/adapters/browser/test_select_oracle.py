"""Selectors on a stored snapshot stand for the elements that Playwright's locators stand for on the live page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, cast

from playwright.async_api import Frame, Locator
from tests.adapters.browser.stage import Site, Stage

from exactchange.limits import CountedBudget
from exactchange_adapters.browser.document import SHADOW, Document, parse_document
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.select import numbers_of
from exactchange_adapters.browser.snapshot import PageSnapshot

PAGE = """<!doctype html><html lang=en><title>Orders</title><header><nav aria-label=Main><ul><li><a href=/>Home</a>
<li><a href=/o aria-current=page>Orders <span class=badge>3</span></a><li><a>no link</a></ul></nav></header>
<main><h1>Your <em>orders</em></h1><h2 id=t2>Filter</h2>
<form aria-labelledby=t2 id=f class="wide Main"><label for=q>Search for</label><input id=q type=search
placeholder=words>
<label>E-mail <input type=email name=mail></label><label>Password <input type=password name=pw></label>
<input name=n type=number aria-label=Count><input type=range aria-label=Size><input type=date aria-label=Day>
<label><input type=checkbox name=agree checked> I agree</label><label><input type=radio name=plan> Basic</label>
<label><input type=radio name=plan checked> Pro</label><input type=file aria-label=Upload><input type=hidden name=h>
<select name=c aria-label=Country><option>Germany<option>France</select><select multiple
aria-label=Tags><option>a</select>
<select size=3 aria-label=Sizes><option>S<option disabled>M</select><textarea title=Notes></textarea>
<input list=l aria-label=City><datalist id=l><option>Rome</datalist><div contenteditable role=textbox
aria-label=Editor>x</div>
<button data-testid=save>Save   now</button><button type=button disabled>Delete</button><input type=submit value=Send>
<input type=submit><input type=reset><input type=button value=Go><input type=image alt=Buy src="data:,">
<fieldset disabled><legend>Off</legend><button>In off</button></fieldset><button hidden>Hidden</button>
<button aria-hidden=true>Silent</button><button style="visibility:hidden">Ghost</button><button title=Help></button>
<button aria-label="Close it">x</button><button aria-labelledby="a b">y</button><i id=a>Named</i><i id=b
hidden>twice</i>
<button><img alt=Print></button><button><svg><title>Chart</title></svg></button></form>
<table><caption>Rows</caption><thead><tr><th>Name<th>Sum</thead><tbody><tr id=r1 data-testid=row><th scope=row>Ada<td>7
<td><button>Delete</button><tr id=r2 data-testid=row><td>Bob<td>8<td><button>Delete</button></table>
<ul class=list><li class="item first">One <b>1</b><li class=item>Two<li class="item last">Three</ul><ol><li>x</ol>
<div role=alert class=msg>Card refused</div><p hidden class=msg>Order confirmed</p><div role=status>Saved</div>
<div role=switch aria-checked=true tabindex=0>Dark</div><div role="none presentation">n</div><div role=tab>Tab</div>
<div role="bogus button">Fallback</div><div role=menuitem>Cut</div><details><summary>More</summary><a href=/m>Inner</a
></details>
<dialog open aria-label=Ask><p>Sure?</p></dialog><img alt=Logo src="data:,"><img alt="" src="data:,"><img src="data:,">
<progress value=1></progress><meter value=1></meter><output>5</output><hr><article>A</article><aside>B</aside>
<section aria-label=Part>C</section><section>D</section><blockquote>q</blockquote><code>c</code><strong>s</strong>
<dl><dt>T<dd>D</dl><p class=odd data-test=old>para</p><a href=/x role=button>Link button</a
><figure><figcaption>Fig</figure>
</main><x-card aria-label=Card><template shadowrootmode=open><input class=inner aria-label=Deep><p
class=msg>In shadow</p>
<button data-testid=save>Shadow save</button><slot></slot></template><b class=light>Light</b></x-card>
<footer>F</footer><iframe name=card srcdoc="<p class=msg>In frame</p><label>Number <input id=number></label>
<button data-testid=save>Pay</button><h1>Frame</h1>"></iframe>"""

CSS = """
*
h1
#q
.msg
.MSG
form.wide.Main input
input[type=email]
input[TYPE="email" i]
[name^=a]
[name$=l]
[class~=item]
[class|=item]
[class*=ite]
li.item:first-child
li:last-child
li:nth-child(2n+1)
li:nth-child(odd)
li:nth-last-child(-n+2)
li:nth-of-type(2)
tr > td:first-of-type
td:only-of-type
body :only-child
ul:has(.last) li
tr:has(button)
:is(h1, h2)
:where(h1, h2)
:not(div):not(p):not(input)
input:not([type])
h1 + h2
h1 ~ form
thead th
main > *
:checked
:disabled
button:disabled
[open]
html
:root > body
body > main section
label[for=q] + input
a[href]
a:not([href])
[data-testid=save]
x-card
svg title
svg
option
fieldset button
[hidden]
[aria-label="Close it"]
input[placeholder]
:nth-child(3 of .item)
li:nth-child(even of .item)
UL LI
""".strip().splitlines()
BARE = (
    "link heading textbox searchbox spinbutton slider checkbox radio combobox listbox option img list listitem "
    "table row cell columnheader rowheader alert status switch tab menuitem navigation main banner contentinfo "
    "form region article complementary progressbar meter dialog group separator blockquote code strong emphasis "
    "term definition figure rowgroup caption paragraph document"
).split()
NAMED = """
button Save now
button Delete
button Close it
button Named twice
button Print
button Help
button Send
button Submit
button Reset
button Buy
button Hidden
button Ghost
button In off
button Chart
button Pay
button Shadow save
button save now
button Fallback
link Home
link Orders 3
link Inner
heading Your orders
heading Frame
textbox E-mail
textbox Notes
textbox Number
textbox Deep
textbox Editor
searchbox Search for
checkbox I agree
radio Pro
combobox Country
listbox Tags
combobox City
option France
img Logo
cell Bob
rowheader Ada
tab Tab
switch Dark
navigation Main
dialog Ask
region Part
form Filter
table Rows
row Bob 8 Delete
listitem Two
alert Card refused
slider Size
spinbutton Count
""".strip().splitlines()
LABELS = "Search for,E-mail,Password,Count,I agree,Pro,Country,Close it,Deep,Number,e-mail,Card refused".split(",")
TEXTS = (
    "Orders 3|Orders|3|Save now|One 1|Ada|7|Saved|Card refused|In shadow|In frame|Your orders|orders|Send|Go|Light|Fig|"
    "Sure?|Number|no link|nothing says this|Saved |card refused|Delete"
).split("|")
NUMBER = """(elements) => { const every = [], walk = (root) => { for (const e of root.children) { every.push(e);
  if (e.shadowRoot) walk(e.shadowRoot); walk(e) } }; walk(document); return elements.map(e => every.indexOf(e)) }"""
"""Which elements these are, as a snapshot counts them: what is in a shadow tree before all else in its host."""


def numbered(document: Document, numbers: Sequence[int]) -> list[int]:
    """Numbers of nodes as numbers of elements."""
    elements = [node.number for node in document.nodes if node.tag and node.tag != SHADOW]
    return sorted(elements.index(number) for number in numbers)


Ask = Callable[[Frame], Locator]
Frames = list[list[int]]
"""Numbers of elements, frame by frame."""


def by_role(role: str, name: str | None = None) -> Ask:
    known = cast("Literal['button']", role)  # of all that there are
    return lambda frame: frame.get_by_role(known, name=name, exact=True) if name else frame.get_by_role(known)


def by_css(css: str) -> Ask:
    return lambda frame: frame.locator(f"css={css}")


def by_label(label: str) -> Ask:
    return lambda frame: frame.get_by_label(label, exact=True)


def by_text(text: str) -> Ask:
    return lambda frame: frame.get_by_text(text, exact=True)


def by_test_id(test_id: str) -> Ask:
    return lambda frame: frame.get_by_test_id(test_id)


def differing(
    stage: Stage, site: Site, asked: Mapping[str, tuple[ElementSelector, Ask]]
) -> dict[str, tuple[Frames, Frames]]:
    """Of each question what the snapshot and what the browser answer, frame by frame, where they differ."""
    site.pages["/"] = PAGE

    async def act() -> tuple[PageSnapshot, dict[str, list[list[int]]]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            page = await reading.take()
        answers: dict[str, list[list[int]]] = {}
        for name, (_, ask) in asked.items():
            answers[name] = [sorted(await ask(frame).evaluate_all(NUMBER)) for frame in stage.page.frames]
        return page, answers

    page, answers = stage.run(act())
    documents = [parse_document(stored.text(), budget=CountedBudget()) for stored in page.documents]
    out: dict[str, tuple[Frames, Frames]] = {}
    for name, (selector, _) in asked.items():
        ours = [numbered(document, numbers_of(document, selector)) for document in documents]
        if ours != answers[name]:
            out[name] = (ours, answers[name])
    return out


def test_css(stage: Stage, site: Site) -> None:
    assert differing(stage, site, {css: (ElementSelector(css=css), by_css(css)) for css in CSS}) == {}


def test_role_and_name(stage: Stage, site: Site) -> None:
    asked = {role: (ElementSelector(role=role), by_role(role)) for role in BARE}
    for line in NAMED:
        role, _, name = line.partition(" ")
        asked[line] = (ElementSelector(role=role, name=name), by_role(role, name))
    assert differing(stage, site, asked) == {}


def test_label_and_testid(stage: Stage, site: Site) -> None:
    asked = {label: (ElementSelector(label=label), by_label(label)) for label in LABELS}
    asked |= {name: (ElementSelector(testid=name), by_test_id(name)) for name in ("save", "row", "Save", "none")}
    assert differing(stage, site, asked) == {}


def test_text(stage: Stage, site: Site) -> None:
    assert differing(stage, site, {text: (ElementSelector(text=text), by_text(text)) for text in TEXTS}) == {}


def test_text_is_what_a_person_can_read(stage: Stage, site: Site) -> None:
    found = differing(stage, site, {"hidden": (ElementSelector(text="Order confirmed"), by_text("Order confirmed"))})
    ours, theirs = found["hidden"]
    assert ours == [[], []] and len(theirs[0]) == 1


def test_where_a_stored_page_says_more_than_a_locator_does(stage: Stage, site: Site) -> None:
    """A page can hide anything from assistive technology: no rule is dodged by it. A label is any name of a control."""
    asked: dict[str, tuple[ElementSelector, Ask]] = {
        "silent": (ElementSelector(role="button", name="Silent"), by_role("button", "Silent")),
        "summary": (ElementSelector(role="button", name="More"), by_role("button", "More")),
        "title": (ElementSelector(label="Notes"), by_label("Notes")),
        "content": (ElementSelector(label="Save now"), by_label("Save now")),
    }
    found = differing(stage, site, asked)
    assert found.keys() == asked.keys()
    for ours, theirs in found.values():
        assert [len(numbers) for numbers in ours] == [1, 0] and theirs == [[], []]
