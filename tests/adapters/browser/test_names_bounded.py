"""Names of elements take work that grows with the page, however it has its elements name each other."""

import json
from collections.abc import Callable

import pytest

from exactchange.errors import OverBudget
from exactchange.limits import CountedBudget
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import Document, parse_document
from exactchange_adapters.browser.naming import name_of

Node = list[object]
Nodes = list[Node]
SEEN = 3


def document(nodes: Nodes) -> Document:
    return parse_document(json.dumps(nodes), budget=CountedBudget())


def element(above: int, tag: str, **attributes: str) -> Node:
    return [above, tag, attributes, SEEN]


def page(*nodes: Node) -> Nodes:
    return [element(-1, "html"), element(0, "body"), *nodes]


def field(above: int, **attributes: str) -> Node:
    return [above, "input", attributes, SEEN, {"v": ""}]


def with_words(nodes: Nodes, above: int, tag: str, attributes: dict[str, str], words: str) -> int:
    """Adds an element that holds a text; gives its number."""
    nodes.append([above, tag, attributes, SEEN])
    nodes.append([len(nodes) - 1, words])
    return len(nodes) - 2


def labels_for(count: int) -> Nodes:
    nodes = page()
    for number in range(count):
        with_words(nodes, 1, "label", {"for": "a"}, f"word {number}")
    nodes += [field(1, id="a") for _ in range(count)]
    return nodes


def labels_in_labels(count: int) -> Nodes:
    nodes = page()
    for _ in range(count):
        nodes.append([len(nodes) - 1, "label", {}, SEEN])
    inside = len(nodes) - 1
    nodes += [field(inside) for _ in range(5 * count)]
    return nodes


def named_by_all(count: int) -> Nodes:
    nodes = page(element(1, "div", id="all"))
    for number in range(count):
        with_words(nodes, 2, "span", {}, f"word {number}")
    nodes += [element(1, "button", **{"aria-labelledby": "all"}) for _ in range(count)]
    return nodes


def buttons_in_buttons(count: int) -> Nodes:
    nodes = page()
    above = 1
    for number in range(count):
        above = with_words(nodes, above, "a", {"role": "button"}, f"word {number}")
    return nodes


def rows_in_rows(count: int) -> Nodes:
    nodes = page()
    above = 1
    for _ in range(count):
        nodes.append(element(above, "li"))
        above = len(nodes) - 1
        with_words(nodes, above, "button", {}, "Delete")
    return nodes


def below_many(count: int) -> Nodes:
    nodes = page()
    for _ in range(count):
        nodes.append(element(len(nodes) - 1, "div"))
    nodes += [element(count + 1, "button") for _ in range(count)]
    return nodes


def radio(above: int, form: int) -> Node:
    return [above, "input", {"name": "a", "type": "radio"}, SEEN, {"t": "radio", "v": "1", "c": False, "g": form}]


def test_groups_of_one_name_are_numbered_and_cost_what_the_page_is_long() -> None:
    nodes = page()
    for form in range(20_000):
        nodes += [element(1, "form"), radio(len(nodes), form)]
    paths = [control.path for control in Controls(document(nodes)).all]
    assert paths[:2] == [("input", "name=a"), ("input", "name=a,n=2")]
    assert len(set(paths)) == 20_000


def test_radio_buttons_of_web_components_stand_below_their_hosts() -> None:
    nodes = page()
    for _ in range(5_000):
        nodes += [element(1, "x-a"), element(len(nodes), "#shadow"), radio(len(nodes) + 1, -1)]
    assert [c.path for c in Controls(document(nodes)).all][1] == ("x-a", "n=2", "input", "name=a")


def test_a_label_names_the_first_element_of_its_id_and_the_first_in_it_alone() -> None:
    nodes = page()
    with_words(nodes, 1, "label", {"for": "a"}, "Pointing")
    nodes += [field(1, id="a"), field(1, id="a")]
    around = with_words(nodes, 1, "label", {}, "Around")
    nodes += [field(around, type="hidden"), field(around), field(around)]
    found = document(nodes)
    assert [name_of(found, number) for number in (4, 5, 9, 10)] == ["Pointing", "", "Around", ""]


def test_labels_cost_what_the_page_is_long() -> None:
    found = document(labels_for(3_000))
    named = [control.number for control in Controls(found).all if "@name" in control.leaves]
    assert len(named) == 1  # the first alone has the name of all labels, and no label was read for another


@pytest.mark.parametrize("make", [labels_in_labels, named_by_all, buttons_in_buttons, rows_in_rows, below_many])
def test_a_page_whose_elements_name_each_other_without_end_is_over_budget(make: Callable[[int], Nodes]) -> None:
    assert Controls(document(make(100))).all
    with pytest.raises(OverBudget, match="the names of its elements"):
        _ = Controls(document(make(3_000))).all
