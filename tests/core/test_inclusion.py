"""Which patterns take in which: laws over paths, and tables of both answers."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.address import boundless, includes, parse_pattern, single
from exactchange.values import Path

KEYED = (
    "a",
    "b",
    "ab",
    "*",
    "a*",
    "*b",
    "**",
    "[id=1]",
    "[id=2]",
    "[id=1,n=x]",
    "[id=*]",
    "[*]",
    "[0]",
    "@mode",
    "@m*",
)
FILES = ("a", "b", "a.b", "*", "a*", "*.b", "**")
SEGMENTS = ("a", "b", "ab", "id=1", "id=2", "id=1,n=x", 'id="1"', 0, 1, "@mode", "#1a2b3c4d", "@@x")


def spelt(parts: Sequence[str]) -> str:
    return "".join(part if part.startswith("[") or not number else f".{part}" for number, part in enumerate(parts))


PATTERNS = st.lists(st.sampled_from(KEYED), max_size=4).map(spelt)
TREES = st.tuples(
    st.lists(st.sampled_from(FILES), min_size=1, max_size=3).map("/".join),
    st.lists(st.sampled_from(("a", "*", "**", "[id=1]", "@mode")), max_size=2),
).map(lambda both: both[0] + "".join(part if part.startswith("[") else f".{part}" for part in both[1]))
PATHS = st.lists(st.sampled_from(SEGMENTS), max_size=4).map(tuple)
IN_FILES = st.tuples(
    st.lists(st.sampled_from(("a", "b", "a.b", "ab")), min_size=1, max_size=3).map("/".join),
    st.lists(st.sampled_from(("a", "b", "id=1", "@mode")), max_size=2),
).map(lambda both: (both[0], *both[1]))


@settings(max_examples=300, deadline=None)
@given(PATTERNS, PATTERNS, st.lists(PATHS, min_size=8, max_size=8))
def test_a_pattern_that_takes_in_another_fits_every_path_that_one_fits(
    outer: str, inner: str, paths: list[Path]
) -> None:
    wide, narrow = parse_pattern(outer), parse_pattern(inner)
    if includes(wide, narrow):
        assert [path for path in paths if narrow.matches(path) and not wide.matches(path)] == []


@settings(max_examples=300, deadline=None)
@given(TREES, TREES, st.lists(IN_FILES, min_size=8, max_size=8))
def test_so_it_is_in_a_directory(outer: str, inner: str, paths: list[Path]) -> None:
    wide, narrow = parse_pattern(outer, slashed=True), parse_pattern(inner, slashed=True)
    if includes(wide, narrow):
        assert [p for p in paths if narrow.matches(p, slashed=True) and not wide.matches(p, slashed=True)] == []


@settings(max_examples=200, deadline=None)
@given(PATTERNS)
def test_a_pattern_takes_in_itself_and_the_whole_source_takes_in_everything(text: str) -> None:
    pattern = parse_pattern(text)
    assert includes(pattern, pattern)
    assert includes(parse_pattern(""), pattern) and includes(pattern.with_all_below, pattern)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *((text, True) for text in ("", "**", "*", "*[*]", "*[*].*", "**.*", "[*]")),
        *((text, False) for text in ("a", "a.*", "*.a", "a*", "orders[*]", "*[id=1]", "@mode", "**.a")),
    ],
)
def test_a_pattern_is_boundless_when_it_names_nothing(text: str, wanted: bool) -> None:
    assert boundless(parse_pattern(text)) is wanted


@settings(max_examples=200, deadline=None)
@given(PATTERNS, st.lists(PATHS, min_size=12, max_size=12))
def test_a_single_place_is_one_path(text: str, paths: list[Path]) -> None:
    pattern = parse_pattern(text)
    fitting = {path for path in paths if pattern.matches(path)}
    rows = {tuple("row" if "id=1" in str(part) else part for part in path) for path in fitting}  # keys may say more
    assert not single(pattern) or len(rows) <= 1


@pytest.mark.parametrize(
    ("outer", "inner", "wanted"),
    [
        ("a.*", "a.b", True),
        ("a.*", "a.b.c", False),
        ("a.**", "a.b.c", True),
        ("a.**", "a", True),
        ("**.c", "a.b.c", True),
        ("**.c", "a.c.b", False),
        ("a.b", "a.*", False),
        ("a*", "ab*", True),
        ("ab*", "a*", False),
        ("a*b", "ab", True),
        ("a*b", "a*cb", True),
        ("ab*ba", "ab*a", False),
        ("*", "@mode", False),
        ("*[*]", "orders[id=7]", True),
        ("orders[*].status", "orders[id=7].status", True),
        ("orders[id=7]", "orders[*]", False),
        ("orders[id=*]", "orders[id=7]", True),
        ("orders[id=7]", "orders[id=7,day=1]", True),
        ("orders[id=7,day=1]", "orders[id=7]", False),
        ('orders[id="7"]', "orders[id=7]", False),
        ("a.**.b.**", "a.x.b.y", True),
        ("a.**.b.**", "a.x.y", False),
        ("a.*.*", "a.**", False),
    ],
)
def test_one_pattern_takes_in_another_or_not(outer: str, inner: str, wanted: bool) -> None:
    assert includes(parse_pattern(outer), parse_pattern(inner)) is wanted


def test_a_row_of_any_depths_is_compared_in_no_time() -> None:
    assert includes(parse_pattern("**." * 60 + "a"), parse_pattern("**." * 60 + "b.a"))
