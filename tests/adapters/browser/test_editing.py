"""A stored page that was edited tells the same in its tree and to selectors, and is otherwise the page that it was."""

import pathlib
from typing import cast

import pytest

from exactchange.address import lookup
from exactchange.diff import compare
from exactchange.episode import read_episode
from exactchange.limits import CountedBudget
from exactchange.sources import CannotEdit, Put, Remove
from exactchange.task import load_task
from exactchange.values import ABSENT, Path, Value
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import parse_document
from exactchange_adapters.browser.editing import edited_page
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.select import select
from exactchange_adapters.browser.snapshot import PageSnapshot
from exactchange_fixtures.shipped import task_dir

EPISODES = pathlib.Path(__file__).parents[3] / "fixtures" / "episodes"
FILES = {"trac-look": "trac/trac-look.yaml", "settings-timeout": "article/settings-timeout.yaml"}
COMMENT = ElementSelector(css="#propertyform[action^='/ticket/1#'] #comment")
USER = ElementSelector(css="#metanav li.first", field="text")
TITLE = ElementSelector(css="#trac-ticket-title", field="text")


@pytest.fixture(scope="module", params=FILES)
def page(request: pytest.FixtureRequest) -> PageSnapshot:
    return recorded(request.param)


@pytest.fixture(scope="module")
def ticket() -> PageSnapshot:
    return recorded("trac-look")


def recorded(task: str) -> PageSnapshot:
    """The page at the end of a recorded run, with a ticket or with settings."""
    case = read_episode(EPISODES / task, load_task(task_dir() / FILES[task]))
    for name, evidence in case.sources.items():
        for snapshot in evidence.captures if name != "page" else ():
            snapshot.close()
    return cast("PageSnapshot", case.sources["page"].captures[-1])


def found(page: PageSnapshot, selector: ElementSelector) -> list[Value]:
    return [match.value for match in select(page, selector, budget=CountedBudget())]


def in_document(page: PageSnapshot) -> dict[Path, Value]:
    """The state of every control as the first document has it."""
    controls = Controls(parse_document(page.documents[0].text(), budget=CountedBudget())).all
    return {(*control.path, field): value for control in controls for field, value in control.leaves.items()}


def test_no_edit_gives_an_equal_page(page: PageSnapshot) -> None:
    assert edited_page(page, []) == page and edited_page(page, []).digest == page.digest


def test_every_state_that_is_put_stands_in_the_tree_and_in_the_document_and_no_other_differs(
    page: PageSnapshot,
) -> None:
    before = in_document(page)
    put = 0
    for path, value in before.items():
        if path[-1] not in ("value", "checked") or not isinstance(value, str | bool):
            continue
        other: Value = not value if isinstance(value, bool) else f"{value}x"
        new = edited_page(page, [Put(path, other)])
        assert [(op.path, op.after) for op in compare(page.tree, new.tree)] == [(path, other)]
        changed = {place for place, item in in_document(new).items() if item != before.get(place)}
        assert changed == {path}
        put += 1
    assert put > 5


def test_a_selector_finds_what_was_put(ticket: PageSnapshot) -> None:
    (match,) = select(ticket, COMMENT, budget=CountedBudget())
    new = edited_page(ticket, [Put(match.path, "Another question")])
    assert (found(ticket, COMMENT), found(new, COMMENT)) == ([match.value], ["Another question"])


def test_the_text_of_an_element_is_another_one_for_selectors_and_in_the_text_of_the_page(ticket: PageSnapshot) -> None:
    (match,) = select(ticket, TITLE, budget=CountedBudget())
    new = edited_page(ticket, [Put(match.path, "Ticket 2")])
    assert found(new, TITLE) == ["Ticket 2"] != found(ticket, TITLE)
    lines = [cast("list[str]", lookup(each.tree, ("@text",))) for each in (ticket, new)]
    assert [line for line in lines[1] if line not in lines[0]] == ["Ticket 2"]


def test_of_an_element_without_a_key_of_its_own_nothing_is_edited(ticket: PageSnapshot) -> None:
    """Its path numbers it among those that the selector found, so that it may be any of the page."""
    (match,) = select(ticket, USER, budget=CountedBudget())
    with pytest.raises(CannotEdit):
        edited_page(ticket, [Put(match.path, "logged in as nobody")])


def test_a_control_that_is_taken_away_is_found_by_no_selector_and_others_are_as_they_were(ticket: PageSnapshot) -> None:
    (match,) = select(ticket, COMMENT, budget=CountedBudget())
    new = edited_page(ticket, [Remove(match.path)])
    assert found(new, COMMENT) == [] and lookup(new.tree, match.path) is ABSENT
    before, after = in_document(ticket), in_document(new)
    assert {path for path in before if path not in after} == {path for path in before if path[:-1] == match.path[:-1]}
    assert {path: before[path] for path in after} == after


def test_what_is_no_state_of_an_element_is_edited_in_the_tree_alone(ticket: PageSnapshot) -> None:
    new = edited_page(ticket, [Put(("@url",), "http://127.0.0.1/")])
    assert new.documents == ticket.documents
    assert [op.path for op in compare(ticket.tree, new.tree)] == [("@url",)]


@pytest.mark.parametrize("value", [1, True, None, 2.5])
def test_a_value_that_no_field_can_hold_is_refused(value: Value, ticket: PageSnapshot) -> None:
    (match,) = select(ticket, COMMENT, budget=CountedBudget())
    with pytest.raises(CannotEdit):
        edited_page(ticket, [Put(match.path, value)])
