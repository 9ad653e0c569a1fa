"""What a prefix of an episode, a source that was not watched and a capture that is missing leave to be told."""

import pytest
from tests.judging.kit import PLAIN, Data, act, action, allow, case, change, judged, source, task, told, value

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.evaluation import Tier
from exactchange.judging import vetoed_so_far
from exactchange.values import Value

PAGE: list[Value] = [{}, {}, {}]


def holds(run: Case, rule: Data, tier: Tier = "bonus") -> bool | None:
    """Whether a rule holds by itself in a tier."""
    return Condition.model_validate(rule).check(Evaluation(run), tier=tier).truth


def ordered(*parts: Data) -> Data:
    return {"order": list(parts)}


def test_a_prefix_is_vetoed_only_by_what_will_hold_whatever_follows() -> None:
    def so_far(rule: Data, *states: Value) -> bool:
        return bool(vetoed_so_far(task(change("go"), veto=[rule]), case(source("s", states), complete=False)))

    assert so_far(change("on", to=False), {"on": True}, {"on": False})
    assert so_far(value("on", False), {"on": True}, {"on": False})
    too_early: list[Data] = [
        {"not": change("go")},
        {"not": value("go", 2, when="ever")},
        {"not": action("upload")},
        {"effort": {"steps": 5}},
        change("on", when="end", to=False),
        change("on", to=False, count={"ge": 1, "le": 1}),
        value("on", False, when="end"),
        value("on", {"type": "bool"}, when="always"),
        value("", {"absent": True}, source="answer", when="end"),
        {"not": ordered(change("on"), change("go"))},
        {"action": {"kind": "click", "count": 1}},
    ]
    for rule in too_early:
        assert not so_far(rule, {"on": True}, {"on": False})
    assert so_far({"not": {"effort": {"steps": 0}}}, {"on": True}, {"on": False})
    assert so_far({"not": value("on", True, when="always")}, {"on": True}, {"on": False})
    assert so_far(change("on", count={"ge": 1}), {"on": True}, {"on": False})
    assert so_far({"not": change("on", count={"le": 1}, when="ever")}, {"on": 1}, {"on": 2}, {"on": 3})


def test_a_source_captured_at_the_start_alone_tells_nothing_of_the_end() -> None:
    run = case(source("s", [{"a": 1}]), actions=[act("click", 1)])
    for rule in (change("a"), change("a", when="ever"), change("a", count=0)):
        assert holds(run, rule) is None
    verdict = judged(run, change("a"))
    assert told(verdict) == ("undecided", "infrastructure", None)
    empty = case(source("s", []), actions=[act("click", 1)])
    assert holds(empty, value("a", 1)) is None
    assert holds(empty, change("a")) is None


def test_a_capture_before_the_last_action_is_no_end_and_one_after_an_action_is_no_start() -> None:
    actions = [act("click", 1), act("click", 2)]
    late = case(source("s", [{"a": 1}, {"a": 2}], steps=[1, 2]), actions=actions)
    early = case(source("s", [{"a": 1}, {"a": 2}], steps=[0, 1]), actions=actions)
    for run in (late, early):
        assert (judged(run, change("a")).outcome, judged(run, change("a")).cause) == ("undecided", "infrastructure")


def test_a_source_of_the_task_that_the_evidence_lacks_is_unread() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    verdict = judged(run, change("a"), sources=["s", "db"])
    assert (verdict.outcome, [name for name, _ in verdict.unread]) == ("undecided", ["db"])


def test_what_was_not_watched_after_every_step_is_said() -> None:
    watched = judged(case(source("s", [{"a": 1}, {"a": 2}])), change("a"))
    assert watched.warnings == ()
    actions = [act("click", number) for number in (1, 2)]
    blind = judged(case(source("s", [{"a": 1}, {"a": 2}], steps=[0, 2]), actions=actions), change("a"))
    assert blind.outcome == "passed"
    assert [item.kind for item in blind.warnings] == ["between captures"]


def test_what_was_done_without_a_word_is_said() -> None:
    silent = judged(case(source("s", [{"a": 1}, {"a": 2}]), actions=[]), change("a"))
    assert [item.kind for item in silent.warnings] == ["unannounced"]


def test_a_snapshot_of_the_same_state_is_not_compared_again() -> None:
    assert holds(case(source("s", PAGE, kind=PLAIN)), change("**", when="ever")) is False


def test_what_is_ignored_makes_no_step_of_use_for_what_is_vetoed_so_far() -> None:
    """As at the end: three steps that only an ignored place shows are redundant."""
    states: list[Value] = [{"log": number, "x": 0} for number in range(4)]
    rules = task(change("go"), veto=[{"effort": {"redundant": 0}}], ignore=[allow("log")])
    seen_otherwise = task(change("go"), veto=[{"effort": {"redundant": 0}}])
    run = case(source("s", states))
    assert (len(vetoed_so_far(rules, run)), len(vetoed_so_far(seen_otherwise, run))) == (0, 1)


@pytest.mark.parametrize(("place", "counted"), [("ignored", 1), ("allowed", 1), ("other", 0)])
def test_steps_are_counted_where_what_changed_without_one_is_ignored_or_allowed(place: str, counted: int) -> None:
    start: dict[str, Value] = {"ignored": 0, "allowed": 0, "other": 0}
    rules = task(change("go"), veto=[{"effort": {"steps": 5}}], ignore=[allow("ignored")], allow=[allow("allowed")])
    run = case(source("s", [start, {**start, place: 1}]), actions=[])
    assert len(vetoed_so_far(rules, run)) == counted
