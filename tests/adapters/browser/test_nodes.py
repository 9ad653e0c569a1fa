"""Nodes are checked all together as one by one: nothing malformed comes through, and nothing else is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.errors import UsageError
from exactchange_adapters.browser.nodes import Node, node_of, nodes_of

GOOD: list[object] = [[0, "text"], [0, "p", {}, 3], [0, "input", {"name": "a"}, 1, {"v": "x"}], [0, "b", {}, 0, None]]
BAD: list[object] = [
    None,
    {},
    "text",
    [],
    [0],
    [0, 1],
    [0, "p", {}],
    [0, "p", {}, 3, {}, 5],
    [True, "text"],
    ["0", "text"],
    [-2, "text"],
    [99, "text"],
    [0, "", {}, 3],
    [0, 1, {}, 3],
    [0, "p", [], 3],
    [0, "p", {"id": 1}, 3],
    [0, "p", {"id": None}, 3],
    [0, "p", {}, "3"],
    [0, "p", {}, True],
    [0, "p", {}, 3, []],
    [0, "p", {}, 3, "x"],
]


def one_by_one(items: list[object]) -> list[Node] | str:
    try:
        return [node_of(number, item) for number, item in enumerate(items)]
    except UsageError as error:
        return str(error)


def together(items: list[object]) -> list[Node] | str:
    try:
        return nodes_of(items)
    except UsageError as error:
        return str(error)


@settings(deadline=None)
@given(st.lists(st.sampled_from([*GOOD, *GOOD, *GOOD, *BAD]), max_size=6))
def test_all_together_says_what_one_by_one_says(rest: list[object]) -> None:
    items: list[object] = [[-1, "html", {}, 1], *rest]
    assert together(items) == one_by_one(items)


@pytest.mark.parametrize("item", BAD)
def test_what_is_malformed_is_named_by_its_number(item: object) -> None:
    items: list[object] = [[-1, "html", {}, 1], [0, "x"], item]
    with pytest.raises(UsageError, match="node 2 of a document is malformed"):
        nodes_of(items)


def test_what_is_well_formed_is_kept_whole() -> None:
    items: list[object] = [[-1, "html", {}, 1], *GOOD]
    _, text, paragraph, field, bold = nodes_of(items)
    assert (text.text, text.tag, paragraph.tag, paragraph.bits) == ("text", "", "p", 3)
    assert (field.attributes, field.state, field.parent, field.number) == ({"name": "a"}, {"v": "x"}, 0, 3)
    assert bold.state is None
