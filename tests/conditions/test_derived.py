"""What a selector works out of a page changes without being told of: a rule on it is undecided, and never silent."""

import pathlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from exactchange.case import Case, Evidence
from exactchange.conditions import Condition, Evaluation
from exactchange.snapshot import Mark
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.saved import read_saved
from exactchange_adapters.browser.snapshot import PageSnapshot

PAGE = '<p id="state">Open</p><p id="note">Hello</p><input id="who" value="Ada"><button id="go">Go</button>'
PAID = PAGE.replace("Open", "Paid")
GONE = PAGE.replace('<p id="note">Hello</p>', "")
TITLED = f"<title>Another page</title>{PAGE}"
BOB = PAGE.replace("Ada", "Bob")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("pages")


@cache
def _page(folder: pathlib.Path, markup: str) -> PageSnapshot:
    file = folder / "page.html"
    title = "" if "<title>" in markup else "<title>A page</title>"
    file.write_text(f"<!doctype html><meta charset=utf-8>{title}{markup}")
    return read_saved(file)


def _holds(folder: pathlib.Path, rule: Mapping[str, Value], *pages: str, tier: str = "veto") -> tuple[bool | None, str]:
    captures = tuple(replace(_page(folder, markup), mark=Mark(step)) for step, markup in enumerate(pages))
    run = Case({"page": Evidence("page", KIND, BrowserParams(), captures)}, (), answer="done")
    condition = Condition.model_validate({"change": {"in": "page", **rule}})
    found = condition.check(Evaluation(run), tier="veto" if tier == "veto" else "bonus")
    return found.truth, found.why


UNTOLD: list[tuple[Mapping[str, Value], str, str]] = [
    ({"css": "#state"}, PAGE, PAID),
    ({"css": "#state", "field": "text"}, PAGE, PAID),
    ({"css": "#state", "op": "modified"}, PAGE, PAID),
    ({"css": "#state", "to": "Paid"}, PAGE, PAID),
    ({"css": "#state", "from": "Open", "to": {"not": "Open"}}, PAGE, PAID),
    ({"css": "#note", "op": "removed"}, PAGE, GONE),
    ({"css": "#note", "op": "added"}, GONE, PAGE),
    ({"css": "p, input"}, PAGE, PAID),
]


@pytest.mark.parametrize(("rule", "before", "after"), UNTOLD, ids=range(len(UNTOLD)))
def test_a_text_that_became_another_cannot_be_told_by_a_change(
    folder: pathlib.Path, rule: Mapping[str, Value], before: str, after: str
) -> None:
    truth, why = _holds(folder, rule, before, after)
    assert truth is None
    assert "no change is told of it: say which state of a control" in why


TOLD: list[tuple[Mapping[str, Value], str, str, bool]] = [
    ({"css": "#state"}, PAGE, BOB, False),
    ({"css": "#state", "op": "removed"}, PAGE, PAID, False),
    ({"css": "#state", "to": "Free"}, PAGE, PAID, False),
    ({"css": "#state", "from": "Free"}, PAGE, PAID, False),
    ({"css": "#who"}, PAGE, PAID, False),
    ({"css": "#who"}, PAGE, BOB, True),
    ({"css": "p, input"}, PAGE, BOB, True),
    ({"at": "@text[*]"}, PAGE, PAID, True),
    ({"at": "@title", "count": {"ge": 2}}, PAGE, TITLED, False),
    ({"css": "#who", "count": {"ge": 2}}, PAGE, BOB, False),
]


@pytest.mark.parametrize(("rule", "before", "after", "truth"), TOLD, ids=range(len(TOLD)))
def test_what_stands_in_a_place_is_told_as_ever(
    folder: pathlib.Path, rule: Mapping[str, Value], before: str, after: str, truth: bool
) -> None:
    assert _holds(folder, rule, before, after)[0] is truth


def test_a_text_that_came_back_is_seen_on_the_way(folder: pathlib.Path) -> None:
    assert _holds(folder, {"css": "#state"}, PAGE, PAID, PAGE)[0] is None
    assert _holds(folder, {"css": "#state"}, PAGE, PAID, PAGE, tier="bonus")[0] is False
