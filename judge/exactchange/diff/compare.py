"""The one call of DeepDiff, and the gate that stands beside it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol, cast

from exactchange.address import format_path
from exactchange.address.walk import item_segment
from exactchange.diff.align import Form, align, shared_ends
from exactchange.diff.apply import apply
from exactchange.diff.model import Change, Diff, Op, Operation
from exactchange.errors import UsageError
from exactchange.values import ABSENT, Path, State, Value, same, same_bytes
from exactchange.values.checked import checked_state


class _Level(Protocol):
    """What is used of a node of DeepDiff's tree view."""

    def path(self, *, output_format: Literal["list"]) -> list[str]: ...


def compare(before: State, after: State) -> tuple[Op, ...]:
    """Every difference between two trees, by path; empty if and only if they are the same value.

    Guaranteed by replaying: where `apply(before, ops)` is not `after`, the top-level parts for which it fails are
    reported as replaced.
    """
    pair = align(before, after)
    if pair is None:
        return ()
    ops = tuple(sorted(_ops(before, after, *pair), key=_order))
    return ops if _lawful(before, after, ops) else _replaced(before, after, ops)


def diff_values(before: State, after: State) -> Diff:
    """Compare two values of the same kind of thing, such as two parsed documents, with dotted addresses.

    Raises UsageError for what is no value, with its place.
    """
    before, after = checked_state(before, what="`before`"), checked_state(after, what="`after`")
    changes = tuple(
        Change("", op.op, format_path(op.path), op.path, op.before, op.after, {}, op.position)
        for op in compare(before, after)
    )
    return Diff(changes)


def _ops(before: State, after: State, left: Form, right: Form) -> Iterator[Op]:
    if isinstance(left, str) or isinstance(right, str):
        yield Op("added" if before is ABSENT else "removed" if after is ABSENT else "modified", (), before, after)
        return
    places = _Places()
    for keys in _differing(left, right):
        path = tuple(_segment(name) for name in keys)
        yield _op(path, keys[-1], places.at(before, path[:-1]), places.at(after, path[:-1]), places)


def _differing(left: Form, right: Form) -> Iterator[list[str]]:
    from deepdiff import DeepDiff  # 200 ms to import: only when something did change

    found = DeepDiff(
        left,
        right,
        view="tree",
        zip_ordered_iterables=True,
        ignore_order=False,
        ignore_private_variables=False,
        threshold_to_diff_deeper=0,
        verbose_level=2,
        ignore_nan_inequality=True,
        cache_size=0,
    )
    for levels in cast("Mapping[str, Sequence[_Level]]", found).values():
        for level in levels:
            yield level.path(output_format="list")


def _segment(name: str) -> str | int:
    text = name[2:]
    return int(text) if name[0] == "i" and text.isascii() and text.isdigit() else text


def _op(path: Path, last: str, old_parent: State, new_parent: State, places: "_Places") -> Op:
    segment = path[-1]
    if last[0] in "mwc":
        return _line(path[:-1], last, old_parent, new_parent)
    if last[0] == "o":
        return Op("moved", path, places.position(segment, old_parent), places.position(segment, new_parent))
    if isinstance(segment, int):
        return _positional(path, old_parent, new_parent, places)
    old, new = places.child(old_parent, segment), places.child(new_parent, segment)
    operation: Operation = "added" if old is ABSENT else "removed" if new is ABSENT else "modified"
    position = None
    if last[0] == "i" and operation != "modified":
        position = places.position(segment, new_parent if operation == "added" else old_parent)
    return Op(operation, path, old, new, position)


def _positional(path: Path, old: State, new: State, places: "_Places") -> Op:
    """A change of a list without identities: beyond the shorter list's own part, items are added or removed."""
    number = path[-1]
    assert isinstance(number, int) and isinstance(old, Sequence) and isinstance(new, Sequence)
    tail = places.tail(old, new)
    if number >= len(old) - tail:
        return Op("added", path, ABSENT, new[number], number)
    if number >= len(new) - tail:
        return Op("removed", path, old[number], ABSENT, number)
    return Op("modified", path, old[number], new[number])


def _line(path: Path, name: str, old: State, new: State) -> Op:
    """A change of a text. One that was written anew goes by its number before; `position` is its other one."""
    assert isinstance(old, Sequence) and isinstance(new, Sequence)
    kind, *numbers = name.split(":")
    number = int(numbers[0])
    if kind == "c":
        return Op("added", (*path, number), ABSENT, new[number], number)
    if kind == "w":
        return Op("removed", (*path, number), old[number], ABSENT, number)
    other = int(numbers[1])
    return Op("modified", (*path, number), old[number], new[other], None if other == number else other)


class _Places:
    """Where things stand in two trees, found once for every list, so that many changes of one list cost no more."""

    def __init__(self) -> None:
        self._positions: dict[tuple[int, str], dict[str, int]] = {}
        self._tails: dict[tuple[int, int], int] = {}

    def at(self, value: State, path: Path) -> State:
        for segment in path:
            value = self.child(value, segment)
        return value

    def child(self, value: State, segment: str | int) -> State:
        if isinstance(value, Mapping):
            return value.get(segment, ABSENT) if isinstance(segment, str) else ABSENT
        # Both sides hold containers of one kind all the way to a change: else they would have been compared whole.
        assert isinstance(value, Sequence) and not isinstance(value, str | bytes)
        number = segment if isinstance(segment, int) else self._all(value, segment).get(segment)
        return value[number] if number is not None and number < len(value) else ABSENT

    def position(self, segment: str | int, items: State) -> int:
        assert isinstance(segment, str) and isinstance(items, Sequence) and not isinstance(items, str | bytes)
        return self._all(items, segment)[segment]

    def tail(self, old: Sequence[Value], new: Sequence[Value]) -> int:
        lists = id(old), id(new)
        if lists not in self._tails:
            self._tails[lists] = shared_ends(old, new)[1]
        return self._tails[lists]

    def _all(self, items: Sequence[Value], segment: str) -> dict[str, int]:
        field = segment.partition("=")[0]
        if (id(items), field) not in self._positions:
            self._positions[id(items), field] = {item_segment(item, field): n for n, item in enumerate(items)}
        return self._positions[id(items), field]


def _order(op: Op) -> tuple[tuple[tuple[bool, int, str], ...], str]:
    return tuple((isinstance(s, str), s if isinstance(s, int) else 0, str(s)) for s in op.path), op.op


def _lawful(before: State, after: State, ops: Sequence[Op]) -> bool:
    try:
        return bool(ops) and same_bytes(apply(before, ops), after)
    except UsageError:
        return False


def _replaced(before: State, after: State, ops: Sequence[Op]) -> tuple[Op, ...]:
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return (Op("modified", (), before, after),)
    below: dict[str | int, list[Op]] = {}
    for op in ops:
        below.setdefault(op.path[0], []).append(op)
    out: list[Op] = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key, ABSENT), after.get(key, ABSENT)
        if same(old, new):
            continue
        mine = below.get(key, [])
        rest = [Op(op.op, op.path[1:], op.before, op.after, op.position) for op in mine]
        lawful = old is not ABSENT and new is not ABSENT and _lawful(old, new, rest)
        name: Operation = "added" if old is ABSENT else "removed" if new is ABSENT else "modified"
        out += mine if lawful else [Op(name, (key,), old, new, None)]
    return tuple(out)
