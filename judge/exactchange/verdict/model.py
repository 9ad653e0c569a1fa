"""Findings and verdicts as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from exactchange.diff import Change, Operation
from exactchange.snapshot import Cause, Unread
from exactchange.values import Path, Value

Truth: TypeAlias = bool | None
"""Three-valued: holds, fails, or (None) cannot be told."""
Outcome: TypeAlias = Literal["passed", "vetoed", "unmet", "undecided"]
Tier: TypeAlias = Literal["given", "veto", "must", "bonus"]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A change in the right place that a rule did not accept: what it wanted and what it got."""

    change: Change
    wanted: str
    got: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one rule. `where`: `file:line:column` of the rule. `why`: one sentence for people.

    `evidence`: mappings with a `kind` (`change`, `action`, `request`, `value`) and, where known, the `step`.
    `explains`: the changes that the rule asked for and found (of a must).
    """

    tier: Tier
    name: str
    where: str
    holds: Truth
    why: str = ""
    evidence: tuple[Mapping[str, Value], ...] = ()
    explains: tuple[Change, ...] = ()
    near: tuple[NearMiss, ...] = ()


@dataclass(frozen=True, slots=True)
class Settled:
    """A change that a rule allows or ignores, and that rule's place."""

    change: Change
    where: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A container that came or went as a whole: the place that stands for all of its leaves."""

    source: str
    op: Operation
    address: str
    path: Path


@dataclass(frozen=True, slots=True)
class Freed:
    """A column or key that `rest: any` let hold anything: shown, so that nobody has to guess what a pass overlooked."""

    address: str
    value: Value
    where: str


@dataclass(frozen=True, slots=True)
class Warned:
    """What a pass does not exclude, or what the task would better say."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Bonus:
    """How many bonus rules were met, of how many; counted after a pass only."""

    met: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a verdict does not exclude: the worst and the best outcome, and the highest score, were all known that it
    could not tell. Of a decided verdict both are its outcome; a lower score than its own there never is."""

    worst: Outcome
    best: Outcome
    score_at_most: Fraction


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one episode. `score`: 0 to 100; None where the infrastructure failed: then there is no verdict.

    `whole`: the containers that came or went as a whole with nothing of them explained. Their leaves are in
    `unexplained`, one after the other; it is no evidence, and in no document.
    `unread`, by source. `freed`: what `rest: any` let through. `stopped_at`: number of the action at which the judge
    stopped the agent.
    """

    task: str
    outcome: Outcome
    score: Fraction | None
    cause: Cause | None = None
    bounds: Bounds | None = None
    """Always there in a verdict of the judge; None in a document that was written before there were bounds."""
    bonus: Bonus = Bonus()
    findings: tuple[Finding, ...] = ()
    unexplained: tuple[Change, ...] = ()
    whole: tuple[Whole, ...] = ()
    allowed: tuple[Settled, ...] = ()
    ignored: tuple[Settled, ...] = ()
    freed: tuple[Freed, ...] = ()
    unread: tuple[tuple[str, Unread], ...] = ()
    scope: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    mode: Literal["online", "offline"] = "offline"
    stopped_at: int | None = None
    steps: int = 0
    hashes: Mapping[str, str] = field(default_factory=dict[str, str])
    """`task`: BLAKE2b-256 of the task with its params; `events`: of the episode's events, where there is an episode."""

    @property
    def passed(self) -> bool:
        """Whether the outcome is `passed`."""
        return self.outcome == "passed"
