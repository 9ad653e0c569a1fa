"""The JSON form of values: what JSON cannot hold is written as `{"$type": …}` and read back the same."""

import base64
import datetime as dt
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar, cast

from exactchange.errors import UsageError
from exactchange.values.model import ABSENT, State, Value

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
T = TypeVar("T")
DEEPEST: Final = 150
"""Levels of nesting that a JSON text may have."""
_SAFE_INT = 2**53
_LONGEST_DECIMAL = 10**4000  # Python refuses to print integers of more than 4,300 digits


def to_json(value: State) -> Json:
    """A JSON document for a value: bytes, times, NaN, infinities, big integers, absence and `$` keys are wrapped."""
    if value is None or isinstance(value, bool | str):
        return _text_to_json(value) if isinstance(value, str) else value
    if value is ABSENT:
        return {"$absent": True}
    if isinstance(value, int):
        return value if abs(value) <= _SAFE_INT else {"$int": _int_text(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, Mapping):
        return _mapping_to_json(value)
    if isinstance(value, Sequence):
        return [to_json(item) for item in value]
    return {f"${_moment_name(value)}": value.isoformat()}


def from_json(document: object) -> State:
    """The value of a JSON document made by `to_json`. Raises UsageError on an unknown `$` wrapper."""
    if isinstance(document, Mapping):
        return _mapping_from_json(cast("Mapping[object, object]", document))
    if isinstance(document, list):
        return [_present(from_json(item)) for item in cast("list[object]", document)]
    if document is None or isinstance(document, bool | int | float | str):
        return document
    raise UsageError(f"not a JSON document: {type(document).__name__}")


def dumps(value: State) -> str:
    """One line of ASCII JSON, keys sorted: the same value always gives the same text."""
    return json.dumps(to_json(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def loads(text: str | bytes) -> State:
    """The value of a text made by `dumps`. Raises UsageError when it is no strict JSON."""
    try:
        return _shallow(from_json(_strict(text)))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not strict JSON: {error}") from error


def parse_json(text: str | bytes) -> Value:
    """The value of somebody else's JSON, in which a key such as `$int` is an ordinary key. Bytes are UTF-8.

    Raises UsageError for what is no strict JSON: a key given twice, NaN, a number out of range, nesting beyond
    DEEPEST levels.
    """
    try:
        return _shallow(_strict(text if isinstance(text, str) else text.decode("utf-8")))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not strict JSON: {error}") from error


def _strict(text: str | bytes) -> Value:
    value: Value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique)
    return value


def _shallow(value: T) -> T:
    """The value, unless it is nested so deep that later work on it could exhaust the stack: the text is hostile."""
    level: list[object] = [value]
    for _ in range(DEEPEST):
        level = [item for node in level for item in _inside(node)]
        if not level:
            return value
    raise ValueError(f"nested deeper than {DEEPEST} levels")


def _inside(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return cast("dict[str, object]", node).values()
    return cast("list[object]", node) if isinstance(node, list) else ()


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is out of range")
    return number


def _text_to_json(value: str) -> Json:
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot carry
        return {"$text": base64.b64encode(value.encode("utf-8", "surrogatepass")).decode("ascii")}
    return value


def _mapping_to_json(value: Mapping[str, Value]) -> Json:
    if any(key.startswith("$") or not _plain(key) for key in value):
        return {"$map": [[_text_to_json(key), to_json(item)] for key, item in sorted(value.items())]}
    return {key: to_json(item) for key, item in sorted(value.items())}


def _plain(key: str) -> bool:
    return isinstance(_text_to_json(key), str)


def _int_text(value: int) -> str:
    return str(value) if abs(value) < _LONGEST_DECIMAL else hex(value)


def _moment_name(value: dt.date | dt.time) -> str:
    if isinstance(value, dt.datetime):
        return "datetime"
    return "date" if isinstance(value, dt.date) else "time"


def _mapping_from_json(document: Mapping[object, object]) -> State:
    if len(document) == 1:
        ((key, body),) = document.items()
        if isinstance(key, str) and key.startswith("$"):
            return _unwrap(key, body)
    return {str(key): _present(from_json(item)) for key, item in document.items()}


def _unwrap(key: str, body: object) -> State:
    if key == "$absent":
        return ABSENT
    if key == "$map" and isinstance(body, list):
        return dict(_pair(item) for item in cast("list[object]", body))
    reader = _READERS.get(key)
    if reader is None or not isinstance(body, str):
        raise UsageError(f"unknown wrapper {key} in a JSON value")
    return reader(body)


def _pair(item: object) -> tuple[str, Value]:
    if not isinstance(item, list) or len(cast("list[object]", item)) != 2:
        raise UsageError("a $map holds pairs of key and value")
    name, value = (from_json(part) for part in cast("list[object]", item))
    if not isinstance(name, str):
        raise UsageError("a key in a $map is a text")
    return name, _present(value)


def _present(value: State) -> Value:
    if value is ABSENT:
        raise UsageError("an absence stands inside a value; only a whole state can be absent")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("an object has the same key twice")
    return out


_READERS: dict[str, Callable[[str], Value]] = {
    "$bytes": lambda body: base64.b64decode(body, validate=True),
    "$text": lambda body: base64.b64decode(body, validate=True).decode("utf-8", "surrogatepass"),
    "$float": float,
    "$int": lambda body: int(body, 0),
    "$datetime": dt.datetime.fromisoformat,
    "$date": dt.date.fromisoformat,
    "$time": dt.time.fromisoformat,
}
