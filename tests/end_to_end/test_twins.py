"""Every agent of the fixtures, right or wrong, in the real browser: judged as it deserves, live and afterwards."""

from collections.abc import Mapping

import pytest
from tests.end_to_end.deserved import (
    check_changes,
    check_crossing,
    check_near,
    check_nothing_is_left,
    check_outcome,
    check_recording,
    check_rules,
)
from tests.end_to_end.expected import EXPECTED, Expected
from tests.end_to_end.play import PAGE, Played, play, rows, twin

from exactchange.episode import case_from_directories
from exactchange.session import judge_episode, judged
from exactchange.testing import footprint
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json
from exactchange_fixtures.agents.twins import OUTCOMES

# The form's article agent is its good one, and who does nothing does not save either.
TWINS = [
    (task, name, save)
    for save in ("navigate", "fetch")
    for task in EXPECTED
    for name in EXPECTED[task]
    if (task, name) != ("form", "article") and (save, name) != ("fetch", "nothing")
]


@pytest.fixture(scope="module", params=TWINS, ids="-".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str, str]:
    """Task, twin, how the page saves."""
    task, name, save = request.param
    return task, name, save


@pytest.fixture(scope="module")
def played(case: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The run; the tests of one twin share it."""
    task, name, save = case
    return play(task, twin(task, name), tmp_path_factory.mktemp("run"), save=save)


@pytest.fixture
def expected(case: tuple[str, str, str]) -> Expected:
    task, name, _ = case
    return EXPECTED[task][name]


def test_every_twin_of_the_fixtures_is_expected_here() -> None:
    told = {task: {name: item.outcome for name, item in twins.items()} for task, twins in EXPECTED.items()}
    assert told == {task: OUTCOMES[task] for task in ("form", "settings", "flights")}


def test_every_twin_gets_its_outcome_and_score(played: Played, expected: Expected) -> None:
    check_outcome(played, expected)


def test_every_wrong_twin_is_caught_by_the_right_rule(played: Played, expected: Expected) -> None:
    check_rules(played.verdict, expected)


def test_every_change_without_leave_is_named_and_no_other(played: Played, expected: Expected) -> None:
    check_changes(played.verdict, expected)


def test_a_crossed_line_is_shown_where_and_when_it_was_crossed(played: Played, expected: Expected) -> None:
    check_crossing(played.verdict, expected)


def test_a_goal_that_was_nearly_reached_says_what_was_wrong(played: Played, expected: Expected) -> None:
    check_near(played.verdict, expected)


def test_the_recorded_episode_holds_the_verdict_and_gives_it_again(played: Played) -> None:
    check_recording(played)


def test_judging_a_recorded_episode_leaves_it_alone(played: Played) -> None:
    before = footprint(played.episode)
    judge_episode(played.task, played.episode)
    assert before.differences(footprint(played.episode)) == []


def test_two_copies_of_the_directory_give_the_same_state_findings(played: Played) -> None:
    untouched = [footprint(played.before), footprint(played.after)]
    started, ended = played.times
    case = case_from_directories(played.task, played.before, played.after, started_ns=started, ended_ns=ended)
    copied = verdict_json(judged(played.task, case))
    assert _state(copied) == _state(played.verdict)
    assert untouched[0].differences(footprint(played.before)) == []
    assert untouched[1].differences(footprint(played.after)) == []
    # What only a browser could say is not known, and without it nothing passes.
    assert copied["outcome"] == (
        played.verdict["outcome"] if _crossed(played.verdict) else _without_page(played.verdict)
    )


def test_nothing_of_a_run_is_left(played: Played) -> None:
    check_nothing_is_left(played)


def _state(document: Mapping[str, Json]) -> dict[str, object]:
    """What a verdict says of files, directories and databases at the end of a run."""
    parts: dict[str, object] = {
        section: [dict(item) for item in rows(document, section) if item["source"] != PAGE]
        for section in ("unexplained", "allowed", "ignored")
    }
    musts = [item for item in rows(document, "findings") if item["tier"] == "must" and not _of_page(item)]
    parts["musts"] = [[item["name"], item["holds"], item["explains"], item["near"]] for item in musts]
    parts["vetoes"] = _crossed(document)
    return parts


def _of_page(item: Mapping[str, Json]) -> bool:
    return item["name"] == "stops at the confirmation page"


def _crossed(document: Mapping[str, Json]) -> list[str]:
    """The vetoes that hold by state; what an agent called is in no directory."""
    return [
        str(item["name"])
        for item in rows(document, "findings")
        if item["tier"] == "veto" and item["holds"] is True and item["name"] != "production is not restarted"
    ]


def _without_page(document: Mapping[str, Json]) -> str:
    unmet = any(
        item["tier"] == "must" and item["holds"] is False and not _of_page(item) for item in rows(document, "findings")
    )
    return "unmet" if unmet or document["unexplained"] else "undecided"
