"""The document of several verdicts, `exactchange/report/1`."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from exactchange.reports.bootstrap import Interval
from exactchange.reports.by_task import Repeats, by_task, edited
from exactchange.reports.entries import Entry
from exactchange.reports.failures import Failing, by_ground, failures
from exactchange.reports.summary import Spread, Summary, summarise
from exactchange.values import to_json
from exactchange.values.jsonform import Json
from exactchange.verdict import Bonus, verdict_json

SCHEMA: Final = "exactchange/report/1"


def report_json(entries: Sequence[Entry]) -> dict[str, Json]:
    """The document of these episodes; rates from 0 to 1, scores from 0 to 100, null where there is nothing to tell."""
    groups = by_task(entries)
    return {
        "schema": SCHEMA,
        "summary": summary_json(summarise(entries)),
        "tasks": [_task(group) for group in groups],
        "failures": {
            "by_ground": {ground: number for ground, number in by_ground(entries).items()},
            "rules": [_failing(item) for item in failures(entries)],
        },
        "warnings": [{"kind": item.kind, "message": item.message} for item in edited(groups)],
        "episodes": [_entry(entry) for entry in entries],
    }


def summary_json(summary: Summary) -> dict[str, Json]:
    """The numbers of all episodes together."""
    return {
        "episodes": summary.episodes,
        "counts": dict(summary.counts),
        "strict_pass_rate": _number(summary.rate),
        "strict_pass_rate_at_most": _number(Fraction(summary.at_most, summary.episodes)) if summary.episodes else None,
        "interval_95": _interval(summary.interval),
        "mean_score": _number(summary.mean_score),
        "mean_score_at_most": _number(summary.mean_score_at_most),
        "mean_score_passed": _number(summary.mean_score_passed),
        "bonus": _bonus(summary.bonus),
        "repeats": None if summary.spread is None else _spread(summary.spread),
    }


def _spread(spread: Spread) -> Json:
    return {
        "tasks": spread.tasks,
        "fewest": spread.fewest,
        "most": spread.most,
        "hierarchical_95": {
            "strict_pass_rate": _interval(spread.rate),
            "mean_score": _interval(spread.mean_score),
            "resamples": spread.resamples,
        },
        "pass_hat_k": [_of_k(item.k, item.all_pass, item.all_pass_interval) for item in spread.of_k],
        "pass_at_k": [_of_k(item.k, item.any_passes, item.any_passes_interval) for item in spread.of_k],
        "flake_rate": _number(spread.flake_rate),
        "flake_rate_95": None if spread.flake_interval is None else _interval(spread.flake_interval),
    }


def _of_k(k: int, value: Fraction, interval: Interval) -> Json:
    return {"k": k, "value": _number(value), "interval_95": _interval(interval)}


def _task(group: Repeats) -> Json:
    task = group.task
    return {
        "task": None if task is None else task.id,
        "hash": None if task is None else task.hash or None,
        "params": None if task is None or task.params is None else to_json(dict(task.params)),
        "episodes": len(group.entries),
        "counts": dict(group.counts),
        "passed": group.passed,
        "at_most": group.at_most,
        "interval_95": _interval(group.interval),
        "flaky": group.flaky,
        "mean_score": _number(group.mean_score),
        "bonus": _bonus(group.bonus),
        "names": [entry.name for entry in group.entries],
        "outcomes": [entry.outcome for entry in group.entries],
    }


def _failing(item: Failing) -> Json:
    return {
        "ground": item.ground,
        "name": item.name,
        "where": item.where or None,
        "episodes": item.episodes,
        "tasks": [{"task": task, "episodes": number} for task, number in item.tasks],
        "places": [{"place": place, "episodes": number} for place, number in item.places],
    }


def _entry(entry: Entry) -> Json:
    return {
        "name": entry.name,
        "outcome": entry.outcome,
        "error": entry.failed,
        "seconds": None if entry.seconds is None else round(entry.seconds, 3),
        "verdict": None if entry.verdict is None else verdict_json(entry.verdict),
    }


def _interval(interval: Interval) -> Json:
    return [round(bound, 6) for bound in interval]


def _bonus(bonus: Bonus) -> Json:
    return {"met": bonus.met, "of": bonus.of}


def _number(value: Fraction | None) -> Json:
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else round(float(value), 6)
