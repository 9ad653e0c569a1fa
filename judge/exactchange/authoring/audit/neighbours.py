"""Runs in which what is wanted was done to something beside it: as well, instead, or once more to the right thing."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from exactchange.address import AddressPattern, lookup
from exactchange.address.segments import Exactly, Item, Segment
from exactchange.address.walk import children
from exactchange.authoring.audit.mutant import Made, altered, last, undoing
from exactchange.case import Case, Evidence
from exactchange.conditions import Condition
from exactchange.diff import Change
from exactchange.errors import ExactChangeError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, TreeSnapshot, unread_whole
from exactchange.sources import Add, Edit, Put, Remove
from exactchange.values import ABSENT, Path, Value, same, sealed
from exactchange.verdict import Settled

_BESIDE: Final = 2
_LOOKED: Final = 200
Found = tuple[Path, Value]


def beside(must: Condition, changes: Sequence[Change], case: Case) -> Iterator[Made]:
    """For each wanted change: the same in a neighbouring row and at a neighbouring key, and once more at its place."""
    for change in changes:
        evidence = case.sources.get(change.source)
        if evidence is None or change.op == "moved":
            continue
        for what, edits in _ways(evidence, change):
            yield altered(case, change.source, edits, sort="near", what=what, rule=must.title(), where=must.where)


def instead(settled: Settled, case: Case) -> Iterator[Made]:
    """What is tolerated, done to something beside it in its stead: `max` may count it, and a query may not tell."""
    change = settled.change
    evidence = case.sources.get(change.source)
    if evidence is None or change.op == "moved":
        return
    for what, edits in _ways(evidence, change):
        if what.endswith(" instead"):
            yield altered(case, change.source, edits, sort="tolerated", what=what, where=settled.where)


def _ways(evidence: Evidence, change: Change) -> Iterator[tuple[str, Sequence[Edit]]]:
    undo = undoing(evidence, [change])
    if change.after is ABSENT:
        for path, old in islice(_siblings(evidence, change.path), _BESIDE):
            if type(old) is type(change.before):
                yield "another one removed instead", (*undo, Remove(path))
        return
    value = change.after
    yield from _once_more(change, value)
    if change.op != "modified":
        return
    for where, found in (("row or section", _rows(evidence, change.path)), ("key", _keys(evidence, change.path))):
        others = (path for path, old in found if path != change.path and _alike(old, change.before, value))
        for path in islice(others, _BESIDE):
            put = Put(path, value)
            yield f"the same in another {where} as well", (put,)
            yield f"the same in another {where} instead", (*undo, put)


def _once_more(change: Change, value: Value) -> Iterator[tuple[str, Sequence[Edit]]]:
    before = change.before
    if change.op == "added" and isinstance(value, dict) and "=" in str(change.path[-1]):
        names = str(change.path[-1]).split(",")
        rest = {name: item for name, item in value.items() if not any(key.startswith(f"{name}=") for key in names)}
        yield "done twice", (Add(change.path[:-1], rest),)
    elif _number(value) and _number(before):
        assert isinstance(value, int | float) and isinstance(before, int | float)
        yield "done twice", (Put(change.path, value + (value - before)),)
    elif isinstance(value, str) and isinstance(before, str) and value.startswith(before) and before:
        yield "done twice", (Put(change.path, value + value[len(before) :]),)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _alike(old: Value, before: object, value: Value) -> bool:
    """Whether the same could be done there: a value of that type, which is not there yet."""
    return type(old) in (type(value), type(before)) and not sealed(old) and not same(old, value)


def _keys(evidence: Evidence, path: Path) -> Iterator[Found]:
    """The values beside a place, in what holds it: other keys of a section, other columns of a row."""
    snapshot = evidence.captures[last(evidence)]
    if isinstance(snapshot, TreeSnapshot):
        yield from _children(snapshot, path[:-1])
    elif not unread_whole(snapshot) and len(path) > 1:
        row = evidence.kind.row_at(snapshot, path[:-1])
        yield from (((*path[:-1], name), value) for name, value in (row or {}).items())


def _rows(evidence: Evidence, path: Path) -> Iterator[Found]:
    """The values under the same name in other rows, items or sections."""
    snapshot = evidence.captures[last(evidence)]
    if len(path) < 2 or unread_whole(snapshot):
        return
    if isinstance(snapshot, TreeSnapshot):
        for above, node in _children(snapshot, path[:-2]):
            value = dict(children(node)).get(path[-1], ABSENT)
            if value is not ABSENT:
                yield (*above, path[-1]), value
        return
    yield from _found(evidence, snapshot, (*map(Exactly, path[:-2]), Item(None), Exactly(path[-1])))


def _siblings(evidence: Evidence, path: Path) -> Iterator[Found]:
    """What stands beside what is gone: other rows of its table, other keys of its section."""
    snapshot = evidence.captures[last(evidence)]
    if isinstance(snapshot, TreeSnapshot):
        yield from _children(snapshot, path[:-1])
    elif not unread_whole(snapshot) and len(path) > 1:
        yield from _found(evidence, snapshot, (*map(Exactly, path[:-1]), Item(None)))


def _found(evidence: Evidence, snapshot: Snapshot, named: tuple[Segment, ...]) -> Iterator[Found]:
    try:
        found = evidence.kind.find(snapshot, AddressPattern("", (named,)), budget=CountedBudget())
    except ExactChangeError:  # too many to look through: of none of them anything is tried
        return
    yield from ((match.path, match.value) for match in islice(found, _LOOKED))


def _children(snapshot: TreeSnapshot, path: Path) -> Iterator[Found]:
    node = lookup(snapshot.tree, path)
    if node is not ABSENT:
        yield from (((*path, segment), value) for segment, value in islice(children(node), _LOOKED))
