"""`effort`: steps, corrections and redundant steps stay within bounds."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import Field, model_validator

from exactchange.actions import corrections, group, settled
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.place import AtLeast, Model
from exactchange.conditions.redundancy import redundant
from exactchange.conditions.unannounced import unannounced
from exactchange.conditions.unreported import not_reported
from exactchange.verdict import Truth

_FEW = 10


class EffortRule(Model):
    """Each bound: at most so many. A step is what a person would call one: filling a field, pressing a button."""

    steps: AtLeast | None = Field(default=None, description="At most so many steps.")
    corrections: AtLeast | None = Field(default=None, description="At most so many things put right.")
    redundant: AtLeast | None = Field(default=None, description="At most so many steps without effect.")

    @model_validator(mode="after")
    def _something(self) -> "EffortRule":
        if (self.steps, self.corrections, self.redundant) == (None,) * 3:
            raise ValueError("say steps, corrections or redundant")
        return self

    def check(self, evaluation: Evaluation) -> Result:
        """Whether the bounds hold. Of what was done outside the steps or beside them nobody knows in how many."""
        found = list(self._counted(evaluation))
        truths = {item.within(ends=evaluation.ends) for item in found}
        silent = unannounced(evaluation)
        if silent and False not in truths:
            return Result(None, f"something happened outside any announced step: {silent[0]}")
        beside = not_reported(evaluation)
        if beside and False not in truths:
            return Result(None, f"more was done than was reported: {beside[0]}")
        truth = False if False in truths else None if None in truths else True
        return Result(truth, ", ".join(item.said for item in found))

    def _counted(self, evaluation: Evaluation) -> "Iterator[_Counted]":
        actions = evaluation.case.actions
        # What the last step comes to is known when the next one begins: it may still go on.
        over = actions if evaluation.ends else settled(actions)
        if self.steps is not None:
            yield _Counted("steps", self.steps, steps(evaluation))
        if self.corrections is not None:
            yield _Counted("corrections", self.corrections, corrections(over))
        if self.redundant is not None:
            found = redundant(evaluation, over)
            if found is None:
                yield _Counted("redundant steps", self.redundant, None)
            else:
                places = (*found.certain, *found.possible)
                yield _Counted("redundant steps", self.redundant, len(found.certain), len(found.possible), places)


@dataclass(frozen=True, slots=True)
class _Counted:
    """How many there were for certain (None: unknown), and how many more there may have been. `places`: of which
    actions."""

    name: str
    most: int
    certain: int | None
    possible: int = 0
    places: tuple[int, ...] = ()

    def within(self, *, ends: bool) -> Truth:
        """Whether the bound holds; before the end only that it does not can be told."""
        if self.certain is None:
            return None
        if self.certain > self.most:
            return False
        return True if ends and self.certain + self.possible <= self.most else None

    @property
    def said(self) -> str:
        """For people: `2 redundant steps, at actions 3 and 5 (at most 0)`."""
        if self.certain is None:
            return f"unknown {self.name} (at most {self.most})"
        number = f"{self.certain} to {self.certain + self.possible}" if self.possible else f"{self.certain}"
        return f"{number} {self.name}{self._where()} (at most {self.most})"

    def _where(self) -> str:
        few = sorted(self.places)[:_FEW]
        more = ", …" if len(self.places) > _FEW else ""
        return f" at action {', '.join(map(str, few))}{more}" if few else ""


def steps(evaluation: Evaluation) -> int:
    """How many steps the agent took."""
    return sum(intent.counts for intent in group(evaluation.case.actions))
