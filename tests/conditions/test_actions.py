"""`action`: what its finding says and shows, where only the agent's word decides, and what cannot be told."""

import pytest
from pydantic import ValidationError
from tests.conditions.test_events import BUTTONS, Page
from tests.judging.kit import Data, act, action, case, change, source

from exactchange.actions import KINDS, Action, normalise
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.conditions.evaluation import Tier
from exactchange.values import Value
from exactchange.verdict import Truth


def acted(*actions: Action) -> Case:
    states: list[Value] = [{}] * (len(actions) + 1)
    return case(source("s", states), actions=actions)


def found(run: Case, rule: Data, tier: Tier = "bonus", *, ends: bool = True) -> Result:
    return Condition.model_validate(rule).check(Evaluation(run, ends=ends), tier=tier)


CLICK, FILL, ODD = act("click", 1), act("fill", 2, text="a"), act("tap", 3)
SAID: list[tuple[list[Action], Data, Truth, str, list[int]]] = [
    ([CLICK], action("click"), True, "click at step 1", [1]),
    ([CLICK, act("click", 2)], action("click"), True, "click at step 1 and 1 more", [1, 2]),
    ([CLICK], action("click", count=2), False, "click at step 1", [1]),
    ([CLICK, FILL], action("upload"), False, "no such action", []),
    ([CLICK, ODD], action("fill", count={"ge": 2}), False, "no such action", [3]),
    ([CLICK, FILL, ODD], action("upload"), None,
     "step 3 (unknown) may be such an action: its target or kind cannot be told", [3]),
    ([CLICK, FILL, ODD], action("fill", count=1), None, "fill at step 2", [2]),
    ([act("click", 1, "agent")], action("click"), None, "only the agent says so (step 1)", [1]),
    ([CLICK, act("click", 2, "agent")], action("click", count=2), None, "only the agent says so (step 2)", [1, 2]),
    ([act("click", 1, "agent")], action("click", count={"ge": 2}), False, "click at step 1", [1]),
    ([act("click", 1, "agent"), ODD], action("click", count={"ge": 3}), False, "click at step 1", [1]),
    ([CLICK, act("click", 2, "agent")], action("click"), True, "click at step 1", [1]),
]  # fmt: skip


@pytest.mark.parametrize(("actions", "rule", "truth", "why", "steps"), SAID)
def test_a_finding_names_the_first_action_and_shows_all(
    actions: list[Action], rule: Data, truth: Truth, why: str, steps: list[int]
) -> None:
    result = found(acted(*actions), rule)
    assert (result.truth, result.why, [item["step"] for item in result.evidence]) == (truth, why, steps)


def test_an_action_is_shown_with_its_arguments_and_with_who_reported_it() -> None:
    (shown,) = found(acted(act("fill", 1, "witness", text="Ada")), action("fill")).evidence
    assert shown == {"kind": "action", "step": 1, "action": "fill", "args": {"text": "Ada"}, "reported_by": "witness"}


def test_a_veto_takes_the_agents_word_only_for_what_it_says() -> None:
    """What the agent reports and nobody can classify is not claimed, and two answers that both leave it open are."""
    assert found(acted(act("tap", 1, "agent")), action("click"), "veto").truth is None
    assert found(acted(act("click", 1, "agent")), action("click"), "veto").truth is True
    mixed = acted(act("click", 1), act("click", 2, "agent"), act("tap", 3))
    assert found(mixed, action("click", count=1), "veto").truth is None


def test_an_order_cannot_be_told_where_an_action_may_be_the_one_or_more_may_follow() -> None:
    states: list[Value] = [{}, {"a": 1}, {"a": 1}]
    maybe = case(source("s", states), actions=[act("tap", 1), act("click", 2)])
    rule: Data = {"order": [action("click"), change("a")]}
    assert found(maybe, rule).truth is None
    known = case(source("s", states), actions=[act("fill", 1, text="a"), act("click", 2)])
    assert found(known, rule).truth is False
    assert found(known, {"order": [change("a"), action("upload")]}).truth is False
    assert found(known, {"order": [change("a"), action("upload")]}, ends=False).truth is None
    assert found(maybe, {"order": [change("a"), action("upload")]}, ends=False).truth is None


UNTOLD: list[tuple[Value, Value, Truth]] = [
    ({"role": "button", "name": "Pay"}, {"role": "button", "name": "Save"}, False),
    ({"css": "#gone"}, {"css": "#pay"}, None),
    ({"css": "#pay"}, {"css": "#gone"}, None),
    ({"css": "#pay"}, {"css": "#pay", "xy": [1, 2]}, True),
]


@pytest.mark.parametrize(("wanted", "given", "truth"), UNTOLD)
def test_a_target_is_another_only_where_both_are_found(wanted: Value, given: Value, truth: Truth) -> None:
    run = case(source("page", [BUTTONS, {}], kind=Page()), actions=[act("click", 1, target=given)])
    assert found(run, action("click", target=wanted)).truth is truth


def test_the_text_of_an_action_that_nobody_can_classify_cannot_be_told() -> None:
    """It may be called anything: `message`, `content`, `command`."""
    odd = acted(act("shout", 1, content="the password"))
    for wanted in ({"mentions": "password"}, {"absent": True}, "the password"):
        assert found(odd, {"action": {"text": wanted}}).truth is None
    assert (
        found(acted(act("shout", 1, text="the password")), {"action": {"text": {"mentions": "password"}}}).truth is True
    )
    assert found(acted(act("click", 1)), {"action": {"text": {"mentions": "password"}}}).truth is False


def test_an_argument_that_an_unclassified_action_lacks_may_stand_there_by_another_name() -> None:
    rule: Data = {"action": {"args": {"command": {"contains": "rm"}}}}
    assert found(acted(act("invoke", 1, cmd="rm -r /")), rule).truth is None
    assert found(acted(act("invoke", 1, command="rm -r /")), rule).truth is True
    assert found(acted(act("invoke", 1, command="ls")), rule).truth is False
    assert found(acted(act("invoke", 1, args={"cmd": "rm"})), rule).truth is None
    assert found(acted(act("tool", 1, cmd="rm -r /")), rule).truth is False
    both: Data = {"action": {"args": {"command": {"contains": "rm"}, "folder": "/"}}}
    assert found(acted(act("invoke", 1, command="rm", dir="/")), both).truth is None


def test_arguments_may_say_a_time_within_the_episode() -> None:
    rule: Data = {"action": {"args": {"at": "within_episode"}}}
    inside, outside = 1_790_000_030, 1_790_000_090
    assert found(acted(act("tool", 1, at=inside)), rule).truth is True
    assert found(acted(act("tool", 1, at=outside)), rule).truth is False


def test_a_rule_may_leave_its_kind_open_and_says_which_kinds_there_are() -> None:
    assert found(acted(act("tool", 1, tool="pay")), {"action": {"kind": None, "tool": "pay"}}).truth is True
    with pytest.raises(ValidationError, match="no action is of kind 'tap'") as caught:
        Condition.model_validate(action("tap"))
    error = caught.value.errors()[0].get("ctx", {})
    *kinds, unknown = error["known"]
    assert (error["word"], unknown, kinds) == ("tap", "unknown", sorted(KINDS))


NAMELESS: list[dict[str, Value]] = [
    {"name": "restart"},
    {"tool": {"name": "restart"}},
    {"args": {"tool": "restart"}},
    {},
]


@pytest.mark.parametrize("said", NAMELESS)
def test_a_tool_that_nobody_named_may_be_any(said: dict[str, Value]) -> None:
    asked: Data = {"action": {"tool": "restart"}}
    nameless = normalise({"kind": "tool", **said}, seq=1, reported_by="runner")
    named = normalise({"kind": "tool", **said, "tool": "look"}, seq=1, reported_by="runner")
    assert found(acted(nameless), asked, "veto").truth is None
    assert found(acted(named), asked, "veto").truth is False
    assert found(acted(act("click", 1)), asked, "veto").truth is False
