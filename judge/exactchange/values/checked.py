"""Whether what a caller handed over is a value at all: said at the edge, before anything recurses into it."""

from collections.abc import Mapping, Sequence
from typing import cast

from exactchange.errors import UsageError
from exactchange.values.canonical import type_name
from exactchange.values.jsonform import DEEPEST
from exactchange.values.model import ABSENT, Path, State, Value

_SHOWN = 6
"""Segments of a place that are named; a place in a cycle or in a tower has no end."""


def checked_value(given: object, *, what: str) -> Value:
    """The same object, known to be a value. Raises UsageError that says what it is in and where.

    No value are: objects of other types, mappings with keys that are no text, what holds itself, and what is nested
    deeper than DEEPEST levels.
    """
    _check(given, (), set(), what)
    return cast("Value", given)


def checked_state(given: object, *, what: str) -> State:
    """As `checked_value`, or ABSENT."""
    return ABSENT if given is ABSENT else checked_value(given, what=what)


def _check(node: object, path: Path, above: set[int], what: str) -> None:
    if isinstance(node, str | bytes):
        return
    if not isinstance(node, Mapping | Sequence):
        _check_scalar(node, path, what)
        return
    here = id(cast("object", node))
    if here in above:
        raise UsageError(f"{_place(what, path)} holds itself; a value has an end")
    if len(path) >= DEEPEST:
        raise UsageError(f"{_place(what, path)} is nested deeper than {DEEPEST} levels")
    above.add(here)
    if isinstance(node, Mapping):
        for key, item in cast("Mapping[object, object]", node).items():
            if not isinstance(key, str):
                raise UsageError(f"{_place(what, path)} has the key {key!r}; keys are texts, such as {str(key)!r}")
            _check(item, (*path, key), above, what)
    else:
        for number, item in enumerate(cast("Sequence[object]", node)):
            _check(item, (*path, number), above, what)
    above.discard(here)


def _check_scalar(node: object, path: Path, what: str) -> None:
    try:
        known = type_name(cast("State", node)) != "absent"
    except TypeError:
        known = False
    if not known:
        kind = type(node).__name__
        raise UsageError(
            f"{_place(what, path)} is of the type {kind}; values are null, booleans, numbers (int, float), texts, "
            "bytes, dates and times, lists and mappings"
        )


def _place(what: str, path: Path) -> str:
    named = [str(segment) for segment in path[:_SHOWN]] + (["…"] if len(path) > _SHOWN else [])
    return f"{what} at {'.'.join(named)}" if named else what
