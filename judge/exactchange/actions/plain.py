"""The plain dialect: one JSON object per action, as agents without a runner of their own write them."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from exactchange.actions.model import KINDS, Action, Reporter
from exactchange.errors import UsageError
from exactchange.values import Value, dumps, parse_json
from exactchange.values.checked import checked_value

_ENVELOPE = frozenset({"kind", "seq", "time", "error", "reported_by"})
_LONGEST_LINE = 1024 * 1024


def normalise(raw: Mapping[str, Value], *, seq: int, reported_by: Reporter) -> Action:
    """The action of one record. What is not understood becomes kind `unknown`, with the record kept as it came.

    Raises UsageError for what is no mapping of values: a runner's slip, since nothing that was read is such.
    """
    _check_record(raw)
    kind = raw.get("kind")
    args = {name: value for name, value in raw.items() if name not in _ENVELOPE}
    text = dumps(raw)
    error = raw.get("error")
    said = error if isinstance(error, str) else None if error is None else dumps(error)
    known = kind if isinstance(kind, str) and kind in KINDS else "unknown"
    return Action(seq, known, args, text, reported_by, _time_ns(raw.get("time")), said)


def _check_record(raw: object) -> None:
    if not isinstance(raw, Mapping):
        raise UsageError(f'an action is a mapping, such as {{"kind": "click"}}, and no {type(raw).__name__}')
    checked_value(cast("object", raw), what="the action")


def action_record(action: Action) -> dict[str, Value]:
    """The JSON form of an action in an episode: `{"seq", "kind", …args, "reported_by", "raw", "time_ns", "error"}`."""
    return {
        "seq": action.seq,
        "kind": action.kind,
        "args": dict(action.args),
        "raw": action.raw,
        "reported_by": action.reported_by,
        "time_ns": action.time_ns,
        "error": action.error,
    }


def read_jsonl(data: bytes, *, reported_by: Reporter, name: str) -> tuple[Action, ...]:
    """The actions of a log. Lines end with LF only; a torn last line is an error of its own.

    Raises UsageError that names the line.
    """
    actions: list[Action] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        if len(line) > _LONGEST_LINE:
            raise UsageError(f"{name}:{number}: a line of more than 1 MiB")
        try:
            record = parse_json(line)
        except UsageError as error:
            raise UsageError(f"{name}:{number}: {error}") from error
        if not isinstance(record, Mapping):
            raise UsageError(f'{name}:{number}: an action is a JSON object, such as {{"kind": "click"}}')
        actions.append(normalise(record, seq=len(actions) + 1, reported_by=reported_by))
    return tuple(actions)


def with_error(action: Action, error: str | None) -> Action:
    """The action with what the runner said went wrong."""
    return action if error is None else replace(action, error=error)


def _time_ns(value: Value) -> int | None:
    """Times are the reporter's claim: kept as evidence, never used to order."""
    if not isinstance(value, str):
        return None
    try:
        moment = dt.datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000
