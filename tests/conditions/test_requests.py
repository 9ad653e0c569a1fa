"""`request` by itself: what its finding says and shows, when a request was sent, and what cannot be told of it."""

from collections.abc import Sequence

import pytest
from tests.judging.kit import Data, Given, act, action, case, seen, source, unread

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.conditions.request import RequestRule
from exactchange.snapshot import TreeSnapshot
from exactchange.values import Value
from exactchange.verdict import Truth


def entry(seq: int, method: str = "POST", **more: Value) -> dict[str, Value]:
    return {"seq": seq, "method": method, "url": f"http://a.test/{seq}", "status": 200, **more}


def page(*captures: TreeSnapshot | Sequence[Value]) -> Case:
    """A page whose captures show these requests so far."""
    states: list[Given] = [item if isinstance(item, TreeSnapshot) else {"@requests": list(item)} for item in captures]
    return case(source("s", states), actions=[act("click", n) for n in range(1, len(states))])


def rule(**fields: Value) -> Data:
    return {"request": {"in": "s", **fields}}


def found(run: Case, asked: Data, *, ends: bool = True) -> Result:
    return Condition.model_validate(asked).check(Evaluation(run, ends=ends), tier="bonus")


LOST = seen({}, unread("@requests", reason="locked"))
PENDING: Value = {"seq": 1, "method": "POST", "url": "http://a.test/1"}
SAID: list[tuple[Case, Data, Truth, str, list[int]]] = [
    (page([], [entry(1)]), rule(method="POST"), True, "POST http://a.test/1 at step 1", [1]),
    (page([], [], [entry(1)]), rule(method="POST"), True, "POST http://a.test/1 at step 2", [2]),
    (page([], [entry(1)], [entry(1), entry(2)]), rule(method="POST"), True, "POST http://a.test/1 at step 1", [1, 2]),
    (page([], [entry(1)]), rule(method="POST", count=2), False, "POST http://a.test/1 at step 1", [1]),
    (page([], [entry(1)]), rule(method="GET"), False, "no such request", []),
    (page([], [PENDING]), rule(status=200), None, "cannot be told", [1]),
    (page([], [PENDING]), rule(status=200, count={"ge": 2}), False, "no such request", [1]),
    (page([], LOST), rule(method="GET"), None, "s: requests are unread: locked", []),
    (page([], LOST, [entry(1)]), rule(method="GET"), None, "s: requests are unread: locked", []),
    (page([], LOST, [entry(1)]), rule(method="POST"), True, "POST http://a.test/1 at step 2", [2]),
    (page([]), rule(method="GET"), None, "s: there is no capture after the start", []),
]


@pytest.mark.parametrize(("run", "asked", "truth", "why", "steps"), SAID)
def test_a_finding_names_the_first_request_and_shows_all(
    run: Case, asked: Data, truth: Truth, why: str, steps: list[int]
) -> None:
    result = found(run, asked)
    assert (result.truth, result.why, [item["step"] for item in result.evidence]) == (truth, why, steps)


def test_a_request_is_shown_by_method_url_and_status_as_far_as_they_are_known() -> None:
    whole = found(page([], [entry(1, body="secret")]), rule(method="POST"))
    assert whole.evidence == (
        {"kind": "request", "step": 1, "method": "POST", "url": "http://a.test/1", "status": 200},
    )
    assert found(page([], [PENDING]), rule(method="POST")).evidence == (
        {"kind": "request", "step": 1, "method": "POST", "url": "http://a.test/1"},
    )


PARTS: list[tuple[dict[str, Value], Data, Truth]] = [
    ({}, rule(method="post", url="http://a.test/1", status=200), True),
    ({"method": "patch"}, rule(method="PATCH"), True), ({"method": "PATCH"}, rule(method="patch"), True),
    ({"url": "http://a.test/1?do=x&do=pay"}, rule(url={"query": {"do": "pay"}, "rest": "any"}), None),
    ({"body": {"do": ["view", "pay"]}}, rule(body={"has": {"do": "pay"}}), None),
    ({"body": {"do": ["pay", "pay"]}}, rule(body={"exactly": {"do": "pay"}}), None),
    ({"body": {"do": ["view", "see"]}}, rule(body={"has": {"do": "pay"}}), False),
    ({"body": {"do": ["view", "pay"]}}, rule(body={"has": {"do": "pay"}}, method="GET"), False),
    ({"body": {"do": ["pay", "pay"]}}, rule(body={"has": {"do": {"items": ["pay", "pay"]}}}), True),
    ({}, rule(method="GET", url="http://a.test/1"), False), ({}, rule(method="POST", url="http://a.test/2"), False),
    ({"body": "n=1"}, rule(body="n=1"), True), ({"body": "n=1"}, rule(body="n=2"), False), ({}, rule(body="n=1"), None),
    ({}, rule(body="n=1", method="GET"), False),
    ({"body": "at 2026"}, rule(body={"same": "x"}), None),
    ({"url": "http://a.test/1?x=1"}, rule(url={"path": "/1"}), True),
    ({"url": "http://a.test/1?x=1"}, rule(url={"path": "/1", "query": {}}), False),
    ({"url": "http://a.test/1?x=1"}, rule(url={"path": "/1", "rest": "none"}), False),
    ({"url": "http://a.test/1?x=1&y=2"}, rule(url={"query": {"x": "1"}}), False),
    ({"url": "http://a.test/1?x=1"}, rule(url="http://a.test/1"), False),
]  # fmt: skip


@pytest.mark.parametrize(("more", "asked", "truth"), PARTS)
def test_every_part_that_is_named_has_to_fit(more: dict[str, Value], asked: Data, truth: Truth) -> None:
    sent = {**entry(1), **more}
    run = page([], [sent])
    assert found(run, asked).truth is truth
    assert RequestRule.model_validate(asked["request"]).fits(sent, Evaluation(run)) is truth


@pytest.mark.parametrize("body", [{"json": 1}, {"not": {"json": 1}}, {"one_of": ["x", {"json": {"has": {"a": 1}}}]}])
def test_a_rule_that_no_body_could_fit_is_refused(body: Value) -> None:
    """What is sent as JSON is recorded as data."""
    with pytest.raises(ValueError, match="is recorded as data"):
        Condition.model_validate(rule(body=body))
    inside = Condition.model_validate(rule(body={"has": {"field": {"json": 1}}}))
    assert inside.kind == "request"


def test_a_request_without_a_number_is_told_by_all_that_is_known_of_it() -> None:
    bare: Value = {"method": "POST", "url": "http://a.test/1"}
    other: Value = {"method": "POST", "url": "http://a.test/2"}
    assert found(page([], [bare], [bare]), rule(method="POST", count=1)).truth is True
    assert found(page([], [bare], [bare, other]), rule(method="POST", count=2)).truth is True


def test_an_answer_that_comes_later_is_told_then_and_the_request_counts_once() -> None:
    late = page([], [PENDING], [entry(1, status=500)], [entry(1, status=500)])
    assert found(late, rule(status=500, count=1)).truth is True
    assert found(late, rule(status=200)).truth is False
    assert found(late, rule(method="POST", count=1)).truth is True
    assert moments(late, rule(status=500))[0] == [(1, 1)]
    assert found(page([PENDING], [entry(1)]), rule(status=200)).truth is False


def test_what_fitted_once_stays_so() -> None:
    run = page([], [entry(1)], [entry(1, status=500)])
    assert found(run, rule(status=200)).truth is True
    assert found(run, rule(status=500)).truth is False


@pytest.mark.parametrize("lacking", ["method", "url", "status", "body"])
def test_what_was_not_recorded_of_a_request_cannot_be_told(lacking: str) -> None:
    whole = entry(1, body="n=1")
    run = page([], [{name: part for name, part in whole.items() if name != lacking}])
    wanted: dict[str, Value] = {"method": "POST", "url": "http://a.test/1", "status": 200, "body": "n=1"}
    assert found(run, rule(**{lacking: wanted[lacking]})).truth is None
    assert found(run, rule(**{**wanted, "status" if lacking != "status" else "body": 404})).truth is False


def test_what_was_sent_before_the_start_is_none_of_the_agents() -> None:
    assert found(page([entry(1)], [entry(1), entry(2)]), rule(method="POST", count=1)).truth is True
    assert found(page([entry(1)], [entry(1)]), rule(method="POST")).truth is False


def test_before_the_end_more_may_be_sent() -> None:
    run = page([], [entry(1)])
    assert found(run, rule(method="POST"), ends=False).truth is True
    assert found(run, rule(method="POST", count=1), ends=False).truth is None
    assert found(run, rule(method="GET"), ends=False).truth is None
    assert found(run, rule(method="POST", count=0), ends=False).truth is False


def moments(run: Case, asked: Data, *, ends: bool = True) -> tuple[list[tuple[int, int]], bool, str]:
    told = Condition.model_validate(asked).moments(Evaluation(run, ends=ends), trusted=False)
    return [moment.steps for moment in told.sure], told.unsure, told.why


def test_a_request_was_sent_after_the_last_capture_that_showed_all_before_it() -> None:
    post = rule(method="POST")
    assert moments(page([], [], [entry(1)]), post) == ([(2, 2)], False, "")
    assert moments(page([], [entry(1)], [entry(1), entry(2)]), post) == ([(1, 1), (2, 2)], False, "")
    lost = page([], LOST, [entry(1)])
    assert moments(lost, post) == ([(1, 2)], True, "s: requests are unread: locked")
    assert moments(page([], [], LOST, [entry(1)]), post)[0] == [(2, 3)]
    assert moments(page([], LOST, [], [entry(1)]), post)[0] == [(3, 3)]
    assert moments(page([], [entry(1)]), post, ends=False) == ([(1, 1)], True, "")
    assert moments(page([], [PENDING]), rule(status=200)) == ([], True, "")
    other: Value = {**entry(2), "status": 404}
    assert moments(page([], [entry(1), {"seq": 3, "method": "POST"}, other]), rule(status=200)) == ([(1, 1)], True, "")
    assert moments(page([], [entry(1)]), rule(status=500)) == ([], False, "")


def test_what_may_have_been_sent_before_the_licence_is_not_licensed() -> None:
    actions = [act("reply", 1, "witness", text="yes"), act("click", 2)]
    states: list[Given] = [{"@requests": []}, LOST, {"@requests": [entry(1)]}]
    free = rule(method="POST", unless_after=action("reply"))
    assert found(case(source("s", states), actions=actions), free).truth is True
    states[1] = {"@requests": []}
    assert found(case(source("s", states), actions=actions), free).truth is False


def test_a_url_that_cannot_be_one_is_refused_and_an_open_one_is_none() -> None:
    with pytest.raises(ValueError, match="takes a URL"):
        Condition.model_validate(rule(url="x"))
    assert found(page([], [entry(1)]), rule(url=None, method="POST")).truth is True
