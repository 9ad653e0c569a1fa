"""The episodes of a report: what became of each, and of which task it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactchange.task import Task
from exactchange.values import Value
from exactchange.verdict import Verdict

OUTCOMES: Final = ("passed", "unmet", "vetoed", "undecided", "no verdict")


@dataclass(frozen=True, slots=True)
class TaskName:
    """Which task: its id, its hash ("" where that is not known), and its params (None where they are not known)."""

    id: str
    hash: str = ""
    params: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One episode of a report: what was judged, and the verdict, or (None) why there is none.

    `failed`: one sentence; beside a verdict, why it is on no disk. It counts as an episode all the same: nothing leaves
    the denominator.
    """

    name: str
    verdict: Verdict | None
    failed: str | None = None
    seconds: float | None = None
    exit_code: int | None = None
    """The exit code of what failed."""
    task: Task | None = None
    """What it was judged by, where that is known."""
    recorded: TaskName | None = None
    """What the recording says that it is of, where there is no task to ask."""

    @property
    def outcome(self) -> str:
        """One of OUTCOMES."""
        if self.verdict is None or self.verdict.score is None:
            return "no verdict" if self.verdict is None or self.verdict.outcome == "undecided" else self.verdict.outcome
        return self.verdict.outcome

    @property
    def score(self) -> Fraction:
        """0 to 100, as the verdict's document has it; 0 where there is none."""
        found = None if self.verdict is None else self.verdict.score
        return Fraction(0) if found is None else _as_written(found)

    @property
    def score_at_most(self) -> Fraction:
        """What the score could be, were all known that cannot be told."""
        if self.verdict is None:
            return Fraction(100)
        if self.verdict.bounds is not None:
            return _as_written(self.verdict.bounds.score_at_most)
        return self.score if self.outcome in ("passed", "unmet", "vetoed") else Fraction(100)

    @property
    def may_pass(self) -> bool:
        """Whether it passed, or could have, were all known that cannot be told."""
        return self.outcome in ("passed", "undecided", "no verdict")

    @property
    def of(self) -> TaskName | None:
        """The task it is of; None where nobody knows."""
        params = self.task.params if self.task is not None else None if self.recorded is None else self.recorded.params
        if self.verdict is not None:
            return TaskName(self.verdict.task, self.verdict.hashes.get("task", ""), params)
        return self.recorded if self.task is None else TaskName(self.task.id, self.task.hash, params)


def _as_written(score: Fraction) -> Fraction:
    """To four places: a report of live runs has the numbers of the report of their recordings."""
    return Fraction(round(score * 10_000), 10_000)


def exit_code(entries: Sequence[Entry]) -> int:
    """4 when a verdict could not be written; else 0 all passed; 1 something vetoed or unmet; else 2 something was used
    wrongly; else 4 something without a verdict; else 3 something undecided."""
    outcomes = {entry.outcome for entry in entries}
    if any(entry.verdict is not None and entry.exit_code == 4 for entry in entries):
        return 4
    if outcomes & {"vetoed", "unmet"}:
        return 1
    if any(entry.exit_code == 2 for entry in entries):
        return 2
    if "no verdict" in outcomes:
        return 4
    return 3 if "undecided" in outcomes else 0
