import json
import math
import pathlib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from exactchange.task.document import Document, Spot
from exactchange.task.problem import Problem
from exactchange.task.yaml12 import read_document
from exactchange.values import Value, same

SCALARS: list[tuple[str, Value]] = [
    # null, true, false, and what YAML 1.1 takes for them
    ("", None),
    ("~", None),
    ("null", None),
    ("NULL", None),
    ("nULL", "nULL"),
    ("true", True),
    ("TRUE", True),
    ("tRUE", "tRUE"),
    ("False", False),
    ("yes", "yes"),
    ("off", "off"),
    ("y", "y"),
    # whole numbers
    ("012", 12),
    ("-3", -3),
    ("+3", 3),
    ("0o17", 15),
    ("0x1F", 31),
    ("-0x1F", "-0x1F"),
    ("0b1", "0b1"),
    ("1_000", "1_000"),
    ("12:30", "12:30"),
    ("12:30:45", "12:30:45"),
    # other numbers
    ("1.", 1.0),
    (".5", 0.5),
    ("+.5e-1", 0.05),
    ("1e3", 1000.0),
    ("-.INF", -math.inf),
    (".inf", math.inf),
    (".NaN", math.nan),
    ("1e", "1e"),
    (".", "."),
    ("1.2.3", "1.2.3"),
    # text
    ("2024-07-19", "2024-07-19"),
    ("2024-07-19T10:00:00Z", "2024-07-19T10:00:00Z"),
    ("'30'", "30"),
    ('"true"', "true"),
    ("=", "="),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_unquoted_words_are_what_yaml_1_2_core_says(text: str, value: Value) -> None:
    data, problems = read(f"key: {text}\n")
    assert problems == []
    assert same(data.data, {"key": value})


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("a: 1\na: 2\n", "2:1", "the key 'a' stands here a second time (first in line 1)"),
        ("x: {b: 1, c: 2, b: 3}\n", "1:17", "the key 'b' stands here a second time (first in line 1)"),
        ("1: x\n", "1:1", "a key must be text, and 1 is not"),
        ("true: x\n", "1:1", "a key must be text, and true is not"),
        ("? [a]\n: x\n", "1:3", "a key must be text, not a list or a mapping"),
        ("a: &a {x: 1}\nb: {<<: *a, y: 2}\n", "2:5", "merge keys (<<) are not part of YAML 1.2"),
        ("a: !!str 3\n", "1:4", "a tag such as !!str has no place in a task file"),
        ("a: !python/object:os.system x\n", "1:4", "a tag such as !!str has no place in a task file"),
        ("a: ! 3\n", "1:4", "a tag such as !!str has no place in a task file"),
        ("--- {a: 1}\n--- {b: 2}\n", "2:1", "a second document begins here"),
        ("%YAML 1.1\n---\na: 1\n", "1:1", "task files are YAML 1.2"),
        ("a:\n\tb: 1\n", "2:1", "a tab; YAML allows only spaces to indent"),
        ("a: b: c\n", "1:5", "a key and its colon cannot stand here"),
        ("a: {b: 1\nc: 2\n", "2:2", "a comma or the end of the '{' of line 1 is missing"),
        ("a: [1, 2\n", "1:4", "this '[' is never closed"),
        ("a: 'x\n", "1:4", "this quote is never closed"),
        ("a: @x\n", "1:4", "text cannot begin with '@'"),
        ('a: "\\q"\n', "1:6", "an escape that YAML does not know"),
        ("- a\nb: 1\n", "2:1", "this line does not fit the block that begins in line 1"),
        ("a: *b\n", "1:4", "no anchor is called 'b'"),
        ("a: &b [*b]\n", "1:8", "the alias *b stands inside its own anchor"),
        ("a: 1e999\n", "1:4", "a number too large for a float"),
        ("a: " + "9" * 5000 + "\n", "1:4", "a number of more than 4000 digits"),
        ("a: x\x07\n", "1:5", "a character that may not stand in a task file: U+0007"),
        ("a: x\ufeff\n", "1:5", "a character that may not stand in a task file: U+FEFF"),
        ('a: "\\ud800"\n', "1:4", "half of a surrogate pair is no character"),
        ("a: " + "[" * 100 + "]" * 100 + "\n", "1:64", "nested deeper than 60 levels"),
    ],
)
def test_what_a_task_file_may_not_hold_is_named_with_its_place(text: str, where: str, message: str) -> None:
    _, problems = read(text)
    assert [(item.where, item.message) for item in problems] == [(f"t.yaml:{where}", message)]


def test_every_mistake_of_a_file_that_can_be_read_on_is_named() -> None:
    _, problems = read("a: 1\na: 2\n3: x\nb: !!int 4\nc: {<<: 5}\n")
    assert [item.where for item in problems] == ["t.yaml:2:1", "t.yaml:3:1", "t.yaml:4:4", "t.yaml:5:5"]


def test_places_are_those_of_the_characters_whatever_their_width() -> None:
    document, _ = read("é𝒳: {plain: 日本, other: 'q q'}\n")
    assert document.spot(("é𝒳", "other")) == Spot(1, 24, 5)
    assert document.spot(("é𝒳", "other"), key=True) == Spot(1, 17, 5)
    assert document.spot(("é𝒳", "other", "deeper", 3)) == Spot(1, 24, 5)  # the nearest there is


def test_an_alias_stands_where_it_is_used_and_its_content_where_it_is_written() -> None:
    document, problems = read("a: &x {b: 1}\nc: [*x, *x]\n")
    assert problems == []
    assert document.data == {"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}]}
    assert document.spot(("c", 1)) == Spot(2, 9, 2)
    assert document.spot(("c", 1, "b")) == Spot(1, 11, 1)


def test_aliases_of_aliases_end_at_a_budget() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    document, problems = read(bomb)
    assert document.data is None
    assert [item.message for item in problems] == [
        "aliases make more than 50000 nodes, or more than 60 levels, of this"
    ]


def test_a_byte_order_mark_at_the_beginning_is_none_of_the_text() -> None:
    document, problems = read("\ufeffa: 1\n")
    assert (document.data, problems) == ({"a": 1}, [])
    assert document.spot(("a",)) == Spot(1, 4, 1)


def test_a_file_that_is_not_utf_8_says_which_byte() -> None:
    _, problems = read_document("a: 1\nb: ä\n".encode("latin-1"), name="t.yaml", shown="t.yaml")
    assert [(item.where, item.message) for item in problems] == [("t.yaml:2", "not UTF-8: byte 0xe4")]


def test_a_file_beyond_the_limit_is_not_read() -> None:
    _, problems = read_document(b"#" * (1024 * 1024 + 1), name="t.yaml", shown="t.yaml")
    assert [item.message for item in problems] == ["larger than a task file may be (1024 KiB)"]


TEXT = st.text(st.characters(codec="utf-8"))
KEY = st.text(st.characters(codec="utf-8"), max_size=80)  # YAML looks for the colon 1,024 characters far
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_json_is_read_as_it_is(value: Value, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=True if indent is None else ascii_only)
    document, problems = read(text)
    if not problems:
        assert same(document.data, value)
    else:  # characters that YAML forbids raw are said, never changed
        assert not ascii_only
        assert "a character that may not stand in a task file" in problems[0].message


@given(st.binary(max_size=60) | st.text(alphabet="ab:{}[]&*!-?,'\"|>%@ \t\n#", max_size=40).map(str.encode))
def test_any_bytes_are_data_or_problems_and_never_an_exception(raw: bytes) -> None:
    document, problems = read_document(raw, name="t.yaml", shown="t.yaml")
    for problem in problems:
        assert problem.message and str(problem)
    if problems == []:
        assert document.mark(()) is not None or document.data is None


@pytest.mark.parametrize("file", sorted(pathlib.Path(__file__).parent.rglob("*.yaml")), ids=lambda file: file.stem)
def test_the_fast_and_the_slow_parser_give_the_same_places(file: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = file.read_text(encoding="utf-8")
    fast = read(text)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert read(text) == fast


def read(text: str) -> tuple[Document, list[Problem]]:
    return read_document(text.encode("utf-8", "surrogatepass"), name="t.yaml", shown="t.yaml")
