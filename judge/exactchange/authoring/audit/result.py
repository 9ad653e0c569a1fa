"""What an audit gives: what was tested, what slipped through, and the numbers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactchange.authoring.audit.culprits import Culprit
from exactchange.authoring.audit.mutant import Sort
from exactchange.diff import Change
from exactchange.verdict import Outcome

SORTS: Final[dict[Sort, str]] = {
    "undone": "wanted, but undone",
    "near": "nearly the wanted value",
    "elsewhere": "something else changed",
    "tolerated": "in what is tolerated",
    "forbidden": "a red line crossed",
}


UNTRIED: Final = "a rule that could not be tried"
"""What slips through by a rule for which no run could be made."""


@dataclass(frozen=True, slots=True)
class Tested:
    """A null agent, or another variant, and what came of it. `broken`: the task could not judge it, and said so.

    `about`: what several runs have in common, for people; "" for one of its own.
    """

    name: str
    outcome: Outcome | None
    broken: str = ""
    about: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"


@dataclass(frozen=True, slots=True)
class Slip:
    """Something wrong that passes. `changes`: how its end differs from the good one; `lets`: what lets each through."""

    what: str
    lets: tuple[Culprit, ...]
    sort: Sort | None = None
    changes: tuple[Change, ...] = ()

    @property
    def explained(self) -> bool:
        """Whether the task says why of all that lets it through."""
        return all(culprit.explained is not None for culprit in self.lets)


@dataclass(frozen=True, slots=True)
class Count:
    """Mutants of one sort. `alike`: made no difference; `broken`: caught since the task could not judge them."""

    caught: int = 0
    passed: int = 0
    undecided: int = 0
    broken: int = 0
    alike: int = 0
    impossible: int = 0

    @property
    def total(self) -> int:
        return self.caught + self.passed


@dataclass(frozen=True)
class Audit:
    """What a task let through. `agents`: null agents; `variants`: the good run under other params.

    `alike`: runs as good as the good one, which have to pass. `unused`: `file:line:column` of entries of `holes` that
    explain nothing.
    """

    task: str
    agents: tuple[Tested, ...]
    counts: dict[Sort, Count]
    variants: tuple[Tested, ...]
    slips: tuple[Slip, ...]
    unused: tuple[str, ...] = ()
    alike: tuple[Tested, ...] = ()

    @property
    def total(self) -> int:
        return sum(count.total for count in self.counts.values())

    @property
    def caught(self) -> int:
        return sum(count.caught for count in self.counts.values())

    @property
    def score(self) -> Fraction:
        """The mutants that are caught, of all."""
        return Fraction(self.caught, self.total) if self.total else Fraction(1)

    @property
    def untried(self) -> int:
        """How many rules, and alternatives of rules, nothing tested, explained or not: no score tells of them."""
        return sum(slip.what == UNTRIED for slip in self.slips)

    @property
    def sound(self) -> bool:
        """Whether no null agent passes, every run as good as the good one does, and every hole is explained."""
        right = not any(agent.passed for agent in self.agents) and all(run.passed for run in self.alike)
        return right and all(slip.explained for slip in self.slips)
