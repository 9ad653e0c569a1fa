"""Edits of value trees, and what is suggested: all that is asked for is there, and nothing else is touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.address import lookup, nodes
from exactchange.diff import compare
from exactchange.sources import Add, CannotEdit, Edit, Put, Remove
from exactchange.sources.edits import edited_tree
from exactchange.sources.variations import near_values, other, retyped, tree_suggestions
from exactchange.values import ABSENT, Path, State, Value, same, type_name

TREE: Value = {
    "server": {"timeout": 20, "host": "a"},
    "jobs": [{"name": "a", "n": 1}, {"name": "b", "n": 2}],
    "l": [1, 2],
}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(-9, 9)
    | st.text("ab1", max_size=3)
    | st.binary(max_size=2)
)
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)


@pytest.mark.parametrize(
    ("edit", "path", "there"),
    [
        (Put(("server", "timeout"), 30), ("server", "timeout"), 30),
        (Put(("server", "new", "deep"), 1), ("server", "new", "deep"), 1),
        (Put(("jobs", "name=b", "n"), 9), ("jobs", "name=b", "n"), 9),
        (Put(("jobs", "name=c"), {"name": "c"}), ("jobs", "name=c"), {"name": "c"}),
        (Put(("l", 1), 5), ("l", 1), 5),
        (Put(("l", 7), 5), ("l", 2), 5),
        (Put((), "whole"), (), "whole"),
        (Remove(("server", "timeout")), ("server", "timeout"), ABSENT),
        (Remove(("jobs", "name=a")), ("jobs", "name=a"), ABSENT),
        (Remove(("l", 0)), ("l", 0), 2),
        (Remove(()), (), ABSENT),
        (Add(("l",), 5), ("l", 2), 5),
        (Add(("server",), 5), ("server", "audit"), 5),
        (Add((), 5), ("audit",), 5),
    ],
)
def test_an_edit_makes_what_it_says(edit: Edit, path: Path, there: State) -> None:
    assert same(lookup(edited_tree(TREE, [edit]), path), there)


@pytest.mark.parametrize(
    "edit",
    [
        Put(("server", "timeout", "deeper"), 1),
        Put(("server", 0), 1),
        Put(("jobs", "name=z", "n"), 1),
        Remove(("l", 9)),
        Remove(("jobs", "name=z")),
        Remove(("nowhere", "at all")),
        Add(("server", "timeout"), 1),
        Add(("nowhere",), 1),
    ],
    ids=str,
)
def test_an_edit_of_a_place_that_is_not_there_is_refused(edit: Edit) -> None:
    with pytest.raises(CannotEdit):
        edited_tree(TREE, [edit])


@given(TREES, st.data())
def test_a_value_that_is_put_somewhere_is_the_only_change(tree: Value, data: st.DataObject) -> None:
    places = [path for path, _ in nodes(tree) if path]
    if not places:
        return
    path = data.draw(st.sampled_from(places))
    changed = edited_tree(tree, [Put(path, "put there")])
    assert lookup(changed, path) == "put there"
    for op in compare(tree, changed):
        assert op.path[: len(path)] == path or path[: len(op.path)] == op.path


@given(SCALARS)
def test_another_value_is_another_one_of_the_same_type_where_there_is_one(value: Value) -> None:
    assert not same(other(value), value)
    assert value is None or type_name(other(value)) == type_name(value)


@given(SCALARS)
def test_what_is_retyped_is_of_another_type(value: Value) -> None:
    assert all(type_name(item) != type_name(value) for item in retyped(value))


@given(SCALARS)
def test_a_near_value_is_never_the_value(value: Value) -> None:
    found = list(near_values(value))
    assert found
    assert not any(same(item, value) for _, item in found)


def test_near_the_number_thirty_are_its_neighbours_and_other_types() -> None:
    assert [(what, item) for what, item in near_values(30)] == [
        ("one more", 31),
        ("one less", 29),
        ("another type", "30"),
        ("another type", 30.0),
    ]


@pytest.mark.parametrize(
    "seal", ["hmac:" + "0" * 64, "hmac:" + "7" * 64, {"@secret": "hmac:" + "0" * 64}, {"@secret": "x"}]
)
def test_another_secret_is_a_secret(seal: Value) -> None:
    from exactchange.values import sealed

    assert sealed(other(seal))
    assert not same(other(seal), seal)
    assert list(retyped(seal)) == []


def test_the_mode_of_a_file_becomes_one_that_can_be_executed_or_no_longer() -> None:
    assert other("0644", ("run.sh", "@mode")) == "0744"
    assert other("0755", ("run.sh", "@mode")) == "0655"


@given(TREES)
def test_every_suggestion_can_be_made_and_makes_a_difference(tree: Value) -> None:
    for suggestion in tree_suggestions(tree, near=[], most=50):
        assert compare(tree, edited_tree(tree, suggestion.edits)), suggestion


def test_suggestions_begin_beside_what_was_to_change_and_are_of_every_sort() -> None:
    found = tree_suggestions(TREE, near=[("server", "timeout")], most=40)
    assert found == tree_suggestions(TREE, near=[("server", "timeout")], most=40)
    assert {suggestion.what for suggestion in found} == {
        "a value changed",
        "only a type changed",
        "something removed",
        "something added",
        "an item duplicated",
        "a key in other case",
        "two values swapped",
    }
    assert found[0].edits == (Put(("server", "host"), "ax"),)


def test_what_is_hidden_is_not_altered_nor_does_a_type_change_where_it_cannot() -> None:
    found = tree_suggestions(TREE, near=[], most=99, hidden={"server"}, typed=False, grows=lambda path: False)
    sorts = {"a value changed", "something removed", "a key in other case", "two values swapped"}
    assert {suggestion.what for suggestion in found} == sorts
    assert not any("server" in edit.path for suggestion in found for edit in suggestion.edits)


def test_no_more_are_suggested_than_asked_for_and_none_for_what_is_absent() -> None:
    assert len(tree_suggestions(TREE, near=[], most=3)) == 3
    assert tree_suggestions(ABSENT, near=[], most=3) == []
