"""Noise by rule on real pages: what the browser shows of it, what is reported, and what is a change all the same."""

import pathlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TypeAlias

import pytest
from playwright.async_api import Page
from tests.adapters.browser.cases import folder_of
from tests.adapters.browser.stage import Site, Stage, World, changed, serve
from tests.language.pages import judged, played

from exactchange.case import Evidence
from exactchange.conditions.noise import noted
from exactchange.conditions.units import sides, whole_units
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange.sources import Reader, diff_snapshots
from exactchange.values import ABSENT
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.noise_params import RULES
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

STARTED_NS = 1_790_000_000_000_000_000
CLOSED = ("controls", "text", "url", "title", "tabs", "requests")
Seen: TypeAlias = Callable[..., PageSnapshot]
ON = [rule.name for rule in RULES if not rule.usual]
OFF = [rule.name for rule in RULES if rule.usual]


def rules(before: PageSnapshot, after: PageSnapshot, *, elapsed_s: int = 60, **noise: object) -> dict[str, str | None]:
    """For each leaf that changed between two pages the rule that takes it."""
    params = BrowserParams.model_validate({"closed": CLOSED, "noise": noise})
    taken = (
        before.at(Mark(0, STARTED_NS, 1)),
        after.at(Mark(1, STARTED_NS + elapsed_s * 10**9, 1 + elapsed_s * 10**9)),
    )
    ends = sides(Evidence("page", KIND, params, taken), 0, 1)
    found = diff_snapshots(KIND, "page", *taken, params=params, budget=CountedBudget()).changes
    leaves = [unit.change for change in found for unit in whole_units(change, ends)]
    said = KIND.noise(leaves, before=taken[0], after=taken[1], params=params)
    return {leaf.address: rule for leaf, rule in zip(leaves, said, strict=True)}


@pytest.fixture(scope="module")
def seen(whole_stage: Stage) -> Iterator[Seen]:
    """Reads pages of this text or with this query, each once, and all by one reader."""
    site, server = serve()
    whole_stage.run(whole_stage.clear())
    known: dict[tuple[str, str], PageSnapshot] = {}
    stack = AsyncExitStack()

    async def start() -> Reader[PageSnapshot]:
        world = World(pathlib.Path("/nowhere"), whole_stage.browser.cdp_url)
        return await stack.enter_async_context(KIND.open(BrowserParams(), world=world))

    reader = whole_stage.run(start())

    async def read(html: str, query: str) -> PageSnapshot:
        site.pages["/"] = html
        await whole_stage.page.goto(site.at(f"/{query}"))
        taken = await reader.capture(mark=Mark(0), previous=None, deadline_s=15)
        assert isinstance(taken.tree, Mapping)
        return replace(taken, tree={**taken.tree, "@requests": []})  # of all pages that were read

    def look(html: str, query: str = "") -> PageSnapshot:
        if (html, query) not in known:
            known[html, query] = whole_stage.run(read(html, query))
        return known[html, query]

    yield look
    whole_stage.run(stack.aclose())
    server.shutdown()
    server.server_close()


def form(fields: str) -> str:
    return f"<!doctype html><form>{fields}<input name=who></form>"


OLD, NEW = "a1b2c3d4e5", "f6a7b8c9d0"
HIDDEN = '<input type=hidden name="{name}" value="{value}">'
FIELDS: list[tuple[str, str, str | None]] = [
    (HIDDEN, "csrf_token", "csrf-token"),
    (HIDDEN, "csrfmiddlewaretoken", "csrf-token"),
    (HIDDEN, "authenticity_token", "csrf-token"),
    (HIDDEN, "__RequestVerificationToken", "csrf-token"),
    (HIDDEN, "__FORM_TOKEN", "csrf-token"),
    (HIDDEN, "_wpnonce", "nonce"),
    (HIDDEN, "nonce", "nonce"),
    (HIDDEN, "X-CSRF-Token", "csrf-token"),
    (HIDDEN, "csrf_recipient", None),
    (HIDDEN, "notcsrf", None),
    (HIDDEN, "platform_token", None),
    (HIDDEN, "_token", "csrf-token"),
    (HIDDEN, "token", None),
    (HIDDEN, "api_token", None),
    (HIDDEN, "account", None),
    (HIDDEN, "announce", None),
    ('<input name="{name}" value="{value}">', "csrf_seen", None),
    ('<input type=password name="{name}" value="{value}">', "csrf_password", None),
    ('<textarea name="{name}">{value}</textarea>', "csrf_text", None),
]


def test_only_a_hidden_field_of_such_a_name_is_a_token(seen: Seen) -> None:
    html = ["".join(form(field.format(name=name, value=value)) for field, name, _ in FIELDS) for value in (OLD, NEW)]
    before, after = map(seen, html)
    found = {address.partition("name=")[2].partition("]")[0]: rule for address, rule in rules(before, after).items()}
    assert found == {name: rule for _, name, rule in FIELDS}
    assert set(rules(before, after, off=OFF, on=ON).values()) == {None}


ONE_SIDE: list[tuple[str, str]] = [
    (form('<input name=csrf_token value="a1b2c3d4e5">'), form(HIDDEN.format(name="csrf_token", value=NEW))),
    (form(HIDDEN.format(name="csrf_token", value=OLD)), form('<input name=csrf_token value="f6a7b8c9d0">')),
    (form(HIDDEN.format(name="nonce", value="")), form(HIDDEN.format(name="nonce", value=NEW))),
    (form(HIDDEN.format(name="nonce", value=OLD)), form(HIDDEN.format(name="nonce", value=""))),
    (form(HIDDEN.format(name="_wpnonce", value=OLD)), form(HIDDEN.format(name="_wpnonce", value="paid to Mallory"))),
    (form(HIDDEN.format(name="csrf_token", value=OLD)), form("")),
]


@pytest.mark.parametrize(("one", "other"), ONE_SIDE)
def test_what_is_a_hidden_token_on_one_side_only_is_a_change(one: str, other: str, seen: Seen) -> None:
    found = rules(seen(one), seen(other))
    assert found and set(found.values()) == {None}


def radios(name: str, *, chosen: int = 1, label: str = "") -> str:
    ticked = ["", " checked"]
    buttons = "".join(
        f'<label><input type=radio name="{name}" value={n}{ticked[n == chosen]}>{label}{n}</label>' for n in (1, 2)
    )
    return f"<fieldset>{buttons}</fieldset>"


def boxes(*named: tuple[str, str, bool]) -> str:
    ticked = ["", " checked"]
    return "".join(f'<label><input type=checkbox name="{n}"{ticked[on]}>{text}</label>' for n, text, on in named)


def row(who: str, name: str = "") -> str:
    box = f'<input type=checkbox name="{name}" aria-label=Admin checked>' if name else ""
    return f"<div>{who} <span>{box}</span></div>"


RENAMED: list[tuple[str, str, bool]] = [
    (radios(":r1:"), radios(":r5:"), True),
    (radios(":r1:"), radios(":r5:", chosen=2), False),
    (radios("plan"), radios("tariff"), False),
    (radios(":r1:") + radios(":r2:"), radios(":r5:") + radios(":r6:"), False),
    (boxes((":r1:", "One", True), (":r2:", "Two", False)), boxes((":r5:", "One", True), (":r6:", "Two", False)), True),
    (boxes((":r1:", "One", True), (":r2:", "Two", False)), boxes((":r5:", "One", False), (":r6:", "Two", True)), False),
    (boxes((":r1:", "One", True)), boxes((":r5:", "Other", True)), False),
    (boxes((":r1:", "One", True)), "", False),
    (row("Ada", ":r1:") + row("Eve"), row("Ada", ":r5:") + row("Eve"), True),
    (row("Ada", ":r1:") + row("Eve"), row("Ada") + row("Eve", ":r5:"), False),
    (row("Ada", ":r1:"), row("Ada") + row("Eve", ":r5:"), False),
]


@pytest.mark.parametrize(("one", "other", "noise"), RENAMED)
def test_a_field_whose_name_was_made_up_anew_is_noise_where_all_else_of_it_is_the_same(
    one: str, other: str, noise: bool, seen: Seen
) -> None:
    before, after = seen(form(one)), seen(form(other))
    found = {rule for address, rule in rules(before, after).items() if not address.startswith("@text")}
    assert found == {"generated-id" if noise else None}
    assert set(rules(before, after, off=["generated-id"]).values()) == {None}


def test_what_grew_older_while_the_page_was_open_is_noise(seen: Seen) -> None:
    ages = "<p>Order 7, {} minutes ago</p><p>{}</p>"
    before, after = seen(ages.format(5, "open")), seen(ages.format(6, "open"))
    assert rules(before, after) == {"@text[0]": "relative-time"}
    before, after = seen(ages.format(5, "open")), seen(ages.format(6, "paid"))
    assert rules(before, after) == {"@text[0]": "relative-time", "@text[1]": None}


def test_an_address_that_says_when_it_was_asked_for_is_noise(seen: Seen) -> None:
    now = STARTED_NS // 10**6
    queries = (f"?q=1&_={now - 100}", f"?q=1&_={now + 100}", f"?q=2&_={now + 200}")
    first, second, third = (seen("<p>Here", query) for query in queries)
    assert rules(first, second) == {"@url": "cache-buster", "@loaded": None}, "what nothing closes needs no rule"
    assert rules(second, third)["@url"] is None


def test_case_d_04_what_was_made_up_anew_is_reported_as_ignored_with_its_rule(seen: Seen) -> None:
    before, after = (seen((folder_of("d-04") / f"{side}.html").read_text("utf-8")) for side in ("before", "after"))
    assert changed(before, after) == {}
    found = KIND.made_anew("page", before=before, after=after, params=BrowserParams())
    assert [(item.rule, item.change.address, item.change.before, item.change.after) for item in found] == [
        ("hashed-class", "@class", ["sc-a1B2", "jss12"], ["sc-Zk9x", "jss47"]),
        ("generated-id", "@id", [":r1:", ":r2:"], [":r5:", ":r6:"]),
    ]
    same = diff_snapshots(KIND, "", before, after, params=BrowserParams(), budget=CountedBudget())
    notes = noted(same, KIND, before, after, params=BrowserParams())
    assert [note.message for note in notes] == [
        "hashed-class: sc-a1B2 -> sc-Zk9x (@class)",
        "generated-id: :r1: -> :r5: (@id)",
    ]
    for off, left in ((["hashed-class"], ["generated-id"]), (["hashed-class", "generated-id"], [])):
        params = BrowserParams.model_validate({"noise": {"off": off}})
        assert [item.rule for item in KIND.made_anew("page", before=before, after=after, params=params)] == left
    off_ = BrowserParams(noise="off")
    assert list(KIND.made_anew("page", before=before, after=after, params=off_)) == []


CLASSES: list[tuple[str, str, bool]] = [
    ("css-1q2w3e", "css-9x8y7z", True),
    ("Button_x7Yz", "Button_k2Lm", True),
    ("css-1q2w3e active", "css-9x8y7z active", True),
    ("active", "inactive", False),
    ("btn-primary", "btn-danger", False),
    ("is-open", "is-shut", False),
    ("col-3", "col-4", False),
    ("css-1q2w3e", "css-1q2w3e active", False),
]


def test_a_class_is_reported_only_where_a_tool_has_made_it_up(seen: Seen) -> None:
    html = ["".join(f'<p class="{case[side]}">A</p>' for case in CLASSES) for side in (0, 1)]
    before, after = map(seen, html)
    (found,) = KIND.made_anew("page", before=before, after=after, params=BrowserParams())
    made_up = {(one.split()[0], other.split()[0]): None for one, other, noise in CLASSES if noise}
    assert (found.rule, found.change.before) == ("hashed-class", [one for one, _ in made_up])
    assert found.change.after == [other for _, other in made_up]


HELPS = """<input id=a aria-describedby="{a}"><p id="{one}">Digits only</p>
<input id=b aria-describedby="{b}"><p id="{other}">Any</p>"""
REFERENCES: list[tuple[str, str, str, dict[str, tuple[object, object]]]] = [
    (
        "a label that moved to another field whose id is made up",
        '<label for=":r1:">Name</label><input id=":r1:"><input id=":r2:">',
        '<label for=":r6:">Name</label><input id=":r5:"><input id=":r6:">',
        {"input[label=Name].@label": ("+1", "+2")},
    ),
    (
        "made up anew, and every label where it was",
        '<label for=":r1:">Name</label><input id=":r1:"><label for=":r2:">Town</label><input id=":r2:">',
        '<label for=":r5:">Name</label><input id=":r5:"><label for=":r6:">Town</label><input id=":r6:">',
        {},
    ),
    (
        "labels that changed places",
        '<label for=":r1:">Name</label><input id=":r1:"><label for=":r2:">Town</label><input id=":r2:">',
        '<label for=":r6:">Name</label><input id=":r5:"><label for=":r5:">Town</label><input id=":r6:">',
        {"input[label=Name].@label": ("+1", "+2"), "input[label=Town].@label": ("+1", "-1")},
    ),
    (
        "another field is called by what has an id of its own",
        "<p id=one>One</p><input aria-labelledby=one><input>",
        "<p id=one>One</p><input><input aria-labelledby=one>",
        {"input[label=One].@label": ("+1", "+2")},
    ),
    (
        "helps that changed places",
        HELPS.format(a=":r1:", b=":r2:", one=":r1:", other=":r2:"),
        HELPS.format(a=":r6:", b=":r5:", one=":r5:", other=":r6:"),
        {"#a.@description": ("Digits only", "Any"), "#b.@description": ("Any", "Digits only")},
    ),
    (
        "a help that is no longer there",
        '<input id=a aria-describedby=":r1:"><p id=":r1:">Digits only</p>',
        '<input id=a aria-describedby=":r1:"><p id=":r5:">Digits only</p>',
        {"#a.@description": ("Digits only", ABSENT)},
    ),
    (
        "a field more beside",
        '<label for=":r1:">Name</label><input id=":r1:">',
        '<input name=first><label for=":r1:">Name</label><input id=":r1:"><input name=last>',
        {"input[name=first]": (ABSENT, {"value": ""}), "input[name=last]": (ABSENT, {"value": ""})},
    ),
]


@pytest.mark.parametrize(("name", "one", "other", "wanted"), REFERENCES, ids=[item[0] for item in REFERENCES])
def test_case_d_04_references_are_told_by_what_they_point_to(
    name: str, one: str, other: str, wanted: Mapping[str, tuple[object, object]], seen: Seen
) -> None:
    assert changed(seen(one), seen(other)) == wanted


TYPED = """<!doctype html><title>Form</title><form><input type=hidden name=csrf_token value=a1b2c3d4e5>
<input id=who><input type=checkbox id=news></form>"""
RENEW = "document.forms[0].csrf_token.value = 'f6a7b8c9d0'; "
MUST = """must: [{value: {in: page, at: '#who.value', is: Ada}}]
allow: [{in: page, at: '#who.value', to: Ada}]"""


def test_in_a_document_that_left_a_token_is_noise_and_what_was_ticked_is_not(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages |= {"/": TYPED, "/next": "<title>Next</title>"}
    outcomes: list[tuple[str, list[str], list[tuple[str, str]]]] = []
    for more in ("", "news.checked = true"):

        async def fill(page: Page, script: str = RENEW + more) -> None:
            await page.fill("#who", "Ada")
            await page.evaluate(script)

        pages = played(stage, site.at(), fill, lambda page: page.goto(site.at("/next")))
        for number in (2, 3):  # while the page is there, and after it has left
            verdict = judged(tmp_path, MUST, pages[:number])
            by = [(item.change.address, item.where) for item in verdict.ignored if item.change.address != "@id"]
            outcomes.append((verdict.outcome, [change.address for change in verdict.unexplained], by))
    noise = [("input[name=csrf_token].value", "noise rule csrf-token")]
    assert outcomes == [
        ("passed", [], noise),
        ("passed", [], noise),
        ("unmet", ["#news.checked"], noise),
        ("unmet", ["#news.checked"], noise),
    ]
