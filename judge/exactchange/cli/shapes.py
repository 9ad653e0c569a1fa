"""The shapes of the documents that commands print with `--json`, for the JSON Schema of each."""

from typing import Final, Literal

from pydantic import BaseModel, Field, JsonValue

from exactchange.reports.shapes import Count, DiffShape, DiffStatShape, ExplainShape, PartShape, ReportShape, Shape
from exactchange.reports.stored import ChangeRecord, UnreadRecord, VerdictRecord, WarningRecord
from exactchange.verdict import Outcome


class ErrorShape(Shape):
    """What went wrong, `exactchange/error/1`; in the place of any other document."""

    schema_: Literal["exactchange/error/1"] = Field(alias="schema")
    error: str
    exit_code: Count


class ProblemShape(Shape):
    """A mistake or a warning; `line`, `column` and `width` count from 1, and are null where no line is to blame.

    `kind`: of a warning, what it is about. `see`: the command that shows what explains it.
    """

    kind: str = ""
    where: str
    file: str
    line: int | None
    column: int | None
    width: int | None
    message: str
    suggestion: str | None
    see: str | None
    line_text: str | None


class CheckedShape(Shape):
    """One task file."""

    file: str
    id: str | None
    ok: bool
    problems: list[ProblemShape]
    warnings: list[ProblemShape]


class CheckShape(Shape):
    """What is wrong with task files, `exactchange/check/1`."""

    schema_: Literal["exactchange/check/1"] = Field(alias="schema")
    tasks: list[CheckedShape]


class LeafShape(Shape):
    """A value and its address."""

    address: str
    value: JsonValue


class SourceShape(Shape):
    """The state of a source; `digest`: in hexadecimal."""

    name: str
    adapter: str
    digest: str
    leaves: list[LeafShape]
    unread: list[PartShape]
    notes: list[WarningRecord]


class SnapshotShape(Shape):
    """The state of sources, `exactchange/snapshot/1`."""

    schema_: Literal["exactchange/snapshot/1"] = Field(alias="schema")
    sources: list[SourceShape]


class FileShape(Shape):
    """The files that were written, `exactchange/init/1`."""

    schema_: Literal["exactchange/init/1"] = Field(alias="schema")
    files: list[str]


class ParamShape(Shape):
    """What a source of a kind may say."""

    description: str
    required: bool
    type: str


class NoiseRuleShape(Shape):
    """A rule by which a kind recognises noise; `usual`: whether it is on where a task says nothing."""

    name: str
    says: str
    usual: bool


class AdapterShape(Shape):
    """A kind of source; `error`: why it cannot be used."""

    name: str
    module: str
    package: str
    error: str | None
    params: dict[str, ParamShape]
    noise: list[NoiseRuleShape]


class AdaptersShape(Shape):
    """The kinds of source that are installed, `exactchange/adapters/1`."""

    schema_: Literal["exactchange/adapters/1"] = Field(alias="schema")
    adapters: list[AdapterShape]


class PageShape(Shape):
    """A page of the documentation."""

    page: str
    title: str


class DocsShape(Shape):
    """The pages of the documentation, or the text of one, `exactchange/docs/1`."""

    schema_: Literal["exactchange/docs/1"] = Field(alias="schema")
    folder: str | None = None
    pages: list[PageShape] | None = None
    page: str | None = None
    section: str | None = None
    file: str | None = None
    text: str | None = None


class StatementShape(Shape):
    """A statement. `bounded`: whether something restricts the rows; null where there are none, or it cannot be told."""

    sql: str
    effects: list[str]
    tables: list[str]
    bounded: bool | None
    understood: bool
    why: str


class SqlShape(Shape):
    """What statements do, `exactchange/sql/1`."""

    schema_: Literal["exactchange/sql/1"] = Field(alias="schema")
    statements: list[StatementShape]


class HealthShape(Shape):
    """One check of the machine."""

    name: str
    ok: bool
    detail: str
    remedy: str


class DoctorShape(Shape):
    """What the machine has, `exactchange/doctor/1`."""

    schema_: Literal["exactchange/doctor/1"] = Field(alias="schema")
    ok: bool
    checks: list[HealthShape]


class NoiseShape(Shape):
    """A place that changes by itself. `line`: what to write below `ignore`; `why`: what keeps it from being noise."""

    in_: str = Field(alias="in")
    at: str
    op: str | None
    exact: bool
    hides: JsonValue
    runs: JsonValue
    changes: JsonValue
    example: ChangeRecord
    line: str | None = None
    why: str | None = None


class CalibrateShape(Shape):
    """What changes when somebody only looks, `exactchange/calibrate/1`."""

    schema_: Literal["exactchange/calibrate/1"] = Field(alias="schema")
    task: str
    runs: Count
    quiet: bool
    complete: bool
    rules: list[NoiseShape]
    more: JsonValue
    not_noise: list[NoiseShape]
    unread: list[UnreadRecord]


class TestedShape(Shape):
    """A null agent, or a run under other params, and what came of it; `broken`: why it cannot be judged."""

    name: str
    outcome: Outcome | None
    passed: bool
    broken: str | None


class ExampleShape(Shape):
    """A wrong run that passes."""

    what: str
    changes: list[ChangeRecord]


class HoleShape(Shape):
    """What lets wrong runs pass. `why`, `explained_at`: what the task says of it, and where."""

    lets: str
    said: str
    where: str | None
    close: str | None
    why: str | None
    explained_at: str | None
    mutants: Count
    examples: list[ExampleShape]


class AuditedShape(Shape):
    """What the audit of a task found; `mutants`: numbers by the sort of wrong run."""

    task: str
    sound: bool
    caught: Count
    total: Count
    untried: Count
    agents: list[TestedShape]
    mutants: dict[str, dict[str, Count]]
    variants: list[TestedShape]
    holes: list[HoleShape]
    alike: list[TestedShape]
    unused: list[str]


class AuditShape(Shape):
    """What tasks let through, `exactchange/audit/1`."""

    schema_: Literal["exactchange/audit/1"] = Field(alias="schema")
    sound: bool
    tasks: list[AuditedShape]


DOCUMENTS: Final[dict[str, type[BaseModel]]] = {
    "verdict": VerdictRecord,
    "report": ReportShape,
    "diff": DiffShape,
    "diff-stat": DiffStatShape,
    "explain": ExplainShape,
    "check": CheckShape,
    "snapshot": SnapshotShape,
    "calibrate": CalibrateShape,
    "audit": AuditShape,
    "doctor": DoctorShape,
    "adapters": AdaptersShape,
    "init": FileShape,
    "docs": DocsShape,
    "sql": SqlShape,
    "error": ErrorShape,
}
"""By the word in their `schema`: `exactchange/report/1` is `report`."""
