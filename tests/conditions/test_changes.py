"""`change` by itself: what its finding says, and the moments of changes that no single step shows."""

import pytest
from tests.judging.kit import Data, Given, act, action, case, change, seen, source, unread

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.conditions.evaluation import Tier
from exactchange.values import ABSENT, Value
from exactchange.verdict import Truth


def steps(*states: Given) -> Case:
    return case(source("s", states), actions=[act("click", 1), act("reload", 2), act("back", 3)][: len(states) - 1])


def found(run: Case, rule: Data, tier: Tier = "bonus", *, ends: bool = True) -> Result:
    return Condition.model_validate(rule).check(Evaluation(run, ends=ends), tier=tier)


SAID: list[tuple[dict[str, Value], Data, Truth, str, list[str]]] = [
    ({"a": 2, "b": 1}, change("a"), True, "s: a modified at step 1", ["a"]),
    ({"a": 2, "b": 2}, change("*"), True, "s: a modified at step 1 and 1 more", ["a", "b"]),
    ({"a": 2, "b": 2}, change("*", count=1), False, "s: a modified at step 1 and 1 more", ["a", "b"]),
    ({"a": 2, "b": 1}, change("b"), False, "no such change", []),
    ({"pw": {"@secret": "b"}, "b": 1}, change("pw", to="x"), None,
     "1 changes cannot be told apart from the wanted one", ["pw"]),
    ({"pw": {"@secret": "b"}, "b": 1}, change("pw", to="x", count={"ge": 2}), False, "no such change", ["pw"]),
]  # fmt: skip


@pytest.mark.parametrize(("after", "rule", "truth", "why", "shown"), SAID)
def test_a_finding_names_the_first_change_and_shows_all(
    after: dict[str, Value], rule: Data, truth: Truth, why: str, shown: list[str]
) -> None:
    before: dict[str, Value] = {"a": 1, "b": 1, "pw": {"@secret": "a"}}
    result = found(steps(before, before | after), rule)
    assert (result.truth, result.why, [item["address"] for item in result.evidence]) == (truth, why, shown)


def test_a_change_is_shown_with_both_sides_and_its_step_and_the_whole_source_by_name() -> None:
    (shown,) = found(steps({"a": 1}, {"a": 2}), change("a")).evidence
    assert shown == {
        "kind": "change", "source": "s", "op": "modified", "address": "a", "before": 1, "after": 2, "step": 1,
    }  # fmt: skip
    gone = found(steps("x", ABSENT), change(""))
    assert gone.why == "s: the whole source removed at step 1"
    assert "after" not in gone.evidence[0]


def test_any_depth_below_a_place_is_none_beside_it() -> None:
    shown = found(steps({}, {"a": {"b": {"c": 1, "e": 2}, "d": 2}}), change("a.b.**", count=2))
    assert (shown.truth, [item["address"] for item in shown.evidence]) == (True, ["a.b.c", "a.b.e"])


def test_what_nearly_fits_is_shown_once_and_only_where_nothing_does() -> None:
    run = steps({"a": 1, "b": 1}, {"a": 2, "b": 3})
    assert [near.change.address for near in found(run, change("*", to=9)).near] == ["a", "b"]
    assert found(run, change("*", to=2, count=2)).near == ()
    twice = found(steps({"a": 1}, {"a": 2}, {"a": 3}), change("a", to=9, when="ever"))
    assert [(near.change.before, near.change.after) for near in twice.near] == [(1, 2), (2, 3)]


def test_before_the_end_a_change_at_the_end_cannot_be_told() -> None:
    assert found(steps({"a": 1}, {"a": 2}), change("a"), ends=False) == Result(None, "the episode is not over")


def test_without_a_capture_after_the_start_nothing_can_be_told() -> None:
    run = case(source("s", [seen({"a": 1}, unread("b"))]), actions=[])
    for rule in (change("*"), change("*", when="ever")):
        assert found(run, rule) == Result(None, "s: there is no capture after the start")


def test_a_licence_makes_a_rule_look_at_every_step_in_any_tier() -> None:
    yes = action("click")
    run = steps({"p": {}}, {"p": {}}, {"p": {"a": 1}})
    assert found(run, change("p.*", unless_after=yes)).truth is False
    assert found(run, change("p.*", unless_after=action("back"))).truth is True


def test_what_may_have_happened_while_nothing_could_be_read_is_licensed_by_nothing_in_between() -> None:
    run = steps({"p": {}}, seen({}, unread("p")), {"p": {"a": 1}})
    assert found(run, change("p.*", op="added", unless_after=action("click")), "veto").truth is True
    later = steps({"p": {}}, seen({}, unread("p")), {"p": {}}, {"p": {"a": 1}})
    assert found(later, change("p.*", op="added", unless_after=action("reload")), "veto").truth is None


def test_what_was_unread_at_the_start_or_the_end_leaves_it_open_whether_it_changed() -> None:
    hidden = seen({"b": 1}, unread("a"))
    for run in (steps(hidden, {"a": 1, "b": 1}, {"a": 1, "b": 1}), steps({"a": 1, "b": 1}, {"a": 1, "b": 1}, hidden)):
        assert found(run, change("a")).truth is None
        assert found(run, change("b")).truth is False


def test_a_count_of_all_means_at_least_one_where_nothing_is_explained() -> None:
    assert found(steps({"a": 1, "b": 1}, {"a": 2, "b": 1}), change("*", count="all")).truth is True
    assert found(steps({"a": 1}, {"a": 1}), change("*", count="all")).truth is False


def test_a_change_without_any_step_has_none_to_name() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}], steps=[0, 0]), actions=[])
    assert found(run, change("a")).why == "s: a modified"


def test_what_only_the_whole_way_shows_happened_at_the_step_that_completes_it() -> None:
    run = steps({"on": True}, {"on": "auto"}, {"on": False})
    whole = change("on", from_=True, to=False)
    assert found(run, {"order": [action("reload"), whole]}).truth is True
    assert found(run, {"order": [action("click"), whole]}).truth is True
    assert found(run, {"order": [whole, action("reload")]}).truth is False
    long = steps({"on": True}, {"on": "auto"}, {"on": "auto"}, {"on": False})
    assert found(long, {"order": [action("reload"), whole]}).truth is True
    assert found(long, {"order": [action("back"), whole]}).truth is True


def test_every_reason_why_a_step_could_not_be_read_is_told_once() -> None:
    lost = [seen({}, unread("a", reason=reason)) for reason in ("locked", "too deep")]
    result = found(steps({"a": 1}, *lost, {"a": 1}), change("a"), "veto")
    assert (result.truth, result.why) == (None, "s: a is unread: locked; s: a is unread: too deep")


def test_what_was_unread_before_is_told_before_what_was_unread_after() -> None:
    run = steps(seen({}, unread("a", "x")), seen({}, unread("a", "y")))
    why = "s: a.x is unread: cannot be read; s: a.y is unread: cannot be read"
    assert found(run, change("a.*")).why == found(run, change("a.*"), "veto").why == why


def test_the_moments_of_changes_are_told_in_time_each_once() -> None:
    states: list[Value] = [{"a": step // 2, "b": step % 3, "c": step // 5} for step in range(40)]
    run = case(source("s", states))
    moments = Condition.model_validate(change("*")).moments(Evaluation(run), trusted=False)
    changed = [step for step in range(1, 40) if states[step] != states[step - 1]]
    assert [tuple(moment) for moment in moments.sure] == [(2 * step + 1, 2 * step + 1) for step in changed]
    assert (moments.unsure, moments.why) == (False, "")


def test_there_may_be_other_moments_where_something_was_unread_or_unknown_or_may_follow() -> None:
    rule = Condition.model_validate(change("a"))
    assert rule.moments(Evaluation(steps({"a": 1}, {"a": 2}), ends=False), trusted=False).unsure
    lost = [seen({}, unread("a", reason=reason)) for reason in ("locked", "too deep")]
    moments = rule.moments(Evaluation(steps({"a": 1}, *lost)), trusted=False)
    assert (moments.sure, moments.unsure) == ((), True)
    assert moments.why == "s: a is unread: locked; s: a is unread: too deep"
    secret = steps({"a": {"@secret": "x"}}, {"a": {"@secret": "y"}})
    moments = Condition.model_validate(change("a", to=1)).moments(Evaluation(secret), trusted=False)
    assert (moments.sure, moments.unsure) == ((), True)
