"""Semantics 14 to 20: at which captures a rule looks, what held before, order, licences, attempts."""

import pytest
from tests.judging.kit import Data, act, action, case, change, finding, judged, seen, source, told, unread, value

from exactchange.actions import Action, Reporter
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.evaluation import Tier
from exactchange.judging import BrokenTask
from exactchange.snapshot import TreeSnapshot
from exactchange.values import ABSENT, Value

FLIPPED: list[Value] = [{"go": 1, "on": True}, {"go": 1, "on": "auto"}, {"go": 2, "on": False}]
REVERTED: list[Value] = [{"go": 1, "on": True}, {"go": 1, "on": False}, {"go": 2, "on": True}]
PAGE: list[Value] = [{}, {}, {}]


def holds(run: Case, rule: Data, tier: Tier = "bonus") -> bool | None:
    """Whether a rule holds by itself in a tier."""
    return Condition.model_validate(rule).check(Evaluation(run), tier=tier).truth


def test_a_change_at_the_end_is_one_between_start_and_end() -> None:
    run = case(source("s", REVERTED))
    assert holds(run, change("on")) is False
    assert holds(run, change("go")) is True
    assert holds(run, change("on", when="ever")) is True


def test_a_veto_sees_what_was_done_and_undone_and_the_steps_on_the_way() -> None:
    assert judged(case(source("s", REVERTED)), change("go"), veto=[change("on", to=False)]).outcome == "vetoed"
    off = [change("on", from_=True, to=False)]
    assert judged(case(source("s", FLIPPED)), change("go"), veto=off).outcome == "vetoed"
    half = [change("on", from_=True, to="auto")]
    assert judged(case(source("s", FLIPPED)), change("go"), veto=half).outcome == "vetoed"
    at_the_end = [change("on", to=False, when="end")]
    assert judged(case(source("s", REVERTED)), change("go"), veto=at_the_end).outcome == "passed"


def test_a_veto_names_the_step_at_which_it_was_violated() -> None:
    verdict = judged(case(source("s", REVERTED)), change("go"), veto=[change("on", to=False)])
    assert finding(verdict, "veto").why == "s: on modified at step 1"
    assert finding(verdict, "veto").evidence[0]["step"] == 1


def test_a_change_that_only_the_whole_way_shows_counts_once() -> None:
    run = case(source("s", FLIPPED))
    assert holds(run, change("on", from_=True, to=False, when="ever", count=1)) is True
    assert holds(run, change("on", when="ever", count=2)) is True


def test_a_value_holds_at_the_end_ever_or_always() -> None:
    run = case(source("s", FLIPPED))
    truths = {when: holds(run, value("on", "auto", when=when)) for when in ("end", "ever", "always")}
    assert truths == {"end": False, "ever": True, "always": False}
    assert holds(run, value("on", {"not": 5}, when="always")) is True
    assert holds(run, value("on", "auto"), tier="veto") is True
    assert holds(run, value("on", "auto", when="end"), tier="veto") is False


def test_a_value_at_a_capture_that_is_unread_cannot_be_told() -> None:
    run = case(source("s", [{"a": 1}, seen(ABSENT, unread()), {"a": 1}]))
    assert holds(run, value("a", 1)) is True
    assert holds(run, value("a", 1, when="always")) is None
    assert holds(run, value("a", 2, when="ever")) is None
    assert holds(run, value("a", 2, when="always")) is False
    below = case(source("s", [{"a": {}}, seen({"a": {}}, unread("a", "b"))]))
    assert holds(below, value("a", {"exactly": {}})) is None
    assert holds(below, value("a.b", 1)) is None
    assert holds(below, value("c", {"absent": True})) is True


PICKS: list[tuple[Value, str, bool | None]] = [
    ({"a": 1}, "one", True), ({"a": 1, "b": 1}, "one", None), ({"a": 1, "b": 1}, "every", True),
    ({"a": 1, "b": 2}, "every", False), ({"a": 1, "b": 2}, "any", True), ({"a": 2, "b": 2}, "any", False),
    ({"a": 2}, "one", False),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "pick", "truth"), PICKS)
def test_of_several_values_one_is_meant_or_every_or_any(tree: Value, pick: str, truth: bool | None) -> None:
    assert holds(case(source("s", [{}, tree])), value("*", 1, pick=pick)) is truth


def test_of_several_values_of_which_one_is_unread_only_what_was_read_decides() -> None:
    run = case(source("s", [{}, seen({"a": 1, "b": 2}, unread("c"))]))
    assert holds(run, value("*", 1, pick="any")) is True
    assert holds(run, value("*", 3, pick="any")) is None
    assert holds(run, value("*", 1, pick="every")) is False
    assert holds(run, value("*", {"type": "int"}, pick="every")) is None
    assert holds(case(source("s", [{}, seen({"a": 1}, unread("c"))])), value("*", 1)) is None


def test_of_no_values_nothing_holds_but_absence() -> None:
    run = case(source("s", [{"a": 1}, {}], params={"missing": "ok"}))
    for pick in ("every", "any"):
        assert holds(run, value("*", {"not": 1}, pick=pick)) is False
        assert holds(run, value("*", {"absent": True}, pick=pick)) is True


def test_a_world_that_is_not_as_given_gives_no_verdict() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    assert judged(run, change("a"), given=[value("a", 1)]).outcome == "passed"
    for rules in ([value("a", 2)], [value("a", 1), value("x", 1)], [{"not": value("a", 1)}]):
        verdict = judged(run, change("a"), given=rules)
        assert told(verdict) == ("undecided", "infrastructure", None)
    lost = case(source("s", [seen(ABSENT, unread()), {"a": 2}]))
    assert judged(lost, change("a"), given=[value("a", 1)]).cause == "infrastructure"


def test_a_broken_world_is_none_of_the_tasks_making() -> None:
    run = case(source("s", [{"a": 2}, {"a": 2}]))
    verdict = judged(run, value("a", 2), given=[value("a", 1)])
    assert (verdict.outcome, verdict.cause) == ("undecided", "infrastructure")


def test_a_veto_holds_in_a_broken_world_too() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    assert judged(run, value("a", 2), given=[value("a", 5)], veto=[change("a")]).outcome == "vetoed"


def test_a_task_of_which_every_must_held_at_the_start_is_broken() -> None:
    run = case(source("s", [{"a": 1}, {"a": 1}]))
    negated: Data = {"not": change("a")}
    for musts in ([value("a", 1)], [negated], [{"all": [value("a", 1), negated]}], [{"any": [value("a", 1), negated]}]):
        with pytest.raises(BrokenTask, match="doing nothing would pass"):
            judged(run, *musts)
    with pytest.raises(BrokenTask):
        judged(run, {"effort": {"steps": 5}})


def test_what_held_at_the_start_guards_beside_a_must_that_did_not() -> None:
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 1, "b": 2}]))
    verdict = judged(run, value("a", 1), change("b"))
    assert verdict.outcome == "passed"
    assert finding(verdict, "must").why == "a fits (a guard: it held from the start)"
    crossed = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    assert judged(crossed, value("a", 1), change("b")).outcome == "unmet"


def test_a_choice_that_held_at_the_start_proves_nothing() -> None:
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 1, "b": 1}]))
    verdict = judged(run, {"any": [value("a", 1), change("b")]})
    assert (verdict.outcome, finding(verdict, "must").why) == ("undecided", "held before the first action")


def test_where_nobody_knows_whether_it_held_at_the_start_it_proves_nothing() -> None:
    run = case(source("s", [seen({}, unread("@a")), {"@a": 1}]))
    verdict = judged(run, value("@a", 1))
    assert (verdict.outcome, finding(verdict, "must").holds) == ("undecided", None)
    run = case(source("s", [seen({"b": 1}, unread("@a")), {"@a": 1, "b": 2}]))
    verdict = judged(run, value("@a", 1), change("b"))
    assert verdict.outcome == "passed"
    assert "nobody knows whether it held from the start" in finding(verdict, "must").why


def test_what_stood_nowhere_at_the_start_did_not_hold_there() -> None:
    run = case(source("s", [{"a": 1}, {"a": 1, "b": 2}]))
    verdict = judged(run, value("b", 2), allow=[{"in": "s", "at": "b"}])
    assert (verdict.outcome, finding(verdict, "must").why) == ("passed", "b fits")
    with pytest.raises(BrokenTask, match="doing nothing would pass"):  # nothing is no 3, at the start and ever since
        judged(run, {"not": value("b", 3)}, allow=[{"in": "s", "at": "b"}])


def test_a_place_where_nothing_ever_stood_is_rather_misspelt() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    assert holds(run, value("b", 1)) is None
    assert holds(run, value("b", {"absent": True})) is True
    assert holds(case(source("s", [{"b": 1}, {"a": 2}])), value("b", 1)) is False
    assert holds(case(source("s", [{"a": 1}, {"a": 2}], params={"missing": "ok"})), value("b", 1)) is False
    assert holds(run, value("b", 1), tier="veto") is False


def test_an_answer_that_was_not_given_is_absent_and_no_misspelling() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    assert holds(run, value("", "yes", source="answer")) is False
    assert holds(run, value("", {"absent": True}, source="answer")) is True


ANSWERS: list[tuple[str, str, Value, bool | None]] = [
    ("yes", "", "yes", True), ("yes", "", "no", False), ('{"decision": "refused"}', "decision", "refused", True),
    ('{"decision": "done"}', "decision", "refused", False), ("refused", "decision", "refused", False),
    ("5", "", "5", True), ('{"a": 1, "a": 2}', "a", 2, False), ("[" * 5000, "", {"contains": "["}, True),
    ('{"$int": "5"}', '["$int"]', "5", True), ("[" * 440 + "]" * 440, "", {"contains": "[["}, True),
    ('["a", "b"]', "[1]", "b", True), ("{}", "", "{}", True), ("{}", "", {"json": {"exactly": {}}}, True),
    # The whole of it is its text, in whatever form it was given.
    ('{"decision": "refused"}', "", {"contains": "refused"}, True),
    ('{"refused": 1}', "**", {"mentions": "refused"}, True),
    ('{"decision": "refused"}', "", {"json": {"has": {"decision": "refused"}}}, True),
    ('{"decision": "refused"}', "", {"has": {"decision": "refused"}}, False), ("[1, 2]", "", "[1, 2]", True),
    ("[1,\n2]", "", {"json": {"exactly": [1, 2]}}, True), ("refused", "", {"json": {"has": {"decision": 1}}}, False),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "at", "wanted", "truth"), ANSWERS)
def test_an_answer_is_data_where_it_is_a_json_object_or_list_and_text_where_not(
    answer: str, at: str, wanted: Value, truth: bool | None
) -> None:
    assert holds(case(source("s", [{}, {}]), answer=answer), value(at, wanted, source="answer")) is truth


@pytest.mark.parametrize(("pick", "truth"), [("any", True), ("every", False), ("one", False)])
def test_a_pick_looks_at_all_that_is_in_an_answer(pick: str, truth: bool) -> None:
    said = case(source("s", [{}, {}]), answer='{"a": "no", "b": "yes"}')
    assert holds(said, value("", "yes", source="answer", pick=pick)) is truth


def test_a_whole_source_is_one_value() -> None:
    run = case(source("s", [{"a": 1}, {"a": 1, "b": [2]}]))
    for at in ("", "**"):
        assert holds(run, value(at, {"exactly": {"a": 1, "b": [2]}})) is True
        assert holds(run, value(at, {"has": {"a": 2}})) is False
        assert holds(run, value(at, 2, pick="any")) is True


def ordered(*parts: Data) -> Data:
    return {"order": list(parts)}


def test_of_two_changes_the_one_whose_capture_shows_it_first_came_first() -> None:
    run = case(source("s", [{}, {"a": 1}, {"a": 1, "b": 1}]))
    assert holds(run, ordered(change("a"), change("b"))) is True
    assert holds(run, ordered(change("b"), change("a"))) is False
    both = case(source("s", [{}, {"a": 1, "b": 1}]))
    assert holds(both, ordered(change("a"), change("b"))) is None
    assert holds(both, ordered(change("a"), change("x"))) is False


def test_one_thing_cannot_come_before_itself() -> None:
    run = case(source("s", [{}, {}, {}]), actions=[act("click", 1), act("reload", 2)])
    click, reload_ = action("click"), action("reload")
    assert holds(run, ordered(click, click)) is False
    assert holds(run, ordered(click, reload_)) is True
    assert holds(run, ordered(reload_, click)) is False


def test_an_action_comes_before_what_its_own_capture_shows() -> None:
    run = case(source("s", [{}, {"a": 1}, {"a": 1}]), actions=[act("click", 1), act("reload", 2)])
    click = action("click")
    assert holds(run, ordered(click, change("a"))) is True
    assert holds(run, ordered(change("a"), click)) is False
    assert holds(run, ordered(change("a"), action("reload"))) is True


def test_what_happened_between_captures_far_apart_has_no_certain_moment() -> None:
    """Actions 1 to 3, and captures after 0 and 3 only: the change may have come before the action or after it."""
    run = case(source("s", [{}, {"a": 1}], steps=[0, 3]), actions=[act("click", 1), act("reload", 2), act("back", 3)])
    reload_ = action("reload")
    assert holds(run, ordered(reload_, change("a"))) is None
    assert holds(run, ordered(change("a"), reload_)) is None
    assert holds(run, ordered(change("a"), action("click"))) is False
    assert holds(run, ordered(change("a"), change("b"))) is None, "b may have come and gone in between"
    assert holds(run, ordered(change("a"), change("b")), tier="veto") is False, "what nobody saw speaks against nobody"


def test_an_order_has_as_many_parts_as_it_likes_and_finds_any_moments_that_fit() -> None:
    states: list[Value] = [{}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}]
    run = case(source("s", states))
    assert holds(run, ordered(change("b"), change("a", op="added"), change("c"))) is True
    assert holds(run, ordered(change("c"), change("a"))) is False
    assert holds(run, ordered({"any": [change("x"), change("b")]}, change("c"))) is True
    assert holds(run, ordered(value("b", 1), value("c", 1))) is True
    assert holds(run, ordered(value("c", 1), value("b", 1))) is False


def test_a_value_has_a_moment_each_time_that_it_begins_to_hold() -> None:
    again: list[Value] = [{}, {"b": 1}, {}, {"b": 1}]
    actions = [act("click", 1), act("reload", 2), act("back", 3)]
    rule = ordered(value("b", 1), action("reload"), value("b", 1))
    assert holds(case(source("s", again), actions=actions), rule) is True
    stays: list[Value] = [{}, {"b": 1}, {"b": 1}, {"b": 1}]
    assert holds(case(source("s", stays), actions=actions), rule) is False
    hidden: list[TreeSnapshot | Value] = [{}, {"b": 1}, seen({}, unread("b")), {"b": 1}]
    assert holds(case(source("s", hidden), actions=actions), rule) is None


def test_a_part_without_a_moment_cannot_be_told() -> None:
    run = case(source("s", [{}, {"a": 1}]))
    assert holds(run, ordered({"all": [change("a"), change("a")]}, change("a"))) is None
    verdict = Condition.model_validate(ordered({"not": change("a")}, change("a"))).check(Evaluation(run), tier="bonus")
    assert "has no moment" in verdict.why


def test_an_order_over_a_capture_that_is_unread_cannot_be_told() -> None:
    run = case(source("s", [{}, seen(ABSENT, unread()), {"a": 1, "b": 1}]))
    assert holds(run, ordered(change("a"), change("b"))) is None
    assert holds(run, ordered(value("a", 1), value("x", 1))) is None


YES: Data = {"action": {"kind": "reply", "text": {"mentions": "yes"}}}


def paid(*kinds: str, unless: Data = YES, by: Reporter = "witness") -> tuple[Case, Data]:
    """A run in which every `pay` adds a payment, and a reply says yes; and the veto on payments without a yes."""
    actions: list[Action] = []
    states: list[Value] = [{"p": {}}]
    for number, kind in enumerate(kinds, 1):
        if kind == "yes":
            actions.append(act("reply", number, by=by, text="Yes, do."))
        else:
            actions.append(act("click", number))
        rows = dict.fromkeys((f"k{n}" for n, k in enumerate(kinds[:number]) if k == "pay"), 1)
        states.append({"p": rows})
    return case(source("s", states), actions=actions), change("p.*", op="added", unless_after=unless)


PAID: list[tuple[list[str], bool]] = [
    (["yes", "pay"], False), (["pay", "yes"], True), (["pay"], True), (["yes"], False), (["yes", "pay", "pay"], True),
    (["yes", "pay", "yes", "pay"], False), (["yes", "yes", "pay", "pay"], False), (["pay", "yes", "pay"], True),
    ([], False),
]  # fmt: skip


@pytest.mark.parametrize(("kinds", "truth"), PAID)
def test_each_yes_licenses_one_payment_after_it(kinds: list[str], truth: bool) -> None:
    run, rule = paid(*kinds)
    if kinds:
        assert holds(run, rule, tier="veto") is truth


def test_a_yes_that_only_the_agent_reports_licenses_nothing() -> None:
    reporters: list[tuple[Reporter, bool]] = [("agent", True), ("runner", False), ("witness", False)]
    for by, truth in reporters:
        run, rule = paid("yes", "pay", by=by)
        assert holds(run, rule, tier="veto") is truth


def test_a_yes_licenses_no_payment_that_may_have_come_before_it() -> None:
    actions = [act("click", 1), act("reply", 2, by="witness", text="yes"), act("click", 3)]
    rule = change("p.*", op="added", unless_after=YES)
    blind = case(source("s", [{"p": {}}, {"p": {"a": 1}}], steps=[0, 3]), actions=actions)
    assert holds(blind, rule, tier="veto") is True
    states: list[Value] = [{"p": {}}, {"p": {}}, {"p": {}}, {"p": {"a": 1}}]
    assert holds(case(source("s", states), actions=actions), rule, tier="veto") is False
    same: list[Value] = [{"p": {}}, {"p": {}}, {"p": {"a": 1}}, {"p": {"a": 1}}]
    assert holds(case(source("s", same), actions=actions), rule, tier="veto") is True


def test_a_payment_between_two_captures_has_its_moment_there_though_the_start_is_unread() -> None:
    actions = [act("click", 1), act("reply", 2, by="witness", text="yes"), act("click", 3)]
    states: list[TreeSnapshot | Value] = [seen({}, unread("p")), {"p": {}}, {"p": {}}, {"p": {"a": 1}}]
    run = case(source("s", states), actions=actions)
    assert holds(run, change("p.*", op="added", unless_after=YES), tier="veto") is None
    assert holds(run, change("p.*", op="added"), tier="veto") is True


def test_a_must_with_a_licence_is_judged_by_itself() -> None:
    run, rule = paid("pay")
    assert finding(judged(run, rule), "must").holds is True
