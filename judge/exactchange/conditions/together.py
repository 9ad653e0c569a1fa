"""What stands in several places at one and the same moment: `all` of values, where every moment counts.

A moment is a capture. What a source held between two of its captures nobody saw, unless it held both before and after
what does not fit.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from exactchange.case import PSEUDO
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.logic import all_of, any_of, negation
from exactchange.conditions.value import ValueRule

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition

Moment: TypeAlias = tuple[int, int]
"""The step that a capture follows, and how many captures of its source follow the same step before it."""


def of_a_moment(condition: "Condition") -> bool:
    """Whether it says what stands somewhere, at no moment of its own: a `value` without `when`, or several of them."""
    if condition.value is not None:
        return condition.value.when is None
    inside = condition.all or condition.any or ([condition.not_] if condition.not_ is not None else [])
    return bool(inside) and all(map(of_a_moment, inside))


def at_one_moment(parts: Sequence["Condition"], evaluation: Evaluation, *, harm: bool) -> Result:
    """Whether there is a moment at which all of these hold. `harm`: the truth that speaks against the agent."""
    sources = dict.fromkeys(part.value.in_ for one in parts for part in one.walk() if part.value is not None)
    captures = {name: _moments(name, evaluation) for name in sources}
    every = sorted({moment for moments in captures.values() for moment in moments})
    found = any_of([all_of([_at(part, moment, captures, evaluation) for part in parts]) for moment in every])
    if found.truth is True:
        return found
    if not evaluation.ends:
        return Result(None, "the episode is not over")
    lacking = [name for name, moments in captures.items() if not moments]
    if lacking:
        return Result(None, f"{lacking[0]}: there is no capture")
    blind = sorted(name for name in sources if not evaluation.seen_throughout(name))
    if found.truth is False and harm is False and blind:
        return Result(None, f"{blind[0]} was not read after every step, and may have held anything in between")
    return found if found.truth is None else Result(False, "never at one and the same moment", found.evidence)


def _at(
    condition: "Condition", moment: Moment, captures: Mapping[str, Sequence[Moment]], evaluation: Evaluation
) -> Result:
    """Whether it holds at a moment. `captures`: the moments at which each source was captured."""
    if condition.value is not None:
        return _value_at(condition.value, moment, captures[condition.value.in_], evaluation)
    if condition.not_ is not None:
        return negation(_at(condition.not_, moment, captures, evaluation))
    results = [_at(part, moment, captures, evaluation) for part in condition.all or condition.any or ()]
    return all_of(results) if condition.all is not None else any_of(results)


def _moments(source: str, evaluation: Evaluation) -> Sequence[Moment]:
    seen: Counter[int] = Counter()
    out: list[Moment] = []
    for step in evaluation.case.evidence(source).steps:
        out.append((step, seen[step]))
        seen[step] += 1
    return out


def _value_at(rule: ValueRule, moment: Moment, captures: Sequence[Moment], evaluation: Evaluation) -> Result:
    """Whether a value fits at a moment. The answer is given at the end, and of the actions all count."""
    if rule.in_ in PSEUDO and rule.in_ not in evaluation.case.sources:
        if moment < captures[-1]:
            return Result(False, f"{rule.in_} is known at the end")
        return rule.at_capture(evaluation, 0) if evaluation.ends else Result(None, "the episode is not over")
    after = bisect_right(captures, moment)
    if after and captures[after - 1][0] == moment[0]:  # others may have been captured once more after the same step
        return rule.at_capture(evaluation, after - 1)
    around = [rule.at_capture(evaluation, number) for number in (after - 1, after) if 0 <= number < len(captures)]
    if around and all(result.truth is False for result in around):
        return around[0]
    return Result(None, f"{rule.in_} was not read after step {moment[0]}")
