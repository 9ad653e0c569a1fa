"""The leaf view: the units that patterns match, the atoms that account for a change, and what a matcher asks for."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judging.kit import PLAIN, TABLES, Tables, case, change, judged, left, source

from exactchange.conditions.matchers import MatchContext, parse_matcher
from exactchange.conditions.reach import asked_for
from exactchange.conditions.units import (
    Atom,
    Sides,
    atoms,
    below,
    leaf_paths,
    opened,
    own_atoms,
    sides,
    whole_unit,
    whole_units,
)
from exactchange.diff import Change, Operation
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import RowShape
from exactchange.sources.registry import AnyKind
from exactchange.values import ABSENT, Path, State, Value


def between(before: State, after: State, kind: AnyKind = PLAIN) -> Sides:
    return sides(source("s", [before, after], kind=kind), 0, 1)


def changed(path: Path, before: State, after: State) -> Change:
    op: Operation = "added" if before is ABSENT else "removed" if after is ABSENT else "modified"
    return Change("s", op, ".".join(map(str, path)), path, before, after, {})


def told(change: Change) -> list[tuple[str, str]]:
    units = whole_units(change, between({}, {}))
    return [(unit.change.op, unit.change.address) for unit in units]


UNITS: list[tuple[State, State, list[tuple[str, str]]]] = [
    (ABSENT, 1, [("added", "a")]), (1, ABSENT, [("removed", "a")]), (1, 2, [("modified", "a")]),
    (ABSENT, {"x": 1, "y": 2}, [("added", "a.x"), ("added", "a.y")]),
    (ABSENT, {"x": {"z": 1}, "y": {}}, [("added", "a.x.z"), ("added", "a.y")]), (ABSENT, {}, [("added", "a")]),
    (ABSENT, [], [("added", "a")]), (ABSENT, [5, 6], [("added", "a[0]"), ("added", "a[1]")]),
    (ABSENT, "xy", [("added", "a")]), (ABSENT, b"xy", [("added", "a")]), (ABSENT, "", [("added", "a")]),
    (ABSENT, {"@secret": "x"}, [("added", "a")]), ({"x": 1}, 5, [("modified", "a"), ("removed", "a.x")]),
    (5, {"x": 1}, [("modified", "a"), ("added", "a.x")]), ({}, {"x": 1}, [("modified", "a"), ("added", "a.x")]),
    ({"x": 1}, [7], [("removed", "a.x"), ("added", "a[0]")]),
    ({"x": 1, "y": 2}, {"x": 1, "y": 3}, [("modified", "a.y")]),
    (None, {"x": 1}, [("modified", "a"), ("added", "a.x")]),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), UNITS)
def test_what_came_or_went_or_gave_way_is_its_leaves(
    before: State, after: State, expected: list[tuple[str, str]]
) -> None:
    assert told(changed(("a",), before, after)) == expected


ROW: Value = {"id": 1, "n": {"deep": 2}}


def test_an_added_or_removed_row_is_one_unit_and_a_modified_one_its_cells() -> None:
    for before, after in ((ABSENT, ROW), (ROW, ABSENT)):
        (unit,) = whole_units(changed(("t", "id=1"), before, after), between({}, {}, TABLES))
        assert unit.row is not None
        assert unit.side == ROW
        assert [part.change.path[2:] for part in below(unit)] == [("id",), ("n",)]
        whole: set[Atom] = {("s", ("t", "id=1", "id"), False), ("s", ("t", "id=1", "n", "deep"), False)}
        assert atoms(unit) == own_atoms(unit) == whole
    cell = whole_unit(changed(("t", "id=1"), ROW, {"id": 1}), between({}, {}, TABLES))
    assert cell.row is None
    assert [part.change.path for part in below(cell)] == [("t", "id=1", "n")]


class Grown(Tables):
    """Tables of which only a state that has them knows the schema."""

    def row_shape(self, snapshot: TreeSnapshot, path: Path) -> RowShape | None:
        return None if snapshot.tree == {} else super().row_shape(snapshot, path)


def test_the_schema_of_an_added_row_is_that_of_the_end_and_of_a_removed_one_that_of_the_start() -> None:
    came, went = changed(("t", "id=1"), ABSENT, ROW), changed(("t", "id=1"), ROW, ABSENT)
    there: Value = {"t": {"id=1": ROW}}
    assert whole_unit(came, between({}, there, Grown())).row is not None
    assert whole_unit(came, between(there, {}, Grown())).row is None
    assert whole_unit(went, between(there, {}, Grown())).row is not None
    assert whole_unit(went, between({}, there, Grown())).row is None


class Redefined(Tables):
    """Tables that say of themselves what a column holds of itself, and which ones they compute."""

    def row_shape(self, snapshot: TreeSnapshot, path: Path) -> RowShape | None:
        tree = snapshot.tree
        assert isinstance(tree, Mapping)
        defaults, computed = tree["@defaults"], tree["@computed"]
        assert isinstance(defaults, dict) and isinstance(computed, list)
        return RowShape(frozenset({"id"}), defaults, frozenset(map(str, computed)))


def test_a_row_that_came_holds_of_itself_only_what_it_always_did() -> None:
    came: Value = {"id": 1, "state": "paid", "note": "-", "sum": 5, "kind": "x"}
    before: Value = {"@defaults": {"state": "draft", "note": "-"}, "@computed": ["sum", "other"]}
    after: Value = {"@defaults": {"state": "paid", "note": "-", "kind": "x"}, "@computed": ["sum", "id"]}
    row = whole_unit(changed(("t", "id=1"), ABSENT, came), between(before, after, Redefined())).row
    assert row == RowShape(frozenset({"id"}), {"note": "-"}, frozenset({"sum"}))
    gone = whole_unit(changed(("t", "id=1"), came, ABSENT), between(before, after, Redefined())).row
    assert gone == RowShape(frozenset({"id"}), {"state": "draft", "note": "-"}, frozenset({"sum", "other"}))


def test_an_unexplained_row_is_told_as_one_by_the_schema_of_its_side() -> None:
    there: Value = {"t": {"id=1": ROW}}
    for states in ([{}, there], [there, {}]):
        run = case(source("s", [states[0], states[1]], kind=Grown()))
        assert left(judged(run, change("x"))) == ["t[id=1]"]


def test_a_change_of_place_is_one_unit_one_atom_and_has_nothing_below() -> None:
    moved = Change("s", "moved", "l[id=1]", ("l", "id=1"), {"at": 1}, {"at": 2}, {})
    (unit,) = whole_units(moved, between({}, {}))
    assert unit.spot == ("s", ("l", "id=1"), True)
    assert below(unit) == []
    assert atoms(unit) == own_atoms(unit) == {unit.spot}


def test_a_unit_knows_its_side_its_spot_and_its_step() -> None:
    here = between({"a": 1}, {"a": 2})
    assert (here.step, here.before.mark.step) == (1, 0)
    assert whole_unit(changed(("a",), 1, 2), here).side == 2
    assert whole_unit(changed(("a",), 1, ABSENT), here).side == 1
    assert whole_unit(changed(("a",), 1, None), here).side is None
    assert whole_unit(changed(("a",), 1, 2), here).spot == ("s", ("a",), False)


OPENED: list[tuple[State, State, bool]] = [
    (None, {"x": 1}, True), (None, [1], True), (None, {}, False), (None, 5, False), (None, "text", False),
    (5, {"x": 1}, False), ({}, {"x": 1}, False), (ABSENT, {"x": 1}, False), (None, ABSENT, False),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), OPENED)
def test_a_section_without_content_gave_way_to_what_came_into_it(before: State, after: State, expected: bool) -> None:
    assert opened(changed(("a",), before, after)) is expected
    assert opened(Change("s", "moved", "a", ("a",), None, {"x": 1}, {})) is False


trees: st.SearchStrategy[Value] = st.recursive(
    st.sampled_from([1, "x", None]),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.sampled_from("xyz"), parts, max_size=3),
    max_leaves=6,
)


def leaves(value: State, path: Path = ()) -> set[Path]:
    """The same a second time, by recursion."""
    if value is ABSENT:
        return set()
    parts: list[tuple[str | int, Value]] = (
        list(value.items()) if isinstance(value, Mapping) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return {path}.union(*(leaves(item, (*path, name)) for name, item in parts)) - ({path} if parts else set())


@settings(max_examples=100, deadline=None)
@given(trees | st.just(ABSENT), trees)
def test_the_atoms_of_a_change_are_the_leaves_of_both_its_sides(before: State, after: Value) -> None:
    assert set(leaf_paths(after, ("a",))) == leaves(after, ("a",))
    if before is ABSENT:
        unit = whole_unit(changed(("a",), before, after), between({}, {}))
        assert atoms(unit) == {("s", path, False) for path in leaves(after, ("a",))}
        found = frozenset[tuple[str, Path, bool]]().union(*map(own_atoms, whole_units(unit.change, unit.sides)))
        assert found == atoms(unit)
    else:
        assert atoms(whole_unit(changed(("a",), before, after), between({}, {}))) == {
            ("s", path, False) for path in leaves(before, ("a",)) | leaves(after, ("a",))
        }


ASKED: list[tuple[Value, Value, set[str] | None]] = [
    (5, 5, None), ({"type": "mapping"}, {"x": 1}, None), ({"has": {"x": 1}}, {"x": 1, "y": 2}, {"x"}),
    ({"has": {"x": {"type": "mapping"}}}, {"x": {"p": 1, "q": 2}, "y": 2}, {"x.p", "x.q"}),
    ({"has": {"x": {"has": {"p": 1}}}}, {"x": {"p": 1, "q": 2}}, {"x.p"}),
    ({"has": {"z": {"absent": True}}}, {"x": 1}, set()),
    ({"items": [{"has": {"x": 1}}, 5]}, [{"x": 1, "y": 2}, 5], {"0.x", "1"}),
    ({"has": {"x": 1}, "type": "mapping"}, {"x": 1, "y": 2}, {"x"}),
    ({"type": "mapping", "has": {"x": 1}}, {"x": 1, "y": 2}, {"x"}),
    ({"one_of": [{"has": {"x": 9}}, {"has": {"y": 2}}]}, {"x": 1, "y": 2}, {"y"}),
    ({"one_of": [{"type": "mapping"}, {"has": {"y": 2}}]}, {"x": 1, "y": 2}, None),
    ({"has": {"x": 1, "y": 2}, "one_of": [{"has": {"y": 2, "z": 3}}]}, {"x": 1, "y": 2, "z": 3}, {"y"}),
]  # fmt: skip


@pytest.mark.parametrize(("matcher", "value", "expected"), ASKED)
def test_a_matcher_asks_for_the_leaves_of_the_keys_that_it_names(
    matcher: Value, value: Value, expected: set[str] | None
) -> None:
    found = asked_for(parse_matcher(matcher), value, ("s",), MatchContext())
    names = None if found is None else {".".join(map(str, path[1:])) for path in found}
    assert names == expected
    assert found is None or all(path[0] == "s" for path in found)
