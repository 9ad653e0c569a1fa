"""The statistics of repeated trials: the interval of a rate, and what would become of k repeats."""

import math
from fractions import Fraction

_Z = 1.959963984540054  # of a 95 % interval


def wilson(passed: int, episodes: int) -> tuple[float, float]:
    """The 95 % score interval of a rate; (0, 1) without episodes. It takes the episodes for independent.

    E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 22 (1927), 209-212.
    """
    if episodes == 0:
        return 0.0, 1.0
    rate, square = passed / episodes, _Z * _Z
    middle = (rate + square / (2 * episodes)) / (1 + square / episodes)
    half = _Z / (1 + square / episodes) * math.sqrt(rate * (1 - rate) / episodes + square / (4 * episodes**2))
    # At the ends the bound is 0 or 1 exactly; rounding must not say otherwise.
    low = 0.0 if passed == 0 else max(0.0, middle - half)
    return low, 1.0 if passed == episodes else min(1.0, middle + half)


def pass_hat(passed: int, repeats: int, k: int) -> Fraction:
    """The chance that k repeats of a task all pass, from `repeats` of which `passed` did; without bias: C(c,k)/C(n,k).

    Raises ValueError where k is no number of repeats, or larger than `repeats`.
    S. Yao et al., tau-bench, arXiv 2406.12045 (2024), section 4: pass^k.
    """
    _check(passed, repeats, k)
    return Fraction(math.comb(passed, k), math.comb(repeats, k))


def pass_at(passed: int, repeats: int, k: int) -> Fraction:
    """The chance that at least one of k repeats passes; without bias: 1 - C(n-c,k)/C(n,k). Raises as `pass_hat`.

    M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv 2107.03374 (2021), section 2.1: pass@k.
    """
    _check(passed, repeats, k)
    return 1 - Fraction(math.comb(repeats - passed, k), math.comb(repeats, k))


def flaky(passed: int, repeats: int) -> bool:
    """Whether some repeats of a task passed and some did not."""
    return 0 < passed < repeats


def steps_of_k(fewest: int) -> tuple[int, ...]:
    """Which k are told of tasks with at least so many repeats: each up to 5, then doubled, and the largest."""
    found = [k for k in (1, 2, 3, 4, 5) if k <= fewest]
    while found and found[-1] * 2 < fewest and found[-1] >= 5:
        found.append(found[-1] * 2)
    return (*found, fewest) if fewest > 5 else tuple(found)


def _check(passed: int, repeats: int, k: int) -> None:
    if not 1 <= k <= repeats or not 0 <= passed <= repeats:
        raise ValueError(f"no estimate for k = {k} from {passed} of {repeats} repeats")
