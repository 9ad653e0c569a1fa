"""The laws of the diff, on generated pairs of values."""

import datetime as dt

from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.address import key
from exactchange.diff import apply, compare, reverse
from exactchange.values import State, Value, canonical_bytes, from_json, same, to_json

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 1, 2, 0.0, -0.0, 1.0, "1", "", "None", "a", "__x", float("nan"), float("inf"), 2**70])
    | st.floats()
    | st.text(max_size=4)
    | st.binary(max_size=3)
    | st.dates()
    | st.datetimes(timezones=st.sampled_from([None, dt.UTC]))
)
keys = st.sampled_from(["a", "b", "id", "name", "key", "__x", "a.b", "@mode", "o'b\"x", "a=b", "#1", ""]).map(key)


def _containers(children: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    items = st.fixed_dictionaries({"id": st.sampled_from([1, 2, 3, 4, 1.0, "1"])}, optional={"v": children})
    return (
        st.lists(children, max_size=4)
        | st.dictionaries(keys, children, max_size=4)
        | st.lists(items, max_size=5)
        | st.permutations([{"name": n, "v": 0} for n in "abcd"])
    )


values: st.SearchStrategy[Value] = st.recursive(scalars, _containers, max_leaves=12)


@given(values, values)
@settings(max_examples=400, deadline=None)
def test_replaying_the_diff_gives_the_after_state_with_types(before: Value, after: Value) -> None:
    assert same(apply(before, compare(before, after)), after)


@given(values, values)
@settings(max_examples=200, deadline=None)
def test_the_reversed_diff_leads_back(before: Value, after: Value) -> None:
    ops = compare(before, after)
    assert same(apply(apply(before, ops), reverse(ops)), before)


@given(values, values)
@settings(max_examples=200, deadline=None)
def test_the_diff_is_empty_if_and_only_if_the_canonical_bytes_are_equal(before: Value, after: Value) -> None:
    assert (not compare(before, after)) == (canonical_bytes(before) == canonical_bytes(after)) == same(before, after)


@given(values)
def test_a_value_has_no_difference_from_itself(value: Value) -> None:
    assert compare(value, value) == ()


@given(values)
def test_the_json_form_is_read_back_as_the_same_value(value: State) -> None:
    assert same(from_json(to_json(value)), value)
