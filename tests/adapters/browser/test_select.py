"""Selectors on a stored snapshot find what the browser itself would find."""

import pytest
from pydantic import ValidationError
from tests.adapters.browser.stage import Site, Stage, pick

from exactchange.limits import CountedBudget
from exactchange_adapters.browser.css import css_numbers
from exactchange_adapters.browser.document import parse_document
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.snapshot import PageSnapshot

PAGE = """<!doctype html><title>Shop</title>
<h1>Your <em>order</em></h1>
<form id=order class="wide Main">
  <label for=mail>E-mail</label><input id=mail type=email value=ada@example.org required>
  <label><input type=checkbox name=agree checked> I agree</label>
  <input type=radio name=plan value=basic id=basic><input type=radio name=plan value=pro id=pro checked>
  <select name=country aria-label=Country><option value=de>Germany<option value=fr selected>France</select>
  <button data-testid=save>Save   now</button><button disabled title=Delete></button>
</form>
<ul><li class=item>One <b>1</b><li class="item last">Two</ul>
<p hidden class=msg>Order confirmed</p><p class=msg role=alert>Card refused</p>
<a href=/help>Help</a> <span aria-labelledby=cap role=button tabindex=0>x</span><i id=cap>Close it</i>
<x-card><template shadowrootmode=open><input class=inner value=deep><p class=msg>In shadow</p></template></x-card>
<iframe srcdoc="<p class=msg>In frame</p>"></iframe>
<script>
  const table = document.createElement('table'), row = document.createElement('tr');
  row.innerHTML = '<td>bare</td>'; table.append(row); table.id = 'scripted'; document.body.append(table);
  const p = document.createElement('p'); p.append(Object.assign(document.createElement('div'), {className: 'odd',
    textContent: 'odd'})); document.body.append(p);
  document.querySelector('[name=agree]').checked = false;
</script>"""


@pytest.fixture
def shop(stage: Stage, site: Site) -> PageSnapshot:
    site.pages["/"] = PAGE

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    return stage.run(act())


WANTED: list[tuple[dict[str, object], list[object]]] = [
    ({"css": "#mail"}, ["ada@example.org"]),
    ({"css": "form.wide.Main input[type=email]"}, ["ada@example.org"]),
    ({"css": ".main"}, []),
    ({"css": "[name=agree]"}, [False]),
    ({"css": "input:checked"}, ["pro"]),
    ({"css": "#basic"}, ["pro"]),
    ({"css": "[name=country]"}, ["fr"]),
    ({"css": "[data-testid=save]"}, ["Save now"]),
    ({"css": "li.item"}, ["One 1", "Two"]),
    ({"css": "li:nth-child(2)"}, ["Two"]),
    ({"css": "ul:has(.last) > li:first-child b"}, ["1"]),
    ({"css": ".msg"}, ["", "Card refused", "In shadow", "In frame"]),
    ({"css": "x-card .msg"}, []),
    ({"css": "#scripted > tr > td"}, ["bare"]),
    ({"css": "#scripted > tbody"}, []),
    ({"css": "p > .odd"}, ["odd"]),
    ({"css": "html > body > h1"}, ["Your order"]),
    ({"css": "button:disabled", "field": "disabled"}, [True]),
    ({"css": "#mail", "field": "@type"}, ["email"]),
    ({"css": "#mail", "field": "name"}, ["E-mail"]),
    ({"css": "#mail", "field": "checked"}, []),
    ({"css": "a", "field": "@href"}, ["/help"]),
    ({"css": "nothing"}, []),
    ({"testid": "save"}, ["Save now"]),
    ({"label": "E-mail"}, ["ada@example.org"]),
    ({"label": "I agree"}, [False]),
    ({"label": "Country"}, ["fr"]),
    ({"label": "e-mail"}, []),
    ({"role": "textbox", "name": "E-mail"}, ["ada@example.org"]),
    ({"role": "checkbox", "name": " I  agree "}, [False]),
    ({"role": "button", "name": "Save now"}, ["Save now"]),
    ({"role": "button", "name": "Delete", "field": "disabled"}, [True]),
    ({"role": "button", "name": "Close it"}, ["x"]),
    ({"role": "heading"}, ["Your order"]),
    ({"role": "heading", "name": "Your order", "field": "text"}, ["Your order"]),
    ({"role": "link", "name": "Help"}, ["Help"]),
    ({"role": "alert"}, ["Card refused"]),
    ({"css": "#mail", "tab": 1}, ["ada@example.org"]),
    ({"css": "#mail", "tab": 2}, []),
]


def test_selectors_find_what_they_say(shop: PageSnapshot) -> None:
    assert [(selector, pick(shop, **selector)) for selector, _ in WANTED] == WANTED


CSS = """
*
input
body *
form > *
:checked
:disabled
:root
body :only-child
:nth-last-child(2)
:where(li)
body :only-of-type
:nth-of-type(2n+1)
:nth-last-of-type(1)
[title=':hover']
input:not([type=radio])
[class]
[class~=item]
[class*=as]
li + li
h1 ~ ul
:is(p, h1)
td
tr
body :first-child
body :last-of-type
button[title]
form:has(:checked) button
#order #mail
UL > LI
[type=EMAIL]
label[for]
input[required]
option[selected]
""".strip().splitlines()


def test_css_agrees_with_the_browsers_own(stage: Stage, shop: PageSnapshot) -> None:
    main = shop.documents[0]
    document = parse_document(main.text(), budget=CountedBudget())

    async def act() -> list[list[str]]:
        script = "css => [...document.querySelectorAll(css)].map(e => e.localName)"
        return [await stage.page.evaluate(script, css) for css in CSS]

    for css, wanted in zip(CSS, stage.run(act()), strict=True):
        found = [document.nodes[number].tag for number in css_numbers(document, css) if document.scopes[number] < 0]
        assert found == wanted, css


BROKEN: list[dict[str, object]] = [
    {},
    {"css": "a", "label": "b"},
    {"name": "x"},
    {"css": "a["},
    {"css": ""},
    {"css": "input:enabled"},
    {"css": "a:hover"},
    {"css": "p::before"},
    {"label": "x", "name": "y"},
    {"css": "a", "other": 1},
]


@pytest.mark.parametrize("selector", BROKEN)
def test_impossible_selectors_are_refused(selector: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ElementSelector.model_validate(selector)
