"""Whatever several tours changed: the rules make all of them quiet, and an exact one takes nothing but its place."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.authoring.kit import PLAIN, TABLES, Tree, ignoring, noise, toured

from exactchange.address import Style, format_path, key, key_segment, unkey
from exactchange.authoring.places import address_of, parts_of, takes
from exactchange.authoring.proposal import Proposal
from exactchange.conditions import Allowed
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import NoSelector, SourceParams, TreeKind
from exactchange.sources.registry import AnyKind
from exactchange.values import Path, Value

ALIKE = ["query_a", "query_b", "query_c", "id-1.tmp", "id-2.tmp"]
ODD = [*ALIKE, "a.b", "*", "k*", '"', "[0]", "x y", "", "@at", "#id", "k=v"]
NAMES = st.one_of(st.sampled_from(ODD), st.text(st.characters(exclude_categories=()), max_size=5))
NUMBERS = st.integers(min_value=0, max_value=3)
FIELDS = st.tuples(st.one_of(NUMBERS, NAMES), NAMES).map(lambda pair: {"id": pair[0], "name": pair[1]})
ROW = st.tuples(FIELDS, NUMBERS).map(lambda pair: (key_segment(list(pair[0].items())), {**pair[0], "seen": pair[1]}))
TABLE = st.lists(ROW, max_size=9).map(dict)
LEAF: st.SearchStrategy[Value] = st.one_of(NUMBERS, st.lists(NUMBERS, max_size=8))
SECTION = st.recursive(LEAF, lambda inner: st.dictionaries(NAMES.map(key), inner, max_size=8), max_leaves=12)
PAGES = st.dictionaries(st.sampled_from(["a", "b", "query_x", "query_y"]), SECTION, max_size=3)
SHOPS = st.dictionaries(st.sampled_from(["t", "u"]), TABLE, max_size=2)


class Files(TreeKind[SourceParams, NoSelector, TreeSnapshot]):
    """A source whose first segments are paths of files."""

    name = "files"
    style = Style.SLASHED


FILE = st.lists(NAMES.filter(lambda name: name not in ("", ".", "..") and "/" not in name), min_size=1, max_size=3)
FOLDERS = st.dictionaries(FILE.map("/".join).map(key), SECTION, max_size=6)
STATES = [(PLAIN, PAGES), (TABLES, SHOPS), (Files(), FOLDERS)]


def check_quiet(found: Proposal, kind: AnyKind, before: Tree, afters: list[Tree]) -> None:
    for number, verdict in enumerate(toured(ignoring(*found.rules), before, afters, kind=kind)):
        assert verdict.unexplained == (), (number, [rule.at for rule in found.rules])


@pytest.mark.parametrize(("kind", "states"), STATES, ids=["pages", "tables", "files"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_the_rules_of_all_tours_make_every_one_of_them_quiet(
    kind: AnyKind, states: st.SearchStrategy[Tree], data: st.DataObject
) -> None:
    before, *afters = data.draw(st.lists(states, min_size=2, max_size=4))
    found = noise(before, *afters, kind=kind)
    assume(not found.more)  # so many that the rest is only counted
    check_quiet(found, kind, before, afters)
    assert len({(rule.at, rule.example.op) for rule in found.rules}) == len(found.rules)


@pytest.mark.parametrize(("kind", "states"), STATES, ids=["pages", "tables", "files"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_an_exact_rule_takes_nothing_but_its_place_and_every_rule_takes_what_it_stands_under(
    kind: AnyKind, states: st.SearchStrategy[Tree], data: st.DataObject
) -> None:
    before, *afters = data.draw(st.lists(states, min_size=2, max_size=3))
    for rule in noise(before, *afters, kind=kind).rules:
        verdicts = toured(ignoring(rule), before, afters, kind=kind)
        for thing in rule.things:
            left = {(item.op, item.path) for item in verdicts[thing.run].unexplained}
            assert left.isdisjoint((leaf.op, leaf.path) for leaf in thing.leaves)
        if rule.exact:
            place = rule.example.path
            taken = [item.change for verdict in verdicts for item in verdict.ignored]
            assert all(inside(item.path, place, kind) and item.op == rule.example.op for item in taken)


def inside(path: Path, place: Path, kind: AnyKind) -> bool:
    """Whether a path is this place or in it; a directory's place holds the files in it."""
    file, folder = (unkey(str(segments[0])) for segments in (path, place))
    below = kind.style is Style.SLASHED and len(place) == 1 and str(file).startswith(f"{folder}/")
    return below or path[: len(place)] == place


@settings(deadline=None, max_examples=40)
@given(st.lists(PAGES, min_size=2, max_size=3), NAMES)
def test_no_rule_is_proposed_that_is_refused(states: list[Tree], word: str) -> None:
    def refuse(pattern: Allowed) -> str | None:
        return "red line" if "*" in str(pattern.at) or word in str(pattern.at) else None

    found = noise(states[0], *states[1:], refuse=refuse)
    assume(not found.more)
    assert not [rule for rule in found.rules if refuse(rule.pattern)]
    for verdict in toured(ignoring(*found.rules, *(item.rule for item in found.refused)), states[0], states[1:]):
        assert verdict.unexplained == ()


@settings(deadline=None, max_examples=40)
@given(st.lists(SHOPS, min_size=3, max_size=3))
def test_the_same_tours_in_another_order_give_the_same_rules(states: list[Tree]) -> None:
    before, *afters = states
    one, other = (noise(before, *runs, kind=TABLES) for runs in (afters, afters[::-1]))
    assert {(rule.at, rule.example.op) for rule in one.rules} == {(rule.at, rule.example.op) for rule in other.rules}


SEGMENT = st.one_of(NAMES.map(key), ROW.map(lambda row: row[0]), NUMBERS)


@given(st.lists(SEGMENT, min_size=1, max_size=4).map(tuple), st.sampled_from(list(Style)))
def test_an_address_of_the_same_parts_is_the_address(path: Path, style: Style) -> None:
    wants = tuple(part.text for part in parts_of(path, style))
    at = address_of(path, wants, style)
    assert at is None or (at == format_path(path, style=style) and takes(at, path, style))
