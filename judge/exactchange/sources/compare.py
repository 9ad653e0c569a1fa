"""The diff of two snapshots of one source: narrowed by its kind, compared once, addressed for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from exactchange.address import AddressPattern, Style, lookup, parse_pattern
from exactchange.diff import Change, Diff, compare
from exactchange.limits import Budget
from exactchange.snapshot import Note, Snapshot, unread_whole
from exactchange.sources.kind import SourceKind, SourceParams
from exactchange.values import ABSENT, Path, State, Value


def diff_snapshots(
    kind: "SourceKind[Any, Any, Any]",
    source: str,
    before: Snapshot,
    after: Snapshot,
    *,
    params: SourceParams,
    budget: Budget,
) -> Diff:
    """All changes of a source between two snapshots. What is unread on either side is no change and is listed."""
    looked = _Looked(params, slashed=kind.style is Style.SLASHED)
    if unread_whole(before) or unread_whole(after):
        unread = tuple(item for item in dict.fromkeys([*before.unread, *after.unread]) if looked.at(item.path))
        return Diff((), unread, _notes(before, after))
    narrowed = kind.narrow(before, after, params=params, budget=budget)
    unread = tuple(dict.fromkeys([*narrowed.unread, *before.unread, *after.unread]))
    left, right = narrowed.before, narrowed.after
    for item in unread:
        left, right = _without(left, item.path), _without(right, item.path)
    changes: list[Change] = []
    for op in compare(left, right):
        if looked.at(op.path):
            address, at = kind.describe(op.path, before=before, after=after)
            changes.append(Change(source, op.op, address, op.path, op.before, op.after, at, op.position))
    return Diff(
        tuple(changes),
        tuple(item for item in unread if looked.at(item.path)),
        (*narrowed.notes, *_notes(before, after)),
    )


class _Looked:
    """Which places of a source are looked at, by its `only` and `except`."""

    def __init__(self, params: SourceParams, *, slashed: bool) -> None:
        self._only = [parse_pattern(text, slashed=slashed) for text in params.only]
        self._except = [parse_pattern(text, slashed=slashed) for text in params.except_]
        self._slashed = slashed

    def at(self, path: Path) -> bool:
        if not path:  # the whole source came, went or is unread: no pattern can leave that out
            return True
        return (not self._only or self._reaches(self._only, path)) and not self._reaches(self._except, path)

    def _reaches(self, patterns: list[AddressPattern], path: Path) -> bool:
        prefixes = [path[:end] for end in range(1, len(path) + 1)]
        return any(pattern.matches(part, slashed=self._slashed) for pattern in patterns for part in prefixes)


def _without(tree: State, path: Path) -> State:
    """The tree less what stands at a path. The whole tree of an unread source is left out on both sides."""
    if not path or tree is ABSENT:
        return ABSENT
    if lookup(tree, path) is ABSENT:
        return tree
    return _drop(tree, path)


def _drop(tree: Value, path: Path) -> Value:
    head, rest = path[0], path[1:]
    if isinstance(tree, Mapping):
        return {k: (_drop(v, rest) if k == head and rest else v) for k, v in tree.items() if k != head or rest}
    assert isinstance(tree, Sequence) and not isinstance(tree, str | bytes)
    # An unread list item hides the list: positions after it would shift and look like changes.
    return []


def _notes(before: Snapshot, after: Snapshot) -> tuple[Note, ...]:
    return tuple(note for note in dict.fromkeys(after.notes) if note not in before.notes)
