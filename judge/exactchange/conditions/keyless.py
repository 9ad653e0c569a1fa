"""Rows without a key: they come and go, and nobody can tell whether one of them became another."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from exactchange.conditions.evaluation import Evaluation, fits_row
from exactchange.conditions.place import Pattern
from exactchange.conditions.units import Unit, below
from exactchange.values import ABSENT, Value, same


@dataclass(frozen=True, slots=True)
class MaybeModified:
    """A cell of a row that came, as a change of a row that went; and the rows that may be one and the same.

    Of several cells only the first names the row that came, and of several rows only the first those that went.
    """

    cell: Unit
    came: Unit
    rows: tuple[Unit, ...]

    @property
    def why(self) -> str:
        """Why nobody can tell."""
        row = self.came.change
        return (
            f"{row.source}: rows without a key come and go, so whether {row.address} is one that was modified cannot "
            "be told; name the `key:` of the source"
        )


def asks_for_modification(pattern: Pattern) -> bool:
    """Whether only something that was there before and after can fit."""
    both = pattern.from_ is not None and pattern.to is not None
    return pattern.row is None and (pattern.op == "modified" or (pattern.op is None and both))


def maybe_modified(
    pattern: Pattern, changed: Iterable[Unit], stands_for: Callable[[Unit], bool], evaluation: Evaluation
) -> Iterator[MaybeModified]:
    """What may be a modification that fits a pattern which asks for one, among the rows without a key.

    `changed`: the units of a diff. `stands_for`: whether the pattern's place is that of a unit.
    """
    if not asks_for_modification(pattern):
        return
    rows = [unit for unit in changed if _keyless(unit)]
    for table in dict.fromkeys(unit.change.path[0] for unit in rows):
        here = [unit for unit in rows if unit.change.path[0] == table]
        gone = [unit for unit in here if unit.change.op == "removed" and _chosen(pattern, unit, evaluation)]
        came = [unit for unit in here if unit.change.op == "added"]
        yield from _pairs(pattern, gone, came, stands_for, evaluation)


def _keyless(unit: Unit) -> bool:
    return unit.row is not None and str(unit.change.path[-1]).startswith("#")


def _chosen(pattern: Pattern, unit: Unit, evaluation: Evaluation) -> bool:
    """Whether `where` may choose a row that went."""
    row = unit.change.before
    if pattern.where is None or not isinstance(row, Mapping):
        return pattern.where is None
    return fits_row(row, pattern.where, evaluation.context(pattern.in_, unit.change.path)) is not False


def _pairs(
    pattern: Pattern,
    gone: Sequence[Unit],
    came: Sequence[Unit],
    stands_for: Callable[[Unit], bool],
    evaluation: Evaluation,
) -> Iterator[MaybeModified]:
    before: dict[str | int, Sequence[Value]] = {}
    rest = tuple(gone)
    for unit in came if gone else ():
        rows = (unit, *rest)
        for part in below(unit):
            column = part.change.path[-1]
            if column not in before:
                before[column] = _olds(pattern, gone, column, evaluation)
            after = part.change.after
            old = next((value for value in before[column] if not same(value, after)), ABSENT)
            if old is ABSENT:
                continue
            cell = replace(part, change=replace(part.change, op="modified", before=old))
            context = evaluation.context(pattern.in_, part.change.path)
            if stands_for(cell) and (pattern.to is None or pattern.to.match(after, context).truth is not False):
                yield MaybeModified(cell, unit, rows)
                rows = rest = ()


def _olds(pattern: Pattern, gone: Sequence[Unit], column: str | int, evaluation: Evaluation) -> Sequence[Value]:
    """Values that a column had in rows that went, and that may fit `from`; two, of which one differs from any third."""
    found: list[Value] = []
    for unit in gone:
        row = unit.change.before
        if len(found) == 2 or not isinstance(row, Mapping) or column not in row:
            continue
        value = row[str(column)]
        context = evaluation.context(pattern.in_, (*unit.change.path, column))
        fits = pattern.from_ is None or pattern.from_.match(value, context).truth is not False
        if fits and not any(same(value, other) for other in found):
            found.append(value)
    return found
