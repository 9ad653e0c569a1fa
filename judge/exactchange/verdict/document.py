"""The verdict's JSON document, written whole or not at all."""

import json
import os
import pathlib
import tempfile
from collections.abc import Mapping
from fractions import Fraction

from exactchange import __version__
from exactchange.diff import Change
from exactchange.errors import InfrastructureError
from exactchange.snapshot import Unread
from exactchange.values import Value, to_json
from exactchange.values.jsonform import Json
from exactchange.verdict.model import Bounds, Finding, Settled, Verdict


class VerdictNotWritten(InfrastructureError):
    """A verdict was reached, and is on no disk: here it is."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


SCHEMA = "exactchange/verdict/1"


def verdict_json(verdict: Verdict) -> dict[str, Json]:
    """The document of a verdict, `exactchange/verdict/1`; the same verdict always gives the same text."""
    return {
        "schema": SCHEMA,
        "judge": __version__,
        "task": verdict.task,
        "outcome": verdict.outcome,
        "cause": verdict.cause,
        "score": _score(verdict.score),
        "bounds": _bounds(verdict.bounds),
        "bonus": {"met": verdict.bonus.met, "of": verdict.bonus.of},
        "findings": [_finding(item) for item in verdict.findings],
        "unexplained": [change_json(item) for item in verdict.unexplained],
        "allowed": [_settled(item) for item in verdict.allowed],
        "ignored": [_settled(item) for item in verdict.ignored],
        "freed": [{"address": f.address, "value": to_json(f.value), "where": f.where} for f in verdict.freed],
        "unread": [{"source": source, **unread_json(item)} for source, item in verdict.unread],
        "scope": list(verdict.scope),
        "warnings": [{"kind": item.kind, "message": item.message} for item in verdict.warnings],
        "steps": verdict.steps,
        "mode": verdict.mode,
        "stopped_at": verdict.stopped_at,
        "hashes": dict(sorted(verdict.hashes.items())),
    }


def write_verdict(verdict: Verdict, path: pathlib.Path) -> None:
    """Write the document by temporary file, fsync and rename. Raises OSError; then no verdict is there."""
    text = json.dumps(verdict_json(verdict), indent=1, allow_nan=False) + "\n"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".verdict-")
    temporary = pathlib.Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def change_json(change: Change) -> dict[str, Json]:
    """A change as the diff document holds it; with `likely_cause` where one is known."""
    cause: dict[str, Json] = {"likely_cause": change.likely_cause} if change.likely_cause else {}
    return {
        "source": change.source,
        "op": change.op,
        "address": change.address,
        "path": list(change.path),
        "before": to_json(change.before),
        "after": to_json(change.after),
        "at": _mapping(change.at),
        **cause,
    }


def unread_json(item: Unread) -> dict[str, Json]:
    """An unread part as the diff document holds it."""
    return {"address": item.address, "reason": item.reason, "cause": item.cause}


def _finding(finding: Finding) -> Json:
    return {
        "tier": finding.tier,
        "name": finding.name,
        "holds": finding.holds,
        "where": finding.where,
        "why": finding.why,
        "evidence": [_mapping(item) for item in finding.evidence],
        "explains": [change_json(change) for change in finding.explains],
        "near": [{"change": change_json(n.change), "wanted": n.wanted, "got": n.got} for n in finding.near],
    }


def _settled(item: Settled) -> Json:
    return {**change_json(item.change), "where": item.where}


def _mapping(value: Mapping[str, Value]) -> Json:
    return {name: to_json(item) for name, item in value.items()}


def _bounds(bounds: Bounds | None) -> Json:
    if bounds is None:
        return None
    return {"worst": bounds.worst, "best": bounds.best, "score_at_most": _score(bounds.score_at_most)}


def _score(score: Fraction | None) -> Json:
    if score is None:
        return None
    return score.numerator if score.denominator == 1 else round(float(score), 4)
