"""Verdict documents read back: a foreign record, so every field is checked before it becomes a value."""

import json
import os
import pathlib
import stat
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from exactchange.diff import Change, Operation
from exactchange.errors import UsageError
from exactchange.snapshot import Cause, Unread
from exactchange.values import ABSENT, State, Value, from_json
from exactchange.verdict import Bonus, Bounds, Finding, Freed, NearMiss, Outcome, Settled, Tier, Verdict, Warned
from exactchange.verdict.document import SCHEMA

LARGEST = 64 * 1024 * 1024
"""Bytes of a verdict document that are read."""
_Count = Annotated[int, Field(ge=0)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ChangeRecord(_Model):
    """A change; `before` and `after` are values in their JSON form.

    `likely_cause`: a rule of the source's own that may have made it, where one is known. It decides nothing.
    """

    source: str
    op: Operation
    address: str
    path: list[str | int]
    before: JsonValue
    after: JsonValue
    at: dict[str, JsonValue]
    likely_cause: str = ""


class SettledRecord(ChangeRecord):
    """A change that a rule allows or ignores."""

    where: str


class NearRecord(_Model):
    """A change in the right place that a rule did not accept."""

    change: ChangeRecord
    wanted: str
    got: str


class FindingRecord(_Model):
    """The result of one rule; `holds` null: it cannot be told."""

    tier: Tier
    name: str
    holds: bool | None
    where: str
    why: str
    evidence: list[dict[str, JsonValue]]
    explains: list[ChangeRecord]
    near: list[NearRecord]


class FreedRecord(_Model):
    """A column that a rule let hold anything."""

    address: str
    value: JsonValue
    where: str


class UnreadRecord(_Model):
    """A part that could not be read."""

    source: str
    address: str
    reason: str
    cause: Cause


class WarningRecord(_Model):
    """What a pass does not exclude, or what the task would better say."""

    kind: str
    message: str


class BonusRecord(_Model):
    """How many bonus rules were met, of how many."""

    met: _Count
    of: _Count


class BoundsRecord(_Model):
    """What a verdict does not exclude, were all known that it could not tell."""

    worst: Outcome
    best: Outcome
    score_at_most: Annotated[float, Field(ge=0, le=100)]


class VerdictRecord(_Model):
    """The verdict document, `exactchange/verdict/1`. `score` null: there is no verdict."""

    schema_: Literal["exactchange/verdict/1"] = Field(alias="schema")
    judge: str
    task: str
    outcome: Outcome
    cause: Cause | None
    score: Annotated[float, Field(ge=0, le=100)] | None
    bounds: BoundsRecord | None = None
    bonus: BonusRecord
    findings: list[FindingRecord]
    unexplained: list[ChangeRecord]
    allowed: list[SettledRecord]
    ignored: list[SettledRecord]
    freed: list[FreedRecord]
    unread: list[UnreadRecord]
    scope: list[str]
    warnings: list[WarningRecord]
    steps: _Count
    mode: Literal["online", "offline"]
    stopped_at: _Count | None
    hashes: dict[str, str]


def read_verdict(path: pathlib.Path) -> Verdict:
    """The verdict in a file. Raises UsageError when there is none, or it is no regular file or no verdict."""
    data = _read(path)
    try:
        document: object = json.loads(data, parse_constant=_no_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not a verdict: not strict JSON: {error}; judge the episode again") from error
    return verdict_of(document, name=str(path))


def verdict_of(document: object, *, name: str) -> Verdict:
    """The verdict of a parsed document. Raises UsageError that names the field that is wrong."""
    try:
        record = VerdictRecord.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{name}: not a document of {SCHEMA}: {where}: {first['msg']}; judge again") from error
    try:
        return _verdict(record)
    except (UsageError, ValueError, TypeError, RecursionError, IndexError, OverflowError) as error:
        raise UsageError(f"{name}: not a document of {SCHEMA}: {error}; judge the episode again") from error


def verdict_schema() -> dict[str, JsonValue]:
    """The JSON Schema of the verdict document."""
    schema: dict[str, JsonValue] = VerdictRecord.model_json_schema(by_alias=True)
    return schema


def _verdict(record: VerdictRecord) -> Verdict:
    return Verdict(
        task=record.task,
        outcome=record.outcome,
        score=None if record.score is None else Fraction(str(record.score)),
        cause=record.cause,
        bounds=None if record.bounds is None else _bounds(record.bounds),
        bonus=Bonus(record.bonus.met, record.bonus.of),
        findings=tuple(_finding(item) for item in record.findings),
        unexplained=_changes(record.unexplained),
        allowed=_settled(record.allowed),
        ignored=_settled(record.ignored),
        freed=tuple(Freed(item.address, _present(item.value), item.where) for item in record.freed),
        unread=tuple((u.source, Unread((), u.address, u.reason, u.cause)) for u in record.unread),
        scope=tuple(record.scope),
        warnings=tuple(Warned(item.kind, item.message) for item in record.warnings),
        mode=record.mode,
        stopped_at=record.stopped_at,
        steps=record.steps,
        hashes=record.hashes,
    )


def _bounds(record: BoundsRecord) -> Bounds:
    return Bounds(record.worst, record.best, Fraction(str(record.score_at_most)))


def _finding(record: FindingRecord) -> Finding:
    return Finding(
        tier=record.tier,
        name=record.name,
        where=record.where,
        holds=record.holds,
        why=record.why,
        # Evidence may hold an absence (what stood before an added value): kept as its own state.
        evidence=tuple({name: _evidence(value) for name, value in item.items()} for item in record.evidence),
        explains=_changes(record.explains),
        near=tuple(NearMiss(_change(item.change), item.wanted, item.got) for item in record.near),
    )


def _change(record: ChangeRecord) -> Change:
    at = {name: _present(value) for name, value in record.at.items()}
    before, after = from_json(record.before), from_json(record.after)
    path, cause = tuple(record.path), record.likely_cause
    return Change(record.source, record.op, record.address, path, before, after, at, likely_cause=cause)


def _changes(records: Sequence[ChangeRecord]) -> tuple[Change, ...]:
    return tuple(_change(item) for item in records)


def _settled(records: Sequence[SettledRecord]) -> tuple[Settled, ...]:
    return tuple(Settled(_change(item), item.where) for item in records)


def _present(document: JsonValue) -> Value:
    value = from_json(document)
    if value is ABSENT:
        raise ValueError("an absence stands where a value must be")
    return value


def _evidence(document: JsonValue) -> Value:
    value: State = from_json(document)
    return "absent" if value is ABSENT else value


def _read(path: pathlib.Path) -> bytes:
    # The file may be in a foreign episode: no link is followed, and a FIFO or device is not waited for.
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{path}: no verdict can be read: {error.strerror}; exactchange judge writes one") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UsageError(f"{path}: not a regular file, so no verdict")
    with os.fdopen(handle, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(f"{path}: larger than {LARGEST} bytes, so no verdict that this program wrote")
    return data


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("an object has the same key twice")
    return out
