import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.reports.statistics import flaky, pass_at, pass_hat, steps_of_k, wilson

counts = st.integers(1, 60).flatmap(lambda repeats: st.tuples(st.integers(0, repeats), st.just(repeats)))


@pytest.mark.parametrize(
    ("passed", "episodes", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 3, 0.0615, 0.7923), (31, 40, 0.6250, 0.8768), (0, 0, 0.0, 1.0)],
)
def test_wilson_interval(passed: int, episodes: int, low: float, high: float) -> None:
    # Figures of a published calculator for the score interval without continuity correction.
    assert wilson(passed, episodes) == pytest.approx((low, high), abs=5e-4)


@given(counts)
def test_the_ends_of_wilson_s_interval_are_where_the_score_test_turns(count: tuple[int, int]) -> None:
    passed, episodes = count
    low, high = wilson(passed, episodes)
    assert 0 <= low <= passed / episodes <= high <= 1
    for bound in (low, high):
        if 0 < bound < 1:  # the rate lies 1.96 standard errors away, as the interval's definition has it
            error = math.sqrt(bound * (1 - bound) / episodes)
            assert abs(passed / episodes - bound) / error == pytest.approx(1.959964, rel=1e-6)


@given(counts)
def test_one_more_pass_moves_wilson_s_interval_up(count: tuple[int, int]) -> None:
    passed, episodes = count
    low, high = wilson(passed, episodes)
    more = wilson(min(passed + 1, episodes), episodes)
    assert more[0] >= low and more[1] >= high


@given(counts)
def test_more_episodes_at_the_same_rate_narrow_wilson_s_interval(count: tuple[int, int]) -> None:
    passed, episodes = count
    low, high = wilson(passed, episodes)
    narrow = wilson(4 * passed, 4 * episodes)
    assert narrow[1] - narrow[0] < high - low


@pytest.mark.parametrize("repeats", range(1, 7))
def test_the_estimates_of_k_repeats_are_the_shares_of_all_choices_of_k(repeats: int) -> None:
    for passed, k in itertools.product(range(repeats + 1), range(1, repeats + 1)):
        choices = list(itertools.combinations([True] * passed + [False] * (repeats - passed), k))
        assert pass_hat(passed, repeats, k) == Fraction(sum(map(all, choices)), len(choices))
        assert pass_at(passed, repeats, k) == Fraction(sum(map(any, choices)), len(choices))


@pytest.mark.parametrize(("chance", "repeats"), [(Fraction(1, 3), 5), (Fraction(9, 10), 4), (Fraction(0), 3)])
def test_the_estimates_of_k_repeats_have_no_bias(chance: Fraction, repeats: int) -> None:
    def expected(estimate: "list[Fraction]") -> Fraction:
        return sum(
            (
                math.comb(repeats, c) * chance**c * (1 - chance) ** (repeats - c) * estimate[c]
                for c in range(repeats + 1)
            ),
            Fraction(0),
        )

    for k in range(1, repeats + 1):
        assert expected([pass_hat(c, repeats, k) for c in range(repeats + 1)]) == chance**k
        assert expected([pass_at(c, repeats, k) for c in range(repeats + 1)]) == 1 - (1 - chance) ** k


@given(counts)
def test_of_one_repeat_both_estimates_are_the_rate_and_of_more_they_part(count: tuple[int, int]) -> None:
    passed, repeats = count
    assert pass_hat(passed, repeats, 1) == pass_at(passed, repeats, 1) == Fraction(passed, repeats)
    for k in range(1, repeats):
        assert pass_hat(passed, repeats, k + 1) <= pass_hat(passed, repeats, k)
        assert pass_at(passed, repeats, k + 1) >= pass_at(passed, repeats, k)
    assert pass_hat(passed, repeats, repeats) == (passed == repeats)
    assert pass_at(passed, repeats, repeats) == (passed > 0)


@pytest.mark.parametrize(("passed", "repeats", "k"), [(1, 2, 3), (0, 2, 3), (1, 2, 0), (3, 2, 1), (-1, 2, 1)])
def test_of_more_repeats_than_there_were_nothing_is_estimated(passed: int, repeats: int, k: int) -> None:
    for estimate in (pass_hat, pass_at):
        with pytest.raises(ValueError, match="no estimate"):
            estimate(passed, repeats, k)


@pytest.mark.parametrize(
    ("passed", "repeats", "truth"), [(0, 3, False), (3, 3, False), (1, 3, True), (1, 1, False), (0, 1, False)]
)
def test_flaky_is_what_passes_at_times(passed: int, repeats: int, truth: bool) -> None:
    assert flaky(passed, repeats) is truth


@pytest.mark.parametrize(
    ("fewest", "ks"),
    [(0, ()), (1, (1,)), (3, (1, 2, 3)), (5, (1, 2, 3, 4, 5)), (8, (1, 2, 3, 4, 5, 8)), (10, (1, 2, 3, 4, 5, 10)),
     (11, (1, 2, 3, 4, 5, 10, 11)), (64, (1, 2, 3, 4, 5, 10, 20, 40, 64))],
)  # fmt: skip
def test_few_k_are_told_the_first_and_the_last_among_them(fewest: int, ks: tuple[int, ...]) -> None:
    assert steps_of_k(fewest) == ks
