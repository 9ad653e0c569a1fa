"""What breaks during a run: never a pass, and no verdict at all only where nobody's content is to blame."""

import pathlib
from dataclasses import dataclass

import pytest
from tests.docs.failing import as_stated
from tests.end_to_end.play import Played, changes, finding, play, processes_naming, rows, script, twin, warning_kinds

from exactchange.reports import Entry, verdict_of
from exactchange.session import judge_episode
from exactchange.verdict import verdict_json


@dataclass(frozen=True)
class Broken:
    """A twin, what it breaks once its work is done, and what must come of it. `unread`: source and cause."""

    task: str
    twin: str
    how: str
    outcome: str
    cause: str | None = None
    score: int | None = 0
    unread: tuple[tuple[str, str], ...] = ()
    crossed: str | None = None
    row: str | None = None
    """Which line of docs/failures.md it proves."""


_FEATURE = "no feature is switched off"
_NOBODY = "no registration is lost"
WORLDS = [
    # Unreadable or corrupt at the end: nobody can tell, and the content is to blame.
    Broken("settings", "good", "config-torn", "undecided", "content", unread=(("config", "content"),)),
    Broken("form", "good", "database-garbage", "undecided", "content", unread=(("db", "content"),)),
    Broken("settings", "good", "all-torn", "undecided", "content", unread=(("config", "content"), ("db", "content"))),
    # A veto that holds is not undone by breaking its evidence.
    Broken("settings", "feature-off", "config-torn", "vetoed", unread=(("config", "content"),), crossed=_FEATURE),
    # Gone is a state, and so is another type: changes.
    Broken("settings", "good", "config-deleted", "vetoed", crossed=_FEATURE),
    Broken("settings", "good", "config-directory", "vetoed", crossed=_FEATURE),
    Broken("form", "good", "database-deleted", "vetoed", crossed=_NOBODY),
    Broken("flights", "good", "database-deleted", "unmet"),
    # No browser: nobody's content, so no verdict; but what holds already holds.
    Broken(
        "form", "good", "browser-killed", "undecided", "infrastructure", None, (("page", "infrastructure"),),
        row="browser-ends",
    ),
    Broken(
        "flights", "article", "browser-killed", "vetoed", unread=(("page", "infrastructure"),),
        crossed="nothing is paid without confirmation", row="browser-ends-late",
    ),
    # A page that cannot be read is content: the agent, or the application, made it so.
    Broken("form", "good", "page-hangs", "undecided", "content", unread=(("page", "content"),), row="page-hangs"),
    Broken("form", "good", "page-crashes", "undecided", "content", unread=(("page", "content"),), row="page-crashes"),
    Broken("form", "good", "page-closed", "undecided", "content", unread=(("page", "content"),), row="page-closed"),
]  # fmt: skip


@pytest.fixture(scope="module", params=WORLDS, ids=lambda item: f"{item.task}-{item.twin}-{item.how}")
def broken(request: pytest.FixtureRequest) -> Broken:
    case = request.param
    assert isinstance(case, Broken)
    return case


@pytest.fixture(scope="module")
def played(broken: Broken, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(broken.task, script("breaking", broken.task, broken.twin, broken.how), tmp_path_factory.mktemp("run"))


def test_what_breaks_is_never_a_pass(played: Played, broken: Broken) -> None:
    verdict = played.verdict
    assert (verdict["outcome"], verdict["cause"], verdict["score"]) == (broken.outcome, broken.cause, broken.score)


def test_what_breaks_is_told_as_the_page_on_failures_says(played: Played, broken: Broken) -> None:
    if broken.row is not None:
        as_stated(broken.row, Entry(played.task.id, verdict_of(played.verdict, name=broken.how)))


def test_what_cannot_be_read_is_named_with_its_cause(played: Played, broken: Broken) -> None:
    named = dict.fromkeys((item["source"], item["cause"]) for item in rows(played.verdict, "unread"))
    assert list(named) == list(broken.unread)


def test_a_veto_that_holds_is_kept(played: Played, broken: Broken) -> None:
    crossed = [
        item["name"] for item in rows(played.verdict, "findings") if (item["tier"], item["holds"]) == ("veto", True)
    ]
    assert crossed == ([] if broken.crossed is None else [broken.crossed])


def test_its_recording_is_judged_the_same(played: Played) -> None:
    assert {**verdict_json(judge_episode(played.task, played.episode)), "mode": "online"} == played.verdict


def test_even_then_nothing_is_left(played: Played) -> None:
    assert (played.scratch.exists(), processes_naming(played.scratch), played.children) == (False, {}, frozenset())


def test_a_database_that_its_application_mends_when_it_closes_counts_as_mended(tmp_path: pathlib.Path) -> None:
    """What counts is the state after the application has closed: SQLite writes its log back over the garbage."""
    played = play("settings", script("breaking", "settings", "good", "database-garbage"), tmp_path)
    assert (played.verdict["outcome"], played.verdict["unread"]) == ("passed", [])


@pytest.mark.parametrize(("twin", "outcome"), [("good", "passed"), ("article", "unmet")])
def test_of_an_application_that_ended_by_itself_the_state_is_judged_and_the_verdict_says_so(
    twin: str, outcome: str, tmp_path: pathlib.Path
) -> None:
    played = play("settings", script("breaking", "settings", twin, "application-killed"), tmp_path)
    assert played.verdict["outcome"] == outcome
    assert warning_kinds(played.verdict) == ["application"]
    assert "status -9" in str(rows(played.verdict, "warnings")[0]["message"])


def test_a_cookie_that_nobody_asked_for_is_a_change(tmp_path: pathlib.Path) -> None:
    played = play("form", script("breaking", "form", "good", "cookies-set"), tmp_path)
    assert played.verdict["outcome"] == "unmet"
    assert ("page", "added", "@cookies.tracking.value") in changes(played.verdict, "unexplained")
    assert finding(played.verdict, "registered once, with consent")["holds"] is True


def test_a_mistake_of_the_judge_while_the_agent_works_is_no_verdict(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: object) -> None:
        raise ZeroDivisionError("by mistake")

    monkeypatch.setattr("exactchange.judging.vetoed_so_far", mistaken)
    played = play("form", twin("form", "good"), tmp_path)
    verdict = played.verdict
    assert (verdict["outcome"], verdict["cause"], verdict["score"]) == ("undecided", "infrastructure", None)
    assert played.result.ended == "crashed"


def test_of_an_agent_that_crashes_the_state_is_judged_and_the_verdict_says_so(tmp_path: pathlib.Path) -> None:
    played = play("form", script("breaking", "form", "good", "agent-crashes"), tmp_path)
    assert played.result.ended == "crashed"
    assert (played.verdict["outcome"], warning_kinds(played.verdict)) == ("passed", ["ended"])
