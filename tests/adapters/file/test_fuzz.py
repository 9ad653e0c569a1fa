"""Whatever the bytes are: a tree or an unread place with a reason, never an exception, and addresses that lead back."""

import pathlib
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.address import format_path, lookup, nodes, parse_pattern
from exactchange.diff import apply, compare
from exactchange.limits import CountedBudget
from exactchange.testing import Bench, MemoryStore
from exactchange.values import ABSENT, same
from exactchange_adapters.file import KIND, FileParams
from exactchange_adapters.file.content import Reading, understand
from exactchange_adapters.file.dialects import Dialect
from exactchange_adapters.file.meanings import with_meanings
from exactchange_adapters.file.snapshot import FilesSnapshot
from exactchange_adapters.file.state import visible

NAMES = ["a.yaml", "a.json", "a.toml", "a.ini", ".env", "a.txt"]
PIECES = (
    "a b: , - # [ ] { } \" ' = ; \\ & * ! !! | > ? << ~ no on 1 1.0 1e9 0x1 2024-01-01 12:30 null true .nan @type "
    "#x a=b &x *x <<: --- ... // /* */ [s] [[t]] \"\"\" ''' export password: token= $ % \ufeff \u2028 \x00 \x85 é"
).split(" ")
BREAKS = [" ", "  ", "\n", "\r\n", "\t", ": ", "\n- ", "\n  "]
SOUP = st.lists(st.sampled_from([*PIECES, *BREAKS]), max_size=30).map("".join)
BYTES = SOUP.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=40)
DIALECTS = st.sampled_from([None, *get_args(Dialect)])


@given(BYTES, st.sampled_from(NAMES), DIALECTS)
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_read_or_said_to_be_unread(data: bytes, name: str, dialect: Dialect | None) -> None:
    content = understand(data, name, Reading(dialect))
    assert all(reason.strip() for _, reason in content.unread)
    tree = visible(content.keys)
    for path, value in nodes(tree):
        found = lookup(tree, path)
        assert found is not ABSENT and same(found, value)
        assert parse_pattern(format_path(path)).matches(path)
    again = understand(data, name, Reading(dialect))
    assert same(dict(again.keys), dict(content.keys)) and again.unread == content.unread


@given(BYTES, BYTES, st.sampled_from(NAMES))
@settings(max_examples=300, deadline=None)
def test_any_two_contents_differ_if_and_only_if_the_trees_that_are_compared_do(
    left: bytes, right: bytes, name: str
) -> None:
    old, new = understand(left, name, Reading()), understand(right, name, Reading())
    compared = with_meanings(visible(old.keys), visible(new.keys), old.keys, new.keys)
    ops = compare(compared.before, compared.after)
    assert same(apply(compared.before, ops), compared.after)
    if not same(visible(old.keys), visible(new.keys)):
        assert ops, "a difference of the main reading is lost"
    back = with_meanings(visible(new.keys), visible(old.keys), new.keys, old.keys)
    assert {op.path for op in compare(back.before, back.after)} == {op.path for op in ops}


def _check_either(left: str, right: str) -> None:
    """Undeclared, a file shows a change if and only if one of the versions does."""
    sides = [text.encode("utf-8", "surrogatepass") for text in (left, right)]
    either = [understand(side, "a.yaml", Reading(version)) for version in VERSIONS for side in sides]
    if any(content.unread for content in either):
        return
    old, new = (understand(side, "a.yaml", Reading()) for side in sides)
    compared = with_meanings(visible(old.keys), visible(new.keys), old.keys, new.keys)
    differs = [not same(visible(one.keys), visible(other.keys)) for one, other in (either[:2], either[2:])]
    assert bool(compare(compared.before, compared.after)) == any(differs)


@given(SOUP, SOUP)
@settings(max_examples=300, deadline=None)
def test_no_difference_that_a_1_1_reader_sees_is_lost(left: str, right: str) -> None:
    _check_either(left, right)


VERSIONS: tuple[Dialect, Dialect] = ("yaml-1.1", "yaml-1.2")
TWINS = [("no", "'no'"), ("012", "12"), ("1_0", "'1_0'"), ("12:30", "'12:30'"), ("1e1", "10.0"), ("yes", "yes")]
PAIRS = st.sampled_from([*TWINS, ("a", "a"), ("yes", "true"), ("1", "2")]) | st.sampled_from(
    [(right, left) for left, right in TWINS]
)
INSERTED = st.none() | st.tuples(st.integers(0, 3), st.sampled_from(["no", "x", "'no'"]))


@st.composite
def _list_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two lists, of which one may have an item more."""
    items, inserted = draw(st.lists(PAIRS, min_size=1, max_size=3)), draw(INSERTED)
    left, right = [old for old, _ in items], [new for _, new in items]
    if inserted is not None:
        right.insert(*inserted)
    return f"[{', '.join(left)}]", f"[{', '.join(right)}]"


@st.composite
def _text_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two files in which each key and value is written alike or in a way that is alike for one version only."""
    entries = draw(st.lists(st.tuples(PAIRS, PAIRS | _list_pairs()), min_size=1, max_size=3))
    sides = ["".join(f"{name[side]}: {value[side]}\n" for name, value in entries) for side in (0, 1)]
    return sides[0], sides[1]


@given(_text_pairs())
@settings(max_examples=500, deadline=None)
def test_no_reading_of_an_ambiguous_scalar_is_lost(texts: tuple[str, str]) -> None:
    _check_either(texts[0], texts[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_snapshot_of_odd_content_is_read_back(name: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / name).write_text("no: 1\n@a: {\n[s]\nx=1")
    snapshot = Bench(KIND, FileParams(path=name), tmp_path).capture()
    assert isinstance(snapshot, FilesSnapshot)
    store = MemoryStore()
    record = KIND.save(snapshot, base=None, store=store)
    loaded = KIND.load(record, base=None, store=store, budget=CountedBudget())
    assert loaded == snapshot
