import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.reports.show import pair_text, typed_text, value_text
from exactchange.values import ABSENT, State, Value, same


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (float("nan"), "nan"),
        ("1", '"1"'),
        ("", '""'),
        ('say "hi"\\', '"say \\"hi\\"\\\\"'),
        (b"\x00\xff", "x'00ff' (2 bytes)"),
        (ABSENT, "absent"),
        ({}, "{}"),
        ([], "[]"),
        ([1, "a"], '[1, "a"]'),
        ({"a b": {"c": None}}, '{"a b": {c: null}}'),
        ({"@secret": "hmac:00"}, "a secret"),
        (dt.date(2026, 11, 30), "2026-11-30"),
    ],
)
def test_a_value_is_shown_as(value: State, wanted: str) -> None:
    assert value_text(value, 40) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("x" * 50, f'"{"x" * 20}…" (50 characters)'),
        (b"\x01" * 50, f"x'{'01' * 10}…' (50 bytes)"),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, … 94 more]"),
        ({"deep": {"er": {"and": {"deeper": {"still": 1}}}}}, "{deep: {er: {and: {deeper: {… 1 parts}}}}}"),
    ],
)
def test_what_is_cut_is_said_with_its_length(value: State, wanted: str) -> None:
    assert value_text(value, 20) == wanted


def test_an_integer_that_python_does_not_print_is_shown_by_its_bits() -> None:
    assert value_text(-(2**20_000), 20) == "-0x80000000… (20,001 bits)"


def test_two_long_texts_are_cut_where_they_differ() -> None:
    common = "the same beginning of some length, and then "
    left, right = pair_text(common + "this", common + "that", 24)
    assert (left, right) == ('"… then this" (48 characters)', '"… then that" (48 characters)')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\u00e9", "e\u0301"),
        ("A", "\u0391"),
        ("x" * 40, "x" * 41),
        ([1] * 50, [1] * 49 + [2]),
        ({"a": "b" * 99}, {"a": "b" * 98 + "c"}),
        (1, 1.0),
        (True, "true"),
    ],
)
def test_two_values_that_differ_are_never_shown_alike(before: Value, after: Value) -> None:
    left, right = pair_text(before, after, 24)
    assert left != right or "differs" in left


def test_look_alikes_are_told_apart_by_their_code_points() -> None:
    left, right = pair_text("pay", "p\u0430y", 24)
    assert left == '"pay" (character 2: U+0061 U+0079)'
    assert right == '"p\u0430y" (character 2: U+0430 U+0079)'


def test_a_typed_value_names_its_type() -> None:
    assert typed_text("30", 20) == '"30" (str)'
    assert typed_text(30, 20) == "30 (int)"


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_pair_of_texts_differs_as_shown_whenever_it_differs(before: str, after: str) -> None:
    left, right = pair_text(before, after, 12)
    assert same(before, after) or left != right
