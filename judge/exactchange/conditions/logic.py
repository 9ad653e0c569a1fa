"""`all`, `any`, `not` in Kleene's logic."""

from collections.abc import Sequence

from exactchange.conditions.evaluation import Result


def all_of(results: Sequence[Result]) -> Result:
    """Fails if one fails; else cannot be told if one cannot; else holds."""
    return _decided(results, strong=False)


def any_of(results: Sequence[Result]) -> Result:
    """Holds if one holds; else cannot be told if one cannot; else fails."""
    return _decided(results, strong=True)


def negation(result: Result) -> Result:
    """Holds if the inner fails; what cannot be told stays so."""
    return Result(None if result.truth is None else not result.truth, result.why, result.evidence)


def _decided(results: Sequence[Result], *, strong: bool) -> Result:
    for wanted in (strong, None):
        for result in results:
            if result.truth is wanted:
                return result
    evidence = tuple(item for result in results for item in result.evidence)
    near = tuple(miss for result in results for miss in result.near)
    return Result(not strong, "; ".join(dict.fromkeys(r.why for r in results if r.why)), evidence, near)
