"""The intervals of a hierarchical bootstrap: what they hold, what they do not depend on, and what they cost."""

import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.reports.bootstrap import (
    FLAKY,
    RATE,
    Measure,
    Trial,
    all_of,
    any_of,
    estimate,
    intervals,
    resamples_of,
)

GOOD: Trial = (True, Fraction(100))
FAIR: Trial = (True, Fraction(260, 3))
BAD: Trial = (False, Fraction(0))
MEASURES = [RATE, FLAKY, all_of(1), all_of(2), any_of(2)]
trial = st.sampled_from([GOOD, FAIR, BAD])
repeated = st.lists(st.lists(trial, min_size=2, max_size=5), min_size=1, max_size=6)


def task(passed: int, repeats: int) -> list[Trial]:
    return [GOOD] * passed + [BAD] * (repeats - passed)


@settings(max_examples=60, deadline=None)
@given(repeated)
def test_an_interval_holds_its_estimate_and_only_what_is_possible(tasks: list[list[Trial]]) -> None:
    found = intervals(tasks, MEASURES, resamples=200)
    for measure, (low, high) in zip(MEASURES, found.rates, strict=True):
        point = estimate(measure, tasks)
        assert point is not None
        assert 0 <= low <= float(point) <= high <= 1
    episodes = [score for each in tasks for _, score in each]
    assert 0 <= found.score[0] <= float(sum(episodes, Fraction(0)) / len(episodes)) <= found.score[1] <= 100


@settings(max_examples=30, deadline=None)
@given(repeated, st.randoms(use_true_random=False))
def test_the_order_of_episodes_and_tasks_does_not_matter(tasks: list[list[Trial]], chance: random.Random) -> None:
    other = [chance.sample(each, len(each)) for each in chance.sample(tasks, len(tasks))]
    assert intervals(other, MEASURES, resamples=200) == intervals(tasks, MEASURES, resamples=200)


@pytest.mark.parametrize("share", [0, 1])
@pytest.mark.parametrize("sizes", [[1], [7], [3, 3, 3], [1, 9], [300]])
def test_where_all_repeats_are_alike_the_interval_is_a_point(share: int, sizes: list[int]) -> None:
    found = intervals([task(share * size, size) for size in sizes], [RATE, all_of(1)], resamples=200)
    for interval in (*found.rates, tuple(bound / 100 for bound in found.score)):
        assert list(interval) == [share, share]


def test_of_one_task_the_repeats_alone_are_drawn() -> None:
    low, high = intervals([task(20, 40)], [RATE]).rates[0]
    # The middle 95 % of a binomial of 40 and one half.
    assert (low, high) == (14 / 40, 26 / 40)


def test_of_tasks_with_one_repeat_the_tasks_alone_are_drawn() -> None:
    low, high = intervals([task(number % 2, 1) for number in range(40)], [RATE]).rates[0]
    assert (low, high) == (14 / 40, 26 / 40)


def test_tasks_that_always_pass_or_never_do_make_a_wider_interval_than_independent_episodes() -> None:
    tasks = [task(10 * (number % 2), 10) for number in range(10)]
    low, high = intervals(tasks, [RATE]).rates[0]
    assert low <= 0.2 and high >= 0.8  # of one hundred independent episodes it would be 0.4 to 0.6


def test_the_estimates_of_k_are_not_flattered_by_what_is_drawn_twice() -> None:
    # Of five repeats four passed, in every task. Drawn anew a third of the tasks would pass all five times.
    (low, high), (flake_low, flake_high) = intervals([task(4, 5)] * 200, [all_of(5), FLAKY]).rates
    assert low == 0 and high < 0.1
    assert flake_low > 0.9 and flake_high == 1


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))))
def test_what_a_measure_is_when_drawn_is_its_mean_over_all_draws(case: tuple[int, int, int]) -> None:
    passed, repeats, k = case
    chance = Fraction(passed, repeats)
    for measure in (RATE, FLAKY, all_of(k), any_of(k)):
        if measure is FLAKY and repeats == 1:
            continue
        mean = sum(
            math.comb(repeats, c) * chance**c * (1 - chance) ** (repeats - c) * measure.worth(c, repeats)
            for c in range(repeats + 1)
        )
        assert measure.drawn(passed, repeats) == mean


def test_the_interval_is_the_one_that_drawing_one_by_one_gives() -> None:
    tasks = [task(3, 3), task(1, 3), task(0, 2), [GOOD, FAIR, BAD, FAIR], task(2, 5)]
    rates, scores = _one_by_one(tasks, 20_000)
    found = intervals(tasks, [RATE], resamples=20_000)
    assert found.rates[0] == pytest.approx(rates, abs=0.02)
    assert found.score == pytest.approx(scores, abs=2)


def _one_by_one(tasks: Sequence[Sequence[Trial]], times: int) -> tuple[tuple[float, float], tuple[float, float]]:
    chance = random.Random(7)
    rates: list[float] = []
    scores: list[float] = []
    for _ in range(times):
        drawn = [one for each in chance.choices(tasks, k=len(tasks)) for one in chance.choices(each, k=len(each))]
        rates.append(statistics.fmean(passed for passed, _ in drawn))
        scores.append(statistics.fmean(float(score) for _, score in drawn))
    rates.sort()
    scores.sort()
    at = times // 40
    return (rates[at], rates[-1 - at]), (scores[at], scores[-1 - at])


@pytest.mark.slow
def test_the_interval_of_the_rate_holds_the_truth_about_as_often_as_it_says() -> None:
    chance = random.Random(3)
    held = 0
    for _ in range(200):  # the rate of a task is anything from 0 to 1: the true rate of all is one half
        tasks = [task(_passes(chance), 5) for _ in range(30)]
        low, high = intervals(tasks, [RATE], resamples=200).rates[0]
        held += low <= 0.5 <= high
    assert 184 <= held <= 200


def _passes(chance: random.Random) -> int:
    rate = chance.random()
    return sum(chance.random() < rate for _ in range(5))


GOLDEN = {"rates": [[0.1, 0.928571], [0.0, 1.0], [0.0, 0.777778]], "score": [8.666667, 90.0]}
PROGRAM = """
import json
from fractions import Fraction
from exactchange.reports.bootstrap import FLAKY, RATE, all_of, intervals
good, fair, bad = (True, Fraction(100)), (True, Fraction(260, 3)), (False, Fraction(0))
tasks = [[good, bad, fair], [good] * 4, [bad, bad], [fair, bad, bad]]
found = intervals(tasks, [RATE, FLAKY, all_of(2)])
shown = lambda bounds: [round(bound, 6) for bound in bounds]
print(json.dumps({"rates": [shown(rate) for rate in found.rates], "score": shown(found.score)}))
"""


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_the_numbers_are_the_same_on_every_machine_and_with_every_hash_seed(seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == GOLDEN


def test_five_hundred_tasks_of_ten_repeats_take_a_moment() -> None:
    chance = random.Random(1)
    tasks = [[chance.choice([GOOD, FAIR, BAD]) for _ in range(10)] for _ in range(500)]
    measures: list[Measure] = [RATE, FLAKY, *(of(k) for of, k in itertools.product((all_of, any_of), (1, 2, 5, 10)))]
    begun = time.process_time()
    found = intervals(tasks, measures)
    assert found.resamples == 2000
    assert time.process_time() - begun < 4  # two seconds on a machine that does nothing else


def test_of_very_many_episodes_fewer_resamples_are_drawn_and_never_none() -> None:
    assert [resamples_of(episodes) for episodes in (1, 5000, 10_000, 10**6)] == [2000, 2000, 1000, 200]
    assert intervals([task(1, 2)], [RATE]).resamples == 2000
