"""Things done, as somebody reported them: how many count, when they were, and where only the agent's word decides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactchange.actions import Action
from exactchange.conditions.counting import Count, counted, shortened
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.licences import unlicensed
from exactchange.conditions.moments import Moment, Moments, of_action
from exactchange.values import Value
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition


@dataclass(frozen=True, slots=True)
class Done:
    """Something that an action did, whether it fits a rule, and how it is shown. Of one action there may be several."""

    action: Action
    truth: Truth
    shown: Mapping[str, Value]
    moment: Moment | None = None
    """When it was, where that is not when its action was."""

    @property
    def when(self) -> Moment:
        """The moment of it."""
        return of_action(self.action.seq) if self.moment is None else self.moment


Said = Callable[[Truth, Sequence[Done], Sequence[Done]], str]
"""The sentence why, from the truth, what fits, and what may fit."""


def check_reported(done: Sequence[Done], count: Count, evaluation: Evaluation, *, doubt: Truth, why: Said) -> Result:
    """Whether so many fit. `doubt`: the truth to take, of two, where the agent's word decides."""
    sure = [item for item in done if item.truth is True and item.action.reported_by != "agent"]
    claimed = [item for item in done if item.truth is True and item.action.reported_by == "agent"]
    possible = [item for item in done if item.truth is None]
    more = not evaluation.ends
    without = counted(len(sure), len(possible), count, more=more)
    believed = counted(len(sure) + len(claimed), len(possible), count, more=more)
    if without is not believed:
        evidence = shortened([item.shown for item in [*sure, *claimed]])
        truth = doubt if doubt in (without, believed) else None
        return Result(truth, f"only the agent says so (step {claimed[0].action.seq})", evidence)
    shown = sure or claimed or possible
    return Result(without, why(without, sure or claimed, possible), shortened([item.shown for item in shown]))


def moments_reported(done: Sequence[Done], evaluation: Evaluation, *, trusted: bool) -> Moments:
    """The moments of what fits. `trusted`: without what only the agent reported."""
    believed = [item for item in done if not (trusted and item.action.reported_by == "agent")]
    sure = tuple(item.when for item in believed if item.truth is True)
    return Moments(sure, not evaluation.ends or any(item.truth is None for item in believed))


def without_licence(licence: "Condition | None", evaluation: Evaluation, done: Sequence[Done]) -> Sequence[Done]:
    """What no `unless_after` covers."""
    return unlicensed(licence, evaluation, done, moment=lambda item: item.when, truth=lambda item: item.truth)
