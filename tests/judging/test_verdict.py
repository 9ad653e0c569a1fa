"""How a verdict is put together: every part of it from the place that it belongs to, in the task's order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from tests.conditions.test_places import by_css, el, page
from tests.judging.kit import (
    Data,
    Plain,
    action,
    allow,
    case,
    change,
    finding,
    judged,
    seen,
    source,
    task,
    unread,
    value,
)

from exactchange.case import Case
from exactchange.judging import judge, vetoed_so_far
from exactchange.limits import Budget
from exactchange.snapshot import Note, TreeSnapshot
from exactchange.task import Task
from exactchange.values import ABSENT, Value
from exactchange.verdict import Bonus, Bounds, Warned

BEFORE: dict[str, Value] = {"a": 1, "log": 1, "seen": 1, "t": {}}
AFTER: dict[str, Value] = {"a": 2, "log": 2, "seen": 2, "t": {}}


def whole() -> Task:
    made = task(
        change("a", to=2),
        value("a", 2),
        given=[value("a", 1)],
        veto=[change("x"), action("upload")],
        bonus=[change("a"), action("upload")],
        ignore=[allow("log")],
        allow=[allow("seen")],
        sources=["s"],
    )
    places: dict[tuple[str | int, ...], str] = {("ignore", 0): "t.yaml:1:1", ("allow", 0): "t.yaml:2:2"}
    return replace(made, places=places, warnings=(Warned("w", "of the task"),))


def run(*, complete: bool = True) -> Case:
    made = case(source("s", [BEFORE, AFTER]), complete=complete)
    return replace(made, mode="online", stopped_at=7, hashes={"events": "e"}, notes=(Note("observed", "a log"),))


def test_every_part_of_a_verdict_is_in_its_place() -> None:
    verdict = judge(whole(), run())
    assert (verdict.task, verdict.outcome, verdict.cause) == ("t", "passed", None)
    assert (verdict.score, verdict.bonus) == (Fraction(80), Bonus(1, 2))
    assert [(item.tier, item.holds) for item in verdict.findings] == [
        ("given", True), ("veto", False), ("veto", False), ("must", True), ("must", True),
        ("bonus", True), ("bonus", False),
    ]  # fmt: skip
    assert [item.name for item in verdict.findings[:2]] == ["value in s: a", "change in s: x"]
    assert verdict.bounds == Bounds("passed", "passed", Fraction(80))
    assert [(item.change.address, item.where) for item in verdict.ignored] == [("log", "t.yaml:1:1")]
    assert [(item.change.address, item.where) for item in verdict.allowed] == [("seen", "t.yaml:2:2")]
    assert (verdict.unexplained, verdict.whole, verdict.freed, verdict.unread) == ((), (), (), ())
    assert verdict.scope == ("s",)
    assert [item.kind for item in verdict.warnings] == ["w", "observed"]
    assert (verdict.mode, verdict.stopped_at, verdict.steps) == ("online", 7, 1)
    assert verdict.hashes == {"task": whole().hash, "events": "e"}


def test_a_run_that_is_not_over_is_vetoed_only_by_what_will_stay_so() -> None:
    rules = task(change("a", to=2), veto=[{"not": change("x")}], ignore=[allow("log")], allow=[allow("seen")])
    over, going = judge(rules, run()), judge(rules, run(complete=False))
    assert (over.outcome, finding(over, "veto").holds) == ("vetoed", True)
    assert (going.outcome, finding(going, "veto").holds) == ("undecided", None)
    assert vetoed_so_far(rules, run(complete=False)) == ()
    assert [item.holds for item in vetoed_so_far(rules, run())] == [True]


class Echo(Plain):
    """A source that answers a query with the `n` of its state, where it is asked with the task's params."""

    def rows(
        self, snapshot: TreeSnapshot, sql: str, arguments: Mapping[str, Value], *, budget: Budget
    ) -> Sequence[Value]:
        assert isinstance(snapshot.tree, dict)
        return [{"n": snapshot.tree["n"] if arguments == {"n": 5} else None}]


def test_params_can_be_asked_for_by_every_tier() -> None:
    asked, first = ({"value": {"in": "s", "query": "SELECT :n", "is": number}} for number in (2, 1))
    run_ = case(source("s", [{"n": 1}, {"n": 2}], kind=Echo()))
    verdict = judge(task(change("n"), asked, given=[first], bonus=[asked], params={"n": 5}), run_)
    assert [(item.tier, item.holds) for item in verdict.findings] == [
        ("given", True), ("must", True), ("must", True), ("bonus", True),
    ]  # fmt: skip
    assert judge(task(change("n"), veto=[asked], params={"n": 5}), run_).outcome == "vetoed"
    assert len(vetoed_so_far(task(change("n"), veto=[asked], params={"n": 5}), run_)) == 1


def test_a_rule_that_takes_too_much_to_look_through_cannot_be_told_and_says_so() -> None:
    run_ = page({"a": el("x", "1")}, {"a": el("x", "2")})
    verdict = judged(run_, by_css(".x"), veto=[by_css(".endless")])
    told = finding(verdict, "veto")
    assert (told.tier, told.name, told.holds) == ("veto", "change in s: anywhere", None)
    assert told.why == "too much to look through: too many elements"


def test_near_misses_are_shown_of_a_bonus_and_of_no_veto() -> None:
    off = change("a", to=9)
    verdict = judged(run(), change("a", to=2), veto=[off], bonus=[off], allow=[allow("log"), allow("seen")])
    assert finding(verdict, "veto").near == ()
    assert [item.change.address for item in finding(verdict, "bonus").near] == ["a"]


def test_of_all_ways_the_one_that_fails_least_and_then_leaves_least_is_shown() -> None:
    states: list[Value] = [dict.fromkeys("abc", 1), dict.fromkeys("abc", 2)]

    def shown(*must: Data) -> tuple[list[bool | None], list[str]]:
        verdict = judged(case(source("s", states)), *must)
        return [item.holds for item in verdict.findings], [item.address for item in verdict.unexplained]

    fails: Data = change("a", to=9)
    every: Data = {"all": [change("a"), change("b"), change("c")]}
    assert shown({"any": [fails, change("a")]}) == ([True], ["b", "c"])
    assert shown({"any": [change("a"), fails]}) == ([True], ["b", "c"])
    assert shown({"any": [change("a"), every]}) == ([True], [])
    assert shown({"any": [change("a"), change("b")]}) == ([True], ["b", "c"])
    assert shown({"any": [{"all": [change("a"), change("b")]}, change("c")]}) == ([True], ["c"])
    assert shown({"any": [change("a"), change("c")]}, {"any": [change("a"), fails]}) == ([True, True], ["b"])


def test_a_way_that_fails_nothing_goes_before_one_that_leaves_nothing() -> None:
    run_ = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    both: Data = {"all": [change("a"), change("b"), change("x")]}
    verdict = judged(run_, {"any": [both, change("a")]})
    assert ([item.holds for item in verdict.findings], len(verdict.unexplained)) == ([True], 1)


def test_a_way_that_cannot_be_told_goes_before_one_that_fails_and_after_one_that_leaves_as_much() -> None:
    states: list[Value] = [{"go": 1, "pw": {"@secret": "a"}}, {"go": 2, "pw": {"@secret": "b"}}]
    run_ = case(source("s", states))
    secret: Data = {"all": [change("go"), change("pw", to="x")]}
    for any_ in ([secret, change("go", to=9)], [change("go", to=9), secret]):
        assert [item.holds for item in judged(run_, {"any": any_}).findings] == [None]
    told: Data = {"all": [change("go"), change("pw")]}
    for any_ in ([secret, told], [told, secret]):
        assert judged(run_, {"any": any_}).outcome == "passed"


def test_a_broken_world_shows_no_musts_where_all_of_them_held_at_the_start() -> None:
    verdict = judged(case(source("s", [{"a": 2}, {"a": 2}])), value("a", 2), given=[value("a", 1)])
    assert [item.tier for item in verdict.findings] == ["given"]
    assert verdict.unexplained == ()


def test_what_is_unread_makes_a_pass_undecided_and_names_who_is_to_blame() -> None:
    lost = case(source("s", [BEFORE, seen(ABSENT, unread(cause="infrastructure"))]))
    verdict = judge(whole(), lost)
    assert (verdict.outcome, verdict.cause, verdict.score) == ("undecided", "infrastructure", None)
    assert [(name, item.cause) for name, item in verdict.unread] == [("s", "infrastructure")]
