"""The diff of two snapshots of one source: narrowed by its kind, compared once, addressed for people."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from exactchange.address import Style, lookup
from exactchange.address.walk import has_identity, item_segment
from exactchange.diff import Change, Diff, compare
from exactchange.limits import Budget
from exactchange.snapshot import Note, Snapshot, Unread, unread_whole
from exactchange.sources.causing import with_likely_causes
from exactchange.sources.kind import SourceKind, SourceParams
from exactchange.sources.looked import Looked
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
    looked = Looked(params, slashed=kind.style is Style.SLASHED)
    if before is after or unread_whole(before) or unread_whole(after):
        unread = tuple(item for item in dict.fromkeys([*before.unread, *after.unread]) if looked.at(item.path))
        return Diff((), unread, _notes(before, after))
    narrowed = kind.narrow(before, after, params=params, budget=budget)
    unread = tuple(dict.fromkeys([*narrowed.unread, *before.unread, *after.unread]))
    unread = tuple(dict.fromkeys(_whole_lists(kind, item, before, after) for item in unread))
    left, right = narrowed.before, narrowed.after
    for item in unread:
        left, right = _without(left, item.path), _without(right, item.path)
    changes: list[Change] = []
    for op in compare(left, right):
        seen = looked.trimmed(op)
        if seen is not None:
            address, at = kind.describe(op.path, before=before, after=after)
            changes.append(Change(source, op.op, address, op.path, seen.before, seen.after, at, op.position))
    return Diff(
        with_likely_causes(kind, changes, before=before, after=after),
        tuple(item for item in unread if looked.at(item.path)),
        (*narrowed.notes, *_notes(before, after)),
    )


def _whole_lists(kind: "SourceKind[Any, Any, Any]", item: Unread, before: Snapshot, after: Snapshot) -> Unread:
    """What is unread below a position of a list makes the list unread: nobody knows which items stand opposite."""
    end = next((number for number, segment in enumerate(item.path) if isinstance(segment, int)), None)
    if end is None:
        return item
    path = item.path[:end]
    return replace(item, path=path, address=kind.describe(path, before=before, after=after)[0])


def _without(tree: State, path: Path) -> State:
    """The tree less what stands at a path. The whole tree of an unread source is left out on both sides."""
    if not path or tree is ABSENT:
        return ABSENT
    return tree if lookup(tree, path) is ABSENT else _drop(tree, path)


def _drop(tree: Value, path: Path) -> Value:
    head, rest = path[0], path[1:]
    if isinstance(tree, Mapping):
        return {k: (_drop(v, rest) if k == head else v) for k, v in tree.items() if k != head or rest}
    assert isinstance(head, str) and isinstance(tree, Sequence) and not isinstance(tree, str | bytes)
    field = head.partition("=")[0]
    meant = [has_identity(item, field) and item_segment(item, field) == head for item in tree]
    return [_drop(item, rest) if this else item for item, this in zip(tree, meant, strict=True) if rest or not this]


def _notes(before: Snapshot, after: Snapshot) -> tuple[Note, ...]:
    return tuple(note for note in dict.fromkeys(after.notes) if note not in before.notes)
