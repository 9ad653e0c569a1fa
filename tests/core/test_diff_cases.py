"""Real losses of comparison libraries as pairs of values, the fallback of the gate, and changes that do not fit."""

import importlib
import pathlib
from collections.abc import Callable, Iterable, Sequence

import pytest

from exactchange.address import parse_pattern
from exactchange.diff import Op, apply, compare, diff_values
from exactchange.errors import UsageError
from exactchange.values import ABSENT, Path, State, Value, loads, same

comparing = importlib.import_module("exactchange.diff.compare")  # the package holds the function under this name
CASES = pathlib.Path(__file__).parents[2] / "fixtures" / "cases"


def _pair(name: str) -> tuple[Value, Value]:
    (folder,) = CASES.glob(f"{name}-*")
    both = loads((folder / "pair.json").read_text("utf-8"))
    assert isinstance(both, dict)
    return both["before"], both["after"]


def _changes(name: str) -> list[tuple[str, Path, State, State]]:
    return [(c.op, c.path, c.before, c.after) for c in diff_values(*_pair(name)).changes]


EXPECTED: list[tuple[str, list[tuple[str, Path, State, State]]]] = [
    ("f-01", [("modified", ("v", 0), 2, 2.0), ("modified", ("v", 1), 1, True)]),
    ("f-02", [("modified", ("__env__",), "prod", "dev")]),
    ("f-03", [
        ("modified", ("id",), 1, 2), ("modified", ("paid",), False, True), ("modified", ("user", "valid_to"), 5, 9),
    ]),
    ("f-06", [("modified", ("amt",), 10.004, 10.001), ("modified", ("big",), 6714795744484.493, 6714795744484.502)]),
    ("f-08", [
        ("removed", ('key="a/"',), {"key": "a/", "flags": 0, "value": ""}, ABSENT),
        ("modified", ('key="a/n"', "value"), "v1", "v11"),
    ]),
    ("f-11", []),  # the order of a mapping is no state; formats in which it is one are read as lists
    ("f-14", [("modified", ("n",), 9007199254740993, 9007199254740992.0), ("modified", ("z",), 0.0, -0.0)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), EXPECTED)
def test_what_comparison_libraries_lose_is_reported(name: str, expected: list[tuple[str, Path, State, State]]) -> None:
    found = _changes(name)
    assert [(op, path) for op, path, _, _ in found] == [(op, path) for op, path, _, _ in expected]
    for (_, _, before, after), (_, _, old, new) in zip(found, expected, strict=True):
        assert same(before, old)
        assert same(after, new)


def test_no_number_of_changes_is_too_many() -> None:
    assert len(_changes("f-07")) == 50


def test_a_pattern_for_one_key_leaves_keys_alone_that_contain_its_name() -> None:
    hidden = [c.path for c in diff_values(*_pair("f-03")).changes if parse_pattern("id").matches(c.path)]
    assert hidden == [("id",)]


def _only(op: Op) -> Callable[..., list[Op]]:
    def found(*args: State) -> list[Op]:
        return [op]

    return found


def _forced(monkeypatch: pytest.MonkeyPatch, lost: Path) -> None:
    """A comparison that overlooks everything below a place."""
    real: Callable[..., Iterable[Op]] = comparing._ops

    def lossy(*args: State) -> list[Op]:
        return [op for op in real(*args) if op.path[: len(lost)] != lost]

    monkeypatch.setattr(comparing, "_ops", lossy)


def test_where_the_comparison_loses_something_the_part_is_reported_as_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    _forced(monkeypatch, ("a", "x"))
    before: Value = {"a": {"x": 1, "y": 1}, "b": {"x": 1}, "c": 1, "e": 5}
    after: Value = {"a": {"x": 2, "y": 2}, "b": {"x": 2}, "d": 1, "e": 5}
    ops = compare(before, after)
    assert [(op.op, op.path) for op in ops] == [
        ("modified", ("a",)), ("modified", ("b", "x")), ("removed", ("c",)), ("added", ("d",)),
    ]  # fmt: skip
    assert same(apply(before, ops), after)


def test_where_it_loses_everything_the_whole_is_reported_as_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    _forced(monkeypatch, ())
    assert [(op.op, op.path) for op in compare([1, 2], [2, 1])] == [("modified", ())]


def test_where_it_invents_a_change_that_does_not_fit_the_part_is_reported_as_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = Op("modified", ("a", "x", "deeper"), 1, 2)
    monkeypatch.setattr(comparing, "_ops", _only(wrong))
    assert [(op.op, op.path) for op in compare({"a": {"x": 1}}, {"a": {"x": 2}})] == [("modified", ("a",))]


MISFITS: list[tuple[State, Sequence[Op]]] = [
    ({"a": 1}, [Op("modified", ("a", "b"), 1, 2)]),
    ({"a": 1}, [Op("modified", (0,), 1, 2)]),
    (1, [Op("modified", ("a",), 1, 2)]),
    ([1], [Op("modified", ("id=1",), 1, 2)]),
    ([{"id": 1}], [Op("modified", ("id=2", "v"), 1, 2)]),
    ([{"id": 1}], [Op("moved", ("id=1",), 0, None)]),
    ([{"id": 1}], [Op("moved", ("id=1",), 0, 5)]),
    ([1], [Op("added", (9,), ABSENT, 2, 9)]),
    ([1], [Op("added", (1,), ABSENT, 2, None)]),
    ([1], [Op("added", (1,), ABSENT, ABSENT, 1)]),
    ([1], [Op("removed", (3,), 1, ABSENT)]),
]  # fmt: skip


@pytest.mark.parametrize(("before", "ops"), MISFITS)
def test_a_change_that_does_not_fit_the_state_is_refused(before: State, ops: Sequence[Op]) -> None:
    with pytest.raises(UsageError):
        apply(before, ops)


def test_a_list_is_told_apart_by_the_field_that_both_sides_have() -> None:
    before: Value = [{"id": 1, "name": "a", "v": 1}, {"id": 2, "name": "b", "v": 1}]
    after: Value = [{"name": "a", "v": 2}, {"id": 2, "name": "b", "v": 1}]
    assert [(op.op, op.path) for op in compare(before, after)] == [
        ("removed", ("name=a", "id")), ("modified", ("name=a", "v")),
    ]  # fmt: skip
