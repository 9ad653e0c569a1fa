"""Replaying a diff: the law that `apply(before, diff)` is `after`, with types."""

from collections.abc import Mapping, Sequence

from exactchange.address.walk import has_identity, item_segment
from exactchange.diff.model import Op, Operation
from exactchange.errors import UsageError
from exactchange.values import ABSENT, Path, State, Value

_REVERSED: dict[Operation, Operation] = {
    "added": "removed",
    "removed": "added",
    "modified": "modified",
    "moved": "moved",
}


def apply(before: State, ops: Sequence[Op]) -> State:
    """The after state. Raises UsageError when a change does not fit the before state."""
    return _node(before, [(op.path, op) for op in ops])


def reverse(ops: Sequence[Op]) -> tuple[Op, ...]:
    """The changes that lead back."""
    return tuple(_reversed(op) for op in ops)


def _reversed(op: Op) -> Op:
    number = op.path[-1] if op.path else None
    if op.op == "modified" and op.position is not None and isinstance(number, int):
        # A line that has another number on the other side goes by that one.
        return Op("modified", (*op.path[:-1], op.position), op.after, op.before, number)
    return Op(_REVERSED[op.op], op.path, op.after, op.before, op.position)


def _node(value: State, ops: list[tuple[Path, Op]]) -> State:
    for path, op in ops:
        if not path:
            return op.after
    if not ops:
        return value
    groups: dict[str | int, list[tuple[Path, Op]]] = {}
    for path, op in ops:
        groups.setdefault(path[0], []).append((path[1:], op))
    if isinstance(value, Mapping):
        return _mapping(value, groups)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _list(value, groups)
    raise UsageError(f"a change below {ops[0][0]} does not fit: nothing stands there")


def _mapping(value: Mapping[str, Value], groups: Mapping[str | int, list[tuple[Path, Op]]]) -> State:
    out = dict(value)
    for segment, ops in groups.items():
        if not isinstance(segment, str):
            raise UsageError(f"a change at position {segment} does not fit: a mapping stands there")
        new = _node(out.pop(segment, ABSENT), ops)
        if new is not ABSENT:
            out[segment] = new
    return out


def _list(value: Sequence[Value], groups: Mapping[str | int, list[tuple[Path, Op]]]) -> State:
    named = next((segment for segment in groups if isinstance(segment, str)), None)
    field = None if named is None else named.partition("=")[0]
    if field is not None and not all(has_identity(item, field) for item in value):
        raise UsageError(f"a change names list items by {field!r}, which not all of them have")
    placed: dict[int, Value] = {}
    kept: list[Value] = []
    left = dict(groups)
    for number, item in enumerate(value):
        segment: str | int = number if field is None else item_segment(item, field)
        ops = [pair for pair in left.get(segment, []) if not _is_here(pair, "added")]
        left[segment] = [pair for pair in left.get(segment, []) if _is_here(pair, "added")]
        _keep(item, ops, kept, placed)
    for pairs in left.values():
        for path, op in pairs:
            if path or op.op != "added" or op.position is None or op.after is ABSENT:
                raise UsageError(f"a change of a list item does not fit: {op.op} at {op.path}")
            placed[op.position] = op.after
    return _merge(kept, placed)


def _is_here(pair: tuple[Path, Op], name: str) -> bool:
    return not pair[0] and pair[1].op == name


def _keep(item: Value, ops: list[tuple[Path, Op]], kept: list[Value], placed: dict[int, Value]) -> None:
    new = _node(item, [pair for pair in ops if not _is_here(pair, "moved")])
    if new is ABSENT:
        return
    moved = next((op for path, op in ops if not path and op.op == "moved"), None)
    if moved is None:
        kept.append(new)
    else:
        if not isinstance(moved.after, int):
            raise UsageError(f"a move names no position: {moved.path}")
        placed[moved.after] = new


def _merge(kept: list[Value], placed: dict[int, Value]) -> list[Value]:
    rest = iter(kept)
    total = len(kept) + len(placed)
    if not all(0 <= number < total for number in placed):
        raise UsageError("a change puts an item at a position that the list does not have")
    return [placed[number] if number in placed else next(rest) for number in range(total)]
