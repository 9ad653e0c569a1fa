"""What happens outside every announced step is said, as far as the recording places it there, and earns no bonus."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judging.kit import Data, Plain, act, allow, case, change, finding, judged, seen, source, told, unread

from exactchange.case import Case, Evidence
from exactchange.conditions import Allowed, Evaluation
from exactchange.conditions.unannounced import LATE_MS, unannounced
from exactchange.snapshot import Mark, Note, TreeSnapshot
from exactchange.sources import SourceParams
from exactchange.values import Value

FEW: Data = {"effort": {"steps": 5}}
BEGIN = 1_000_000
"""When the capture after the first step was taken, in ms."""


class Page(Plain):
    """A page whose requests were recorded; `closed` as for a plain source."""

    name = "page"
    needs_browser = True


def asked(method: str, at: int, url: str = "http://site/save", kind: str = "fetch", status: int = 200) -> Data:
    """A request `at` ms after the capture that follows the first step."""
    return {"method": method, "url": url, "type": kind, "status": status, "time_ms": BEGIN + at, "body_hash": None}


def page(*captures: tuple[int, int, Sequence[Data]], lost: int | None = None, **params: Value) -> Evidence:
    """A page's captures: the step, ms after `BEGIN`, and all requests so far. `lost`: one whose requests are unread."""
    taken = [
        TreeSnapshot(
            "page",
            {"@url": "http://site/", "@requests": list(entries)},
            Mark(step, (BEGIN + at) * 10**6),
            (unread("@requests"),) if number == lost else (),
        )
        for number, (step, at, entries) in enumerate(captures)
    ]
    return Evidence("page", Page(), SourceParams.model_validate(params), tuple(taken))


def between(*entries: Data, begun: int = 20_000) -> Case:
    """Two steps, the second announced `begun` ms after the capture that follows the first."""
    run = case(page((0, -1000, []), (1, 0, []), (2, begun + 500, entries), (2, begun + 600, entries)))
    return replace(run, begun={1: (BEGIN - 500) * 10**6, 2: (BEGIN + begun) * 10**6})


def at_the_end(*entries: Data, at: int = 20_000) -> Case:
    """One step, and the end `at` ms after the capture that follows it."""
    return case(page((0, -1000, []), (1, 0, []), (1, at, entries)))


def what(run: Case, *tolerated: Data) -> tuple[str, ...]:
    return unannounced(Evaluation(run, tolerated=tuple(map(Allowed.model_validate, tolerated))))


def test_what_changes_after_the_last_step_was_read_is_unannounced_and_no_effort_counts() -> None:
    run = case(source("s", [{"a": 1}, {"a": 1}, {"a": 2}], steps=[0, 1, 1]))
    verdict = judged(run, change("a"), bonus=[FEW])
    assert told(verdict) == ("passed", None, 60)
    assert finding(verdict, "bonus").holds is None
    (warned,) = verdict.warnings
    assert warned.kind == "unannounced" and "outside any announced step" in warned.message
    assert "s: a modified" in warned.message


STILL: list[tuple[str, Evidence]] = [
    ("nothing changed", source("s", [{"a": 1}, {"a": 2}, {"a": 2}], steps=[0, 1, 1])),
    ("the end is all that was read", source("s", [{"a": 1}, {"a": 2}], steps=[0, 1])),
    ("it is none of the closed world", source("s", [{"@t": 1, "a": 1}, {"@t": 1, "a": 2}, {"@t": 2, "a": 2}],
                                              steps=[0, 1, 1])),
    # An application that closes after the first capture of the end may write what it likes.
    ("it was written in closing", source("s", [{"a": 1}, {"a": 2}, {"a": 2}, {"a": 2, "log": 1}], steps=[0, 1, 1, 1])),
    ("it came with the step and went by itself", source("s", [{"a": 1}, {"a": 2, "lock": 1}, {"a": 2}],
                                                        steps=[0, 1, 1])),
]  # fmt: skip


@pytest.mark.parametrize("still", STILL, ids=lambda item: item[0])
def test_no_run_is_said_to_have_been_silent_where(still: tuple[str, Evidence]) -> None:
    assert what(case(still[1])) == ()


def test_what_was_there_before_does_not_go_by_itself() -> None:
    run = case(source("s", [{"a": 1}, {"a": 1}, {}], steps=[0, 1, 1]))
    assert what(run) == ("s: a removed",)


def test_what_a_step_changed_does_not_change_back_by_itself() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}, {"a": 1}], steps=[0, 1, 1]))
    assert what(run) == ("s: a modified",)


def test_what_the_task_ignores_or_allows_is_no_step() -> None:
    run = case(source("s", [{"a": 1, "seen": 1}, {"a": 2, "seen": 2}, {"a": 2, "seen": 3}], steps=[0, 1, 1]))
    assert what(run) == ("s: seen modified",)
    assert what(run, allow("seen")) == ()
    assert what(run, allow("other")) == ("s: seen modified",)
    assert judged(run, change("a"), ignore=[allow("seen")]).warnings == ()
    assert judged(run, change("a"), allow=[allow("seen")]).warnings == ()


def test_an_allowed_row_that_came_in_a_step_may_go_on_changing() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2, "seen": 2}, {"a": 2, "seen": 3}], steps=[0, 1, 1]))
    assert what(run, allow("seen", op="added")) == ()


def test_a_run_without_any_action_is_silent_only_where_the_closed_world_changed() -> None:
    outside = case(source("s", [{"@t": 1}, {"@t": 2}]), actions=[])
    inside = case(source("s", [{"a": 1}, {"a": 2}]), actions=[])
    assert (what(outside), what(inside)) == ((), ("s: a modified",))


def test_a_bound_that_is_broken_already_stays_broken() -> None:
    run = case(source("s", [{"a": 1}, {"a": 1}, {"a": 2}], steps=[0, 1, 1]))
    assert finding(judged(run, change("a"), bonus=[{"effort": {"steps": 0}}]), "bonus").holds is False


@dataclass(frozen=True)
class Asked:
    """Requests between two steps, and whether somebody is known to have sent the last of them."""

    name: str
    entries: Sequence[Data]
    silent: bool


FAR = LATE_MS + 1000
ASKED = [
    Asked("two writes right after a step", [asked("POST", 100), asked("POST", 200)], True),
    Asked("one write right after a step may be the page's", [asked("POST", 100)], False),
    Asked("a write long after a step", [asked("PROPPATCH", FAR)], True),
    Asked("a method nobody knows", [asked("FROB", FAR)], True),
    Asked("a form is sent by somebody", [asked("POST", 100, kind="document")], True),
    Asked("a page that polls", [asked("GET", FAR + 10 * n) for n in range(20)], False),
    Asked("a page that polls by other methods that only ask", [asked("PROPFIND", FAR), asked("REPORT", FAR)], False),
    Asked("a picture", [asked("GET", FAR, kind="other")], False),
    Asked("a late redirect", [asked("GET", 3000, "http://site/in", "document")], False),
    Asked("a late redirect by way of others", [asked("GET", 3000, "http://site/1", "document", 302),
                                               asked("GET", 3900, "http://site/2", "document", 307),
                                               asked("GET", 4800, "http://site/3", "document")], False),
    Asked("a late redirect to a page with frames", [asked("GET", 3000, "http://site/in", "document"),
                                                    asked("GET", 3300, "http://site/frame", "document")], False),
    Asked("a second page", [asked("GET", 200, "http://site/a", "document"),
                            asked("GET", 2000, "http://site/b", "document")], True),
    Asked("a page long after a step", [asked("GET", FAR, "http://site/a", "document")], True),
    Asked("a page that loads itself again", [asked("GET", FAR, "http://site/#top", "document")], False),
    Asked("what an answer from the cache shows is a page", [asked("GET", FAR, "http://site/a", "document", 304)], True),
    Asked("what the step itself sent", [asked("POST", 20_000), asked("POST", 20_100, kind="document")], False),
    Asked("what the capture before had to show", [asked("POST", -10), asked("POST", -5)], False),
    Asked("a time that is none", [{**asked("POST", FAR), "time_ms": "late"}], False),
    Asked("a method that is no text", [{**asked("POST", FAR), "method": ["GET"]}], True),
    Asked("a status that is no number", [{**asked("GET", FAR, "http://site/a", "document"), "status": [302]}], True),
]  # fmt: skip


@pytest.mark.parametrize("sent", ASKED, ids=lambda item: item.name)
def test_a_request_between_two_steps_is_unannounced_where_no_step_and_no_page_can_have_sent_it(sent: Asked) -> None:
    assert bool(what(between(*sent.entries))) is sent.silent


@pytest.mark.parametrize("sent", [item for item in ASKED if "step itself" not in item.name], ids=lambda item: item.name)
def test_a_request_after_the_last_step_is_unannounced_likewise(sent: Asked) -> None:
    assert bool(what(at_the_end(*sent.entries))) is sent.silent


def test_a_request_outside_every_step_is_named_with_its_place() -> None:
    twice = [asked("POST", 100), asked("DELETE", 200)]
    assert what(between(*twice)) == ("page: DELETE http://site/save before action 2",)
    assert what(at_the_end(*twice)) == ("page: DELETE http://site/save after action 1",)


SAYS_NOTHING = [
    ("the second step's beginning was not recorded", replace(between(asked("POST", FAR)), begun={})),
    ("the steps are known from a log", replace(between(asked("POST", FAR)), notes=(Note("observed", ""),))),
    ("the clock was set", replace(between(asked("POST", FAR)), notes=(Note("clock", ""),))),
    ("captures have no times", case(page((0, -BEGIN, []), (1, -BEGIN, []), (1, -BEGIN, [asked("POST", FAR)])))),
    ("requests were unread before",
     case(page((0, -1000, []), (1, 0, []), (1, 9000, [asked("POST", FAR)]), lost=1))),
    ("a step between was not read", replace(
        case(page((0, -1000, []), (2, 9000, [asked("POST", FAR)])), actions=[act("click", 1), act("click", 2)]),
        begun={1: BEGIN * 10**6, 2: (BEGIN + 8000) * 10**6})),
    ("it is no page", case(replace(at_the_end(asked("POST", FAR)).sources["page"], kind=Plain(), name="p"))),
]  # fmt: skip


@pytest.mark.parametrize("run", SAYS_NOTHING, ids=lambda item: item[0])
def test_of_requests_nothing_is_said_where(run: tuple[str, Case]) -> None:
    assert what(run[1]) == ()


def test_a_request_that_the_task_names_is_no_step_and_one_of_a_page_that_may_change_is() -> None:
    run = at_the_end(asked("POST", FAR, "http://site/beat"), asked("POST", FAR, "http://site/save"))
    beat = allow("@requests[*].url", source="page", to="http://site/beat")
    assert what(run, beat) == ("page: POST http://site/save after action 1",)
    assert len(what(run, allow("**", source="page"))) == 2


def test_a_request_left_out_later_makes_no_other_one_new() -> None:
    first, second = asked("POST", -700), asked("POST", -600)
    run = case(
        page((0, -1000, []), (1, 0, [asked("GET", -800, kind="other"), first, second]), (1, 9000, [first, second]))
    )
    assert what(run) == ()


@given(st.lists(st.integers(-900, 30_000), max_size=6, unique=True))
def test_requests_that_only_ask_are_never_unannounced(times: list[int]) -> None:
    assert what(between(*(asked("GET", at) for at in sorted(times)))) == ()


def test_a_capture_that_is_lost_is_no_silence() -> None:
    assert what(case(source("s", [{"a": 1}, {"a": 2}, seen({}, unread())], steps=[0, 1, 1]))) == ()
