"""The leaf view of a diff: the units that patterns match, and the atoms that account for every change.

An added or removed container counts as its leaves, so that `at: a.b, to: 30` holds for a new key, a new section and a
new file alike; a container that gave way to something else counts as the leaves that went and those that came; an added
or removed row is one unit. Atoms are what has to be explained: one per leaf or column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from exactchange.address.walk import children
from exactchange.case import Evidence
from exactchange.diff import Change, Operation
from exactchange.snapshot import Snapshot
from exactchange.sources import RowShape
from exactchange.values import ABSENT, Path, State, Value, same, sealed

Atom: TypeAlias = tuple[str, Path, bool]
"""Source (and the part of it, where that is accounted for by itself), path, and whether it is a change of place
(`moved`) rather than of value."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Two captures of a source that a diff lies between."""

    evidence: Evidence
    before: Snapshot
    after: Snapshot

    @property
    def step(self) -> int:
        """After which action the second capture was taken."""
        return self.after.mark.step

    @property
    def account(self) -> str:
        """Under which name changes between them are accounted for: the source's, and the part's."""
        return self.evidence.account


def sides(evidence: Evidence, start: int, end: int) -> Sides:
    """The captures at two positions of a source."""
    return Sides(evidence, evidence.captures[start], evidence.captures[end])


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that changed, as patterns see it: a leaf, a container that a pattern names, or a row.

    `row`: what is known of its columns when it is a row.
    """

    change: Change
    row: RowShape | None
    sides: Sides

    @property
    def spot(self) -> Atom:
        """What tells it from other units of the same diff."""
        return self.sides.account, self.change.path, self.change.op == "moved"

    @property
    def side(self) -> State:
        """The value that is there: after an addition or modification, before a removal."""
        return self.change.before if self.change.after is ABSENT else self.change.after


def whole_unit(change: Change, between: Sides) -> Unit:
    """The change as one unit."""
    row = None
    if change.op in ("added", "removed"):
        row = between.evidence.kind.row_shape(between.before, change.path)
    if change.op == "added":
        row = _still(row, between.evidence.kind.row_shape(between.after, change.path))
    return Unit(change, row, between)


def _still(before: RowShape | None, after: RowShape | None) -> RowShape | None:
    """The shape of a row that came. What a column holds of itself is what it always did: else the schema would explain
    what somebody made it say in the meantime.
    """
    if before is None or after is None:
        return after
    kept = {name: value for name, value in after.defaults.items() if same(before.defaults.get(name, ABSENT), value)}
    return RowShape(after.identity, kept, after.computed & before.computed)


def whole_units(change: Change, between: Sides) -> list[Unit]:
    """The units of a change when nothing names a node inside it: the row, or else the leaves."""
    found: list[Unit] = []
    stack = [whole_unit(change, between)]
    while stack:
        unit = stack.pop()
        if unit.row is not None or _has_leaf(unit.change):
            found.append(unit)
        if unit.row is None:
            stack.extend(reversed(below(unit)))
    return found


def below(unit: Unit) -> list[Unit]:
    """The nodes right below what was added, removed, or gave way to something else."""
    change = unit.change
    if change.op == "moved":
        return []
    before, after = _parts(change.before), _parts(change.after)
    # Both sides can hold the same segment only where a whole subtree was reported as replaced.
    names = [*before, *(name for name in after if name not in before)]
    pairs = [(name, before.get(name, ABSENT), after.get(name, ABSENT)) for name in names]
    return [
        whole_unit(_part(change, change.path + (name,), old, new, unit.sides), unit.sides)
        for name, old, new in pairs
        if not same(old, new)
    ]


def atoms(unit: Unit) -> frozenset[Atom]:
    """Everything that has to be explained of a unit."""
    change = unit.change
    if change.op == "moved":
        return frozenset({unit.spot})
    leaves = [*leaf_paths(change.before, change.path), *leaf_paths(change.after, change.path)]
    return frozenset((unit.sides.account, path, False) for path in leaves)


def own_atoms(unit: Unit) -> frozenset[Atom]:
    """What has to be explained of a unit beside the units below it: all of a row, else what stands at its own path."""
    return atoms(unit) if unit.row is not None else frozenset({unit.spot})


def opened(change: Change) -> bool:
    """Whether null gave way to something that is filled: a section without content. What came says all of it."""
    return change.op == "modified" and change.before is None and change.after is not ABSENT and _is_filled(change.after)


def leaf_paths(value: State, path: Path) -> Iterator[Path]:
    """The paths of the leaves of a value; an empty container is a leaf, what is absent has none."""
    stack: list[tuple[Path, State]] = [(path, value)]
    while stack:
        here, node = stack.pop()
        if node is ABSENT:
            continue
        parts = list(children(node))
        if not parts:
            yield here
        stack.extend((here + (segment,), child) for segment, child in parts)


def _parts(value: State) -> dict[str | int, Value]:
    return {} if value is ABSENT else dict(children(value))


def _has_leaf(change: Change) -> bool:
    """Whether a side of a change is a leaf at its own path: a scalar, a secret, or an empty container."""
    if change.op == "moved":
        return True
    return any(value is not ABSENT and not _is_filled(value) for value in (change.before, change.after))


def _is_filled(value: Value) -> bool:
    if sealed(value) or isinstance(value, str | bytes):
        return False
    return isinstance(value, Mapping | Sequence) and len(value) > 0


def _part(change: Change, path: Path, before: State, after: State, between: Sides) -> Change:
    address, at = between.evidence.kind.describe(path, before=between.before, after=between.after)
    op: Operation = "added" if before is ABSENT else "removed" if after is ABSENT else "modified"
    return Change(change.source, op, address, path, before, after, at, likely_cause=change.likely_cause)
