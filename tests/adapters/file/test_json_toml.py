import json
import time
import tomllib
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.file.helpers import FIXTURES, keys, spelt, unread

from exactchange.values import Value, same
from exactchange_adapters.file.content import Reading, understand
from exactchange_adapters.file.dialects import Dialect
from exactchange_adapters.file.dialects.jsons import parse_jsonc
from exactchange_adapters.file.dialects.parsed import Unparsable

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
TREES = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        LEAVES, lambda item: st.lists(item, max_size=3) | st.dictionaries(st.text(max_size=4), item, max_size=3)
    ),
    max_size=4,
)


@given(TREES, st.sampled_from([None, 2]))
@settings(max_examples=200, deadline=None)
def test_json_is_read_as_the_standard_library_reads_it(tree: dict[str, Value], indent: int | None) -> None:
    text = json.dumps(tree, indent=indent)
    wanted = spelt(json.loads(text))
    assert same(dict(keys(text, dialect="json", secret="none")), wanted)
    assert same(dict(keys(text, dialect="jsonc", secret="none")), wanted)


@given(TREES, st.lists(st.sampled_from(['/* " , ] } // */', "// ,}]\n", "\n", " "]), min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_comments_and_trailing_commas_carry_no_value(tree: dict[str, Value], fillers: list[str]) -> None:
    def commented(node: Value) -> str:
        between = "".join(fillers)
        if isinstance(node, Mapping):
            inside = [f"{between}{json.dumps(name)}{between}:{between}{commented(item)}" for name, item in node.items()]
            return "{" + ",".join(inside) + (f"{between},{between}" if inside else between) + "}"
        if isinstance(node, list):
            inside = [between + commented(item) for item in node]
            return "[" + ",".join(inside) + ("," if inside else "") + between + "]"
        return json.dumps(node)

    assert same(dict(keys(commented(tree), dialect="jsonc", secret="none")), spelt(json.loads(json.dumps(tree))))


@pytest.mark.parametrize(
    "text",
    [
        "[,]",
        "{,}",
        "[1,,]",
        "{'a': 1}",
        "[1 2]",
        "[1/**/2]",
        '{"a": 1/* open',
        '{"a": "open',
        "{",
        "",
        "# a\n{}",
        '{"a":,}',
        "[1]]",
    ],
)
def test_what_is_json_in_no_dialect_is_unread(text: str) -> None:
    dialects: tuple[Dialect | None, ...] = ("json", "jsonc", None)
    for dialect in dialects:
        found = unread(text, "a.json", dialect)
        assert [path for path, _ in found] == [()]
        assert "line" in found[0][1]


def test_a_comment_keeps_line_numbers() -> None:
    with pytest.raises(Unparsable, match="line 4"):
        parse_jsonc('{ /* a\nb\n*/\n"a" 1}')


def test_a_json_file_that_takes_a_comment_is_another_dialect_for_a_strict_reader() -> None:
    assert keys('{"a": 1}', "a.json") == {"a": 1}
    assert keys('{"a": 1, /* b */}', "a.json") == {"@dialect": "jsonc", "a": 1}
    assert keys('{"a": 1, /* b */}', "a.jsonc") == keys('{"a": 1, }', "a.json", "jsonc") == {"a": 1}
    assert unread('{"a": 1, }', "a.json", "json")


@pytest.mark.parametrize(
    ("file", "places", "reason"),
    [
        ("dup.json", [("verdict",), ("limit",)], "twice"),
        ("nan.json", [("total",)], "NaN"),
        ("inf.json", [("total",)], "beyond"),
        ("trailing.json", [()], "Extra data"),
        ("bigint.json", [("id",)], "digits"),
    ],
)
def test_harmful_json_is_unread_where_it_harms(file: str, places: list[tuple[str, ...]], reason: str) -> None:
    found = unread((FIXTURES / "attacks/11-json-hostile-values" / file).read_bytes(), file)
    assert [path for path, _ in found] == places
    assert reason in found[0][1]


def test_odd_but_sound_json_is_read() -> None:
    folder = FIXTURES / "attacks/11-json-hostile-values"
    assert keys((folder / "bom.json").read_bytes(), "a.json") == {"limit": 10}
    assert keys((folder / "surrogate.json").read_bytes(), "a.json") == {"note": "\ud800 end"}


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 3000 + "1" + "}" * 3000, "[" * 150 + "]" * 150]
)
@pytest.mark.parametrize("dialect", ["json", "jsonc"])
def test_deep_json_is_unread_without_a_crash(text: str, dialect: Dialect | None) -> None:
    assert unread(text, "a.json", dialect)[0][0] == ()


@pytest.mark.parametrize(
    "text", ["/* " * 300_000, '"' * 999_999, "," * 1_000_000, "/" * 1_000_000, " " * 1_000_000, "[{" * 500_000]
)
def test_hostile_jsonc_costs_no_more_than_its_length(text: str) -> None:
    start = time.perf_counter()
    assert understand(text.encode(), "a", Reading("jsonc")).unread
    assert time.perf_counter() - start < 5


def test_numbers_keep_type_and_size() -> None:
    text = '{"a": 1, "b": 1.0, "c": 3791411052119578828, "d": -0, "e": -0.0, "f": 1E2}'
    found = keys(text, dialect="json")
    wanted = {"a": 1, "b": 1.0, "c": 3791411052119578828, "d": -0.0, "e": -0.0, "f": 100.0}
    assert same(dict(found), wanted)


TOML: list[tuple[str, str, Value]] = [
    ("dotted keys are tables", "a.b = 1\n[c]\nd.e = 2\n", {"a": {"b": 1}, "c": {"d": {"e": 2}}}),
    ("inline tables are tables", "a = {b = 1}\n", {"a": {"b": 1}}),
    ("arrays of tables are lists", "[[a]]\nb = 1\n[[a]]\nb = 2\n", {"a": [{"b": 1}, {"b": 2}]}),
    ("integers and floats differ", "a = 1\nb = 1.0\nc = 1_000\nd = 0x10\n", {"a": 1, "b": 1.0, "c": 1000, "d": 16}),
    ("quoted keys are escaped", '"@a" = 1\n"b=c" = 2\n', {"@@@a": 1, "@@b=c": 2}),
    ("infinity is TOML", "a = inf\nb = -inf\n", {"a": float("inf"), "b": float("-inf")}),
    ("an empty file is an empty table", "", {}),
]


@pytest.mark.parametrize(("rule", "text", "tree"), TOML, ids=[row[0] for row in TOML])
def test_toml_is_read_by_meaning(rule: str, text: str, tree: Value) -> None:
    assert same(dict(keys(text, "a.toml")), tree)


def test_toml_dates_are_typed() -> None:
    text = "a = 2024-07-19\nb = 2024-07-19T10:00:00\nc = 2024-07-19T10:00:00Z\nd = 10:00:00\n"
    assert same(dict(keys(text, "a.toml")), tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "a = 1\na = 2\n",
        "a =",
        "[a]\n[a]\n",
        "a = 1e999\n",
        "a = " + "[" * 2000,
        "a" + ".a" * 3000 + " = 1\n",
        "a = " + "9" * 5000,
    ],
)
def test_what_is_no_toml_or_too_much_is_unread(text: str) -> None:
    start = time.perf_counter()
    assert unread(text, "a.toml")
    assert time.perf_counter() - start < 2
