"""Which texts are looked for beyond the place of a secret, in which spellings, and what a page tells that has one."""

import base64
import html
import json
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

import pytest

from exactchange.address import lookup
from exactchange.limits import CountedBudget
from exactchange.snapshot import Unread
from exactchange.values import Value
from exactchange_adapters.browser.document import parse_document
from exactchange_adapters.browser.hiding import Hiding
from exactchange_adapters.browser.secrets import MARK, Secrecy
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack
from exactchange_adapters.browser.veil import MOST_TOKENS, MOST_TYPED, Veil


def veil_of(*typed: str, tokens: tuple[str, ...] = (), stored: str = "") -> Veil:
    veil = Secrecy().veil
    veil.stored = lambda: stored
    for text in typed:
        veil.typed(text)
    for text in tokens:
        veil.token(text)
    return veil


ODD = 'hunter2 &<é"/'


@pytest.mark.parametrize(
    "text",
    [
        ODD,
        f"it is {ODD}, he said",
        quote(ODD),
        "http://h/p?q=" + quote(ODD, safe=""),
        "a=" + quote_plus(ODD) + "&b=1",
        html.escape(ODD),
        html.escape(ODD, quote=False),
        json.dumps({"a": ODD}),
        json.dumps({"a": ODD}, ensure_ascii=False),
        base64.b64encode(ODD.encode()).decode(),
    ],
)
def test_a_typed_secret_is_found_in_every_spelling(text: str) -> None:
    assert veil_of(ODD).hides(text)


@pytest.mark.parametrize(
    ("secret", "text", "found"),
    [
        ("danger", "danger!", True),
        ("danger", "dangerous", False),
        ("danger", "endangered", False),
        ("danger", "dangerous danger", True),
        ("123456", "no. 123456.", True),
        ("123456", "1234567", False),
        ("hunter2", "xhunter2x", True),
        ("hunter2", "hunter", False),
        ("hunter2", "HUNTER2", False),
        ("short", "short", False),
        ("******", "******", False),
        ("", "", False),
    ],
)
def test_a_mere_word_or_number_has_to_stand_alone(secret: str, text: str, found: bool) -> None:
    assert veil_of(secret).hides(text) is found


def test_a_token_is_looked_for_from_sixteen_characters_on() -> None:
    assert not veil_of(tokens=("tok-12345678901",)).hides("tok-12345678901")
    assert veil_of(tokens=("tok-123456789012",)).hides("/logout/tok-123456789012?x")


def test_what_stood_openly_before_is_no_secret() -> None:
    assert not veil_of("delete-all", stored='{"button": {"label=delete-all": {}}}').hides("delete-all")
    assert not veil_of("naïve-one", stored=json.dumps("naïve-one")).hides("naïve-one")
    assert veil_of("delete-all", stored='{"button": {"label=delete": {}}}').hides("delete-all")


def test_a_fields_own_name_is_no_secret_of_it() -> None:
    veil = Secrecy().veil
    veil.typed("Password", names=["password"])
    assert not veil.hides("Password")


@pytest.mark.parametrize(("count", "found"), [(5, False), (6, True), (12, True)])
def test_of_a_text_that_was_cut_off_its_end_counts(count: int, found: bool) -> None:
    text = "x" * 90 + "hunter2-FAKE!"[:count]
    assert veil_of("hunter2-FAKE!").hides(text, cut_at=len(text)) is found
    assert not veil_of("hunter2-FAKE!").hides(text)


def test_the_latest_tokens_are_kept_and_all_that_was_typed() -> None:
    many = [f"tok-{number:016}-x" for number in range(MOST_TOKENS + 1)]
    veil = veil_of("hunter2-FAKE", tokens=(*many[:-1], many[0], many[-1]))
    assert veil.hides(many[0])
    assert not veil.hides(many[1])
    assert veil.hides("hunter2-FAKE")


def test_when_more_is_typed_than_is_looked_for_nothing_is_kept() -> None:
    veil = veil_of(*(f"secret-{number}" for number in range(MOST_TYPED + 1)))
    page = PageSnapshot("browser", {"@title": "a"}, documents=(document([-1, "p", {}, 3]),))
    found = Hiding(veil).over(page)
    assert (found.tree, found.documents) == ({}, ())
    assert [(item.path, item.cause) for item in found.unread] == [((), "content")]


def document(*nodes: list[object]) -> StoredDocument:
    return StoredDocument((), pack(json.dumps(nodes, separators=(",", ":"))))


SECRET = "hunter2-FAKE"
TOKEN = "tok-FAKE-0123456789"


def over(tree: dict[str, Value], *nodes: list[object]) -> PageSnapshot:
    veil = veil_of(SECRET, tokens=(TOKEN,))
    return Hiding(veil).over(PageSnapshot("browser", tree, documents=(document([-1, "html", {}, 3], *nodes),)))


NODES: list[tuple[list[object], bool]] = [
    ([0, f"it is {SECRET}"], True),
    ([0, f"it is {TOKEN}"], True),
    ([0, "p", {"class": SECRET}, 3], True),
    ([0, "p", {f"data-{SECRET}": ""}, 3], True),
    ([0, f"x-{SECRET}", {}, 3], True),
    ([0, "a", {"href": f"/logout/{TOKEN}"}, 3], False),
    ([0, "input", {}, 3, {"t": "text", "v": SECRET}], False),
    ([0, "input", {}, 3, {"t": "radio", "c": True, "v": SECRET}], True),
    ([0, "input", {}, 3, {"t": "file", "f": [SECRET]}], True),
    ([0, "select", {}, 3, {"v": [SECRET, "a"]}], True),
]


@pytest.mark.parametrize(("node", "misleads"), NODES)
def test_a_stored_node_holds_no_secret_and_a_selector_that_may_be_misled_cannot_tell(
    node: list[object], misleads: bool
) -> None:
    found = over({"@text": ["a"]}, node)
    text = found.documents[0].text()
    assert SECRET not in text
    assert TOKEN not in text
    assert MARK in text or "secret-" in text
    parse_document(text, budget=CountedBudget())
    assert [item.path for item in found.unread] == ([("@text",)] if misleads else [])


def test_a_hidden_text_is_a_secret_as_a_whole_and_its_like_have_the_same_form() -> None:
    tree: dict[str, Value] = {"@title": f"Is {SECRET}", "@url": f"http://h/{SECRET}", "@text": ["a", f"b {SECRET}"]}
    found = over(tree | {"@console": [{"text": f"Is {SECRET}"}]})
    title, url = (lookup(found.tree, (facet,)) for facet in ("@title", "@url"))
    assert isinstance(title, Mapping) and title == lookup(found.tree, ("@console", 0, "text"))
    assert isinstance(url, Mapping) and set(url) == {MARK}
    assert lookup(found.tree, ("@text", 0)) == "a"
    assert [item.path for item in found.unread] == [("@text",)]


def test_what_is_called_by_a_secret_leaves_its_like_unread() -> None:
    found = over({"@storage": {"local": {"http://h": {SECRET: "1", "a": "2"}}}, "@cookies": {}})
    assert SECRET not in str(found.tree)
    assert [item.path for item in found.unread] == [("@storage", "local", "http://h")]


def test_reasons_and_places_of_what_is_unread_hold_no_secret() -> None:
    veil = veil_of(SECRET)
    item = Unread(("@frames", "iframe", f"name={SECRET}"), "…", f"the tab {SECRET} is gone", "content")
    found = Hiding(veil).over(PageSnapshot("browser", {}, unread=(item,)))
    assert SECRET not in str(found)
    assert len(found.unread) == 1


def test_a_clean_page_is_kept_as_it_is() -> None:
    tree: dict[str, Value] = {"#a": {"value": "x"}, "@text": ["hunter"], "@title": "hunter2"}
    found = over(tree)
    assert found.tree == tree
    assert found.unread == ()
