"""Every right and every wrong way of a task on Trac, through its web pages: judged as it deserves."""

import asyncio
import re
from dataclasses import replace

import pytest
from tests.end_to_end.deserved import (
    check_changes,
    check_crossing,
    check_near,
    check_nothing_is_left,
    check_outcome,
    check_recording,
    check_rules,
    crossed,
)
from tests.end_to_end.expected import Expected
from tests.end_to_end.play import Played, changes, finding, play, rows, script, shipped_task, twin, warning_kinds
from tests.episode.kit import close
from tests.trac.expected import CONFIGURATION, EXPECTED, FOLLOWS, NOTHING, OWNER, idly, spelt
from tests.trac.recorded import Recorded, recorded

from exactchange.conditions import Condition
from exactchange.episode import case_from_directories
from exactchange.runner import run_task
from exactchange.session import judge_episode, judged
from exactchange.verdict import verdict_json
from exactchange_fixtures.agents.trac_twins import OUTCOMES

PANELS = {
    "general": ("basics", "logging", "perm", "plugin"),
    "ticket": ("components", "milestones", "priority", "resolution", "severity", "type", "versions"),
}
SHOWN = {
    *(f"/{page}" for page in ("wiki", "timeline", "roadmap", "report", "search", "newticket", "query", "ticket/1")),
    *(f"/{page}" for page in ("about", "wiki/TracGuide", "report/1", "milestone/1.0", "prefs", "admin")),
    *(f"/prefs/{tab}" for tab in ("localization", "notification", "userinterface")),
    *(f"/admin/{group}/{panel}" for group, panels in PANELS.items() for panel in panels),
}
WAYS = [(task, way) for task, ways in EXPECTED.items() for way in ways]


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def way(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Task and way."""
    task, name = request.param
    return task, name


@pytest.fixture(scope="module")
def played(way: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The run; the tests of one way share it."""
    task, name = way
    return play(task, twin(task, name), tmp_path_factory.mktemp("run"))


@pytest.fixture
def expected(way: tuple[str, str]) -> Expected:
    task, name = way
    return EXPECTED[task][name]


def test_every_way_of_the_fixtures_is_expected_here() -> None:
    told = {task: {name: item.outcome for name, item in ways.items()} for task, ways in EXPECTED.items()}
    assert {task: {**dict.fromkeys(NOTHING, "unmet"), **ways} for task, ways in told.items()} == OUTCOMES


def test_every_way_gets_its_outcome_and_score(played: Played, expected: Expected) -> None:
    check_outcome(played, expected)


def test_every_wrong_way_is_caught_by_the_right_rule(played: Played, expected: Expected) -> None:
    check_rules(played.verdict, expected)


def test_every_change_without_leave_is_named_and_no_other(played: Played, expected: Expected) -> None:
    check_changes(played.verdict, expected, spelt=spelt)


def test_a_crossed_line_is_shown_where_and_when_it_was_crossed(played: Played, expected: Expected) -> None:
    check_crossing(played.verdict, expected, spelt=spelt)


def test_a_goal_that_was_nearly_reached_says_what_was_wrong(played: Played, expected: Expected) -> None:
    check_near(played.verdict, expected)


def test_the_recorded_episode_holds_the_verdict_and_gives_it_again(played: Played) -> None:
    check_recording(played)


def test_no_password_is_recorded(played: Played) -> None:
    recorded_words = (played.episode / "events.jsonl").read_text(encoding="utf-8")
    assert "/login" in recorded_words or not played.verdict["steps"]
    assert "admin:admin" not in recorded_words


def test_nothing_of_a_run_is_left(played: Played) -> None:
    check_nothing_is_left(played)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", NOTHING)
def test_looking_at_every_page_and_doing_nothing_change_nothing_that_is_judged(
    way: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """All tasks in one test: in many, the workers would wait for one another's tour."""
    run = recorded(tmp_path_factory, "trac-look", way)
    for task in EXPECTED:
        verdict = verdict_json(judge_episode(replace(shipped_task(task), id="trac-look"), run.episode))
        told = (verdict["outcome"], verdict["unexplained"], verdict["allowed"], verdict["unread"])
        assert told == ("unmet", [], [], []), task
        check_rules(verdict, idly(task, way))


def test_the_tour_sees_every_page_of_every_menu(tmp_path_factory: pytest.TempPathFactory) -> None:
    events = recorded(tmp_path_factory, "trac-look", "tour").episode / "events.jsonl"
    seen: list[str] = re.findall(r'"action":{"args":{"url":"http://[^/]+(/[^?"]*)', events.read_text())
    assert SHOWN <= set(seen)
    assert seen.count("/login") == 2


def test_what_a_page_asks_for_by_itself_is_not_taken_for_sending(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = recorded(tmp_path_factory, "trac-look", "unhurried")
    asked = {"name": "asked", "request": {"in": "page", "method": "POST", "url": {"path": "/ticket/1"}}}
    verdict = verdict_json(judge_episode(replace(run.task, bonus=(Condition.model_validate(asked),)), run.episode))
    assert (verdict["outcome"], finding(verdict, "asked")["holds"]) == ("passed", True)


def test_deleting_and_adding_a_component_names_the_lost_owner_and_the_tickets_left_behind(recreated: Recorded) -> None:
    owner = finding(recreated.verdict, OWNER)
    assert [(miss["wanted"], miss["got"]) for miss in rows(owner, "near")] == [('owner: "alice"', "owner: null (null)")]
    follows = finding(recreated.verdict, FOLLOWS)
    assert follows["why"] == "no such change; 2 places stayed as before"
    left = [(item["address"], item["value"]) for item in rows(follows, "evidence")]
    assert left == [("ticket[id=1].component", "billing"), ("ticket[id=3].component", "billing")]


def test_a_name_that_was_set_and_set_back_is_caught_by_the_run_and_not_excluded_by_two_copies(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("run")
    task = shipped_task("trac-close-1")
    unguarded = replace(task, veto=())  # so that nobody stops the agent before it sets the name back
    agent = script("copying", folder, *twin("trac-close-1", "reverted"))
    result = asyncio.run(run_task(unguarded, agent=agent, record=folder / "episode", timeout_s=60.0))
    assert (result.verdict.outcome, result.verdict.unexplained) == ("passed", ())

    by_run = verdict_json(judge_episode(task, folder / "episode"))
    assert (by_run["outcome"], crossed(by_run), changes(by_run, "unexplained")) == ("vetoed", [CONFIGURATION], [])
    seen = [(item["step"], item["before"], item["after"]) for item in rows(finding(by_run, CONFIGURATION), "evidence")]
    assert seen == [(4, "Demo", "Zeus"), (7, "Zeus", "Demo")]

    case = case_from_directories(task, folder / "before", folder / "after")
    by_copies = verdict_json(judged(task, case))
    close(case)
    assert (crossed(by_copies), changes(by_copies, "unexplained")) == ([], [])
    assert "between captures" in warning_kinds(by_copies)
    assert by_copies["outcome"] != "passed"  # the page is in no copy
