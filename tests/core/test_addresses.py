"""Addresses: every printed address can be pasted into `at:` and stands for its own path alone."""

import datetime as dt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactchange.address import (
    Style,
    format_path,
    key,
    key_segment,
    lookup,
    nodes,
    overlap,
    parse_key_segment,
    parse_pattern,
    pattern_below,
    unkey,
)
from exactchange.address.walk import identity_field
from exactchange.errors import UsageError
from exactchange.values import Path, Scalar, Value, same

NAIVE = dt.datetime.fromisoformat("2026-11-30T00:00:00")
odd = st.sampled_from(
    "a ab a.b a]b a[0] a\"b a'b a\\b * ** a*b @mode @@@mode @!int:1 #1a !x !int:1 a=b = id=7 x'00' null true 7".split()
    + "-1 1.0 nan inf x é 🦆 a,b / a/b . .. a. .a $x t'12:00:00'".split()
    + ["", " ", "a b", "\n", "\0", "a\tb", "\u202e"]
)
texts = odd | st.text(max_size=5)
scalars: st.SearchStrategy[Scalar] = (
    st.none()
    | st.booleans()
    | st.integers(-3, 1000)
    | st.sampled_from([0.0, -0.0, 1.0, 1e300, float("nan"), float("inf"), float("-inf")])
    | texts
    | st.binary(max_size=3)
    | st.sampled_from([NAIVE.date(), NAIVE, NAIVE.time(), NAIVE.replace(tzinfo=dt.UTC)])
)
fields = st.sampled_from(["id", "key", "name", "day", "a b", 'q"', "", "é", "a,b", "a=b"])
items = st.lists(st.tuples(fields, scalars), min_size=1, max_size=3, unique_by=lambda pair: pair[0]).map(key_segment)
facets = st.sampled_from(["@mode", "@type", "@url", "@a b", '@q"', "@a.b", "@é", "@a*"])
contents = st.sampled_from(["#1a2b3c4d", "#00000000", "#1a2b3c4d~2"])
segments: st.SearchStrategy[str | int] = scalars.map(key) | items | facets | contents | st.integers(0, 12)
paths: st.SearchStrategy[Path] = st.lists(segments, max_size=4).map(lambda parts: tuple(parts))
names = odd.filter(lambda text: text not in ("", ".", "..") and "/" not in text and "\0" not in text)
files = st.lists(names, min_size=1, max_size=3).map("/".join).map(key)


def _in_file(file: str, below: Path) -> Path:
    return (file, *below)


file_paths = st.builds(_in_file, files, paths)


@given(paths, paths, st.sampled_from([Style.DOTTED, Style.PAGE]))
@settings(max_examples=500)
def test_a_printed_address_stands_for_its_path_and_for_no_other(path: Path, other: Path, style: Style) -> None:
    pattern = parse_pattern(format_path(path, style=style))
    assert pattern.matches(path)
    assert pattern.matches(other) == (path == other or path == ())


@given(paths)
def test_two_paths_are_never_printed_alike(path: Path) -> None:
    for number in range(len(path)):
        segment = path[number]
        for other in (key(str(segment)), key(f"@{segment}"), key_segment([("id", str(segment))])):
            changed = (*path[:number], other, *path[number + 1 :])
            assert (format_path(changed) == format_path(path)) == (changed == path)


@given(file_paths)
def test_a_printed_address_in_a_directory_stands_for_its_path(path: Path) -> None:
    assert parse_pattern(format_path(path, style=Style.SLASHED), slashed=True).matches(path, slashed=True)


@given(file_paths, file_paths)
def test_addresses_in_a_directory_are_unmistakable_where_no_dot_is_in_a_file_name(path: Path, other: Path) -> None:
    """With a dot they are not, by design: `app.yaml.port` is a key of app.yaml, or a file of that name."""
    assume("." not in str(path[0]) and "." not in str(other[0]))
    pattern = parse_pattern(format_path(path, style=Style.SLASHED), slashed=True)
    assert pattern.matches(other, slashed=True) == (path == other)


def test_a_dot_in_a_file_name_makes_an_address_stand_for_a_file_and_for_a_key() -> None:
    pattern = parse_pattern("app.yaml", slashed=True)
    assert pattern.matches(("app.yaml",), slashed=True)
    assert pattern.matches(("app", "yaml"), slashed=True)
    assert not parse_pattern('["app.yaml"]', slashed=True).matches(("app", "yaml"), slashed=True)


@given(st.lists(st.tuples(fields, scalars), min_size=1, max_size=3, unique_by=lambda pair: pair[0]))
def test_a_key_segment_is_read_back(pairs: list[tuple[str, Scalar]]) -> None:
    read = parse_key_segment(key_segment(pairs))
    assert read == [pair for one in pairs for pair in parse_key_segment(key_segment([one]))]
    assert [name for name, _ in read] == [name for name, _ in pairs]


@given(scalars, scalars)
def test_keys_of_different_values_are_spelt_differently(left: Scalar, right: Scalar) -> None:
    assert (key(left) == key(right)) == same(left, right)
    assert (key_segment([("id", left)]) == key_segment([("id", right)])) == same(left, right)


@given(texts)
def test_the_text_of_a_key_is_read_back_and_no_other_segment_has_one(text: str) -> None:
    assert unkey(key(text)) == text
    assert unkey(key_segment([("id", text)])) is None


MATCHES = [
    ("*", ("a",), True),
    ("*", ("a", "b"), False),
    ("*", (3,), True),
    ("*", ("id=7",), True),
    ("*", ("@mode",), False),
    ("*", ("@@@mode",), True),
    ("*", ("@!int:1",), True),
    ("a.*", ("a", "b"), True),
    ("a.*", ("a",), False),
    ("f*", ("features",), True),
    ("f*", ("id=f",), False),
    ("i*", ("id=7",), False),
    ("*s", ("features",), True),
    ("f*t*s", ("features",), True),
    ("f*x*s", ("features",), False),
    ("a*a", ("a",), False),
    ("@cookies.trac_*", ("@cookies", "trac_auth"), True),
    ("@cookies.trac_*", ("@cookies", "session"), False),
    ("@*", ("@mode",), True),
    ("@*", ("@@@mode",), False),
    ("@*", ("@!int:1",), False),
    ("[!int:1]", ("@!int:1",), True),
    ("[!int:1]", ("@!int:2",), False),
    ("**", (), True),
    ("**", ("a", 1, "@mode"), True),
    ("", ("a", 1, "@mode"), True),
    ("a.**", ("a",), True),
    ("a.**.z", ("a", "b", "c", "z"), True),
    ("a.**.z", ("a", "z"), True),
    ("a.**.z", ("a", "b"), False),
    ("**.b.**.d", ("a", "b", "c", "b", "d"), True),
    ("jobs[*]", ("jobs", 0), True),
    ("jobs[*]", ("jobs", "id=7"), True),
    ("jobs[*]", ("jobs", "#1a2b3c4d"), True),
    ("jobs[*]", ("jobs", "name"), False),
    ("jobs[*]", ("jobs", "@mode"), False),
    ("jobs[2]", ("jobs", 2), True),
    ("jobs[2]", ("jobs", 12), False),
    ("jobs[2]", ("jobs", "2"), False),
    ("t[id=7]", ("t", "id=7"), True),
    ("t[id=7]", ("t", 'id="7"'), False),
    ('t[id="7"]', ("t", 'id="7"'), True),
    ('t[id="7"]', ("t", "id=7"), False),
    ("t[id=7]", ("t", "id=77"), False),
    ("t[id=7]", ("t", "xid=7"), False),
    ("t[day=3]", ("t", "user=ada,day=3"), True),
    ("t[day=3,user=ada]", ("t", "user=ada,day=3"), True),
    ("t[user=ada,day=4]", ("t", "user=ada,day=3"), False),
    ("t[user=ada,day=3]", ("t", "user=ada"), False),
    ("t[name=Ada L.]", ("t", 'name="Ada L."'), True),
    ('t[name="ada"]', ("t", "name=ada"), True),
    ("t[name=Ada*]", ("t", 'name="Ada L."'), True),
    ("t[name=*]", ("t", "name=null"), True),
    ('t[name="Ada*"]', ("t", 'name="Ada L."'), False),
    ('t[name="Ada*"]', ("t", 'name="Ada*"'), True),
    ("t[name=x]", ("t", 'name="x"'), True),
    ("t[#1a2b*]", ("t", "#1a2b3c4d"), True),
    ("t[#1a2b*]", ("t", "#2a2b3c4d"), False),
    ("*x", ("#ax",), False),
    ("#a*", ("#ab",), True),
    ("#a*", ("@@#ab",), False),
    ('["a.b"]', ("a.b",), True),
    ('["a.b"]', ("a", "b"), False),
    ('["*"]', ("*",), True),
    ('["*"]', ("a",), False),
    ('["@mode"]', ("@@@mode",), True),
    ('["@mode"]', ("@mode",), False),
    ('@"a b"', ("@a b",), True),
    ('@storage.local["https://a.b"].theme', ("@storage", "local", "https://a.b", "theme"), True),
    ("!x", ("!x",), True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "fits"), MATCHES)
def test_a_pattern_stands_for_just_these_paths(text: str, path: Path, fits: bool) -> None:
    assert parse_pattern(text).matches(path) is fits


WRONG = [".a", "a..b", "a[", "a]", 'a["b', "a[]", "[", "a[b]", '["\\x"]', "a[id=7", 'a["b"c]', "a\nb"]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_address_is_refused_and_the_message_shows_how_to_write_it(text: str) -> None:
    with pytest.raises(UsageError, match=r"not an address|not a quoted key|not a key like"):
        parse_pattern(text)


@pytest.mark.parametrize("text", ["id", "id=7,", 'id="7', "id=7]", ""])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a key like"):
        parse_key_segment(text)


words = st.sampled_from("a * ** a* *b *a* @mode @m* #1* x".split())
brackets = st.sampled_from('[*] [0] [id=7] [id=*] [id="7"] [day=3,id=7] [day=*] [#1*] ["a*"] .a .* .**'.split())
patterns = (
    paths.map(format_path)
    | st.lists(words, min_size=1, max_size=4).map(".".join)
    | st.lists(brackets, min_size=1, max_size=4).map(lambda parts: "a" + "".join(parts))
)
steps: list[str | int] = [0, 1, *'a ab b a* x @mode id=7 id="7" id=77 day=3,id=7 #1a2b3c4d @@@mode @!int:1'.split()]
plain_paths: st.SearchStrategy[Path] = st.lists(st.sampled_from(steps), max_size=5).map(lambda parts: tuple(parts))


@given(patterns, patterns, plain_paths)
@settings(max_examples=1000)
def test_two_patterns_that_stand_for_one_path_overlap(left: str, right: str, path: Path) -> None:
    a, b = parse_pattern(left), parse_pattern(right)
    if a.matches(path) and b.matches(path):
        assert overlap(a, b)


@given(patterns)
def test_every_pattern_overlaps_itself_and_the_whole(text: str) -> None:
    pattern = parse_pattern(text)
    assert overlap(pattern, pattern)
    assert overlap(pattern, parse_pattern("**"))


APART = [
    ("a.b", "a.c"), ("a.b", "a"), ("a.*", "a.@mode"), ("a*", "b*"), ("*a", "*b"), ("t[id=7]", "t[id=8]"),
    ('t[id="7"]', "t[id=7]"), ("t[name=a*]", "t[name=b]"), ("t[0]", "t[1]"), ("t[0]", "t[id=0]"), ("a.i*", "a[id=7]"),
    ("a.i*", "a[*]"), ('["a*"]', "ab"), ("*", "@url"), ("*", "@m*"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), APART)
def test_patterns_that_share_no_path_do_not_overlap(left: str, right: str) -> None:
    a, b = parse_pattern(left), parse_pattern(right)
    assert not overlap(a, b)
    assert not overlap(b, a)


def test_patterns_of_any_depth_meet_where_one_path_fits_both() -> None:
    assert overlap(parse_pattern("**.a.**"), parse_pattern("**.b.**"))
    assert not overlap(parse_pattern("**.a.b"), parse_pattern("**.c"))


def test_a_row_named_by_its_content_meets_the_pattern_of_any_row() -> None:
    assert overlap(parse_pattern("t[#1a*]"), parse_pattern("t[*]"))
    assert not overlap(parse_pattern("t[#1a*]"), parse_pattern("t[id=1]"))
    assert not overlap(parse_pattern("t.x*"), parse_pattern("t[*]"))


def test_patterns_of_files_and_of_keys_do_not_overlap_in_a_directory() -> None:
    left, right = parse_pattern("a/*", slashed=True), parse_pattern("a.k", slashed=True)
    assert not overlap(left, right)
    assert overlap(left, parse_pattern("a/b", slashed=True))
    assert overlap(parse_pattern("**/b", slashed=True), parse_pattern("a/b", slashed=True))


@given(paths, paths)
def test_what_lies_below_a_path_is_just_what_begins_with_it(path: Path, rest: Path) -> None:
    below = pattern_below(path)
    assert below.matches((*path, *rest))
    assert not path or not below.matches(path[:-1])


def test_below_a_directory_lie_its_files() -> None:
    below = pattern_below(("backup",), slashed=True)
    assert below.matches(("backup/app.yaml", "port"), slashed=True)
    assert not below.matches(("backup2",), slashed=True)


trees: st.SearchStrategy[Value] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts.map(key), inner, max_size=3)
        | st.lists(st.fixed_dictionaries({"id": scalars, "v": inner}), max_size=3)
    ),
    max_leaves=10,
)


@given(trees)
def test_every_node_is_found_by_its_path_and_no_two_nodes_share_one(tree: Value) -> None:
    found = list(nodes(tree))
    assert len({path for path, _ in found}) == len(found)
    assert all(same(lookup(tree, path), node) for path, node in found)


KEYED: list[tuple[list[Value], str | None]] = [
    ([{"id": 1}, {"id": 2}], "id"),
    ([{"id": 1}, {"id": 1}], None),
    ([{"id": 1}, {"id": 1.0}], "id"),
    ([{"id": 1}, {"name": "a"}], None),
    ([{"id": 1, "name": "a"}, {"id": 1, "name": "b"}], "name"),
    ([{"id": [1]}, {"id": [2]}], None),
    ([{"id": {"a": 1}}], None),
    ([1, 2], None),
    ([], None),
]  # fmt: skip


@pytest.mark.parametrize(("items", "field"), KEYED)
def test_items_are_told_apart_by_a_field_that_all_have_and_no_two_share(items: list[Value], field: str | None) -> None:
    assert identity_field(items) == field


def test_a_place_that_is_not_there_is_absent() -> None:
    tree: Value = {"a": [1, {"id": 7}], "t": "text"}
    for path in [("b",), ("a", 5), ("a", "x"), ("a", "id=8"), ("t", 0), ("a", 0, "x"), (0,), ("a", "name=1")]:
        assert repr(lookup(tree, path)) == "ABSENT"


def test_a_pattern_tells_the_key_of_a_row_only_where_it_is_certain() -> None:
    assert parse_pattern("t[id=7].x").pairs_at(1) == {"id": "7"}
    for text in ["t[*]", "t", "**[id=7]", "t.*.x", "t[0]"]:
        assert parse_pattern(text).pairs_at(1) is None
    assert parse_pattern("a.b[id=7]", slashed=True).pairs_at(1) is None


def test_the_whole_source_and_any_depth_are_told_apart_from_places() -> None:
    assert parse_pattern("").whole
    assert parse_pattern("**").whole
    assert not parse_pattern("a.**").whole
    assert parse_pattern("a.**").deep
    assert not parse_pattern("a").deep
