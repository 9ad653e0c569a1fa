from fractions import Fraction

import pytest

from exactchange.reports import Entry, exit_code, report_json, summarise
from exactchange.reports.summary import wilson
from exactchange.reports.table import percent
from exactchange.verdict import Bonus, Outcome, Verdict


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
    assert summary.mean_score_at_most == Fraction(75)


def test_without_episodes_there_is_no_rate() -> None:
    summary = summarise([])
    assert summary.rate is None and summary.mean_score is None and summary.interval == (0.0, 1.0)


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
    ("passed", "episodes", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 3, 0.0615, 0.7923), (31, 40, 0.6250, 0.8768), (0, 0, 0.0, 1.0)],
)
def test_wilson_interval(passed: int, episodes: int, low: float, high: float) -> None:
    # Figures of a published calculator for the score interval without continuity correction.
    assert wilson(passed, episodes) == pytest.approx((low, high), abs=5e-4)


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
        "bonus": {"met": 2, "of": 2},
    }
    episodes = document["episodes"]
    assert isinstance(episodes, list)
    failed = episodes[1]
    assert isinstance(failed, dict)
    assert failed["outcome"] == "no verdict" and failed["error"] == "the browser ended" and failed["verdict"] is None
