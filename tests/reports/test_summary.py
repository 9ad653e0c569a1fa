import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reports.golden import check_golden
from tests.reports.many import many, repeats
from tests.reports.samples import passed, unmet

from exactchange.reports import Entry, exit_code, report_json, summarise, verdict_of
from exactchange.reports.task_table import percent
from exactchange.verdict import Bonus, Bounds, Outcome, Verdict, verdict_json


def entry(outcome: Outcome, *, score: int | None = 0, met: int = 0, of: int = 2) -> Entry:
    return Entry(outcome, Verdict("t", outcome, None if score is None else Fraction(score), bonus=Bonus(met, of)))


PASSED = entry("passed", score=100, met=2)
UNMET = entry("unmet")
VETOED = entry("vetoed")
UNDECIDED = entry("undecided")
NOTHING = entry("undecided", score=None)
FAILED = Entry("x", None, "the browser ended", exit_code=4)
BROKEN = Entry("x", None, "no such task", exit_code=2)


def test_the_three_of_the_article_make_a_third() -> None:
    summary = summarise([PASSED, UNMET, VETOED])
    assert (summary.passed, summary.episodes, summary.rate) == (1, 3, Fraction(1, 3))
    assert summary.mean_score == Fraction(100, 3)
    assert summary.bonus == Bonus(2, 6)
    assert summary.at_most == 1


def test_every_episode_stays_in_the_denominator() -> None:
    summary = summarise([PASSED, UNDECIDED, NOTHING, FAILED])
    assert summary.rate == Fraction(1, 4)
    assert summary.counts == {"passed": 1, "unmet": 0, "vetoed": 0, "undecided": 1, "no verdict": 2}
    assert summary.at_most == 4
    assert summary.mean_score == Fraction(25)
    assert summary.mean_score_at_most == Fraction(100)
    assert summary.mean_score_passed == Fraction(100)


def test_the_bounds_of_a_verdict_bound_the_mean() -> None:
    verdict = UNDECIDED.verdict
    assert verdict is not None
    bounded = replace(UNDECIDED, verdict=replace(verdict, bounds=Bounds("unmet", "passed", Fraction(80))))
    assert summarise([PASSED, bounded]).mean_score_at_most == Fraction(90)


def test_what_was_judged_for_certain_is_no_higher_at_most() -> None:
    summary = summarise([PASSED, UNMET, VETOED])
    assert summary.mean_score_at_most == summary.mean_score


@settings(max_examples=30, deadline=None)
@given(st.permutations([PASSED, PASSED, UNMET, VETOED, UNDECIDED, NOTHING, FAILED]))
def test_the_numbers_do_not_depend_on_the_order_of_the_episodes(entries: list[Entry]) -> None:
    assert summarise(entries) == summarise(sorted(entries, key=id))


def test_without_episodes_there_is_no_rate() -> None:
    summary = summarise([])
    assert summary.rate is None and summary.mean_score is None and summary.interval == (0.0, 1.0)
    assert summary.spread is None
    assert report_json([])["tasks"] == []


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([], 0),
        ([PASSED], 0),
        ([PASSED, UNMET], 1),
        ([VETOED], 1),
        ([UNMET, FAILED, BROKEN, UNDECIDED], 1),
        ([UNDECIDED], 3),
        ([PASSED, UNDECIDED], 3),
        ([NOTHING], 4),
        ([UNDECIDED, FAILED], 4),
        ([FAILED, BROKEN], 2),
    ],
)
def test_the_exit_code_of_several_verdicts(entries: list[Entry], code: int) -> None:
    assert exit_code(entries) == code


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (Fraction(1, 3), "33"),
        (Fraction(1), "100"),
        (Fraction(0), "0"),
        (Fraction(999, 1000), "99"),
        (Fraction(1, 999), "1"),
    ],
)
def test_only_all_is_a_hundred_per_cent_and_only_none_is_zero(rate: Fraction, text: str) -> None:
    assert percent(rate) == text


def test_the_document_of_a_report() -> None:
    document = report_json([PASSED, FAILED])
    assert document["schema"] == "exactchange/report/1"
    assert document["summary"] == {
        "episodes": 2,
        "counts": {"passed": 1, "unmet": 0, "vetoed": 0, "undecided": 0, "no verdict": 1},
        "strict_pass_rate": 0.5,
        "strict_pass_rate_at_most": 1,
        "interval_95": [0.094531, 0.905469],
        "mean_score": 50,
        "mean_score_at_most": 100,
        "mean_score_passed": 100,
        "bonus": {"met": 2, "of": 2},
        "repeats": {
            "tasks": 2,
            "fewest": 1,
            "most": 1,
            "hierarchical_95": {"strict_pass_rate": [0, 1], "mean_score": [0, 100], "resamples": 2000},
            "pass_hat_k": [{"k": 1, "value": 0.5, "interval_95": [0, 1]}],
            "pass_at_k": [{"k": 1, "value": 0.5, "interval_95": [0, 1]}],
            "flake_rate": None,
            "flake_rate_95": None,
        },
    }
    episodes = document["episodes"]
    assert isinstance(episodes, list)
    failed = episodes[1]
    assert isinstance(failed, dict)
    assert failed["outcome"] == "no verdict" and failed["error"] == "the browser ended" and failed["verdict"] is None


def test_the_document_of_many_reads_as_its_golden_file() -> None:
    document = report_json(many())
    del document["episodes"]  # each is the document of its verdict
    check_golden("report-many.json", json.dumps(document, indent=1) + "\n")


def test_repeats_tell_how_many_of_them_will_all_pass() -> None:
    spread = summarise([*repeats("a", passed(), passed(), unmet()), *repeats("b", passed(), passed(), passed())]).spread
    assert spread is not None
    assert (spread.tasks, spread.fewest, spread.most, spread.flaky, spread.repeated) == (2, 3, 3, 1, 2)
    assert [item.all_pass for item in spread.of_k] == [Fraction(5, 6), Fraction(2, 3), Fraction(1, 2)]
    assert [item.any_passes for item in spread.of_k] == [Fraction(5, 6), Fraction(1), Fraction(1)]
    assert spread.flake_rate == Fraction(1, 2)


def test_k_goes_as_far_as_every_task_was_repeated() -> None:
    spread = summarise([*repeats("a", passed()), *repeats("b", passed(), passed(), unmet())]).spread
    assert spread is not None
    assert [item.k for item in spread.of_k] == [1]
    assert (spread.fewest, spread.most, spread.repeated) == (1, 3, 1)


def test_an_episode_of_an_unknown_task_lowers_every_rate_and_hides_no_k() -> None:
    spread = summarise([*repeats("a", passed(), passed()), FAILED]).spread
    assert spread is not None
    assert [(item.k, item.all_pass) for item in spread.of_k] == [(1, Fraction(1, 2)), (2, Fraction(1, 2))]


def test_live_verdicts_and_those_that_were_read_back_make_the_same_numbers() -> None:
    thirds = replace(passed(), score=Fraction(260, 3), bounds=Bounds("passed", "passed", Fraction(280, 3)))
    live = repeats("t", thirds, unmet(), thirds)
    stored = [replace(e, verdict=verdict_of(verdict_json(e.verdict), name="v")) for e in live if e.verdict is not None]
    assert report_json(stored) == report_json(live)
