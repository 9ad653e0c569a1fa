"""The numbers of several verdicts: strict pass rate with interval and bounds, mean score, bonus, counts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactchange.task import Task
from exactchange.values.jsonform import Json
from exactchange.verdict import Bonus, Verdict, verdict_json

SCHEMA: Final = "exactchange/report/1"
OUTCOMES: Final = ("passed", "unmet", "vetoed", "undecided", "no verdict")
_Z = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Entry:
    """One episode of a report: what was judged, and the verdict, or (None) why there is none.

    `failed`: one sentence; beside a verdict, why it is on no disk. It counts as an episode all the same: nothing leaves
    the denominator.
    """

    name: str
    verdict: Verdict | None
    failed: str | None = None
    seconds: float | None = None
    exit_code: int | None = None
    """The exit code of what failed."""
    task: Task | None = None
    """What it was judged by, where that is known."""

    @property
    def outcome(self) -> str:
        """One of OUTCOMES."""
        if self.verdict is None or self.verdict.score is None:
            return "no verdict" if self.verdict is None or self.verdict.outcome == "undecided" else self.verdict.outcome
        return self.verdict.outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """Every episode is in `episodes`, whatever became of it.

    `mean_score` counts what has no score as 0, `mean_score_at_most` as 100. `interval`: Wilson, 95 %.
    `at_most`: passed, were everything that is undecided or without a verdict a pass.
    """

    episodes: int
    counts: Mapping[str, int]
    passed: int
    at_most: int
    interval: tuple[float, float]
    mean_score: Fraction | None
    mean_score_at_most: Fraction | None
    bonus: Bonus

    @property
    def rate(self) -> Fraction | None:
        """Strict pass rate, 0 to 1; None without episodes."""
        return Fraction(self.passed, self.episodes) if self.episodes else None


def summarise(entries: Sequence[Entry]) -> Summary:
    """The numbers of these episodes."""
    counts = {name: sum(1 for entry in entries if entry.outcome == name) for name in OUTCOMES}
    scores = [None if entry.verdict is None else entry.verdict.score for entry in entries]
    verdicts = [entry.verdict for entry in entries if entry.verdict is not None]
    return Summary(
        episodes=len(entries),
        counts=counts,
        passed=counts["passed"],
        at_most=counts["passed"] + counts["undecided"] + counts["no verdict"],
        interval=wilson(counts["passed"], len(entries)),
        mean_score=_mean(scores, missing=Fraction(0)),
        mean_score_at_most=_mean(scores, missing=Fraction(100)),
        bonus=Bonus(sum(v.bonus.met for v in verdicts), sum(v.bonus.of for v in verdicts)),
    )


def wilson(passed: int, episodes: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a rate; (0, 1) without episodes."""
    if episodes == 0:
        return 0.0, 1.0
    rate, square = passed / episodes, _Z * _Z
    middle = (rate + square / (2 * episodes)) / (1 + square / episodes)
    half = _Z / (1 + square / episodes) * math.sqrt(rate * (1 - rate) / episodes + square / (4 * episodes**2))
    # At the ends the bound is 0 or 1 exactly; rounding must not say otherwise.
    low = 0.0 if passed == 0 else max(0.0, middle - half)
    return low, 1.0 if passed == episodes else min(1.0, middle + half)


def exit_code(entries: Sequence[Entry]) -> int:
    """4 when a verdict could not be written; else 0 all passed; 1 something vetoed or unmet; else 2 something was used
    wrongly; else 4 something without a verdict; else 3 something undecided."""
    outcomes = {entry.outcome for entry in entries}
    if any(entry.verdict is not None and entry.exit_code == 4 for entry in entries):
        return 4
    if outcomes & {"vetoed", "unmet"}:
        return 1
    if any(entry.exit_code == 2 for entry in entries):
        return 2
    if "no verdict" in outcomes:
        return 4
    return 3 if "undecided" in outcomes else 0


def report_json(entries: Sequence[Entry]) -> dict[str, Json]:
    """The document of several verdicts, `exactchange/report/1`."""
    return {"schema": SCHEMA, "summary": summary_json(summarise(entries)), "episodes": [_entry(e) for e in entries]}


def summary_json(summary: Summary) -> dict[str, Json]:
    """The numbers as JSON; rates from 0 to 1, scores from 0 to 100, null without episodes."""
    return {
        "episodes": summary.episodes,
        "counts": dict(summary.counts),
        "strict_pass_rate": _number(summary.rate),
        "strict_pass_rate_at_most": _number(Fraction(summary.at_most, summary.episodes)) if summary.episodes else None,
        "interval_95": [round(bound, 6) for bound in summary.interval],
        "mean_score": _number(summary.mean_score),
        "mean_score_at_most": _number(summary.mean_score_at_most),
        "bonus": {"met": summary.bonus.met, "of": summary.bonus.of},
    }


def _entry(entry: Entry) -> Json:
    return {
        "name": entry.name,
        "outcome": entry.outcome,
        "error": entry.failed,
        "seconds": None if entry.seconds is None else round(entry.seconds, 3),
        "verdict": None if entry.verdict is None else verdict_json(entry.verdict),
    }


def _mean(scores: Sequence[Fraction | None], *, missing: Fraction) -> Fraction | None:
    if not scores:
        return None
    return sum((missing if score is None else score for score in scores), Fraction(0)) / len(scores)


def _number(value: Fraction | None) -> Json:
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else round(float(value), 6)
