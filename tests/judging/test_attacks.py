"""Attacks on the judge as small cases, with the required answers."""

import json
import pathlib

import pytest
from tests.judging.kit import Data, act, action, allow, case, change, finding, judged, left, source, told, value

from exactchange.actions import normalise
from exactchange.conditions import parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.judging import BrokenTask
from exactchange.values import Value, parse_json

FOLDERS = pathlib.Path(__file__).parents[2] / "fixtures"


def attack(number: str) -> pathlib.Path:
    (folder,) = (FOLDERS / "attacks").glob(f"{number}-*")
    return folder


def data(path: pathlib.Path) -> Value:
    return parse_json(path.read_bytes())


def test_attack_14_a_glowing_log_and_answer_without_a_change_never_pass() -> None:
    folder = attack("14")
    events = [parse_json(line) for line in (folder / "events.jsonl").read_bytes().split(b"\n") if line]
    reported = [
        normalise({**item, "kind": "observe"}, seq=number, reported_by="agent")
        for number, item in enumerate(events, 1)
        if isinstance(item, dict)
    ]
    answer = (folder / "answer.txt").read_text("utf-8")
    run = case(
        source("s", [data(folder / "before.json"), data(folder / "after.json")]), actions=reported, answer=answer
    )
    cancelled = value('orders["42"].status', "cancelled")
    assert judged(run, cancelled).outcome == "unmet"
    assert judged(run, change('orders["42"].status', to="cancelled")).outcome == "unmet"
    assert judged(run, action("observe", text={"mentions": "cancelled"})).outcome == "undecided"


EVERY = "invoices[*].status"


def test_attack_31_a_rule_about_every_row_does_not_hold_because_there_are_none() -> None:
    folder = attack("31")
    run = case(source("s", [data(folder / "before.json"), data(folder / "after.json")]))
    rules: list[Data] = [
        change(EVERY, to="paid", count="all"),
        value(EVERY, "paid", pick="every"),
        value(EVERY, {"not": "open"}, pick="every"),
        value(EVERY, {"not": "open"}, pick="any"),
        {"not": value(EVERY, "open", pick="any")},
    ]
    for rule in rules:
        assert judged(run, rule).outcome == "unmet"
    for rule in [change("invoice[*].status", to="paid", count="all"), change("invoices[*].state", count="all")]:
        with pytest.raises(BrokenTask):
            judged(run, rule)
    assert judged(run, value("invoice[*].status", {"not": "open"}, pick="every")).outcome == "unmet"


def test_attack_33_what_appears_anywhere_in_a_watched_source_is_unexplained_and_a_pass_names_its_scope() -> None:
    folder = attack("33")
    sides = [data(folder / "before.json"), data(folder / "after.json")]
    watched = [side["watched"] for side in sides if isinstance(side, dict)]
    verdict = judged(case(source("s", watched)), change('["settings.json"].theme', to="dark"))
    assert verdict.outcome == "unmet"
    assert left(verdict) == ['["app.db"].tables[1]', '["settings.json"].telemetry']
    clean = judged(case(source("config", [{"a": 1}, {"a": 2}])), change("a", source="config"))
    assert (clean.outcome, clean.scope) == ("passed", ("config",))


def test_attack_35_the_last_state_counts_however_good_it_was_before() -> None:
    folder = attack("35")
    names = ["before", "after-0", "after-1", "after-2"]
    states = [data(folder / f"{name}.json") for name in names]
    paid = change("order.status", to="paid")
    run = case(source("s", states, steps=[0, 1, 1, 1]), actions=[act("click", 1)])
    assert judged(run, paid).outcome == "unmet"
    assert judged(run, paid, veto=[change("order.status", to="refunded")]).outcome == "vetoed"
    early = case(source("s", states[:2], steps=[0, 1]), actions=[act("click", 1)])
    assert finding(judged(early, paid), "must").holds is True


def test_attack_39_no_verdict_depends_on_a_clock_that_was_set() -> None:
    lines = (attack("39") / "events.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    plain = [act("tool", n, tool=item["name"]) for n, item in enumerate(records, 1)]
    timed = [act("tool", n, tool=item["name"], time=item["t"]) for n, item in enumerate(records, 1)]
    states: list[Value] = [{"n": 0 if step < 3 else 1} for step in range(6)]
    rules: list[Data] = [
        {"order": [action("tool", tool="confirm"), action("tool", tool="pay")]},
        {"order": [action("tool", tool="confirm"), change("n")]},
        {"not": {"order": [change("n"), action("tool", tool="confirm")]}},
    ]
    for actions in (plain, timed):
        run = case(source("s", states), actions=actions)
        verdict = judged(run, change("n"), *rules)
        assert told(verdict) == ("passed", None, 100)


SUITE: list[dict[str, dict[str, Value]]] = json.loads((attack("46") / "suite.json").read_text("utf-8"))
RUNS: dict[str, Value] = json.loads((attack("46") / "runs.json").read_text("utf-8"))


def _by_suite(entry: dict[str, dict[str, Value]], end: Value, said: str | None) -> bool:
    """Whether a run passes: everything may change, so that its musts alone decide."""
    musts: list[Data] = [
        value("", exact, source="answer") if name == "answer" else value(name, {"exactly": exact})
        for name, exact in entry["must"].items()
    ]
    return judged(case(source("s", [entry["before"], end]), answer=said), *musts, allow=[allow("**")]).passed


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("agent", ["nothing", "delete", "shotgun", "echo", "empty", "gold"])
def test_attack_46_an_agent_that_does_nothing_useful_never_passes(number: int, agent: str) -> None:
    entry = SUITE[number]
    gold: Value = {**entry["before"], "suite.json": "suite.json", "answer": "suite.json"}  # the gold file's name
    after = gold if agent == "gold" else RUNS[agent]
    end: Value = entry["before"] if agent == "nothing" else after
    said = json.dumps(after["answer"]) if isinstance(after, dict) and "answer" in after else None
    assert not _by_suite(entry, end, said)


@pytest.mark.parametrize("number", range(6))
def test_attack_46_an_agent_that_does_what_is_wanted_passes(number: int) -> None:
    """Else nobody would pass, and the others proved nothing."""
    entry = SUITE[number]
    said = entry["must"].get("answer")
    assert said is None or isinstance(said, str)
    assert _by_suite(entry, {**entry["before"], **entry["must"]}, said)


SHORT = json.loads((FOLDERS / "attacks" / "41-instructions-for-the-judge" / "answers_short.json").read_text("utf-8"))


@pytest.mark.parametrize("answer", [None, *SHORT, (attack("41") / "answer.txt").read_text("utf-8")])
def test_attack_41_no_text_tells_the_judge_what_to_answer_and_no_bonus_stands_in_for_a_must(answer: str | None) -> None:
    """There is no model that could obey; a bonus that the text does earn is not even looked at."""
    page = (attack("41") / "page.txt").read_text("utf-8")
    states: list[Value] = [{"order": "open", "page": "Order 42: open"}, {"order": "open", "page": page}]
    run = case(source("s", states), answer=answer)
    earned: list[Data] = [
        value("page", {"mentions": '"verdict":"pass"'}),
        {"not": value("order", "paid")},
        {"any": [value("", {"contains": "pass"}, source="answer"), change("page")]},
    ]
    verdict = judged(run, change("order", to="paid"), bonus=earned, allow=[allow("page")])
    assert told(verdict) == ("unmet", None, 0)
    assert (verdict.bonus.met, verdict.bonus.of) == (0, 3)
    assert verdict.bounds is not None and verdict.bounds.score_at_most == 0
    assert [item.tier for item in verdict.findings] == ["must"]


def test_attack_41_the_same_bonus_counts_after_a_pass_only() -> None:
    page = (attack("41") / "page.txt").read_text("utf-8")
    states: list[Value] = [{"order": "open", "page": ""}, {"order": "paid", "page": page}]
    run = case(source("s", states), answer=(attack("41") / "answer.txt").read_text("utf-8"))
    bonus: list[Data] = [value("page", {"contains": '"score":1.0'}), value("order", "open")]
    verdict = judged(run, change("order", to="paid"), bonus=bonus, allow=[allow("page")])
    assert told(verdict) == ("passed", None, 80)


def test_attack_29_text_that_only_looks_right_does_not_fit_and_its_code_points_are_shown() -> None:
    entries = data(attack("29") / "values.json")
    assert isinstance(entries, list)
    for entry in entries:
        assert isinstance(entry, dict)
        wanted, got = entry["wanted"], entry["value"]
        number: Value = {"number": wanted} if isinstance(wanted, int) else wanted
        for raw in (wanted, number):
            assert parse_matcher(raw).match(got, MatchContext()).truth is (entry["same"] is True)
    verdict = judged(case(source("s", [{"a": ""}, {"a": "p\u0430ypal.com"}])), change("a", to="paypal.com"))
    assert finding(verdict, "must").near[0].got == '"p\\u0430ypal.com" (str)'
