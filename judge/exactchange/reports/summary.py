"""The numbers of several verdicts: strict pass rate with interval and bounds, scores, bonus, repeats, counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactchange.reports.bootstrap import FLAKY, RATE, Interval, all_of, any_of, estimate, intervals
from exactchange.reports.by_task import Repeats, bonus_of, by_task
from exactchange.reports.entries import OUTCOMES, Entry
from exactchange.reports.statistics import steps_of_k, wilson
from exactchange.verdict import Bonus


@dataclass(frozen=True, slots=True)
class OfK:
    """What is to be expected of k repeats of a task, on average over the tasks: 0 to 1, and 95 % intervals.

    `all_pass`: pass^k, that each of them passes. `any_passes`: pass@k, that one of them does; a red line that another
    one crosses is no matter there, so that it tells what an agent could learn, and not what it may be trusted with.
    """

    k: int
    all_pass: Fraction
    all_pass_interval: Interval
    any_passes: Fraction
    any_passes_interval: Interval


@dataclass(frozen=True, slots=True)
class Spread:
    """What tasks and repeats tell beyond the rate; the intervals are of a hierarchical bootstrap.

    `fewest`, `most`: repeats of a task, of those that are known. `of_k`: for k up to `fewest`, so that all tasks are in
    each. `flaky`: how many tasks have both passes and others, of `repeated`, those with several repeats; None without.
    """

    tasks: int
    fewest: int
    most: int
    rate: Interval
    mean_score: Interval
    of_k: tuple[OfK, ...]
    flaky: int
    repeated: int
    flake_interval: Interval | None
    resamples: int

    @property
    def flake_rate(self) -> Fraction | None:
        """Share of the repeated tasks that are flaky, 0 to 1."""
        return Fraction(self.flaky, self.repeated) if self.repeated else None


@dataclass(frozen=True, slots=True)
class Summary:
    """Every episode is in `episodes`, whatever became of it.

    `mean_score` counts what has no score as 0, `mean_score_at_most` what cannot be told as the most it could be.
    `mean_score_passed`: over those that passed. `interval`: Wilson, 95 %; it takes episodes for independent, which the
    repeats of a task are not: then `spread` has the better one. `at_most`: passed, were everything that is undecided or
    without a verdict a pass.
    """

    episodes: int
    counts: Mapping[str, int]
    passed: int
    at_most: int
    interval: Interval
    mean_score: Fraction | None
    mean_score_at_most: Fraction | None
    mean_score_passed: Fraction | None
    bonus: Bonus
    spread: Spread | None
    """None without episodes."""

    @property
    def rate(self) -> Fraction | None:
        """Strict pass rate, 0 to 1; None without episodes."""
        return Fraction(self.passed, self.episodes) if self.episodes else None


def summarise(entries: Sequence[Entry]) -> Summary:
    """The numbers of these episodes, in whatever order they come."""
    counts = {name: sum(1 for entry in entries if entry.outcome == name) for name in OUTCOMES}
    return Summary(
        episodes=len(entries),
        counts=counts,
        passed=counts["passed"],
        at_most=sum(entry.may_pass for entry in entries),
        interval=wilson(counts["passed"], len(entries)),
        mean_score=_mean([entry.score for entry in entries]),
        mean_score_at_most=_mean([entry.score_at_most for entry in entries]),
        mean_score_passed=_mean([entry.score for entry in entries if entry.outcome == "passed"]),
        bonus=bonus_of(entries),
        spread=spread(by_task(entries)) if entries else None,
    )


def spread(groups: Sequence[Repeats]) -> Spread:
    """What the groups tell of tasks and repeats. There is at least one group."""
    known = [len(group.entries) for group in groups if group.task is not None]
    fewest = min(known, default=0)
    ks = steps_of_k(fewest)
    trials = [group.trials for group in groups]
    of_k = [measure for k in ks for measure in (all_of(k), any_of(k))]
    found = intervals(trials, [RATE, FLAKY, *of_k])
    values = [_known(estimate(measure, trials)) for measure in of_k]
    ranges = found.rates[2:]
    repeated = sum(size > 1 for size in known)
    return Spread(
        tasks=len(groups),
        fewest=fewest,
        most=max(known, default=0),
        rate=found.rates[0],
        mean_score=found.score,
        of_k=tuple(
            OfK(k, values[2 * n], ranges[2 * n], values[2 * n + 1], ranges[2 * n + 1]) for n, k in enumerate(ks)
        ),
        flaky=sum(group.flaky for group in groups),
        repeated=repeated,
        flake_interval=found.rates[1] if repeated else None,
        resamples=found.resamples,
    )


def _known(value: Fraction | None) -> Fraction:
    assert value is not None  # of pass^k every task has its share
    return value


def _mean(scores: Sequence[Fraction]) -> Fraction | None:
    return sum(scores, Fraction(0)) / len(scores) if scores else None
