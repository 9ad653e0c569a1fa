import datetime as dt
import math
import time
from typing import cast

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.file.helpers import keys, spelt, unread

from exactchange.values import Value, same
from exactchange_adapters.file.content import Reading, understand
from exactchange_adapters.file.dialects.parsed import Unusable
from exactchange_adapters.file.dialects.yaml_scalars import plain_11, plain_12

UTC = dt.UTC
PLAIN: list[tuple[str, Value, Value]] = [  # text, under 1.1, under 1.2
    ("no", False, "no"),
    ("On", True, "On"),
    ("y", "y", "y"),
    ("true", True, True),
    ("TRUE", True, True),
    ("tRUE", "tRUE", "tRUE"),
    ("null", None, None),
    ("~", None, None),
    ("nil", "nil", "nil"),
    ("012", 10, 12),
    ("08", "08", 8),
    ("0o14", "0o14", 12),
    ("0x1F", 31, 31),
    ("0b11", 3, "0b11"),
    ("+12", 12, 12),
    ("-0", 0, 0),
    ("1_000", 1000, "1_000"),
    ("1e3", "1e3", 1000.0),
    ("1.0e+3", 1000.0, 1000.0),
    ("1.", 1.0, 1.0),
    (".5", 0.5, 0.5),
    ("-.5", "-.5", -0.5),
    (".", ".", "."),
    ("1.2.3", "1.2.3", "1.2.3"),
    ("22:30", 1350, "22:30"),
    ("1:30.5", 90.5, "1:30.5"),
    ("01:30", "01:30", "01:30"),
    (".inf", math.inf, math.inf),
    ("-.INF", -math.inf, -math.inf),
    (".nan", math.nan, math.nan),
    ("2024-07-19", dt.date(2024, 7, 19), "2024-07-19"),
    ("2024-7-19", "2024-7-19", "2024-7-19"),
    ("2024-07-19 10:00:00", dt.datetime.fromisoformat("2024-07-19T10:00:00"), "2024-07-19 10:00:00"),
    ("2024-07-19T10:00:00.5Z", dt.datetime(2024, 7, 19, 10, 0, 0, 500000, UTC), "2024-07-19T10:00:00.5Z"),
    ("10:00", 600, "10:00"),
    ("3791411052119578828", 3791411052119578828, 3791411052119578828),
    ("hello", "hello", "hello"),
]


@pytest.mark.parametrize(("text", "old", "new"), PLAIN, ids=[row[0] for row in PLAIN])
def test_a_plain_scalar_means_what_its_version_says(text: str, old: Value, new: Value) -> None:
    assert same(keys(f"a: {text}\n", dialect="yaml-1.1")["a"], old)
    assert same(keys(f"a: {text}\n", dialect="yaml-1.2")["a"], new)
    assert keys(f"a: '{text}'\n", dialect="yaml-1.1")["a"] == keys(f'a: "{text}"\n', dialect="yaml-1.2")["a"] == text


@given(st.text("0123456789_.:+-eExob nNyYtTfFaAsSluUrRZ~", min_size=1, max_size=12))
@settings(max_examples=1000, deadline=None)
def test_the_1_1_meaning_is_that_of_pyyaml(text: str) -> None:
    """PyYAML is what most Python programs read their files with: it is the oracle for 1.1."""
    ours = plain_11(text)
    loader = yaml.SafeLoader("")
    tag = str(loader.resolve(yaml.ScalarNode, text, (True, False)))  # type: ignore[no-untyped-call]
    try:
        theirs: object = loader.construct_object(yaml.ScalarNode(tag, text))
    except (ValueError, yaml.YAMLError, OverflowError):
        assert isinstance(ours, Unusable | str)
        return
    if isinstance(theirs, float) and math.isinf(theirs) and "inf" not in text.casefold():
        assert isinstance(ours, Unusable)
        return
    assert not isinstance(ours, Unusable)
    assert same(ours, cast("Value", theirs)), (ours, theirs)


@given(st.text("0123456789.+-eExoabf_ ~nultrINFNA", min_size=1, max_size=10))
@settings(max_examples=500, deadline=None)
def test_the_1_2_core_schema_knows_no_other_types(text: str) -> None:
    value = plain_12(text)
    assert isinstance(value, None | bool | int | float | str | Unusable)
    if isinstance(value, int | float) and not isinstance(value, bool) and "x" not in text and "o" not in text:
        assert float(text.casefold().replace(".inf", "inf").replace(".nan", "nan")) is not None


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.dates()
TREES = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.recursive(
        LEAVES, lambda item: st.lists(item, max_size=3) | st.dictionaries(st.text(max_size=4), item, max_size=3)
    ),
    max_size=4,
)


@given(TREES)
@settings(max_examples=200, deadline=None)
def test_a_whole_document_is_read_as_pyyaml_reads_it(tree: dict[str, Value]) -> None:
    text = yaml.safe_dump(tree, allow_unicode=True)
    assert same(dict(keys(text, dialect="yaml-1.1", secret="none")), spelt(yaml.safe_load(text)))


DOCUMENTS: list[tuple[str, str, Value]] = [
    ("anchors by meaning", "a: &x {k: 1}\nb: *x\n", {"a": {"k": 1}, "b": {"k": 1}}),
    (
        "merge keys by meaning",
        "base: &b {k: 1, m: 2}\nc: {<<: *b, m: 3}\n",
        {"base": {"k": 1, "m": 2}, "c": {"k": 1, "m": 3}},
    ),
    ("the first merged mapping wins", "c: {<<: [{k: 1}, {k: 2, l: 3}]}", {"c": {"k": 1, "l": 3}}),
    ("a quoted merge key is a key", "c: {'<<': {k: 1}}", {"c": {"<<": {"k": 1}}}),
    ("typed keys are told apart", "1: a\n'1': b\ntrue: c\n", {"@!int:1": "a", "1": "b", "@!bool:true": "c"}),
    (
        "keys that look like facets are escaped",
        "'@type': x\n'#a': y\n'a=b': z\n",
        {"@@@type": "x", "@@#a": "y", "@@a=b": "z"},
    ),
    (
        "custom tags keep tag and text",
        "a: !vault x\nb: !Sub {c: 1}\nd: !set [1]\n",
        {"a": {"@tag": "!vault", "@value": "x"}, "b": {"@tag": "!Sub", "c": 1}, "d": {"@tag": "!set", "@value": [1]}},
    ),
    (
        "standard tags give types",
        "a: !!str 1\nb: !!int '3'\nc: !!float 3\nd: !!binary aGk=\n",
        {"a": "1", "b": 3, "c": 3.0, "d": b"hi"},
    ),
    ("several documents are a list", "a: 1\n---\na: 2\n", {"@documents": [{"a": 1}, {"a": 2}]}),
    ("a list at the top stands under a facet", "- 1\n- a\n", {"@value": [1, "a"]}),
    ("an empty file is null and an empty mapping is not", "", {"@value": None}),
    ("an empty mapping is no null", "{}\n", {}),
    ("an explicit version is a facet", "%YAML 1.1\n---\na: 1\n", {"@version": "1.1", "a": 1}),
    ("block scalars are text", "a: |\n  1\n  2\nb: >-\n  x\n  y\n", {"a": "1\n2\n", "b": "x y"}),
    ("byte order mark and CRLF do not matter", "\ufeffa: 1\r\nb: x\r\n", {"a": 1, "b": "x"}),
]


@pytest.mark.parametrize(("rule", "text", "tree"), DOCUMENTS, ids=[row[0] for row in DOCUMENTS])
def test_documents_are_read_by_meaning(rule: str, text: str, tree: Value) -> None:
    assert same(dict(keys(text, "a.yaml", "yaml-1.2")), tree)


UNREADABLE = [
    ("a duplicate key is ambiguous", "a: {b: 1, c: 2, b: 3}\n", ("a", "b"), "twice"),
    ("a duplicate by type is one", "a: {1: x, 0x1: y}\n", ("a", "@!int:1"), "twice"),
    ("an alias inside its own anchor", "a: &x {b: *x}\n", ("a", "b"), "inside"),
    ("a key that is a list", "a: {? [1] : 2}\n", ("a",), "no scalar"),
    ("a merge of no mapping", "a: {<<: 3}\n", ("a",), "merge"),
    ("a number of too many digits", f"a: {'9' * 5000}\n", ("a",), "digits"),
    ("a float beyond 64 bits", "a: 1e999\n", ("a",), "beyond"),
    ("a list with an unreadable item is unread as a whole", "a: [1, {b: 1e999}]\n", ("a",), "beyond"),
    ("a tag that does not fit", "a: !!int x\n", ("a",), "!!int"),
    ("an alias without anchor", "a: *x\n", (), "anchor"),
    ("no YAML", "a: [1\nb: {\n", (), "line"),
    ("a tab as indentation", "a:\n\tb: 1\n", (), "line 2"),
    ("bytes that are no UTF-8", b"a: \xff\n", (), "byte 3"),
]


@pytest.mark.parametrize(("rule", "text", "path", "reason"), UNREADABLE, ids=[row[0] for row in UNREADABLE])
def test_what_is_ambiguous_or_broken_is_unread(
    rule: str, text: str | bytes, path: tuple[str, ...], reason: str
) -> None:
    found = unread(text, "a.yaml", "yaml-1.2")
    assert [item[0] for item in found] == [path]
    assert reason in found[0][1]


def _aliases(levels: int) -> str:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(rows)


def _merges(levels: int) -> str:
    rows = ["a0: &a0 {k: 1}"]
    rows += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 20)}]}}" for n in range(1, levels)]
    return "\n".join(rows)


BOMBS = {
    "brackets": ("a: " + "[" * 100_000, "nest"),
    "braces": ("a: " + "{b: " * 500 + "1" + "}" * 500, "nest"),
    "width": ("- x\n" * 400_000, "nodes"),
    "aliases": (_aliases(9), "nodes"),
    "merges": (_merges(9), "nodes"),
    "size": ("a: '" + "x" * 5_000_000 + "'", "bytes"),
}


@pytest.mark.parametrize(("text", "reason"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_unread_and_soon(text: str, reason: str) -> None:
    start = time.perf_counter()
    found = understand(text.encode(), "a.yaml", Reading())
    assert time.perf_counter() - start < 5
    assert found.unread and found.unread[0][0] == () and reason in found.unread[0][1]


def test_a_base_60_number_does_not_cost_its_square() -> None:
    start = time.perf_counter()
    assert unread("a: " + "1:" * 200_000 + "1\n", "a.yaml", "yaml-1.1")
    assert time.perf_counter() - start < 2
