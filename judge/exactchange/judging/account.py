"""The account of everything that changed: ignored, explained, allowed, or left over without leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from exactchange.conditions import Allowed, Atom, Evaluation, Unit, atoms, explained, hits, whole_units
from exactchange.conditions.units import below
from exactchange.diff import Change
from exactchange.judging.musts import Way
from exactchange.verdict import Freed, Settled

Placed: TypeAlias = tuple[Allowed, str]
"""A pattern of `allow` or `ignore`, and its `file:line:column`."""


@dataclass(frozen=True)
class Account:
    """What became of every change between start and end, in the sources' order."""

    unexplained: tuple[Change, ...] = ()
    allowed: tuple[Settled, ...] = ()
    freed: tuple[Freed, ...] = ()


def ignored_changes(patterns: Sequence[Placed], evaluation: Evaluation) -> tuple[Settled, ...]:
    """The changes that `ignore` takes out before anything but the vetoes is judged."""
    found: dict[Atom, Settled] = {}
    for pattern, where in patterns:
        for unit in _fitting(pattern, evaluation):
            found.setdefault(unit.spot, Settled(unit.change, where))
    return tuple(found.values())


def ignored_atoms(patterns: Sequence[Placed], evaluation: Evaluation) -> frozenset[Atom]:
    """The atoms of those changes."""
    return frozenset(a for pattern, _ in patterns for unit in _fitting(pattern, evaluation) for a in atoms(unit))


def account(
    way: Way,
    ignored: frozenset[Atom],
    patterns: Sequence[Placed],
    evaluation: Evaluation,
) -> Account:
    """What a way of fulfilling the musts leaves over, after `allow`. A change goes to a must if it can."""
    settled = set(way.explained | ignored)
    allowed: list[Settled] = []
    freed: list[Freed] = []
    for pattern, where in patterns:
        room = pattern.max
        for unit in _fitting(pattern, evaluation):
            if atoms(unit) <= settled or room == 0:
                continue
            found = explained(pattern, unit, where=where)
            settled |= found.atoms
            freed += found.freed
            allowed.append(Settled(unit.change, where))
            room = None if room is None else room - 1
    return Account(tuple(_left_over(frozenset(settled), evaluation)), tuple(allowed), tuple(freed))


def _fitting(pattern: Allowed, evaluation: Evaluation) -> list[Unit]:
    last = len(evaluation.case.evidence(pattern.in_).captures) - 1
    if last < 1:
        return []
    return [hit.unit for hit in hits(pattern, evaluation, 0, last) if hit.truth is True]


def _left_over(settled: frozenset[Atom], evaluation: Evaluation) -> list[Change]:
    out: list[Change] = []
    for name, evidence in evaluation.case.sources.items():
        last = len(evidence.captures) - 1
        if last < 1:
            continue
        for change in evaluation.diff(name, 0, last).changes:
            for unit in whole_units(change, evidence, evidence.captures[0], evidence.captures[last]):
                if evidence.kind.in_scope(unit.change.path, evidence.params):
                    out += _rest(unit, settled, evaluation)
    return out


def _rest(unit: Unit, settled: frozenset[Atom], evaluation: Evaluation) -> list[Change]:
    """The unit when nothing of it is settled; of a row that is settled in part, the columns that are not."""
    open_atoms = atoms(unit) - settled
    if not open_atoms:
        return []
    if unit.row is None or open_atoms == atoms(unit):
        return [unit.change]
    parts = below(unit, evaluation.case.evidence(unit.change.source))
    return [part.change for part in parts if atoms(part) & open_atoms]
