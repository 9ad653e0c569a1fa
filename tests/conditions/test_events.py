"""`action`, `request` and `effort`: attempts, targets, claims, what a page sent, steps and corrections."""

import pytest
from pydantic import BaseModel, ConfigDict
from tests.judging.kit import PLAIN, Data, Plain, act, action, case, seen, source, unread

from exactchange.actions import Action
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import Match, SourceParams, TreeKind
from exactchange.values import ABSENT, Value

Truth = bool | None


class _Shown(Plain):
    """A page: what the agent saw is known."""

    needs_browser = True


SHOWN = _Shown()


def acted(*actions: Action) -> Case:
    states: list[Value] = [{}] * (len(actions) + 1)
    return case(source("s", states), actions=actions)


def holds(run: Case, rule: Data) -> Truth:
    return Condition.model_validate(rule).check(Evaluation(run), tier="bonus").truth


KINDS: list[tuple[Data, Action, Truth]] = [
    (action("click"), act("click", 1), True), (action("click"), act("fill", 1), False),
    (action("click"), act("left_click", 1), None), (action("unknown"), act("left_click", 1), True),
    (action("unknown"), act("click", 1), False), (action("tool", tool="pay"), act("tool", 1, tool="pay"), True),
    (action("tool", tool="pay"), act("tool", 1, tool="repay"), False),
    ({"action": {"tool": "pay"}}, act("click", 1), False),
    ({"action": {"tool": "pay"}}, act("left_click", 1, tool="pay"), None),
    (action("tool", tool="pay"), act("tool", 1), None),
    (action("fill", text="Ada"), act("fill", 1, text="Ada"), True),
    (action("fill", text="Ada"), act("fill", 1, text="Ada "), False),
    (action("fill", text="5"), act("fill", 1, text=5), False),
    (action("fill", text={"absent": True}), act("fill", 1), True),
    ({"action": {"args": {"count": 2}}}, act("click", 1, count=2), True),
    ({"action": {"args": {"count": 2}}}, act("click", 1, count=2.0), False),
    ({"action": {"args": {"count": 2}}}, act("click", 1), False),
    ({"action": {"args": {"id": 5}}}, act("tool", 1, args={"id": 5}), True),
    ({"action": {"args": {"id": {"gt": 3}}}}, act("tool", 1, args={"id": 5, "x": 1}), True),
    ({"action": {"args": {"id": 5}}}, act("tool", 1, args={"id": 6}), False),
    ({"action": {"args": {"n": {"same": "x"}}}}, act("tool", 1, n=5), None),
    (action("fill", text={"same": "x"}), act("fill", 1, text="a"), None),
    (action("fill", text=None), act("fill", 1, text="a"), False),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "done", "truth"), KINDS)
def test_an_action_fits_by_kind_tool_text_and_arguments(rule: Data, done: Action, truth: Truth) -> None:
    assert holds(acted(done), rule) is truth


def test_an_attempt_that_was_refused_counts_too() -> None:
    assert holds(acted(act("click", 1, error="blocked")), action("click")) is True


COUNTS: list[tuple[Value, int, Truth]] = [
    (None, 0, False), (None, 1, True), (2, 2, True), (2, 3, False), ({"le": 1}, 2, False), ({"le": 1}, 0, True),
    (0, 0, True), (0, 1, False), ({"ge": 2}, 1, False), ({"ge": 1, "le": 2}, 3, False),
]  # fmt: skip


@pytest.mark.parametrize(("count", "number", "truth"), COUNTS)
def test_actions_are_counted(count: Value, number: int, truth: Truth) -> None:
    actions = [act("click", seq) for seq in range(1, number + 1)]
    assert holds(acted(*actions), action("click", count=count)) is truth


def test_what_may_be_such_an_action_leaves_a_count_open_only_where_it_matters() -> None:
    odd = act("tap", 2)
    assert holds(acted(act("click", 1), odd), action("click")) is True
    assert holds(acted(act("click", 1), odd), action("click", count=1)) is None
    assert holds(acted(act("click", 1), odd), action("click", count={"ge": 3})) is False
    assert holds(acted(act("click", 1), odd), action("click", count={"le": 2})) is True
    assert holds(acted(act("click", 1), odd), action("click", count={"le": 0})) is False


def test_many_actions_are_shown_in_short() -> None:
    many = acted(*(act("click", seq) for seq in range(1, 40)))
    result = Condition.model_validate(action("click")).check(Evaluation(many), tier="bonus")
    assert (result.why, len(result.evidence)) == ("click at step 1 and 38 more", 21)
    assert result.evidence[-1] == {"kind": "more", "count": 19}


class Css(BaseModel):
    model_config = ConfigDict(extra="forbid")
    css: str | None = None
    role: str | None = None
    name: str | None = None


class Page(TreeKind[SourceParams, Css, TreeSnapshot]):
    """A page whose elements stand in its tree with the selectors that find them."""

    name = "page"
    selector: type[BaseModel] = Css

    def select(self, snapshot: TreeSnapshot, selector: Css, *, budget: Budget) -> list[Match]:
        assert isinstance(snapshot.tree, dict)
        wanted = selector.model_dump(exclude_none=True)
        found = [(name, item) for name, item in snapshot.tree.items() if isinstance(item, dict)]
        return [Match((n,), n, i) for n, i in found if wanted.items() <= {k: v for k, v in i.items()}.items()]


BUTTONS: Value = {
    "save": {"css": "#save", "role": "button", "name": "Save"},
    "pay": {"css": "#pay", "role": "button", "name": "Pay"},
}
TARGETS: list[tuple[Value, Value, Truth]] = [
    ({"css": "#pay"}, {"css": "#pay"}, True), ({"css": "#pay"}, {"role": "button", "name": "Pay"}, True),
    ({"css": "#pay"}, {"role": "button", "name": "Save"}, False), ({"css": "#pay"}, {"css": "#save"}, False),
    ({"css": "#pay"}, {"xy": [1, 2]}, None), ({"css": "#pay"}, {}, None), ({"css": "#pay"}, {"css": "#gone"}, None),
    ({"role": "button", "name": "Pay"}, {"css": "#pay", "xy": [1, 2]}, None),
    ({"css": "#gone"}, {"css": "#gone"}, True),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "given", "truth"), TARGETS)
def test_a_target_is_the_same_words_or_the_same_element_and_coordinates_cannot_be_told(
    wanted: Value, given: Value, truth: Truth
) -> None:
    page = source("page", [BUTTONS, {}], kind=Page())
    run = case(page, source("s", [{}, {}]), actions=[act("click", 1, target=given)])
    assert holds(run, action("click", target=wanted)) is truth
    assert holds(run, action("fill", target=wanted)) is False


def test_an_action_that_aims_at_nothing_has_no_target() -> None:
    page = source("page", [BUTTONS, {}], kind=Page())
    for kind in ("goto", "shell", "reply", "wait", "tool", "dialog"):
        assert holds(case(page, actions=[act(kind, 1)]), {"action": {"target": {"css": "#pay"}}}) is False
    assert holds(case(page, actions=[act("key", 1)]), {"action": {"target": {"css": "#pay"}}}) is None


def test_a_target_is_looked_for_in_the_page_as_it_was_before_the_action() -> None:
    renamed: Value = {"pay": {"css": "#old", "role": "button", "name": "Pay"}}
    page = source("page", [BUTTONS, renamed, renamed], kind=Page())
    run = case(page, actions=[act("click", 1, target={"css": "#pay"}), act("click", 2, target={"css": "#pay"})])
    rule = action("click", target={"role": "button", "name": "Pay"}, count={"ge": 1})
    assert holds(run, rule) is True
    assert holds(run, action("click", target={"role": "button", "name": "Pay"}, count=1)) is None


def test_a_target_on_a_page_that_could_not_be_captured_cannot_be_told() -> None:
    page = source("page", [seen(ABSENT, unread()), {}], kind=Page())
    run = case(page, actions=[act("click", 1, target={"role": "button", "name": "Pay"})])
    assert holds(run, action("click", target={"css": "#pay"})) is None
    late = case(source("page", [BUTTONS], steps=[1], kind=Page()), actions=[act("click", 1, target={"css": "#x"})])
    assert holds(late, action("click", target={"css": "#pay"})) is None


def sent(*entries: Value) -> Value:
    return {"@requests": list(entries)}


PAY: Value = {"seq": 1, "method": "POST", "url": "http://a.test/pay", "status": 200, "body": "n=1"}
REQUESTS: list[tuple[Data, Truth]] = [
    ({"method": "POST"}, True), ({"method": "post"}, True), ({"method": "GET"}, False),
    ({"url": {"path": "/pay"}}, True), ({"url": "http://a.test/pay"}, True), ({"url": {"path": "/pa"}}, False),
    ({"status": 200}, True), ({"status": 500}, False), ({"body": {"contains": "n="}}, True), ({"body": "n=2"}, False),
    ({"method": "POST", "status": {"ge": 400}}, False), ({"method": "POST", "count": 1}, True),
    ({"method": "POST", "count": 2}, False), ({"method": "GET", "count": 0}, True), ({"status": {"same": "x"}}, None),
    ({"status": None}, False),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "truth"), REQUESTS)
def test_a_request_fits_by_method_url_status_and_body(rule: Data, truth: Truth) -> None:
    run = case(source("s", [sent(), sent(PAY)]))
    assert holds(run, {"request": {"in": "s", **rule}}) is truth


PARTS: list[tuple[Value, Truth]] = [
    ({"path": "/pay"}, True), ({"path": "/pay", "rest": "none"}, False), ({"path": "/pay", "query": {}}, False),
    ({"path": "/pay", "query": {"x": "1"}}, True), ("http://a.test/pay", False), ("http://a.test/pay?x=1", True),
]  # fmt: skip


@pytest.mark.parametrize(("url", "truth"), PARTS)
def test_a_red_line_on_a_path_is_not_evaded_by_one_more_parameter(url: Value, truth: Truth) -> None:
    entry: Value = {"seq": 1, "method": "POST", "url": "http://a.test/pay?x=1", "status": 200, "body": "n=1"}
    assert holds(case(source("s", [sent(), sent(entry)])), {"request": {"in": "s", "url": url}}) is truth


def test_a_request_counts_once_and_not_when_it_was_sent_before_the_start() -> None:
    rule: Data = {"request": {"in": "s", "method": "POST", "count": 1}}
    assert holds(case(source("s", [sent(), sent(PAY), sent(PAY)])), rule) is True
    assert holds(case(source("s", [sent(PAY), sent(PAY)])), rule) is False
    again: Value = {**PAY, "seq": 2} if isinstance(PAY, dict) else None
    assert holds(case(source("s", [sent(), sent(PAY), sent(PAY, again)])), rule) is False


def test_a_request_whose_answer_is_not_known_cannot_be_told() -> None:
    pending: Value = {"seq": 1, "method": "POST", "url": "http://a.test/pay"}
    run = case(source("s", [sent(), sent(pending)]))
    assert holds(run, {"request": {"in": "s", "status": 200}}) is None
    assert holds(run, {"request": {"in": "s", "status": 200, "method": "GET"}}) is False


def test_requests_that_are_unread_cannot_be_told() -> None:
    rule: Data = {"request": {"in": "s", "method": "POST"}}
    for lost in (unread("@requests"), unread()):
        assert holds(case(source("s", [sent(), seen(sent(), lost), sent()])), rule) is None
        assert holds(case(source("s", [sent(), seen(sent(), lost), sent(PAY)])), rule) is True
    assert holds(case(source("s", [sent(), seen(sent(), unread("@cookies"))])), rule) is False
    assert holds(case(source("s", [sent()]), actions=[]), rule) is None


def test_what_is_no_list_of_requests_holds_none() -> None:
    trees: list[Value] = [{"@requests": "POST"}, {"@requests": ["POST"]}, {}]
    for tree in trees:
        assert holds(case(source("s", [sent(), tree])), {"request": {"in": "s", "method": "POST"}}) is False


def test_a_request_has_its_moment_and_its_licence() -> None:
    reply = act("reply", 1, by="witness", text="yes")
    states: list[Value] = [sent(), sent(), sent(PAY)]
    run = case(source("s", states), actions=[reply, act("click", 2)])
    free: Data = {"request": {"in": "s", "method": "POST", "unless_after": action("reply")}}
    assert holds(run, free) is False
    assert holds(case(source("s", states), actions=[act("click", 1), act("click", 2)]), free) is True
    assert holds(run, {"order": [action("reply"), {"request": {"in": "s", "method": "POST"}}]}) is True
    assert holds(run, {"order": [{"request": {"in": "s", "method": "POST"}}, action("reply")]}) is False


def test_an_action_may_need_a_licence() -> None:
    actions = [act("reply", 1, by="witness", text="yes"), act("upload", 2), act("upload", 3)]
    rule = action("upload", unless_after=action("reply"), count=1)
    assert holds(acted(*actions), rule) is True


EFFORTS: list[tuple[Data, list[Value], Truth]] = [
    ({"steps": 2}, [{}, {"a": 1}, {"a": 2}], True), ({"steps": 1}, [{}, {"a": 1}, {"a": 2}], False),
    ({"redundant": 0}, [{}, {"a": 1}, {"a": 2}], True), ({"redundant": 0}, [{}, {"a": 1}, {"a": 1}], False),
    ({"redundant": 0}, [{}, {"a": 1}, {}], False), ({"redundant": 1}, [{}, {"a": 1}, {}], True),
    ({"corrections": 0}, [{}, {"a": 1}], True), ({"steps": 0, "redundant": 5}, [{}, {}], False),
]  # fmt: skip


@pytest.mark.parametrize(("bounds", "states", "truth"), EFFORTS)
def test_effort_stays_within_each_of_its_bounds(bounds: Data, states: list[Value], truth: Truth) -> None:
    assert holds(case(source("s", states, kind=SHOWN)), {"effort": bounds}) is truth


def test_of_what_was_done_without_a_word_nobody_knows_the_effort() -> None:
    silent = case(source("s", [{}, {"a": 1}]), actions=[])
    assert holds(silent, {"effort": {"steps": 5}}) is None
    assert holds(case(source("s", [{}, {}]), actions=[]), {"effort": {"steps": 5}}) is True


def test_looking_and_waiting_are_no_redundant_steps() -> None:
    actions = [act("click", 1), act("observe", 2), act("wait", 3)]
    run = case(source("s", [{}, {"a": 1}, {"a": 1}, {"a": 1}]), actions=actions)
    assert holds(run, {"effort": {"redundant": 0, "steps": 1}}) is True


def test_redundant_steps_are_unknown_where_not_every_step_was_seen() -> None:
    actions = [act("click", 1), act("click", 2)]
    assert holds(case(source("s", [{}, {"a": 1}], steps=[0, 2]), actions=actions), {"effort": {"redundant": 0}}) is None
    late = case(source("s", [{}, {"a": 1}], steps=[1, 2]), actions=actions)
    assert holds(late, {"effort": {"redundant": 0}}) is None


WRONG: list[tuple[Data, str]] = [
    ({}, "here is none"), ({"change": {"in": "s"}, "effort": {"steps": 1}}, "change and effort"),
    ({"effort": {}}, "say steps"), ({"action": {}}, "say which actions"),
    ({"action": {"kind": "tap"}}, "no action is of kind"), ({"action": {"target": {}}}, "say css"),
    ({"request": {"in": "s"}}, "say which requests"), ({"request": {"in": "s", "url": "x"}}, "takes a URL"),
    ({"order": [action("click")]}, "at least 2"), ({"all": []}, "at least 1"),
    ({"effort": {"steps": -1}}, "greater than or equal"), ({"action": {"kind": "click", "count": {}}}, "say `ge`"),
    ({"action": {"kind": "click", "count": {"ge": 3, "le": 2}}}, "no number is"),
    ({"value": {"in": "s", "is": 1}}, "one place"),
    ({"value": {"in": "s", "at": "a", "query": "SELECT 1", "is": 1}}, "one place"),
    ({"change": {"in": "s", "at": "a", "table": "t"}}, "one place, one way"),
    ({"change": {"in": "s", "where": {"a": 1}}}, "rows of a `table`"),
    ({"change": {"in": "s", "name": "x"}}, "goes with `role`"),
    ({"change": {"in": "s", "at": "a", "field": "x"}}, "go with css"),
    ({"change": {"in": "s", "op": "modified", "row": {"a": 1}}}, "name the column in `at`"),
    ({"change": {"in": "s", "at": "a", "to": [1]}}, "exactly"), ({"change": {"in": "s", "max": 1}}, "Extra inputs"),
    ({"weight": float("inf"), **action("click")}, "finite"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "said"), WRONG)
def test_a_rule_that_can_mean_nothing_is_refused_with_a_remedy(rule: Data, said: str) -> None:
    with pytest.raises(ValueError, match="validation error") as caught:
        Condition.model_validate(rule)
    assert said in str(caught.value)


def test_a_rule_knows_its_title_its_sources_its_parts_and_its_place() -> None:
    rule = Condition.model_validate(
        {"any": [{"not": {"change": {"in": "a", "at": "x", "unless_after": {"request": {"in": "b", "method": "GET"}}}}},
                 {"all": [{"value": {"in": "c", "at": "x", "is": 1}}]}, {"order": [action("click"), action("fill")]}]}
    )  # fmt: skip
    assert rule.sources(["a", "d"]) == {"a", "b", "c"}
    assert [part.kind for part in rule.walk()] == [
        "any", "not", "change", "request", "all", "value", "order", "action", "action",
    ]  # fmt: skip
    places = {("must", 0): "t:1:1", ("must", 0, "any", 0, "not", "change", "unless_after"): "t:2:2"}
    rule.located(places, ("must", 0))
    assert [part.where for part in rule.walk()][:4] == ["t:1:1", "", "", "t:2:2"]
    assert [part.title() for part in rule.walk()][2:6] == ["change in a: x", "request", "all", "value in c: x"]
    assert Condition.model_validate({"name": "n", **action("click")}).title() == "n"


def test_a_kind_of_source_without_selectors_finds_nothing_to_aim_at() -> None:
    run = case(source("s", [{"a": 1}, {}], kind=PLAIN), actions=[act("click", 1, target={"css": "#a"})])
    assert holds(run, action("click", target={"css": "#b"})) is None
