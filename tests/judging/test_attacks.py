"""Attacks on the judge as small cases, with the required answers."""

import json
import pathlib

import pytest
from tests.judging.kit import Data, act, action, case, change, finding, judged, left, source, told, value

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


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("agent", ["nothing", "delete", "shotgun", "echo", "empty"])
def test_attack_46_an_agent_that_does_nothing_useful_never_passes(number: int, agent: str) -> None:
    suite, runs = data(attack("46") / "suite.json"), data(attack("46") / "runs.json")
    assert isinstance(suite, list)
    entry: Value = suite[number]
    assert isinstance(entry, dict)
    assert isinstance(runs, dict)
    before, wanted, after = entry["before"], entry["must"], runs[agent]
    assert isinstance(before, dict)
    assert isinstance(wanted, dict)
    end: Value = before if agent == "nothing" else after
    said = json.dumps(after["answer"]) if isinstance(after, dict) and "answer" in after else None
    musts: list[Data] = [
        value("", exact, source="answer") if name == "answer" else change(name, to={"exactly": exact})
        for name, exact in wanted.items()
    ]
    assert not judged(case(source("s", [before, end]), answer=said), *musts).passed


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
