"""What is said to have decided the episodes that did not pass."""

from dataclasses import replace

import pytest
from tests.reports.many import GONE, all_bonus, cookie, many, repeats
from tests.reports.samples import SCOPE, near, passed, undecided, unmet, vetoed, without_verdict

from exactchange.reports import Entry
from exactchange.reports.failures import Failing, by_ground, failures
from exactchange.snapshot import Unread
from exactchange.verdict import Finding, Outcome, Verdict, Warned


def entry(verdict: Verdict | None) -> Entry:
    return repeats("t", verdict)[0]


def only(verdict: Verdict | None) -> tuple[str, str, str]:
    (found,) = failures([entry(verdict)])
    return found.ground, found.name, found.where


def test_a_pass_has_no_failure() -> None:
    assert failures([entry(passed()), entry(all_bonus())]) == ()


def test_each_outcome_is_laid_to_what_decided_it() -> None:
    assert only(vetoed()) == ("veto", "nothing is paid without confirmation", "book-flight.yaml:9:5")
    assert only(unmet()) == ("nothing else changed", "config", "")
    assert only(undecided()) == ("unread", "config", "")
    assert only(without_verdict()) == ("no verdict", "page is unread", "")
    assert only(GONE) == ("no verdict", "episode.json: no such file", "")


def test_a_must_that_was_not_met_and_what_else_changed_count_both() -> None:
    found = failures([entry(near())])
    assert [(item.ground, item.name, item.episodes) for item in found] == [
        ("must", "the timeout is 30", 1), ("nothing else changed", "config", 1),
    ]  # fmt: skip


def test_an_episode_that_was_stopped_at_a_red_line_missed_no_goal() -> None:
    missed = Finding("must", "seat held", "book-flight.yaml:14:5", False)
    assert only(replace(vetoed(), findings=(*vetoed().findings, missed)))[0] == "veto"


def test_a_rule_counts_once_for_an_episode_however_often_it_failed_there() -> None:
    twice = replace(unmet(), unexplained=(*cookie().unexplained, *unmet().unexplained))
    assert {(item.name, item.episodes) for item in failures([entry(twice)])} == {("config", 1), ("page", 1)}


def test_what_decided_most_stands_first_with_its_tasks_and_places() -> None:
    assert failures(many()) == (
        Failing("veto", "nothing is paid without confirmation", "book-flight.yaml:9:5", 3, (("book-flight", 3),)),
        Failing(
            "nothing else changed",
            "config",
            "",
            3,
            (("settings-timeout", 3),),
            (("server.retries", 2), ("server.timeout", 1)),
        ),
        Failing("must", "the timeout is 30", "settings-timeout.yaml:17:5", 1, (("settings-timeout", 1),)),
        Failing("nothing else changed", "page", "", 1, (("settings-timeout", 1),), (("@cookies.theme", 1),)),
        Failing("unread", "config", "", 1, (("book-flight", 1),), (("line 3: not YAML: a tab begins a line", 1),)),
        Failing("no verdict", "page is unread", "", 1, (("book-flight", 1),), (("the browser ended", 1),)),
        Failing("no verdict", "episode.json: no such file", "", 1, (("article-form", 1),)),
    )


def test_the_grounds_count_episodes_and_each_at_most_once() -> None:
    assert by_ground(many()) == {
        "veto": 3, "must": 1, "nothing else changed": 3, "unknown": 0, "unread": 1, "no verdict": 2,
    }  # fmt: skip


def test_a_rule_that_nobody_could_tell_is_unknown_and_a_broken_world_gives_no_verdict() -> None:
    unsure = Verdict(
        "t",
        "undecided",
        undecided().score,
        "content",
        findings=(Finding("veto", "no row is lost", "t.yaml:3:5", None),),
    )
    assert only(unsure) == ("unknown", "no row is lost", "t.yaml:3:5")
    broken = replace(without_verdict(), unread=(), findings=(Finding("given", "two users", "t.yaml:2:5", False),))
    assert only(broken) == ("no verdict", "given: two users", "t.yaml:2:5")


def test_where_nothing_else_is_known_the_warning_is_the_reason() -> None:
    failed = replace(without_verdict(), unread=(), warnings=(Warned("infrastructure", "the disk is full"),))
    assert only(failed) == ("no verdict", "the disk is full", "")
    silent = Verdict("t", "undecided", undecided().score, "content", scope=SCOPE)
    assert only(silent) == ("unknown", "the evidence does not tell", "")


def test_a_part_that_is_unread_is_named_with_its_place() -> None:
    part = replace(undecided(), unread=(("page", Unread(("#card",), "#card", "closed shadow root")),))
    (found,) = failures([entry(part)])
    assert (found.name, found.places) == ("page", (("#card: closed shadow root", 1),))


@pytest.mark.parametrize("outcome", ["vetoed", "unmet", "undecided"])
def test_an_episode_that_did_not_pass_never_goes_without_a_reason(outcome: Outcome) -> None:
    bare = Verdict("t", outcome, undecided().score)
    assert only(bare)[0] == "unknown"
    assert sum(by_ground([entry(bare)]).values()) == 1


def test_a_rule_that_several_tasks_share_is_one_with_its_episodes_by_task() -> None:
    (found,) = failures([*repeats("a", vetoed(), vetoed()), *repeats("b", vetoed(), passed())])
    assert (found.episodes, found.tasks) == (3, (("a", 2), ("b", 1)))
