"""Rows that fit a REPLACE of the row that they named: SQLite deletes it, with all that cascades, and writes it anew."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from exactchange.address import format_path, key, key_segment
from exactchange.errors import OverBudget
from exactchange_adapters.sqlite.cascades import short
from exactchange_adapters.sqlite.cells import bindable
from exactchange_adapters.sqlite.engine import quoted
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.links import ForeignKey, Key, compared, is_small
from exactchange_adapters.sqlite.schema import Table
from exactchange_adapters.sqlite.touched import Rows
from exactchange_adapters.sqlite.triggers import folded

_MOST_KEYS: Final = 100
_FEWEST: Final = 2


def rewritten(
    orphans: Mapping[tuple[ForeignKey, Key], Sequence[int]], tables: Mapping[str, Rows], old: Image, new: Image
) -> dict[int, str]:
    """By number of a change the REPLACE that it fits. `orphans`: changes as a cascade makes them, by what was named.

    Only where the row that was named is there on both sides and no row names it any more, and where it changed as well
    or several had named it: one row that is gone was as likely deleted by itself. Of a large database nothing is told.
    """
    by_key: dict[ForeignKey, dict[Key, Sequence[int]]] = {}
    for (foreign_key, named), numbers in orphans.items():
        places = by_key.setdefault(foreign_key, {})
        if numbers and len(named) == 1 and bindable(named[0]) and len(places) < _MOST_KEYS:
            places[named] = numbers
    found: dict[int, str] = {}
    for foreign_key, places in by_key.items() if by_key and is_small(old) and is_small(new) else ():
        changed = _changed(foreign_key, tables)
        likely = {named: n for named, n in places.items() if named in changed or len(n) >= _FEWEST}
        try:
            again = _written_again(foreign_key, likely, old, new)
        except (OverBudget, UnicodeDecodeError):
            continue
        for named in again:
            found.update(dict.fromkeys(likely[named], _says(foreign_key, named, new)))
    return found


def _written_again(foreign_key: ForeignKey, keys: Collection[Key], old: Image, new: Image) -> Collection[Key]:
    """Those of the keys that are there before and after, and that no row names after. Raises what reading raises."""
    if not keys:
        return ()
    parent, child = (foreign_key.parent, foreign_key.keys[0]), (foreign_key.child, foreign_key.columns[0])
    there = _held(old, *parent, foreign_key, keys) & _held(new, *parent, foreign_key, keys)
    named = _held(new, *child, foreign_key, keys)
    return [item for item in keys if item in there and item not in named]


def _held(image: Image, table: str, column: str, foreign_key: ForeignKey, keys: Collection[Key]) -> frozenset[Key]:
    """Those of the keys that a column holds, compared as the foreign key compares them."""
    found = _table(image, table)
    name = None if found is None else next((name for name in found.names if folded(name) == column), None)
    if found is None or name is None:
        raise OverBudget(f"there is no column {column} of a table {table}")
    collation = foreign_key.form[0][1]
    marks = ", ".join("?" * len(keys))
    compares = quoted(name) + ("" if collation == "BINARY" else f" COLLATE {collation}")
    sql = f"SELECT DISTINCT {quoted(name)} FROM {quoted(found.name)} NOT INDEXED WHERE {compares} IN ({marks})"
    rows = image.engine.rows(sql, [item[0] for item in keys])
    held = (compared({column: row[0]}, (column,), foreign_key.form) for row in rows)
    return frozenset(item for item in held if item is not None)


def _table(image: Image, name: str) -> Table | None:
    return next((table for table in image.schema.tables.values() if folded(table.name) == name), None)


def _changed(foreign_key: ForeignKey, tables: Mapping[str, Rows]) -> frozenset[Key | None]:
    """The keys of the rows that are among the changes and still there."""
    rows = tables.get(foreign_key.parent)
    modified = () if rows is None else rows.modified
    return frozenset(compared(row.after or {}, foreign_key.keys, foreign_key.form) for row in modified)


def _says(foreign_key: ForeignKey, named: Key, image: Image) -> str:
    table = _table(image, foreign_key.parent)
    name = foreign_key.parent if table is None else table.name
    address = format_path((key(name), key_segment([(foreign_key.keys[0], named[0])])))
    return f"ON DELETE {foreign_key.on_delete} of {short(foreign_key.says)}, if REPLACE wrote {short(address)} anew"
