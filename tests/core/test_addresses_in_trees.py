"""Addresses in a directory: `backup/**` is what is in the directory, and shares nothing with the directory itself."""

from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.address import overlap, parse_pattern

patterns = st.lists(st.sampled_from(["a", "b", "*", "a*", "**"]), min_size=1, max_size=4).map("/".join)
files = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4).map("/".join)
below = st.lists(st.sampled_from(["k", "@mode", "id=7", 0]), max_size=2)


@given(patterns, patterns, files, below)
@settings(max_examples=500)
def test_two_patterns_that_stand_for_one_path_overlap(
    left: str, right: str, file: str, rest: "list[str | int]"
) -> None:
    a, b = parse_pattern(left, slashed=True), parse_pattern(right, slashed=True)
    path = (file, *rest)
    if a.matches(path, slashed=True) and b.matches(path, slashed=True):
        assert overlap(a, b)


@given(patterns, files, files, below)
def test_a_directory_is_closed_only_where_the_pattern_stands_for_all_that_may_be_in_it(
    text: str, directory: str, file: str, rest: "list[str | int]"
) -> None:
    pattern = parse_pattern(text, slashed=True)
    if pattern.all_inside((directory,)):
        assert pattern.matches((f"{directory}/{file}", *rest), slashed=True)


def test_what_is_in_a_directory_shares_no_path_with_the_directory_itself() -> None:
    inside = parse_pattern("a/**", slashed=True)
    assert inside.all_inside(("a",)) and not inside.all_inside(("b",)) and not inside.matches(("a",), slashed=True)
    assert overlap(inside, parse_pattern("**", slashed=True)) and overlap(inside, parse_pattern("a/b.k", slashed=True))
    for text in ("a", "a.@mode", "b/**"):
        assert not overlap(inside, parse_pattern(text, slashed=True))


def test_any_depth_alone_is_the_whole_source() -> None:
    assert parse_pattern("**", slashed=True).whole and parse_pattern("**/**", slashed=True).whole
    assert not parse_pattern("a/**", slashed=True).whole and parse_pattern("a/**", slashed=True).deep
