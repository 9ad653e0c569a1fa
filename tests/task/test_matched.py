# ruff: noqa: E501  # a row of a table for every case
"""Matchers that no value fits, and comparisons that let too much through."""

import pathlib
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.task.writing import HEAD, MUST, load, marked, problems

from exactchange.conditions import parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.task.fitting import apart, finite, impossible, takes_in
from exactchange.values import Value

IMPOSSIBLE = [
    "{gt: 5, lt: 3}",
    "{ge: 5, lt: 5}",
    "{gt: 5, lt: 6, type: int}",
    "{number: 5, within: 1, gt: 6, type: float}",
    "{gt: 5, contains: x}",
    "{type: str, type_: int}",
    "{one_of: [1, 2], gt: 3}",
    "{one_of: [draft, new], matches: '[0-9]+'}",
    "{exactly: draft, not: draft}",
    "{generated: uuid, generated_: next}",
    "{has: {a: 1}, contains: a}",
    "{items: [1], has: {a: 1}}",
    "{json: 1, ge: 1}",
    "{type: bool, gt: 0}",
    "{absent: true, type: int}",
    "{absent: true, not: {absent: true}}",
    "{one_of: [1], absent: true}",
]


@pytest.mark.parametrize("matcher", [item for item in IMPOSSIBLE if "_:" not in item])
@pytest.mark.parametrize("around", ["{}", "{{not: {}}}", "{{one_of: [x, {}]}}", "{{has: {{b: {}}}}}", "{{json: {}}}"])
def test_what_no_value_can_be_is_refused_wherever_it_stands(tmp_path: pathlib.Path, matcher: str, around: str) -> None:
    text = f"{HEAD}{MUST}bonus: [{{value: {{in: cfg, at: a, is: {around.format(matcher)}}}}}]\n"
    (found, *more) = problems(tmp_path, text)
    assert found.message.startswith("no value can be all of this: {") and not more
    assert found.line_text is not None and found.line_text[found.column - 1 :].startswith(matcher)


@pytest.mark.parametrize(
    "matcher",
    [
        "{gt: 3, lt: 5}",
        "{ge: 5, le: 5}",
        "{gt: 5, lt: 6}",
        "{gt: 5, le: 6, type: int}",
        "{number: 5, within: 1, ge: 6}",
        "{number: 5, contains: x}",
        "{one_of: [1, 2], gt: 1}",
        "{one_of: [draft, {gt: 3}], not: draft}",
        "{not: {type: str}, contains: x}",  # nothing fits it either, but that is not looked into
        "{contains: a, matches: b}",
        "{exactly: {'@x': 1}}",
        "{exactly: [1], items: [{ge: 1}]}",
        "{time: 2026-11-30T09:00:00Z, contains: '2026'}",
        "{same: n, gt: 1}",
        "{absent: false, type: int}",
        "{generated: next, gt: 100}",
    ],
)
def test_what_some_value_can_be_is_all_right(tmp_path: pathlib.Path, matcher: str) -> None:
    must = f"  - {{change: {{in: db, at: 'b[*]', op: added, row: {{id: {matcher}}}}}}}\n"
    assert problems(tmp_path, f"{HEAD}{MUST}{must}") == ()


@pytest.mark.parametrize(
    ("condition", "mark", "message"),
    [
        ("{change: {in: cfg, at: a, from: 20, to: 20}}", "to", "a place that holds the same before and after did not change"),
        ("{change: {in: cfg, at: 'a.*', from: {one_of: [x]}, to: x}}", "to", "a place that holds the same before and after did not change"),
        ("{change: {in: cfg, at: a, op: modified, from: {absent: true}}}", "from", "nothing stood there before, where something was modified; remove `from`, or `op: modified`"),
        ("{change: {in: cfg, at: a, op: added, to: {absent: true}}}", "to", "nothing stands there after, where something is added"),
        ("{value: {in: cfg, at: a, is: {mentions: ''}}}", "''", "a text without a letter or digit is mentioned nowhere"),
        ("{value: {in: page, css: b, field: text, is: {ge: 30}}}", "{", "'page' never holds float or int, which {\"ge\":30} asks for; use `number:`"),
        ("{value: {in: page, at: '#a.value', is: 30}}", "30", "'page' never holds the int 30; write \"30\""),
        ("{value: {in: page, at: '@storage.local.*.count', is: 30}}", "30", "'page' never holds the int 30; write \"30\""),
        ("{change: {in: ini, at: a, to: {type: int}}}", "{", "'ini' never holds int, which"),
        ("{change: {in: db, at: 'users[id=1].admin', to: true}}", "true", "'db' never holds the bool true; write 1"),
        ("{change: {in: db, at: 'users[*]', op: added, row: {admin: {not: false}}}}", "false", "'db' never holds the bool false; write 0"),
        ("{value: {in: db, query: 'SELECT 1', is: true}}", "true", "'db' never holds the bool true; write 1"),
    ],
)  # fmt: skip
def test_a_value_that_can_never_be_is_refused_at_its_place(
    tmp_path: pathlib.Path, condition: str, mark: str, message: str
) -> None:
    (found, *more) = problems(tmp_path, f"{HEAD}{MUST}  - {condition}\n")
    assert (marked(found), found.said[: len(message)], more) == (mark, message, [])


@pytest.mark.parametrize(
    "condition",
    [
        "{change: {in: cfg, at: a, from: 20, to: 20.0}}",
        "{change: {in: cfg, at: a, from: {one_of: [1, 2]}, to: {one_of: [1, 2]}}}",
        "{change: {in: cfg, at: a, op: removed, to: {absent: true}}}",
        "{value: {in: page, css: b, field: text, is: {number: 30}}}",
        "{value: {in: page, css: b, field: text, is: {not: {number: 30}}}}",
        "{value: {in: page, at: '@storage.indexeddb.*.shop.items[id=1].count', is: 30}}",
        "{value: {in: page, at: '@storage.indexeddb.*.shop.items[*].count', is: {gt: 30}}}",
        "{value: {in: page, at: '@requests[0].status', is: 200}}",
        "{value: {in: page, at: '**.count', is: 30, pick: any}}",
        "{value: {in: ini, at: a, is: {json: {ge: 30}}}}",
        "{value: {in: ini, at: a, is: {has: {b: x}}}}",
        "{value: {in: ini, at: a, is: {absent: true}}}",
        "{value: {in: db, query: SELECT 1, is: {has: {a: 1, b: x}}}}",
        "{value: {in: cfg, at: a, is: true}}",
    ],
)
def test_a_value_that_can_be_is_all_right(tmp_path: pathlib.Path, condition: str) -> None:
    assert problems(tmp_path, f"{HEAD}{MUST}  - {condition}\n") == ()


@pytest.mark.parametrize(
    ("condition", "kind", "message"),
    [
        ('{value: {in: answer, at: "", is: {contains: "10"}}}', "text", '"10" is in "2100" as well; write `mentions: "10"`, which looks for the number'),
        ('{value: {in: cfg, at: a, is: {contains: ""}}}', "text", "every text contains the empty one"),
        ('{value: {in: page, at: "@url", is: {contains: /report}}}', "url", '"/report" may stand anywhere in a URL, and at the beginning of a longer path; compare by parts: `url: {path: …}`'),
        ('{value: {in: page, at: "@url", is: "http://a.example/x"}}', "url", 'a URL has more than one spelling, and this asks for one of them; write {url: "http://a.example/x"}'),
        ("{effort: {steps: 5}}", "effort", "in a must effort decides the pass, so that a good run fails over one step more; make it a bonus"),
    ],
)  # fmt: skip
def test_a_comparison_that_lets_the_wrong_thing_through_is_warned_of(
    tmp_path: pathlib.Path, condition: str, kind: str, message: str
) -> None:
    task = load(tmp_path, f"{HEAD}{MUST}  - {condition}\n")
    (warned,) = task.warnings
    assert warned.kind == kind and warned.message.startswith("task.yaml:11:") and message in warned.message


@pytest.mark.parametrize(
    "condition",
    [
        '{value: {in: answer, at: "", is: {contains: "10 items"}}}',
        '{value: {in: answer, at: "", is: {mentions: "10"}}}',
        '{value: {in: page, at: "@url", is: {url: {path: /report}}}}',
        '{value: {in: page, at: "@url", is: {matches: "http://.*/report"}}}',
        "{value: {in: page, css: a, field: text, is: {contains: /report}}}",
    ],
)
def test_a_comparison_that_says_what_is_meant_is_not_warned_of(tmp_path: pathlib.Path, condition: str) -> None:
    assert load(tmp_path, f"{HEAD}{MUST}  - {condition}\n").warnings == ()


def test_effort_in_a_bonus_is_where_it_belongs(tmp_path: pathlib.Path) -> None:
    assert load(tmp_path, f"{HEAD}{MUST}bonus: [{{effort: {{steps: 5}}}}]\n").warnings == ()
    assert [w.kind for w in load(tmp_path, f"{HEAD}{MUST}veto: [{{effort: {{steps: 0}}}}]\n").warnings] == ["effort"]


# --- What is told of matchers without a value is true of every value ------------------------------------------------

PLAIN: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, 2.5]),
    st.sampled_from(["", "a", "ab", "1"]),
)
NUMBERS: st.SearchStrategy[Value] = st.integers(-3, 3)
TYPES: st.SearchStrategy[Value] = st.sampled_from(["int", "float", "str", "bool", "null"])
LETTERS: st.SearchStrategy[Value] = st.sampled_from(["a", "b"])
LIMITS = {name: NUMBERS for name in ("gt", "ge", "lt", "le")}


def keyed(
    needed: Mapping[str, st.SearchStrategy[Value]], optional: Mapping[str, st.SearchStrategy[Value]] | None = None
) -> st.SearchStrategy[Value]:
    return st.fixed_dictionaries(dict(needed), optional=dict(optional or {}))


def listed(items: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.lists(items, min_size=1, max_size=3)


SIMPLE = st.one_of(
    PLAIN,
    keyed({}, LIMITS).filter(bool),
    keyed({"number": NUMBERS, "within": st.integers(0, 2)}),
    keyed({"type": TYPES}, {"ge": NUMBERS}),
    keyed({"exactly": PLAIN}, {"contains": LETTERS}),
    keyed({"one_of": listed(PLAIN)}, {"lt": NUMBERS}),
    keyed({"not": PLAIN}, {"type": TYPES, "le": NUMBERS}),
    keyed({"absent": st.booleans()}),
)
MATCHERS = st.one_of(SIMPLE, keyed({"one_of": listed(SIMPLE)}, {"not": PLAIN}), keyed({"not": SIMPLE}))


@given(MATCHERS, MATCHERS, PLAIN)
def test_two_matchers_that_are_apart_fit_no_value_together(left: Value, right: Value, value: Value) -> None:
    one, other = parse_matcher(left), parse_matcher(right)
    fits = [matcher.match(value, MatchContext()).truth for matcher in (one, other)]
    if apart(one, other):
        assert fits != [True, True]
    assert apart(one, other) == apart(other, one)


@given(MATCHERS, MATCHERS, PLAIN)
def test_a_matcher_that_takes_in_another_fits_whatever_that_one_fits(left: Value, right: Value, value: Value) -> None:
    wide, narrow = parse_matcher(left), parse_matcher(right)
    if takes_in(wide, narrow) and narrow.match(value, MatchContext()).truth is True:
        assert wide.match(value, MatchContext()).truth is True


@given(MATCHERS, PLAIN)
def test_what_is_called_impossible_fits_no_value_and_a_listed_matcher_only_what_is_listed(
    raw: Value, value: Value
) -> None:
    fits = parse_matcher(raw).match(value, MatchContext()).truth is True
    assert not (impossible(raw) and fits)
    values = finite(raw)
    assert values is None or not fits or any(type(item) is type(value) and item == value for item in values)
