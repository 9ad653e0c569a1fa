"""Values whose type is part of them, and the two ways in which JSON becomes values."""

import datetime as dt
from itertools import combinations

import pytest

from exactchange.errors import UsageError
from exactchange.values import (
    ABSENT,
    State,
    Value,
    canonical_bytes,
    dumps,
    from_json,
    loads,
    parse_json,
    same,
    sealed,
    to_json,
    type_name,
)
from exactchange.values.jsonform import DEEPEST

NOON = dt.datetime.fromisoformat("2026-11-30T12:00:00")
DIFFERENT: list[State] = [
    ABSENT, None, False, True, 0, 1, -1, 2**70, 0.0, -0.0, 1.0, float("nan"), float("inf"), float("-inf"), "", "1",
    "1.0", "true", "None", "nan", b"", b"1", [], [1], [1.0], [True], [[1]], {}, {"a": 1}, {"a": 1.0}, {"a": None},
    {"a": [1]}, NOON, NOON.replace(tzinfo=dt.UTC), NOON.astimezone(dt.timezone(dt.timedelta(hours=1))), NOON.date(),
    NOON.time(), "2026-11-30", "\ud800", {"$int": "5"}, {"@secret": "x"}, {"$absent": True},
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), list(combinations(DIFFERENT, 2)))
def test_values_of_different_type_or_content_differ(left: State, right: State) -> None:
    assert not same(left, right)
    assert not same(right, left)
    assert canonical_bytes(left) != canonical_bytes(right)
    assert dumps(left) != dumps(right)


@pytest.mark.parametrize("value", DIFFERENT)
def test_a_value_is_itself_and_survives_json(value: State) -> None:
    assert same(value, value)
    assert same(loads(dumps(value)), value)
    assert dumps(value).isascii()


def test_nan_is_nan_and_the_order_of_keys_is_no_difference() -> None:
    assert same([float("nan")], [-float("nan")])
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert same([1, 2], (1, 2))
    assert not same([1, 2], [2, 1])
    assert not same([1], {"a": 1})
    assert not same("a", ["a"])


NAMES: list[tuple[State, str]] = [
    (None, "null"), (ABSENT, "absent"), (True, "bool"), (1, "int"), (1.0, "float"), ("", "str"), (b"", "bytes"),
    (NOON, "datetime"), (NOON.date(), "date"), (NOON.time(), "time"), ({}, "mapping"), ([], "list"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "name"), NAMES)
def test_types_are_called_as_task_files_call_them(value: State, name: str) -> None:
    assert type_name(value) == name


def test_what_is_no_value_has_no_type() -> None:
    with pytest.raises(TypeError, match="not a value: object"):
        type_name(object())  # type: ignore[arg-type]


FOREIGN = [
    ('{"$int": "5"}', {"$int": "5"}), ('{"$ref": "#/x"}', {"$ref": "#/x"}), ('{"$absent": true}', {"$absent": True}),
    ("1", 1), ("1.0", 1.0), ("-0.0", -0.0), ('"\\ud800"', "\ud800"), ("9007199254740993", 9007199254740993),
    ('"a\u2028b"', "a\u2028b"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), FOREIGN)
def test_in_somebody_elses_json_every_key_is_an_ordinary_key(text: str, value: Value) -> None:
    assert same(parse_json(text), value)
    assert same(parse_json(text.encode("utf-8", "surrogatepass")), value)


HOSTILE = [
    '{"a": 1, "a": 2}', "NaN", "Infinity", "-Infinity", "1e999", "[1] x", "", "{", "[" * 100_000,
    "[" * 400 + "]" * 400, '{"a":' * 200 + "1" + "}" * 200, '"a\nb"', "1" * 5000, "'a'", "\ufeff1",
    "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_strict_json_is_refused(text: str) -> None:
    for read in (parse_json, loads):
        with pytest.raises(UsageError, match="not strict JSON"):
            read(text)


@pytest.mark.parametrize("data", [b"\xff", b"\xff\xfe1\x00", b"1\x00", b"\xef\xbb\xbf1"])
def test_bytes_are_utf8_and_nothing_else(data: bytes) -> None:
    with pytest.raises(UsageError):
        parse_json(data)


def test_the_deepest_text_that_is_read_survives_every_later_step() -> None:
    deep = parse_json('{"a":' * (DEEPEST - 1) + "1" + "}" * (DEEPEST - 1))
    assert same(from_json(to_json(deep)), deep)
    assert canonical_bytes(deep)


def test_what_is_no_json_document_is_refused() -> None:
    with pytest.raises(UsageError, match="not a JSON document: set"):
        from_json({1})


NO_WRAPPERS = [
    '{"$map": [[5, 1]]}', '{"$map": [["a"]]}', '{"$map": [5]}', '{"$int": 5}', '{"$unknown": "x"}', '{"$bytes": "%"}',
    '{"a": {"$absent": true}}',
]  # fmt: skip


@pytest.mark.parametrize("text", NO_WRAPPERS)
def test_a_wrapper_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        loads(text)


SEALED: list[tuple[State, bool]] = [
    ({"@secret": "ab"}, True), ("hmac:" + "0a" * 32, True), ({"@secret": "ab", "x": 1}, False), ({}, False),
    ("hmac:" + "0A" * 32, False), ("hmac:" + "0a" * 31, False), ("hmac:" + "0a" * 32 + "\n", False), (ABSENT, False),
    (None, False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "is_sealed"), SEALED)
def test_a_secret_is_known_by_its_seal(value: State, is_sealed: bool) -> None:
    assert sealed(value) is is_sealed
