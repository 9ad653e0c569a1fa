"""Semantics 6: what a must says of the changes that it got and of those that it lacks."""

import pytest
from tests.judging.kit import TABLES, Data, Given, allow, case, change, finding, judged, seen, source, unread

from exactchange.case import Case
from exactchange.values import Value
from exactchange.verdict import Truth

HIDDEN = unread("@f", "b", reason="locked")
"""A place outside of the closed world, so that only the must minds that it is unread."""
ALL = change("@f.*", to=2, count="all")


def faceted(before: Given, after: Given) -> Case:
    return case(source("s", [before, after]))


def test_all_cannot_be_told_where_one_more_place_may_have_been_there_at_the_start() -> None:
    start = seen({"go": 1, "@f": {"a": 1}}, HIDDEN)
    ends: list[Given] = [
        {"go": 2, "@f": {"a": 2, "b": 1}}, {"go": 2, "@f": {"a": 2}}, seen({"go": 2, "@f": {"a": 2}}, HIDDEN),
    ]  # fmt: skip
    for end in ends:
        verdict = judged(faceted(start, end), ALL, change("go"))
        assert (verdict.outcome, finding(verdict, "must").holds) == ("undecided", None)
        assert finding(verdict, "must").why == "s: @f.b is unread: locked"
        assert finding(verdict, "must").evidence[0]["address"] == "@f.a"
    kept = judged(faceted(start, {"go": 2, "@f": {"a": 1}}), ALL, change("go"))
    assert finding(kept, "must").holds is None  # b may be the one that changed
    elsewhere = seen({"go": 1, "@f": {"a": 1}}, unread("@g"))
    assert judged(faceted(elsewhere, {"go": 2, "@f": {"a": 2}}), ALL, change("go")).outcome == "passed"


def test_all_cannot_be_told_where_one_of_the_places_is_unread_at_the_end() -> None:
    verdict = judged(
        faceted({"go": 1, "@f": {"a": 1, "b": 1}}, seen({"go": 2, "@f": {"a": 2}}, HIDDEN)), ALL, change("go")
    )
    assert (verdict.outcome, finding(verdict, "must").holds) == ("undecided", None)


ONES: Value = dict.fromkeys("abc", 1)
SAID: list[tuple[Data, Value, Truth, str]] = [
    (change("*", to=2), {"a": 2, "b": 1, "c": 1}, True, "done"),
    (change("*", to=2, count=2), {"a": 2, "b": 2, "c": 1}, True, "2 changes"),
    (change("*", to=2, count={"le": 2}), ONES, True, "0 changes"),
    (change("a", to=2), ONES, False, "no such change"),
    (change("*", to=2, count=3), {"a": 2, "b": 1, "c": 1}, False, "only 1 of 3 such changes"),
    (change("a", to=2), {"a": 3, "b": 1, "c": 1}, False, "no such change; something near it did change"),
    (change("*", to=2, count="all"), {"a": 2, "b": 1, "c": 1}, False,
     "only 1 of 3 such changes; 2 places stayed as before"),
    (change("*", to=2, count="all"), {"a": 2, "b": 1, "c": 3}, False,
     "only 1 of 3 such changes; 1 place stayed as before; something near it did change"),
    (change("*", to=2, count="all"), {"a": 2, "b": 2, "c": 2}, True, "3 changes"),
    (change("*", to=2, count="all"), {"a": 2, "b": 2}, False,
     "only 2 of 3 such changes; something near it did change"),
]  # fmt: skip


@pytest.mark.parametrize(("must", "after", "truth", "why"), SAID)
def test_a_must_says_how_many_changes_it_got_and_what_is_near(must: Data, after: Value, truth: Truth, why: str) -> None:
    run = case(source("s", [ONES, after]), source("t", [{"go": 1}, {"go": 2}]))
    found = finding(judged(run, must, change("go", source="t"), allow=[allow("*")]), "must")
    assert (found.holds, found.why.partition(" (a guard")[0]) == (truth, why)


SECTION: Value = {"x": 1, "y": {"z": 2, "w": 3}}


def test_a_must_that_names_a_container_says_what_is_still_or_was_already_there() -> None:
    less = judged(case(source("s", [{"a": SECTION}, {"a": {"x": 1}}])), change("a", op="removed"))
    assert finding(less, "must").why == "no such change: what is named is still there, with 2 changes inside it"
    more = judged(case(source("s", [{"a": {"x": 1}}, {"a": SECTION}])), change("a", op="added"))
    assert finding(more, "must").why == "no such change: what is named was there before, with 2 changes inside it"


def test_a_secret_that_may_be_the_wanted_value_leaves_a_must_open() -> None:
    run = case(source("s", [{"pw": {"@secret": "a"}}, {"pw": {"@secret": "b"}}]))
    found = finding(judged(run, change("pw", to="x")), "must")
    assert (found.holds, found.why) == (None, "no such change; something near it did change")
    assert finding(judged(run, change("pw", to="x", count=2)), "must").holds is False


def test_an_added_row_of_all_counts_only_where_it_was_selected_at_the_start() -> None:
    before: Value = {"t": {"id=1": {"id": 1, "v": 1}}}
    after: Value = {"t": {"id=1": {"id": 1, "v": 2}, "id=2": {"id": 2, "v": 2}}}
    run = case(source("s", [before, after], kind=TABLES))
    verdict = judged(run, change("t[*].v", to=2, count="all"), allow=[allow("t[id=2]", op="added", rest="any")])
    assert (verdict.outcome, finding(verdict, "must").why) == ("passed", "done")
