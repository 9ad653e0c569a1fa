"""The shapes of the documents of reports, for the JSON Schema of each: what programs that read them may rely on."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from exactchange.reports.stored import BonusRecord, ChangeRecord, UnreadRecord, VerdictRecord, WarningRecord
from exactchange.snapshot import Cause
from exactchange.verdict import Outcome, Tier

Count = Annotated[int, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, le=1)]
Points = Annotated[float, Field(ge=0, le=100)]
Interval = tuple[Points, Points]
"""Of a rate from 0 to 1, of a score from 0 to 100."""


class Shape(BaseModel):
    """A part of a document; it has these fields and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class OfKShape(Shape):
    """A measure over k repeats of a task."""

    k: Count
    value: Rate
    interval_95: Interval


class HierarchicalShape(Shape):
    """Intervals by a bootstrap over tasks and repeats."""

    strict_pass_rate: Interval
    mean_score: Interval
    resamples: Count


class RepeatsShape(Shape):
    """What repeats of the same tasks tell. `fewest`, `most`: repeats of one task."""

    tasks: Count
    fewest: Count
    most: Count
    hierarchical_95: HierarchicalShape
    pass_hat_k: list[OfKShape]
    pass_at_k: list[OfKShape]
    flake_rate: Rate | None
    flake_rate_95: Interval | None


class SummaryShape(Shape):
    """The numbers of all episodes together; null where there is nothing to tell."""

    episodes: Count
    counts: dict[str, Count]
    strict_pass_rate: Rate | None
    strict_pass_rate_at_most: Rate | None
    interval_95: Interval
    mean_score: Points | None
    mean_score_at_most: Points | None
    mean_score_passed: Points | None
    bonus: BonusRecord
    repeats: RepeatsShape | None


class TaskShape(Shape):
    """The episodes of one task; `task` null: of none that is known."""

    task: str | None
    hash: str | None
    params: JsonValue
    episodes: Count
    counts: dict[str, Count]
    passed: Count
    at_most: Count
    interval_95: Interval
    flaky: bool
    mean_score: Points
    bonus: BonusRecord
    names: list[str]
    outcomes: list[str]


class FailedTaskShape(Shape):
    """How many episodes of a task failed by a rule."""

    task: str
    episodes: Count


class FailedPlaceShape(Shape):
    """How many episodes failed by a rule at a place."""

    place: str
    episodes: Count


class FailingShape(Shape):
    """A rule, or another ground, by which episodes failed."""

    ground: str
    name: str
    where: str | None
    episodes: Count
    tasks: list[FailedTaskShape]
    places: list[FailedPlaceShape]


class FailuresShape(Shape):
    """Why episodes did not pass."""

    by_ground: dict[str, Count]
    rules: list[FailingShape]


class EpisodeShape(Shape):
    """One episode; `verdict` null: there is none, and `error` says why."""

    name: str
    outcome: str
    error: str | None
    seconds: Annotated[float, Field(ge=0)] | None
    verdict: VerdictRecord | None


class ReportShape(Shape):
    """The document of several episodes, `exactchange/report/1`. `expected`, `as_expected`: of `demo` alone."""

    schema_: Literal["exactchange/report/1"] = Field(alias="schema")
    summary: SummaryShape
    tasks: list[TaskShape]
    failures: FailuresShape
    warnings: list[WarningRecord]
    episodes: list[EpisodeShape]
    expected: JsonValue = None
    as_expected: bool = True


class PartShape(Shape):
    """A part of a source that could not be read."""

    address: str
    reason: str
    cause: Cause


class DiffShape(Shape):
    """All changes between two states, `exactchange/diff/1`. `complete`: everything was read."""

    schema_: Literal["exactchange/diff/1"] = Field(alias="schema")
    complete: bool
    changes: list[ChangeRecord]
    unread: list[PartShape]
    notes: list[WarningRecord]


class DiffStatShape(Shape):
    """How many changes there are of each kind, `exactchange/diff-stat/1`."""

    schema_: Literal["exactchange/diff-stat/1"] = Field(alias="schema")
    complete: bool
    unread: Count
    added: Count
    removed: Count
    modified: Count
    moved: Count


class ToldShape(ChangeRecord):
    """A change, and what the rules say of it."""

    why: str
    where: str


class RuleShape(Shape):
    """What came of a rule; `holds` null: it cannot be told."""

    tier: Tier
    name: str
    holds: bool | None
    where: str
    why: str


class ExplainShape(Shape):
    """Why a verdict is what it is, `exactchange/explain/1`."""

    schema_: Literal["exactchange/explain/1"] = Field(alias="schema")
    task: str
    outcome: Outcome
    changes: list[ToldShape]
    unread: list[UnreadRecord]
    findings: list[RuleShape]
