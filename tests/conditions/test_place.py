"""Which places, patterns and holes can be said: one way to a place, bounds that some number fits, a reason why."""

import pytest
from pydantic import BaseModel, ValidationError
from tests.judging.kit import Data

from exactchange.conditions.place import Allowed, Between, Hole, Pattern, Place
from exactchange.values import Value

SAID: list[tuple[type[BaseModel], Data, bool]] = [
    (Between, {"ge": 1}, True), (Between, {"le": 1}, True), (Between, {"ge": 0, "le": 0}, True),
    (Between, {"ge": 1, "le": 2}, True), (Between, {"ge": 2, "le": 2}, True),
    (Between, {}, False), (Between, {"ge": 2, "le": 1}, False), (Between, {"ge": -1}, False),
    (Between, {"le": -1}, False), (Between, {"ge": "1"}, False), (Between, {"ge": 1, "gt": 1}, False),
    (Place, {}, True), (Place, {"at": ""}, True), (Place, {"table": "t"}, True), (Place, {"css": "a"}, True),
    (Place, {"role": "button"}, True), (Place, {"label": "Name"}, True), (Place, {"testid": "x"}, True),
    (Place, {"at": "a", "table": "t"}, False), (Place, {"table": "t", "css": "a"}, False),
    (Place, {"css": "a", "role": "button"}, False), (Place, {"role": "button", "label": "x"}, False),
    (Place, {"label": "x", "testid": "y"}, False), (Place, {"testid": "y", "at": "a"}, False),
    (Place, {"table": "t", "where": {"a": 1}, "column": "c"}, True), (Place, {"where": {"a": 1}}, False),
    (Place, {"column": "c"}, False), (Place, {"at": "a", "where": {"a": 1}}, False),
    (Place, {"at": "a", "column": "c"}, False), (Place, {"role": "button", "name": "Save"}, True),
    (Place, {"name": "Save"}, False), (Place, {"label": "x", "name": "Save"}, False),
    (Place, {"css": "a", "field": "value"}, True), (Place, {"css": "a", "tab": 0}, True),
    (Place, {"role": "a", "field": "value"}, True), (Place, {"role": "a", "tab": 0}, True),
    (Place, {"label": "a", "field": "value"}, True), (Place, {"label": "a", "tab": 0}, True),
    (Place, {"testid": "a", "field": "value"}, True), (Place, {"testid": "a", "tab": 0}, True),
    (Place, {"field": "value"}, False), (Place, {"tab": 0}, False), (Place, {"at": "a", "field": "value"}, False),
    (Place, {"at": "a", "tab": 0}, False), (Place, {"table": "t", "tab": 1}, False),
    (Pattern, {"at": "a", "op": "modified"}, True), (Pattern, {"at": "a", "row": {"a": 1}}, True),
    (Pattern, {"at": "a", "op": "added", "row": {"a": 1}}, True),
    (Pattern, {"at": "a", "op": "removed", "row": {"a": 1}}, True),
    (Pattern, {"at": "a", "op": "modified", "row": {"a": 1}}, False), (Pattern, {"op": "moved"}, False),
    (Pattern, {"rest": "any"}, True), (Pattern, {"rest": "all"}, False),
    (Allowed, {"max": 0}, True), (Allowed, {"max": -1}, False), (Allowed, {"why": "noise"}, True),
    (Allowed, {"why": ""}, False), (Allowed, {"why": " \n"}, False),
]  # fmt: skip


@pytest.mark.parametrize(("model", "data", "accepted"), SAID)
def test_a_place_is_named_in_one_way_and_a_number_has_bounds_that_some_number_fits(
    model: type[BaseModel], data: Data, accepted: bool
) -> None:
    assert _accepted(model, data if model is Between else {"in": "s", **data}) is accepted


HOLES: list[tuple[Data, bool]] = [
    ({"in": "s"}, True), ({"in": "s", "at": "a", "op": "added"}, True), ({"rule": "r"}, True), ({"param": "p"}, True),
    ({}, False), ({"in": "s", "rule": "r"}, False), ({"in": "s", "param": "p"}, False),
    ({"rule": "r", "param": "p"}, False), ({"rule": ""}, False), ({"param": ""}, False),
    ({"rule": "r", "at": "a"}, False), ({"param": "p", "op": "added"}, False), ({"at": "a"}, False),
    ({"rule": "r", "why": ""}, False), ({"in": "s", "why": "\t"}, False), ({"in": "s", "why": None}, False),
]  # fmt: skip


@pytest.mark.parametrize(("data", "accepted"), HOLES)
def test_a_hole_is_one_thing_and_says_why(data: Data, accepted: bool) -> None:
    assert _accepted(Hole, {"why": "it does no harm", **data}) is accepted


def test_why_is_said_of_every_hole() -> None:
    assert not _accepted(Hole, {"in": "s"})


def test_a_selector_of_the_sources_own_is_what_was_said_of_it() -> None:
    said: dict[str, Value] = {"role": "button", "name": "Save", "field": "text", "tab": 0}
    assert Place.model_validate({"in": "s", **said}).own() == said
    for way in ("css", "label", "testid"):
        assert Place.model_validate({"in": "s", way: "x"}).own() == {way: "x"}
    assert Place.model_validate({"in": "s", "table": "t", "column": "c", "where": {"a": 1}}).own() == {}


TESTING: list[tuple[Data, bool]] = [
    ({}, False), ({"op": "added"}, False), ({"rest": "any"}, False), ({"from": 1}, True), ({"to": 1}, True),
    ({"from": None}, True), ({"to": None}, True), ({"row": {}}, True), ({"row": {"a": 1}}, True),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), TESTING)
def test_a_pattern_that_says_a_value_tests_it(data: Data, expected: bool) -> None:
    assert Pattern.model_validate({"in": "s", **data}).tests_values is expected


def test_what_is_not_said_is_left_open_and_of_a_row_only_defaults() -> None:
    pattern = Allowed.model_validate({"in": "s"})
    assert {name for name, value in pattern if value is not None} == {"in_", "rest"}
    assert (pattern.in_, pattern.rest) == ("s", "default")
    hole = Hole.model_validate({"rule": "r", "why": "w"})
    assert (hole.in_, hole.rule, hole.param, hole.why) == ("", "r", None, "w")


def test_nothing_is_taken_for_another_type_and_nothing_changes() -> None:
    assert not _accepted(Place, {"in": "s", "tab": "0"})
    assert not _accepted(Place, {"in": "s", "css": "a", "tab": 1.0})
    assert not _accepted(Allowed, {"in": "s", "max": True})
    assert _accepted(Place, {"in_": "s"})
    with pytest.raises(ValidationError):
        Place.model_validate({"in": "s"}).at = "a"


def _accepted(model: type[BaseModel], data: Data) -> bool:
    try:
        model.model_validate(data)
    except ValidationError:
        return False
    return True
