"""`effort`: steps, corrections and redundant steps stay within bounds."""

from pydantic import Field, model_validator

from exactchange.actions import corrections, group
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.place import AtLeast, Model
from exactchange.conditions.unannounced import unannounced
from exactchange.snapshot import START
from exactchange.verdict import Truth


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
        """Whether the bounds hold. Of what was done outside the announced steps nobody knows in how many."""
        counts: list[tuple[str, int | None, int]] = []
        if self.steps is not None:
            counts.append(("steps", steps(evaluation), self.steps))
        if self.corrections is not None:
            counts.append(("corrections", corrections(evaluation.case.actions), self.corrections))
        if self.redundant is not None:
            counts.append(("redundant steps", redundant(evaluation), self.redundant))
        truths: list[Truth] = [_within(found, most, evaluation) for _, found, most in counts]
        said = [f"{'unknown' if found is None else found} {name} (at most {most})" for name, found, most in counts]
        silent = unannounced(evaluation)
        if silent and False not in truths:
            return Result(None, f"something happened outside any announced step: {silent[0]}")
        return Result(False if False in truths else None if None in truths else True, ", ".join(said))


def _within(found: int | None, most: int, evaluation: Evaluation) -> Truth:
    if found is not None and found > most:
        return False
    return True if found is not None and evaluation.ends else None


def steps(evaluation: Evaluation) -> int:
    """How many steps the agent took."""
    return sum(intent.counts for intent in group(evaluation.case.actions))


def redundant(evaluation: Evaluation) -> int | None:
    """How many steps changed nothing in any source, or led back to a state already seen; None where nobody looked."""
    case = evaluation.case
    if not all(evidence.steps[:1] == (START,) and case.watched_every_step(n) for n, evidence in case.sources.items()):
        return None
    seen = {_state(evaluation, START)}
    count = 0
    for intent in group(case.actions):
        if intent.counts:
            state = _state(evaluation, intent.last)
            count += state in seen
            seen.add(state)
    return count


def _state(evaluation: Evaluation, step: int) -> tuple[bytes, ...]:
    return tuple(evidence.at(step).digest for evidence in evaluation.case.sources.values())
