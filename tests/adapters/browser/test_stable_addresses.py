"""An element keeps its address while others come and go around it, and while time goes by."""

from collections.abc import Sequence

import pytest
from tests.adapters.browser.stage import Site, Stage, at, changed

HOSTS = """<script>
    customElements.define('x-button', class extends HTMLElement {
        connectedCallback() {
            const inside = document.createElement('button')
            inside.ariaLabel = this.ariaLabel
            this.attachShadow({mode: 'open'}).append(inside)
        }
    })
    function add(label, place) {
        const host = document.createElement('x-button')
        if (label) host.ariaLabel = label
        document.querySelector(place).prepend(host)
    }
    </script><div id=bar></div><div id=side></div>"""


def difference(stage: Stage, site: Site, page: str, script: str) -> dict[str, tuple[object, object]]:
    """What a script changes on a page, by address."""
    site.pages["/"] = page

    async def act() -> dict[str, tuple[object, object]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await stage.page.evaluate(script)
            return changed(before, await reading.take())

    return {address: change for address, change in stage.run(act()).items() if address != "@text"}


def hosts(places: Sequence[tuple[str, str]]) -> str:
    """The page with these hosts in it, as (label, place)."""
    return HOSTS + "<script>" + ";".join(f"add({label!r}, {place!r})" for label, place in places) + "</script>"


@pytest.mark.parametrize(
    ("places", "script", "address"),
    [
        ([("Save", "#bar"), ("Cut", "#bar")], "add('Run', '#bar')", "x-button[label=Run]"),
        ([("Save", "#bar"), ("Save", "#side"), ("Cut", "#bar")], "add('Run', '#bar')", "x-button[label=Run]"),
        ([("", "#bar"), ("", "#side"), ("Cut", "#bar")], "add('Run', '#bar')", "x-button[label=Run]"),
        ([("", "#bar"), ("", "#side")], "add('', '#bar')", "#bar.x-button[n=2]"),
    ],
    ids=["labels", "one label twice", "no labels", "one more of the same kind"],
)
def test_a_component_that_comes_moves_the_address_of_no_other(
    places: list[tuple[str, str]], script: str, address: str, stage: Stage, site: Site
) -> None:
    found = difference(stage, site, hosts(places), script)
    assert [a for a in found if not a.startswith("@text")] == [address]


def test_what_is_in_a_component_stands_below_what_the_component_is_called(stage: Stage, site: Site) -> None:
    found = difference(
        stage,
        site,
        hosts([("Save", "#bar"), ("Save", "#side"), ("Cut", "#bar")]),
        "document.querySelectorAll('x-button').forEach(host => host.shadowRoot.firstChild.disabled = true)",
    )
    assert sorted(found) == [
        "#bar.x-button[label=Save].button[label=Save].@disabled",
        "#side.x-button[label=Save].button[label=Save].@disabled",
        "x-button[label=Cut].button[label=Cut].@disabled",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("15 minutes ago", "16 minutes ago"),
        ("59s ago", "1m ago"),
        ("an hour ago", "2 hours ago"),
        ("just now", "1 minute ago"),
        ("Saved at 9:05", "Saved at 9:06"),
        ("Last saved: 11/30/26, 8:56 PM", "Last saved: 12/1/26, 9:02 AM"),
        ("Changed 2026-11-30", "Changed 2026-12-01"),
        ("Stand 30.11.2026", "Stand 1.12.2026"),
    ],
)
def test_a_name_that_tells_a_time_is_no_address(before: str, after: str, stage: Stage, site: Site) -> None:
    page = f"<div id=row><button>{before}</button><button>Delete</button></div>"
    found = difference(stage, site, page, f"document.querySelector('button').textContent = {after!r}")
    assert {address: change for address, change in found.items() if not address.startswith("@text")} == {
        "button[n=1].@name": (before, after)
    }


@pytest.mark.parametrize(
    "name", ["Ratio 16 to 9", "Delete order 17", "5 m tall", "A long time ago", "Chapter 2.1", "v1.2.3"]
)
def test_a_name_with_a_number_is_an_address_all_the_same(name: str, stage: Stage, site: Site) -> None:
    found = difference(stage, site, f"<button>{name}</button>", "document.querySelector('button').disabled = true")
    (address,) = found
    assert address.startswith("button[label=") and name in address


@pytest.mark.parametrize("hidden", ["hidden", "style='display: none'", "style='visibility: hidden'"])
def test_what_is_shown_at_last_has_the_address_that_it_had_while_hidden(hidden: str, stage: Stage, site: Site) -> None:
    page = f"""<button>Save</button><div id=more {hidden}><button>Save</button><button>Cancel</button>
        <label>Title <input></label><details><summary>Colour</summary></details></div>"""
    show = "const more = document.querySelector('#more'); more.hidden = false; more.style = ''"
    found = difference(stage, site, page, show)
    assert {address: change[1] for address, change in found.items() if not address.startswith("@text")} == {
        "#more.button[label=Save].@name": "Save",
        "button[label=Cancel].@name": "Cancel",
        "input[label=Title].@name": "Title",
        "details[label=Colour].@name": "Colour",
    }


def test_each_text_of_a_drawing_is_a_line_of_its_own(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<svg><g><text x=0>every hour</text></g><text x=90>to <tspan>degrees</tspan></text></svg>"

    async def act() -> object:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return at(await reading.take(), "@text")

    assert stage.run(act()) == [["every hour", "to degrees"]]
