"""The part that all kinds share whose snapshot is a value tree."""

import pathlib
import zlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict

from exactchange.address import AddressPattern, Style, format_path, lookup, nodes
from exactchange.diff import Op, Operation, apply, compare
from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Note, TreeSnapshot, Unread
from exactchange.sources.edits import Edit, Put, Suggestion, edited_tree
from exactchange.sources.kind import BlobStore, Match, Narrowed, Reader, RowShape, SourceParams, World
from exactchange.sources.variations import reversed_keys, tree_suggestions
from exactchange.values import ABSENT, Path, State, Value, dumps, loads

_OPERATIONS: dict[str, Operation] = {"added": "added", "removed": "removed", "modified": "modified", "moved": "moved"}
P = TypeVar("P", bound=SourceParams, contravariant=True)
Q = TypeVar("Q", bound=BaseModel, contravariant=True)
S = TypeVar("S", bound=TreeSnapshot)
_LARGEST_RECORD = 256 * 1024 * 1024


class NoSelector(BaseModel):
    """A kind that is addressed by `at` alone."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TreeKind(Generic[P, Q, S]):
    """Narrowing, addresses, finding, saving and loading of snapshots that are value trees; subclasses add the rest.

    `TreeKind[MyParams, NoSelector, TreeSnapshot]`. A kind whose snapshots have the fields of a TreeSnapshot and a class
    of their own names it as `snapshot_type`; one with further fields overrides `load`.
    """

    name = ""
    style = Style.DOTTED
    needs_browser = False
    params: type[BaseModel] = SourceParams
    selector: type[BaseModel] = NoSelector
    snapshot_type: type[TreeSnapshot] = TreeSnapshot

    def open(self, params: P, *, world: World) -> AbstractAsyncContextManager[Reader[S]]:
        raise UsageError(f"a {self.name or 'plain'} source has no live half")

    def from_path(self, path: pathlib.Path | None, params: P, *, world: World, budget: Budget) -> S:
        raise UsageError(f"a {self.name or 'plain'} source cannot be read from a path")

    def claims(self, params: P) -> tuple[pathlib.Path, ...]:
        return ()

    def in_scope(self, path: Path, params: P) -> bool:
        return True

    def scope(self, params: P) -> str:
        return ""

    def value_types(self, params: P) -> frozenset[str] | None:
        return None

    def narrow(self, before: S, after: S, *, params: P, budget: Budget) -> Narrowed:
        """Both trees as they are: the comparison itself prunes what is equal."""
        return Narrowed(before.tree, after.tree)

    def describe(self, path: Path, *, before: S, after: S) -> tuple[str, Mapping[str, Value]]:
        return format_path(path, style=self.style), {"key": list(path)}

    def find(self, snapshot: S, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        found: list[Match] = []
        slashed = self.style is Style.SLASHED
        for path, value in nodes(snapshot.tree):
            budget.spend(nodes=1, depth=len(path))
            if pattern.matches(path, slashed=slashed):
                found.append(Match(path, format_path(path, style=self.style), value))
        return found

    def select(self, snapshot: S, selector: Q, *, budget: Budget) -> Sequence[Match]:
        raise UsageError(f"a {self.name} source is selected by `at:` only")

    def rows(self, snapshot: S, sql: str, arguments: Mapping[str, Value], *, budget: Budget) -> Sequence[Value]:
        raise UsageError(f"a {self.name} source has no queries; use `at:`")

    def row_at(self, snapshot: S, path: Path) -> Mapping[str, Value] | None:
        found = lookup(snapshot.tree, path)
        return found if isinstance(found, Mapping) else None

    def row_shape(self, snapshot: S, path: Path) -> RowShape | None:
        return None

    def edited(self, snapshot: S, edits: Sequence[Edit]) -> S:
        return replace(snapshot, tree=edited_tree(snapshot.tree, edits))

    def suggestions(self, snapshot: S, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return tree_suggestions(snapshot.tree, near=near, most=most)

    def rewritten(self, snapshot: S) -> Sequence[Suggestion]:
        turned = reversed_keys(snapshot.tree)
        return () if turned is ABSENT else (Suggestion("the order of keys", (Put((), turned),)),)

    def save(self, snapshot: S, *, base: S | None, store: BlobStore) -> Mapping[str, Value]:
        """The whole tree as one blob, or, with a base, the changes from it."""
        head: dict[str, Value] = {
            "kind": snapshot.kind,
            "mark": [snapshot.mark.step, snapshot.mark.wall_ns, snapshot.mark.mono_ns],
            "unread": [[list(item.path), item.address, item.reason, item.cause] for item in snapshot.unread],
            "notes": [[note.kind, note.message] for note in snapshot.notes],
            "digest": snapshot.digest.hex(),
        }
        if base is not None:
            ops = compare(base.tree, snapshot.tree)
            return head | {"base": base.digest.hex(), "changes": _pack([_op_record(op) for op in ops], store)}
        return head | {"tree": _pack(_wrap(snapshot.tree), store)}

    def load(self, record: Mapping[str, Value], *, base: S | None, store: BlobStore, budget: Budget) -> S:
        try:
            snapshot = _load(record, base, store, self.snapshot_type)
            if base is not None:
                snapshot.learn(base)
        except (KeyError, TypeError, ValueError, IndexError, AssertionError, zlib.error) as error:
            raise UsageError(f"a {self.name} snapshot's record is malformed: {error!r}") from error
        if snapshot.kind != self.name or snapshot.digest.hex() != record.get("digest"):
            raise UsageError(f"a {self.name} snapshot does not have the digest that its record names")
        return cast("S", snapshot)  # of a kind whose snapshots are plain trees; others override this


def _load(
    record: Mapping[str, Value], base: TreeSnapshot | None, store: BlobStore, make: type[TreeSnapshot]
) -> TreeSnapshot:
    if "changes" in record:
        if base is None or base.digest.hex() != record["base"]:
            raise UsageError("a snapshot is stored as changes to another one that is not at hand")
        tree = apply(base.tree, [_op(item) for item in _rows(_unpack(record["changes"], store))])
    else:
        tree = _unwrap(_unpack(record["tree"], store))
    step, wall_ns, mono_ns = _rows(record["mark"])
    assert isinstance(step, int) and isinstance(wall_ns, int) and isinstance(mono_ns, int)
    unread = tuple(_unread(_rows(item)) for item in _rows(record["unread"]))
    notes = tuple(Note(str(_rows(item)[0]), str(_rows(item)[1])) for item in _rows(record["notes"]))
    return make(str(record["kind"]), tree, Mark(step, wall_ns, mono_ns), unread, notes)


def _unread(item: Sequence[Value]) -> Unread:
    path, address, reason, cause = item
    return Unread(_path(path), str(address), str(reason), "content" if cause == "content" else "infrastructure")


def _rows(value: Value) -> Sequence[Value]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TypeError("expected a list")
    return value


def _path(value: Value) -> Path:
    parts = _rows(value)
    if not all(isinstance(part, str) or (isinstance(part, int) and not isinstance(part, bool)) for part in parts):
        raise TypeError("expected a path of keys and positions")
    return tuple(cast("Sequence[str | int]", parts))


def _wrap(tree: State) -> Value:
    return [] if tree is ABSENT else [tree]


def _unwrap(value: Value) -> State:
    items = _rows(value)
    return items[0] if items else ABSENT


def _op_record(op: Op) -> Value:
    return [op.op, list(op.path), _wrap(op.before), _wrap(op.after), op.position]


def _op(item: Value) -> Op:
    name, path, before, after, position = _rows(item)
    assert position is None or (isinstance(position, int) and position >= 0)
    return Op(_OPERATIONS[str(name)], _path(path), _unwrap(before), _unwrap(after), position)


def _pack(value: Value, store: BlobStore) -> str:
    return store.put(zlib.compress(dumps(value).encode("ascii"), 6))


def _unpack(name: Value, store: BlobStore) -> Value:
    data = store.get(str(name), limit=_LARGEST_RECORD)
    inflater = zlib.decompressobj()
    text = inflater.decompress(data, _LARGEST_RECORD)
    if inflater.unconsumed_tail:
        raise UsageError("a stored snapshot inflates beyond the limit")
    value = loads(text)
    assert value is not ABSENT
    return value
