"""The leaf view of a diff: the units that patterns match, and the atoms that account for every change.

An added or removed container counts as its leaves, so that `at: a.b, to: 30` holds for a new key, a new section and a
new file alike; an added or removed row is one unit. Atoms are what has to be explained: one per leaf or column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from exactchange.address.walk import children
from exactchange.case import Evidence
from exactchange.diff import Change
from exactchange.snapshot import Snapshot
from exactchange.sources import RowShape
from exactchange.values import ABSENT, Path, State, Value

Atom: TypeAlias = tuple[str, Path, bool]
"""Source, path, and whether it is a change of place (`moved`) rather than of value."""


@dataclass(frozen=True)
class Unit:
    """One thing that changed, as patterns see it: a leaf, a container that a pattern names, or a row.

    `row`: what is known of its columns when it is a row. `step`: after which action it was first seen, where known.
    """

    change: Change
    row: RowShape | None
    before: Snapshot
    after: Snapshot
    step: int | None = None

    @property
    def spot(self) -> Atom:
        """What tells it from other units of the same diff."""
        return self.change.source, self.change.path, self.change.op == "moved"

    @property
    def side(self) -> State:
        """The value that is there: after an addition or modification, before a removal."""
        return self.change.before if self.change.after is ABSENT else self.change.after


def whole_units(change: Change, evidence: Evidence, before: Snapshot, after: Snapshot) -> list[Unit]:
    """The units of a change when nothing names a node inside it: the row, or else the leaves."""
    return [unit for unit in walk(change, evidence, before, after) if unit.row is not None or _is_leaf(unit)]


def walk(change: Change, evidence: Evidence, before: Snapshot, after: Snapshot) -> Iterator[Unit]:
    """Every node of a change, parents first; nothing below a row is a node of its own here."""
    stack = [_unit(change, evidence, before, after)]
    while stack:
        unit = stack.pop()
        yield unit
        if unit.row is None:
            stack.extend(reversed(below(unit, evidence)))


def below(unit: Unit, evidence: Evidence) -> list[Unit]:
    """The nodes right below an added or removed container or row."""
    change = unit.change
    if change.op not in ("added", "removed"):
        return []
    value = change.after if change.op == "added" else change.before
    if value is ABSENT:
        return []
    parts = ((change.path + (segment,), child) for segment, child in children(value))
    return [
        _unit(_part(change, path, child, evidence, unit), evidence, unit.before, unit.after) for path, child in parts
    ]


def atoms(unit: Unit) -> frozenset[Atom]:
    """Everything that has to be explained of a unit."""
    change = unit.change
    if change.op not in ("added", "removed"):
        return frozenset({(change.source, change.path, change.op == "moved")})
    return frozenset((change.source, path, False) for path in leaf_paths(unit.side, change.path))


def leaf_paths(value: State, path: Path) -> Iterator[Path]:
    """The paths of the leaves of a value; an empty container is a leaf."""
    stack: list[tuple[Path, State]] = [(path, value)]
    while stack:
        here, node = stack.pop()
        parts = [] if node is ABSENT else list(children(node))
        if not parts:
            yield here
        stack.extend((here + (segment,), child) for segment, child in parts)


def _is_leaf(unit: Unit) -> bool:
    if unit.change.op not in ("added", "removed"):
        return True
    value = unit.side
    return not (isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes) and len(value) > 0)


def _unit(change: Change, evidence: Evidence, before: Snapshot, after: Snapshot) -> Unit:
    row = None
    if change.op in ("added", "removed"):
        row = evidence.kind.row_shape(after if change.op == "added" else before, change.path)
    return Unit(change, row, before, after, after.mark.step)


def _part(change: Change, path: Path, value: Value, evidence: Evidence, unit: Unit) -> Change:
    address, at = evidence.kind.describe(path, before=unit.before, after=unit.after)
    added = change.op == "added"
    return Change(change.source, change.op, address, path, ABSENT if added else value, value if added else ABSENT, at)
