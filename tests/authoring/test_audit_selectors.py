"""A veto that names no element of the good run, or a text of which no change is told, is named by an audit."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from exactchange.authoring.audit.forbidden import forbidden
from exactchange.authoring.audit.mutant import Impossible
from exactchange.authoring.audit.unfound import unfound
from exactchange.case import Case, Evidence
from exactchange.conditions import Condition, Evaluation
from exactchange.snapshot import Mark
from exactchange.task import load_task
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.saved import read_saved
from exactchange_adapters.browser.snapshot import PageSnapshot

PAGE = '<p id="state">Open</p><input id="who" value="Ada"><button id="pay">Pay now</button>'


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Sequence[PageSnapshot]:
    file = tmp_path_factory.mktemp("pages") / "page.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><title>A page</title>{PAGE}", encoding="utf-8")
    page = read_saved(file)
    return [replace(page, mark=Mark(step)) for step in (0, 1)]


def _case(captures: Sequence[PageSnapshot]) -> Case:
    return Case({"page": Evidence("page", KIND, BrowserParams(), tuple(captures))}, (), answer="done")


SAID: list[tuple[Mapping[str, Value], str | None]] = [
    ({"change": {"in": "page", "css": "#stat"}}, "page: nothing is ever found by css: #stat"),
    ({"change": {"in": "page", "css": "#state"}}, "page: no change is told of what is found by css: #state; say which"),
    ({"change": {"in": "page", "label": "Who"}}, "page: nothing is ever found by label: Who"),
    ({"change": {"in": "page", "css": "#stat", "op": "added"}}, None),
    ({"change": {"in": "page", "css": "#who"}}, None),
    ({"action": {"kind": "click", "target": {"role": "button", "name": "Pay nwo"}}}, "did you mean 'Pay now'?"),
    ({"action": {"kind": "click", "target": {"role": "button", "name": "Pay  now"}}}, None),
    ({"action": {"kind": "click", "target": {"role": "button", "name": "Delete"}}}, None),
    ({"action": {"kind": "click", "target": {"role": "button"}}}, None),
    ({"action": {"kind": "click", "target": {"css": "#pay"}}}, None),
    ({"action": {"kind": "click"}}, None),
]


@pytest.mark.parametrize(("rule", "said"), SAID, ids=range(len(SAID)))
def test_a_veto_says_what_it_does_not_find(
    captures: Sequence[PageSnapshot], rule: Mapping[str, Value], said: str | None
) -> None:
    found = unfound(Condition.model_validate(rule), Evaluation(_case(captures)))
    assert (found is None) is (said is None) and (said or "") in (found or "")


def test_an_audit_names_vetoes_that_never_fire(captures: Sequence[PageSnapshot], tmp_path: pathlib.Path) -> None:
    file = tmp_path / "task.yaml"
    file.write_text(
        "id: t\ninstruction: Do it.\nsources: {page: {adapter: browser}}\n"
        "must: [{value: {in: page, css: '#who', is: Ada}}]\n"
        "veto:\n"
        "  - {name: text, change: {in: page, css: '#state'}}\n"
        "  - {name: pay, action: {kind: click, target: {role: button, name: Pay nwo}}}\n"
        "  - {name: who, change: {in: page, css: '#who', field: value}}\n",
        encoding="utf-8",
    )
    found = list(forbidden(load_task(file), _case(captures)))
    assert {item.rule for item in found if isinstance(item, Impossible)} == {"text", "pay"}
