"""What of a database's own rules may have made a change: a cascade, a REPLACE, a trigger. Told from the schema alone.

A cause is named where what set it off is among the changes as well, or where REPLACE may have written a row as it was
and nothing names that row any more. Nothing of the schema is run, and nobody's verdict depends on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from exactchange.diff import Change
from exactchange.errors import OverBudget
from exactchange.values import Path
from exactchange_adapters.sqlite.cascades import Cascades, Side, replaced
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.links import Links, is_small
from exactchange_adapters.sqlite.lookup import row_at
from exactchange_adapters.sqlite.rewritten import rewritten
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot
from exactchange_adapters.sqlite.spreading import Spreading
from exactchange_adapters.sqlite.touched import Cells, Rows, Touched, cells_of, touched

_MOST_LOOKED_UP: Final = 100
_T = TypeVar("_T")


def likely_causes(changes: Sequence[Change], before: SqliteSnapshot, after: SqliteSnapshot) -> dict[Path, str]:
    """By path of a change what may have made it. See `exactchange.sources.Causing`."""
    old, new = before.image, after.image
    tables = touched(changes)
    if old is None or new is None or not tables:
        return {}
    first, second = sorted((old, new), key=id)
    with first.lock, second.lock:
        try:
            told = _told(len(changes), tables, before, after, old, new)
        except (OverBudget, UnicodeDecodeError):
            return {}  # what cannot be read names no cause
    return {changes[number].path: says for number, says in told.items()}


def _told(
    count: int, tables: Mapping[str, Rows], before: SqliteSnapshot, after: SqliteSnapshot, old: Image, new: Image
) -> dict[int, str]:
    links = [Links(old)] if old.schema.objects == new.schema.objects else [Links(old), Links(new)]
    spreading = Spreading(count, tables)
    cascades = Cascades(tables, _Lookup(before, after).cells)
    for name, rows in tables.items():
        if rows.went or rows.modified:
            foreign_keys = _both(item.foreign_keys(name) for item in links)
            for foreign_key in foreign_keys:
                for parent, numbers, says in cascades.of(foreign_key, foreign_keys):
                    for number in numbers:
                        spreading.add(parent.number, number, says)
    for name, rows in tables.items():
        for unique in _both(item.unique(name) for item in links) if rows.went else ():
            for winner, numbers, says in replaced(rows, unique):
                for number in numbers:
                    if number not in cascades.renamed:
                        spreading.add(winner.number, number, says)
    spreading.listen(_both(item.triggers(list(tables)) for item in links))
    orphans = {
        place: [number for number in numbers if not spreading.has_cause(number)]
        for place, numbers in cascades.orphans.items()
    }
    return {**rewritten(orphans, tables, old, new), **spreading.told()}


def _both(sides: Iterable[Iterable[_T]]) -> list[_T]:
    """What the schema says before or after, each once: either may be what was in force."""
    return list(dict.fromkeys(item for side in sides for item in side))


class _Lookup:
    """Looks up rows of which only some cells are among the changes: few, and only where that is cheap."""

    def __init__(self, before: SqliteSnapshot, after: SqliteSnapshot) -> None:
        self._sides = {"before": before, "after": after}
        self._left = _MOST_LOOKED_UP

    def cells(self, row: Touched, side: Side) -> Cells | None:
        """All cells of a row that is on both sides."""
        snapshot = self._sides[side]
        if self._left == 0 or snapshot.image is None:
            return None
        self._left -= 1
        try:
            found = row_at(snapshot, row.path) if is_small(snapshot.image) else None
        except (OverBudget, UnicodeDecodeError):
            return None
        return None if found is None else cells_of(found)
