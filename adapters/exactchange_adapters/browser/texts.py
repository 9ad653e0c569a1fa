"""The texts of two pages, made ready to be compared line by line."""

from collections.abc import Mapping, Sequence

from exactchange.diff import Lines
from exactchange.values import ABSENT, State, Value

_TEXTS = frozenset(["@text", "@hidden", "@structure"])
_DOCUMENTS = frozenset(["@frames", "@tabs"])
"""Below these stand other documents, at keys of one segment or more."""


def by_lines(before: State, after: State) -> tuple[State, State]:
    """Two trees of a page with those lists of text as `Lines` that may differ. All else is shared with them."""
    if before is ABSENT or after is ABSENT:
        return before, after
    return _document(before, after)


def _document(before: Value, after: Value) -> tuple[Value, Value]:
    if before is after or not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return before, after
    left, right = dict(before), dict(after)
    for name in before.keys() & after.keys():
        if name in _TEXTS:
            left[name], right[name] = _lines(before[name], after[name])
        elif name in _DOCUMENTS:
            left[name], right[name] = _documents(before[name], after[name])
    return left, right


def _documents(before: Value, after: Value) -> tuple[Value, Value]:
    if before is after or not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return before, after
    left, right = dict(before), dict(after)
    for name in before.keys() & after.keys():
        old, new = before[name], after[name]
        is_one = isinstance(old, Mapping) and "@url" in old
        left[name], right[name] = _document(old, new) if is_one else _documents(old, new)
    return left, right


def _lines(before: Value, after: Value) -> tuple[Value, Value]:
    if before is after:
        return before, after
    one, other = _text(before), _text(after)
    return (before, after) if one is None or other is None else (one, other)


def _text(value: Value) -> Lines | None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return None
    return Lines(value) if all(type(line) is str for line in value) else None
