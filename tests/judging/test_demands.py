"""Semantics 6: what a must says of the changes that it got and of those that it lacks."""

import pytest
from tests.conditions.test_places import by_css, el, page
from tests.judging.kit import (
    TABLES,
    Data,
    Given,
    action,
    allow,
    case,
    change,
    finding,
    judged,
    left,
    seen,
    source,
    unread,
    value,
)

from exactchange.case import Case
from exactchange.judging import BrokenTask
from exactchange.judging import assign as assigning
from exactchange.values import Value
from exactchange.verdict import Outcome, Truth

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


def test_a_must_that_looks_at_every_step_or_needs_a_licence_explains_nothing() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    for rule in (change("a", when="ever"), change("a", unless_after=action("upload"))):
        verdict = judged(run, rule)
        assert (finding(verdict, "must").holds, left(verdict)) == (True, ["a"])
    assert left(judged(run, change("a", when="end"))) == []


def test_no_change_is_wanted_where_the_count_is_0_whatever_is_allowed() -> None:
    run = case(source("s", [{"go": 1, "a": 1}, {"go": 2, "a": 2}]))
    verdict = judged(run, change("go"), change("a", count=0), allow=[allow("a")])
    assert (verdict.outcome, finding(verdict, "must", 1).holds) == ("unmet", False)
    assert judged(run, change("go"), change("b", count=0), allow=[allow("a")]).outcome == "passed"


def test_a_new_row_is_none_of_those_that_had_to_change() -> None:
    before: Value = {"t": {"id=5": {"id": 5, "v": 1}}}
    after: Value = {"t": {"id=1": {"id": 1, "v": 2}, "id=5": {"id": 5, "v": 1}}}
    run = case(source("s", [before, after], kind=TABLES))
    verdict = judged(run, change("t[*].v", to=2, count="all"), allow=[allow("t[id=1]", op="added", rest="any")])
    assert (verdict.outcome, finding(verdict, "must").holds) == ("unmet", False)


def test_a_task_without_any_must_is_broken() -> None:
    with pytest.raises(BrokenTask, match="no must: doing nothing would pass"):
        judged(case(source("s", [{"a": 1}, {"a": 2}])))


@pytest.mark.parametrize(("pairs", "outcome"), [(8, "passed"), (9, "undecided")])
def test_the_ways_inside_one_must_are_counted_like_those_of_several(pairs: int, outcome: Outcome) -> None:
    """Only the last way passes, in which the second of each pair is chosen."""
    names = [f"k{number}" for number in range(pairs)]
    run = case(source("s", [{"go": 1, **dict.fromkeys(names, 1)}, {"go": 2, **dict.fromkeys(names, 2)}]))
    every: Data = {"all": [{"any": [value(name, 9), value(name, 2)]} for name in names]}
    verdict = judged(run, change("go"), every, allow=[allow("k*")])
    assert verdict.outcome == outcome
    if outcome == "undecided":
        why = "more than 256 ways to choose among `any`"
        assert [(item.tier, item.name, item.holds, item.why) for item in verdict.findings] == [
            ("must", "change in s: go", None, why), ("must", "all", None, why),
        ]  # fmt: skip


def test_a_count_that_no_change_meets_already_is_vacuous_and_only_guards() -> None:
    with pytest.raises(BrokenTask, match="doing nothing would pass"):
        judged(case(source("s", [{"a": 1}, {"a": 1}])), change("a", count={"le": 2}))
    run = case(source("s", [{"a": 1, "go": 1}, {"a": 1, "go": 2}]))
    found = finding(judged(run, change("a", count={"le": 2}), change("go")), "must")
    assert (found.holds, found.why) == (True, "0 changes (a guard: it held from the start)")


def test_where_one_of_several_musts_cannot_be_told_what_is_left_may_be_its_change() -> None:
    run = page({"a": el("x", "1"), "b": 1}, {"a": el("x", "2"), "b": 2})
    verdict = judged(run, by_css(".x"), by_css(".endless"))
    assert (verdict.outcome, left(verdict)) == ("undecided", ["b"])


def test_what_was_unread_at_the_start_is_told_before_what_was_unread_at_the_end() -> None:
    hidden = [seen({"go": number}, unread("@f", name)) for number, name in enumerate("ba", 1)]
    verdict = judged(case(source("s", hidden)), change("@f.*", to=2), change("go"))
    why = "s: @f.b is unread: cannot be read; s: @f.a is unread: cannot be read"
    assert finding(verdict, "must").why == why


def test_a_must_that_has_its_change_needs_no_other_place_to_be_read() -> None:
    start = seen({"go": 1, "@f": {"a": 1}}, HIDDEN)
    verdict = judged(faceted(start, {"go": 2, "@f": {"a": 2, "c": 3}}), change("@f.*", to=2), change("go"))
    found = finding(verdict, "must")
    assert (verdict.outcome, found.why, found.near) == ("passed", "done", ())
    assert found.evidence == (
        {"kind": "change", "source": "s", "op": "modified", "address": "@f.a", "before": 1, "after": 2},
    )


def test_what_fails_at_the_end_fails_whether_or_not_it_held_at_the_start() -> None:
    run = case(source("s", [seen({}, unread("@a")), {"@a": 2}]))
    assert judged(run, value("@a", 1)).outcome == "unmet"


def test_what_may_have_held_at_the_start_is_said_to() -> None:
    run = case(source("s", [seen({"b": 1}, unread("@a")), {"@a": 1, "b": 2}]))
    alone, guard = judged(run, value("@a", 1)), judged(run, value("@a", 1), change("b"))
    assert finding(alone, "must").why == "nobody knows whether it held before the first action"
    assert finding(guard, "must").why == "@a fits (a guard: nobody knows whether it held from the start)"


def test_all_that_is_freed_is_listed() -> None:
    rows: Value = {"t": {f"id={n}": {"id": n, "v": n} for n in (1, 2, 3)}}
    run = case(source("s", [{"t": {}}, rows], kind=TABLES))
    rules = [allow(f"t[id={n}]", op="added", rest="any", row={}) for n in (1, 2)]
    verdict = judged(run, change("t[id=3]", op="added", rest="any", row={"id": 3}), allow=rules)
    assert [item.address for item in verdict.freed] == ["s:t[id=3].v", "s:t[id=1].v", "s:t[id=2].v"]


def test_only_the_musts_that_lack_something_are_open_where_not_all_ways_to_share_were_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(assigning, "MOST_BINDINGS", 1)
    after: Value = {"go": 2, "x": {"a": 1, "b": 2}, "y": {"a": 2, "b": 2}}
    same: Value = {"same": "n"}
    run = case(source("s", [{"go": 1}, after]))
    verdict = judged(run, change("*.a", to=same), change("*.b", to=same, count=2), change("go"))
    assert [item.holds for item in verdict.findings] == [True, None, True]
    assert (verdict.outcome, left(verdict)) == ("undecided", ["x.b", "y.a", "y.b"])
    assert verdict.findings[1].why == "more than 2,000 ways to share the changes out"
