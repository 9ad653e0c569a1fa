"""Values that a column can never hold, by its declared type and by the simplest kind of CHECK."""

from collections.abc import Sequence
from typing import Final

from exactchange.address import unkey
from exactchange.values import Path, Value, dumps, type_name
from exactchange_adapters.sqlite.ddl import tokens, unquoted
from exactchange_adapters.sqlite.defaults import affinity, converted, literal_value
from exactchange_adapters.sqlite.engine import Cell
from exactchange_adapters.sqlite.lookup import whole_image
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_MOST_SHOWN: Final = 8


def never_holds(snapshot: SqliteSnapshot, path: Path, value: Value) -> str | None:
    """See `exactchange.sources.Holding`. What SQLite itself makes of a value decides, asked with nothing of the
    database's; of its CHECKs only `column IN (…)` is understood.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | bytes) or len(path) < 3:
        return None
    image = whole_image(snapshot)
    name, column = unkey(str(path[0])), unkey(str(path[-1]))
    table = None if image is None or name is None else image.schema.tables.get(name)
    found = [item for item in table.columns if item.name == column] if table is not None else []
    if image is None or table is None or table.virtual or not found or found[0].declared.upper() == "ANY":
        return None  # a virtual table converts nothing, nor does ANY in a table that is STRICT
    declared = found[0].declared
    if isinstance(value, int) and not _SMALLEST <= value <= _LARGEST:
        return "SQLite has no whole number of this size"
    stored = converted(value, affinity(declared))
    if type_name(stored) != type_name(value) or stored != value:
        return f"the column is declared {declared or 'without a type'}, which makes {_shown(stored)} of it"
    listed = _listed(image.schema.objects["table"].get(table.name, ""), found[0].name)
    if listed and all(type(item) is type(value) for item in listed) and value not in listed:
        more = ", …" if len(listed) > _MOST_SHOWN else ""
        return f"its CHECK lets in only {', '.join(_shown(item) for item in listed[:_MOST_SHOWN])}{more}"
    return None


def _listed(statement: str, column: str) -> Sequence[Cell]:
    """The literals of `CHECK (column IN (…))`, where that is the whole of a CHECK; () where there is none."""
    words = tokens(statement)
    if "COLLATE" in words:
        return ()  # texts that differ may be equal
    for at, word in enumerate(words):
        head = words[at + 1 : at + 5]
        if word != "CHECK" or (*head[:1], *head[2:]) != ("(", "IN", "("):
            continue
        if unquoted(head[1]).casefold() != column.casefold():
            continue
        inside = words[at + 5 :]
        end = inside.index(")") if ")" in inside else 0
        items = inside[:end:2]
        literals = [literal_value(item) for item in items]
        if inside[end + 1 : end + 2] == [")"] and set(inside[1:end:2]) <= {","} and () not in literals:
            return [literal[0] for literal in literals if literal]
    return ()


def _shown(value: Cell) -> str:
    return f"x'{value.hex()}'" if isinstance(value, bytes) else dumps(value)
