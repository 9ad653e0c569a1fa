"""Semantics 21: the order of outcomes, what is undecided and why, and the score."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.judging.kit import (
    Data,
    act,
    action,
    allow,
    case,
    change,
    finding,
    judged,
    left,
    seen,
    source,
    task,
    told,
    unread,
    value,
)

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.evaluation import Tier
from exactchange.judging import judge, vetoed_so_far
from exactchange.snapshot import Cause
from exactchange.task import Task
from exactchange.task.model import Score
from exactchange.values import ABSENT, Value
from exactchange.values.jsonform import Json
from exactchange.verdict import Bonus, verdict_json

TRUE, FALSE = change("t", to=2), change("t", to=9)
UNKNOWN = change("@lost")


def run(*, lost: bool = False, cause: Cause = "content", complete: bool = True, failure: str | None = None) -> Case:
    """`t` goes from 1 to 2, `u` from 1 to 2 as well; `@lost`, outside the closed world, cannot be read at the end."""
    after: Value = {"t": 2, "u": 2}
    end = seen(after, unread("@lost", cause=cause), *([unread("lost", cause=cause)] if lost else []))
    return case(source("s", [{"t": 1, "u": 1}, end]), complete=complete, failure=failure)


ALLOWED = [allow("u"), allow("t")]
OUTCOMES: list[tuple[list[Data], list[Data], list[Data], bool, str]] = [
    ([], [TRUE], ALLOWED, False, "passed"),
    ([FALSE], [TRUE], ALLOWED, False, "passed"),
    ([TRUE], [TRUE], ALLOWED, False, "vetoed"),
    ([UNKNOWN], [TRUE], ALLOWED, False, "undecided"),
    ([], [FALSE], ALLOWED, False, "unmet"),
    ([], [UNKNOWN], ALLOWED, False, "undecided"),
    ([], [TRUE], [], False, "unmet"),
    ([], [TRUE], ALLOWED, True, "undecided"),
    ([TRUE], [FALSE], [], True, "vetoed"),
    ([UNKNOWN, TRUE], [TRUE], ALLOWED, False, "vetoed"),
    ([UNKNOWN], [FALSE], ALLOWED, False, "unmet"),
    ([UNKNOWN], [TRUE], [], False, "unmet"),
    ([], [FALSE, UNKNOWN], ALLOWED, False, "unmet"),
    ([], [FALSE], ALLOWED, True, "unmet"),
    ([], [UNKNOWN], [], False, "unmet"),
]


@pytest.mark.parametrize(("veto", "must", "allowed", "lost", "outcome"), OUTCOMES)
def test_vetoed_before_unmet_before_undecided_before_passed(
    veto: list[Data], must: list[Data], allowed: list[Data], lost: bool, outcome: str
) -> None:
    verdict = judged(run(lost=lost), *must, veto=veto, allow=allowed)
    assert verdict.outcome == outcome
    assert verdict.passed == (outcome == "passed")
    assert verdict.score == (100 if outcome == "passed" else 0)


LOGIC: list[tuple[Data, bool | None]] = [
    ({"all": [TRUE, TRUE]}, True), ({"all": [TRUE, FALSE]}, False), ({"all": [TRUE, UNKNOWN]}, None),
    ({"all": [FALSE, UNKNOWN]}, False), ({"any": [FALSE, FALSE]}, False), ({"any": [TRUE, UNKNOWN]}, True),
    ({"any": [FALSE, UNKNOWN]}, None), ({"not": TRUE}, False), ({"not": FALSE}, True), ({"not": UNKNOWN}, None),
    ({"not": {"all": [TRUE, UNKNOWN]}}, None), ({"not": {"any": [TRUE, UNKNOWN]}}, False),
    ({"all": [{"any": [FALSE, TRUE]}, {"not": FALSE}]}, True),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "truth"), LOGIC)
def test_all_any_and_not_follow_kleene(rule: Data, truth: bool | None) -> None:
    tiers: tuple[Tier, ...] = ("veto", "bonus", "must")
    for tier in tiers:
        assert Condition.model_validate(rule).check(Evaluation(run()), tier=tier).truth is truth


def test_what_the_content_caused_scores_nothing_and_what_the_infrastructure_caused_is_no_verdict() -> None:
    content = judged(run(lost=True), TRUE, allow=ALLOWED)
    assert told(content) == ("undecided", "content", 0)
    machine = judged(run(lost=True, cause="infrastructure"), TRUE, allow=ALLOWED)
    assert told(machine) == ("undecided", "infrastructure", None)


def test_one_cause_of_content_among_others_of_infrastructure_is_content() -> None:
    end = seen({"t": 2}, unread("a", cause="infrastructure"), unread("b", cause="content"))
    verdict = judged(case(source("s", [{"t": 1}, end])), TRUE)
    assert (verdict.outcome, verdict.cause) == ("undecided", "content")


def test_a_failure_of_the_infrastructure_is_no_verdict_unless_a_veto_holds_already() -> None:
    failed = run(failure="the browser died")
    verdict = judged(failed, TRUE, allow=ALLOWED)
    assert told(verdict) == ("undecided", "infrastructure", None)
    assert ("infrastructure", "the browser died") in [(item.kind, item.message) for item in verdict.warnings]
    assert judged(failed, FALSE).outcome == "undecided"
    assert judged(failed, TRUE, veto=[TRUE]).outcome == "vetoed"


def test_an_episode_that_is_not_complete_never_passes() -> None:
    verdict = judged(run(complete=False), TRUE, allow=ALLOWED)
    assert (verdict.outcome, verdict.cause) == ("undecided", "content")
    assert judged(run(complete=False), FALSE, allow=ALLOWED).outcome == "unmet"


def test_a_veto_that_cannot_be_told_is_shown_beside_a_must_that_failed() -> None:
    verdict = judged(run(), FALSE, allow=ALLOWED, veto=[UNKNOWN])
    assert (verdict.outcome, finding(verdict, "veto").holds) == ("unmet", None)


SCORES: list[tuple[list[tuple[bool, float | None]], Fraction]] = [
    ([], Fraction(100)), ([(True, None)], Fraction(100)), ([(False, None)], Fraction(60)),
    ([(True, None), (False, None)], Fraction(80)), ([(True, 3), (False, 1)], Fraction(90)),
    ([(True, None), (False, 3)], Fraction(70)),
    ([(True, 1), (False, 2)], Fraction(60) + Fraction(40, 3)), ([(True, 0.5), (False, 1.5)], Fraction(70)),
]  # fmt: skip


@pytest.mark.parametrize(("bonus", "score"), SCORES)
def test_a_pass_scores_60_and_40_more_by_the_weight_of_the_bonus_that_was_met(
    bonus: list[tuple[bool, float | None]], score: Fraction
) -> None:
    rules = [{**(TRUE if met else FALSE), **({} if weight is None else {"weight": weight})} for met, weight in bonus]
    verdict = judged(run(), TRUE, allow=ALLOWED, bonus=rules)
    assert (verdict.outcome, verdict.score) == ("passed", score)
    assert (verdict.bonus.met, verdict.bonus.of) == (sum(met for met, _ in bonus), len(bonus))


def worth(passed: int, *must: Data, bonus: Sequence[Data] = ()) -> Task:
    """A task that says how many points a pass is worth."""
    return replace(task(*must, allow=ALLOWED, bonus=bonus), score=Score(passed=passed))


@pytest.mark.parametrize(
    ("passed", "met", "score"),
    [
        (0, False, 0),
        (0, True, 100),
        (30, False, 30),
        (100, False, 100),
        (100, True, 100),
        (60, False, 60),
        (75, True, 100),
    ],
)
def test_a_task_may_say_what_a_pass_is_worth_and_bonus_fills_up_to_100(passed: int, met: bool, score: int) -> None:
    verdict = judge(worth(passed, TRUE, bonus=[TRUE if met else FALSE]), run())
    assert (verdict.outcome, verdict.score) == ("passed", Fraction(score))
    assert verdict.bounds is not None and verdict.bounds.score_at_most == score
    unknown = judge(worth(passed, TRUE, bonus=[UNKNOWN, FALSE]), run())
    assert unknown.bounds is not None
    assert (unknown.score, unknown.bounds.score_at_most) == (Fraction(passed), passed + Fraction(100 - passed, 2))
    assert judge(worth(passed, TRUE), run()).score == 100
    assert judge(worth(passed, FALSE, bonus=[TRUE]), run()).score == 0


def test_a_bonus_is_looked_at_after_a_pass_only_and_never_lifts_an_outcome() -> None:
    for veto in ([TRUE], []):
        verdict = judged(run(), TRUE, bonus=[TRUE], veto=veto)
        assert not verdict.passed
        assert (told(verdict)[2], verdict.bonus) == (0, Bonus(0, 1))
        assert [item.tier for item in verdict.findings if item.tier == "bonus"] == []


def test_a_bonus_that_cannot_be_told_is_not_met_and_does_no_harm() -> None:
    verdict = judged(run(), TRUE, allow=ALLOWED, bonus=[UNKNOWN])
    assert (told(verdict), verdict.bonus.met) == (("passed", None, 60), 0)


def test_a_change_that_may_be_the_wanted_one_is_undecided_and_one_that_is_not_is_unmet() -> None:
    """Of a secret nobody can tell whether it is the wanted one; another change is certainly none."""
    states: list[Value] = [{"pw": {"@secret": "a"}, "x": 1}, {"pw": {"@secret": "b"}, "x": 1}]
    hidden = change("pw", to="hunter2")
    assert judged(case(source("s", states)), hidden).outcome == "undecided"
    more: list[Value] = [states[0], {"pw": {"@secret": "b"}, "x": 2}]
    assert judged(case(source("s", more)), hidden).outcome == "unmet"
    assert judged(case(source("s", more)), change("x"), allow=[allow("pw", to="y")]).outcome == "undecided"


def test_what_may_be_a_wanted_change_is_unexplained_once_the_must_has_its_own() -> None:
    before: Value = {"a": 1, "pw": {"@secret": "a"}}
    after: Value = {"a": 2, "pw": {"@secret": "b"}}
    verdict = judged(case(source("s", [before, after])), change("*", to=2))
    assert (verdict.outcome, left(verdict)) == ("unmet", ["pw"])


def test_a_verdict_names_its_scope() -> None:
    verdict = judged(case(source("s", [{"t": 1}, {"t": 2}]), source("z", [{}, {}])), TRUE)
    assert verdict.scope == ("s", "z")


def test_more_than_can_be_looked_through_is_undecided_and_no_crash() -> None:
    deep: Value = 1
    for _ in range(120):
        deep = {"k": deep}
    big = case(source("s", [{"t": 1, "d": deep}, {"t": 2, "d": deep}]))
    rule = value("**.zzz", 1)
    assert judged(big, TRUE, rule).outcome == "undecided"
    assert finding(judged(big, TRUE, rule), "must", 1).why.startswith("s: too much to look through: nested deeper")
    assert judged(big, TRUE, veto=[rule]).outcome == "undecided"
    assert judged(big, TRUE, change("**.x", count="all")).outcome == "undecided"
    counted = change("t", to={"generated": "next"})
    small = case(source("s", [{"l": {"id=1": {"n": 1}}}, {"l": {"id=1": {"n": 2}}}]))
    assert judged(small, change("l[*].n", to={"generated": "next"})).passed
    assert judged(big, counted).outcome == "undecided"


def test_a_number_above_all_others_in_a_place_that_is_unread_is_undecided() -> None:
    deep: Value = 1
    for _ in range(120):
        deep = {"k": deep}
    states: list[Value] = [{"t": {"id=1": {"n": 1}}, "d": deep}, {"t": {"id=1": {"n": 2}}, "d": deep}]
    verdict = judged(case(source("s", states)), change("t[*].n", to={"generated": "next"}))
    assert verdict.outcome == "undecided"


def test_the_claim_of_an_agent_fulfils_no_must_earns_no_bonus_and_clears_no_veto() -> None:
    actions = [act("upload", 1, by="agent")]
    claimed = case(source("s", [{"t": 1, "u": 1}, {"t": 2, "u": 1}]), actions=actions)
    upload = action("upload")
    assert judged(claimed, TRUE, upload).outcome == "undecided"
    assert judged(claimed, TRUE, {"not": upload}).outcome == "undecided"
    assert judged(claimed, TRUE, bonus=[upload]).bonus.met == 0
    assert judged(claimed, TRUE, veto=[upload]).outcome == "vetoed"
    assert judged(claimed, TRUE, veto=[{"not": upload}]).outcome == "vetoed"
    assert judged(claimed, TRUE, veto=[{"not": {"not": upload}}]).outcome == "vetoed"
    assert judged(claimed, TRUE, veto=[action("upload", count=0)]).outcome == "vetoed"
    assert judged(claimed, TRUE, veto=[{"order": [upload, change("t")]}]).outcome == "vetoed"
    assert judged(claimed, TRUE, bonus=[{"order": [upload, change("t")]}]).bonus.met == 0
    seen_by_runner = case(source("s", [{"t": 1}, {"t": 2}]), actions=[act("upload", 1)])
    assert judged(seen_by_runner, TRUE, upload, veto=[{"not": upload}], bonus=[upload]).bonus.met == 1


def test_a_veto_so_far_is_found_before_anything_else_is_known() -> None:
    from tests.judging.kit import task

    rules = task(TRUE, veto=[FALSE, TRUE])
    (found,) = vetoed_so_far(rules, run(complete=False))
    assert (found.tier, found.holds) == ("veto", True)
    assert vetoed_so_far(rules, case(source("s", [{"t": 1}]), complete=False)) == ()


def _holds(document: dict[str, Json]) -> list[Json]:
    findings = document["findings"]
    assert isinstance(findings, list)
    return [item["holds"] for item in findings if isinstance(item, dict)]


def test_a_verdict_document_tells_unknown_from_false_and_scores_in_numbers() -> None:
    document = verdict_json(judged(run(), TRUE, allow=ALLOWED, bonus=[{**TRUE, "weight": 1}, {**FALSE, "weight": 2}]))
    assert (document["score"], _holds(document)) == (73.3333, [True, True, False])
    assert _holds(verdict_json(judged(run(), UNKNOWN, allow=ALLOWED))) == [None]
    assert verdict_json(judged(run(failure="x"), TRUE))["score"] is None


def test_a_source_that_became_unreadable_is_never_passed() -> None:
    causes: list[tuple[Cause, float | None]] = [("content", 0), ("infrastructure", None)]
    for cause, wanted in causes:
        lost = case(source("s", [{"t": 1}, seen(ABSENT, unread(cause=cause))]))
        verdict = judged(lost, TRUE, veto=[change("u")])
        assert (told(verdict), left(verdict)) == (("undecided", cause, wanted), [])


@pytest.mark.parametrize(
    ("rule", "after", "outcome"),
    [
        (change("t", to={"not": 30}), {}, "unmet"),
        (change("t", from_=1, to={"not": 30}), {}, "unmet"),
        (change("*", to={"not": 30}, count="all"), {}, "unmet"),
        (change("t", to={"not": 30}), {"t": 31}, "passed"),
        (change("t", to={"one_of": [{"absent": True}, 2]}), {}, "passed"),
        (change("t", to={"not": {"absent": True}}), {}, "unmet"),
        (change("t", to={"absent": True}), {}, "passed"),
        (change("t", op="removed"), {}, "passed"),
    ],
)
def test_what_is_gone_is_no_new_value_that_a_must_asks_for(rule: Data, after: Value, outcome: str) -> None:
    assert judged(case(source("s", [{"t": 1}, after])), rule).outcome == outcome


def test_what_is_gone_is_not_what_a_veto_says_has_to_stay() -> None:
    run_ = case(source("s", [{"t": 1, "mfa": True}, {"t": 2}]))
    assert judged(run_, TRUE, veto=[change("mfa", to={"not": True})]).outcome == "vetoed"
