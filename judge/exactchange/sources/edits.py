"""Edits of snapshots, by which an audit makes end states that never were; an adapter may offer them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from exactchange.address.walk import children
from exactchange.errors import UsageError
from exactchange.snapshot import Snapshot
from exactchange.values import ABSENT, Path, State, Value, sealed


@dataclass(frozen=True, slots=True)
class Put:
    """This value stands at this place; what stood there is replaced."""

    path: Path
    value: Value


@dataclass(frozen=True, slots=True)
class Remove:
    """Nothing stands at this place any more."""

    path: Path


@dataclass(frozen=True, slots=True)
class Add:
    """One more item in the container at this place, holding at least this; its name is the kind's own choice."""

    path: Path
    value: Value


Edit: TypeAlias = Put | Remove | Add


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Edits that make one thing different, and what that is, in a few words such as "a row removed"."""

    what: str
    edits: tuple[Edit, ...]


class CannotEdit(UsageError):
    """A snapshot cannot be altered in this way."""


S = TypeVar("S", bound=Snapshot)
S_contra = TypeVar("S_contra", bound=Snapshot, contravariant=True)


@runtime_checkable
class Editable(Protocol[S]):
    """What a source kind offers beside `SourceKind` so that tasks on it can be audited. Pure, as the rest of a kind."""

    def edited(self, snapshot: S, edits: Sequence[Edit]) -> S:
        """The snapshot of a state in which these edits were made, in this order, at the same mark.

        A snapshot of its own, to be closed by the caller. Raises CannotEdit.
        """
        ...

    def suggestions(self, snapshot: S, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        """Up to `most` edits, of every sort that the kind knows, spread over the whole state and beside `near`.

        The same snapshot gives the same suggestions.
        """
        ...


@runtime_checkable
class Rewritable(Protocol[S_contra]):
    """What an `Editable` kind may offer as well: the same state, written otherwise."""

    def rewritten(self, snapshot: S_contra) -> Sequence[Suggestion]:
        """Edits after which the state is the same: no task may tell the run from the good one.

        Each says what differs, in a few words such as "the order of keys".
        """
        ...


def edited_tree(tree: State, edits: Sequence[Edit]) -> State:
    """A value tree with these edits made. Raises CannotEdit where a place is not there."""
    for edit in edits:
        match edit:
            case Put():
                tree = _with(tree, edit.path, edit.value)
            case Remove():
                tree = _with(tree, edit.path, ABSENT)
            case Add():
                tree = _added(tree, edit.path, edit.value)
    return tree


def _with(node: State, path: Path, value: State) -> State:
    """The node with a value at a path below it; ABSENT takes away what is there."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    if isinstance(node, Mapping) and not sealed(node):
        if not isinstance(head, str):
            raise CannotEdit(f"position {head} is in no list")
        if value is ABSENT and rest and head not in node:
            raise CannotEdit(f"nothing stands at {head!r}")
        empty: Mapping[str, Value] = {}
        below = _with(node.get(head, empty if rest else ABSENT), rest, value)
        kept = {name: item for name, item in node.items() if name != head or below is not ABSENT}
        return kept if below is ABSENT else {**kept, head: below}
    if not isinstance(node, Sequence) or isinstance(node, str | bytes):
        raise CannotEdit(f"nothing stands at {head!r}")
    return _in_list(node, head, rest, value)


def _in_list(items: Sequence[Value], head: str | int, rest: Path, value: State) -> list[Value]:
    number = next((n for n, (segment, _) in enumerate(children(items)) if segment == head), None)
    if number is None:
        if rest or value is ABSENT:
            raise CannotEdit(f"nothing stands at {head!r}")
        at = min(head, len(items)) if isinstance(head, int) else len(items)
        return [*items[:at], value, *items[at:]]
    below = _with(items[number], rest, value)
    return [*items[:number], *([] if below is ABSENT else [below]), *items[number + 1 :]]


def _added(tree: State, path: Path, value: Value) -> State:
    node = _at(tree, path)
    if isinstance(node, Sequence) and not isinstance(node, str | bytes):
        return _with(tree, path, [*node, value])
    if not isinstance(node, Mapping) or sealed(node):
        raise CannotEdit("no item can be added there")
    name = next(name for number in range(len(node) + 1) if (name := f"audit{number or ''}") not in node)
    return _with(tree, path, {**node, name: value})


def _at(tree: State, path: Path) -> State:
    for segment in path:
        tree = ABSENT if tree is ABSENT else dict(children(tree)).get(segment, ABSENT)
    return tree
