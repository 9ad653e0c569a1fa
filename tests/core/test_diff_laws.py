"""The laws of the diff, on generated pairs of values."""

import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactchange.address import key, lookup
from exactchange.diff import Op, apply, compare, diff_values, reverse
from exactchange.values import ABSENT, State, Value, canonical_bytes, from_json, same, to_json

special: list[Value] = [0, 1, 2, 0.0, -0.0, 1.0, "1", "", "None", "a", "__x", float("nan"), float("inf"), 2**70]
scalars: st.SearchStrategy[Value] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(special)
    | st.floats()
    | st.text(max_size=4)
    | st.binary(max_size=3)
    | st.dates()
    | st.times()
    | st.datetimes(timezones=st.sampled_from([None, dt.UTC]))
)
keys = st.sampled_from(["a", "b", "id", "name", "key", "__x", "a.b", "@mode", "o'b\"x", "a=b", "#1", "", "id=1"]).map(
    key
)
ids: st.SearchStrategy[Value] = st.sampled_from(
    [1, 2, 3, 4, 1.0, "1", True, None, "", b"1", dt.date(2026, 1, 1), "2026-01-01"]
)


def _items(children: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """Mappings that a list could be keyed by, with ids of all types, ids that are missing, or that are no scalars."""
    loose: dict[str, st.SearchStrategy[Value]] = {"id": ids, "name": ids, "key": children, "v": children}
    kept: dict[str, st.SearchStrategy[Value]] = {"id": ids}
    return st.fixed_dictionaries({}, optional=loose) | st.fixed_dictionaries(kept, optional={"v": children})


def _containers(children: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    named: list[Value] = [{"name": n, "v": 0} for n in "abcdef"]
    nested: list[Value] = [{"id": n, "in": [{"key": m} for m in "xyz"]} for n in range(3)]
    lists: st.SearchStrategy[Value] = st.lists(children, max_size=4)
    items: st.SearchStrategy[Value] = st.lists(_items(children), max_size=5)
    mappings: st.SearchStrategy[Value] = st.dictionaries(keys, children, max_size=4)
    moved: st.SearchStrategy[Value] = st.permutations(named) | st.permutations(nested)
    short: st.SearchStrategy[Value] = st.permutations(named).map(lambda all_of: list(all_of)[:4])
    return lists | items | mappings | moved | short


values: st.SearchStrategy[Value] = st.recursive(scalars, _containers, max_leaves=12)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[State, State]:
    """Two values: independent ones, or one and what became of it by a few edits anywhere."""
    before = draw(values)
    if draw(st.booleans()):
        return before, draw(values | st.just(ABSENT))
    after: State = before
    for _ in range(draw(st.integers(1, 3))):
        after = _edited(draw, after)
    return before, after


def _edited(draw: st.DrawFn, value: State) -> State:
    if isinstance(value, dict) and value and draw(st.booleans()):
        name = draw(st.sampled_from(sorted(value)))
        inner = _edited(draw, value[name])
        return {k: v for k, v in value.items() if k != name} | ({} if inner is ABSENT else {name: inner})
    if isinstance(value, list) and value:
        number = draw(st.integers(0, len(value) - 1))
        match draw(st.sampled_from(["in", "out", "copy", "turn", "swap"])):
            case "out":
                return [*value[:number], *value[number + 1 :]]
            case "copy":
                return [*value[:number], value[number], *value[number:]]
            case "turn":
                return [*value[number:], *value[:number]]
            case "swap":
                return [value[-1], *value[1:-1], value[0]] if len(value) > 1 else value
            case _:
                inner = _edited(draw, value[number])
                return [*value[:number], *([] if inner is ABSENT else [inner]), *value[number + 1 :]]
    return draw(values | st.just(ABSENT))


def _lawful(before: State, after: State) -> None:
    ops = compare(before, after)
    assert same(apply(before, ops), after)
    assert same(apply(apply(before, ops), reverse(ops)), before)
    assert (not ops) == (canonical_bytes(before) == canonical_bytes(after)) == same(before, after)
    for op in ops:
        assert _fits(before, after, op)


def _fits(before: State, after: State, op: Op) -> bool:
    """Both sides of a change are what stands there, but for what only a list's other side has at this position."""
    if op.op == "moved":
        return op.before != op.after or op.position is None
    old, new = lookup(before, op.path), lookup(after, op.path)
    return (op.before is ABSENT or same(old, op.before)) and (op.after is ABSENT or same(new, op.after))


@given(pairs())
@settings(max_examples=600, deadline=None)
def test_a_diff_replays_with_types_leads_back_and_is_empty_only_for_equal_states(pair: tuple[State, State]) -> None:
    _lawful(*pair)


CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@given(pairs())
@settings(
    max_examples=20_000,
    deadline=None,
    suppress_health_check=CALM,
)
def test_the_laws_hold_for_twenty_thousand_pairs(pair: tuple[State, State]) -> None:
    _lawful(*pair)


@given(values)
def test_a_value_has_no_difference_from_itself(value: Value) -> None:
    assert compare(value, value) == ()


@given(values)
def test_the_json_form_is_read_back_as_the_same_value(value: Value) -> None:
    assert same(from_json(to_json(value)), value)


@given(values, values)
def test_two_values_are_the_same_if_and_only_if_their_bytes_are(left: Value, right: Value) -> None:
    assert same(left, right) == (canonical_bytes(left) == canonical_bytes(right))


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.permutations(list("abcdefgh")))
def test_items_that_only_change_places_are_moved_and_as_few_as_can_be(old: list[str], new: list[str]) -> None:
    kept = [name for name in new if name in old]
    before: list[Value] = [{"id": name} for name in old]
    ops = compare(before, [{"id": name} for name in kept])
    assert {op.op for op in ops} <= {"moved"}
    assert len(ops) == len(old) - _longest_rise([kept.index(name) for name in old])


def _longest_rise(numbers: list[int]) -> int:
    best = [0] * len(numbers)
    for n, number in enumerate(numbers):
        best[n] = 1 + max((best[m] for m in range(n) if numbers[m] < number), default=0)
    return max(best, default=0)


def test_one_item_at_the_head_is_one_change() -> None:
    many: list[Value] = [{"id": n, "v": "x"} for n in range(1000)]
    assert len(compare(many, [{"id": -1}, *many])) == 1
    assert len(compare([*range(1000)], [-1, *range(1000)])) == 1


def test_deep_nesting_is_compared_to_the_bottom() -> None:
    def nested(leaf: Value) -> Value:
        for n in range(100):
            leaf = {"k": leaf} if n % 2 else [leaf]
        return leaf

    (op,) = compare(nested(1), nested(1.0))
    assert (len(op.path), op.before, op.after) == (100, 1, 1.0)
    assert type(op.after) is float


def test_every_one_of_many_changes_is_reported() -> None:
    before: Value = {f"k{n}": n for n in range(5000)}
    assert len(diff_values(before, {f"k{n}": n + 1 for n in range(5000)}).changes) == 5000


def test_a_secret_is_one_value_whatever_its_seal() -> None:
    (op,) = compare({"pw": {"@secret": "aa"}}, {"pw": {"@secret": "bb"}})
    assert (op.op, op.path) == ("modified", ("pw",))
    (op,) = compare({"pw": {"@secret": "aa"}}, {"pw": {"a": 1}})
    assert (op.op, op.path) == ("modified", ("pw",))
