"""Reading tables: by truth (never through an index, which may lie), in the order of a key, broken text included."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from json import dumps
from typing import TYPE_CHECKING, Final, TypeVar

from exactchange.address import key
from exactchange.values import Path, Value, canonical_bytes
from exactchange_adapters.sqlite.cells import DIGITS, content_hash, content_segment, decoded, key_path
from exactchange_adapters.sqlite.engine import Cell, Row, Unreadable, quoted
from exactchange_adapters.sqlite.hashing import image_digest
from exactchange_adapters.sqlite.schema import Table

if TYPE_CHECKING:
    from exactchange_adapters.sqlite.image import Image

ROWID: Final = "rowid"
_SWELL: Final = 4
_SWELL_LEAST: Final = 64 * 1024 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of a table that are identified by the same key columns; `key` () is by content.

    `where` leaves out the rows that an earlier key of the table identifies, and those whose key holds a NULL.
    """

    key: tuple[str, ...]
    where: str


def groups(keys: Sequence[tuple[str, ...]], *, alias: str | None, exact: bool) -> tuple[Group, ...]:
    """The rows of a table by what identifies them, each row in one group.

    `alias`: the column that is the rowid, and never NULL; `exact`: the first key identifies all rows.
    """
    if exact:
        return (Group(keys[0], ""),)
    found: list[Group] = []
    earlier: list[str] = []
    for columns in keys:
        if columns == (alias,):
            found.append(Group(columns, _all(earlier)))
            return tuple(found)
        whole = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in columns)
        found.append(Group(columns, _all([*earlier, whole])))
        earlier.append("(" + " OR ".join(f"{quoted(column)} IS NULL" for column in columns) + ")")
    return (*found, Group((), _all(earlier)))


def own_keys(table: Table, override: tuple[str, ...] | None) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """The keys by which a table's rows are identified, and whether the first identifies all of them."""
    if override is not None:
        return (override,), True
    return (((ROWID,),), True) if table.rowid_key else (table.keys, False)


def read(
    image: "Image", table: Table, columns: Sequence[str], *, where: str = "", order: Sequence[str] = (),
    arguments: Sequence[Cell] = (), careful: bool = False,
) -> Iterator[Row]:  # fmt: skip
    """Rows of a table as tuples of cells. Raises Unreadable; without `careful`, UnicodeDecodeError on broken text."""
    careful = careful or image.schema.encoding != "utf-8"
    # Broken text can only be fetched as bytes; then its storage class has to be asked for beside it.
    spelt = [_bytes_of(column) if careful else quoted(column) for column in columns]
    classes = [f"typeof({quoted(column)})" for column in columns] if careful else []
    sql = f"SELECT {', '.join([*spelt, *classes]) or '1'} FROM {quoted(table.name)} NOT INDEXED{where}"
    if order:
        sql += " ORDER BY " + ", ".join(f"{quoted(column)} COLLATE BINARY" for column in order)
    found = image.engine.rows(sql, arguments)
    if careful:
        found = _with_text(found, len(columns), image.schema.encoding)
    return _bounded(found, image.size) if table.swells else found


def among(
    table: Table, rowids: Sequence[int], where: str, *, others: bool = False
) -> tuple[str, tuple[Cell, ...]]:  # fmt: skip
    """The condition, with its arguments, that of the rows which `where` leaves keeps those with these rowids.

    With `others` it keeps all but those. The table must have a name for its rowid.
    """
    name = rowid_name(table)
    assert name is not None
    return f"{where or ' WHERE 1'} AND {name} {'NOT ' if others else ''}IN (SELECT value FROM json_each(?))", (
        dumps(list(rowids)),
    )


def rowid_name(table: Table) -> str | None:
    """How SQL calls the rowid; None where the table has columns of all of its names."""
    if table.integer_key is not None:
        return quoted(table.integer_key)
    taken = {name.casefold() for name in table.names}
    return next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), None)


def forgiving(work: Callable[[bool], T]) -> T:
    """Do work on rows with text as it comes, and once more with care when some of it is broken."""
    try:
        return work(False)
    except UnicodeDecodeError:
        return work(True)


def mapping(table: Table, columns: Sequence[str], row: Row) -> dict[str, Value]:
    """A row as a value: cells by column, in the table's order."""
    cells = dict(zip(columns, row, strict=True))
    return {key(name): cells[name] for name in table.names}


def identified(
    image: "Image", table: Table, override: tuple[str, ...] | None, *, extra: str = "", arguments: Sequence[Cell] = (),
    careful: bool = False,
) -> Iterator[tuple[Path, dict[str, Value]]]:  # fmt: skip
    """Rows with their paths. `extra`: a condition that only leaves rows out whose key is another one.

    Raises Unreadable, also when a key that has to be unique is not.
    """
    keys, exact = own_keys(table, override)
    if exact:
        check_unique(image, table, keys[0])
    for group in groups(keys, alias=table.integer_key, exact=exact):
        columns = arranged(table, group.key)
        if group.key:
            where = group.where if not extra else f"{group.where or ' WHERE 1'} AND ({extra})"
            for row in read(image, table, columns, where=where, arguments=arguments if extra else (), careful=careful):
                yield key_path(table.name, group.key, row[: len(group.key)]), mapping(table, columns, row)
        elif not extra:
            yield from _by_content(image, table, group, careful)


def _by_content(image: "Image", table: Table, group: Group, careful: bool) -> Iterator[tuple[Path, dict[str, Value]]]:
    """Rows without a key, read twice: where two contents begin alike, both are named by all their digits."""
    contents = [bytes.fromhex(content_hash(cells)) for cells in _mappings(image, table, group, careful)]
    first: dict[bytes, bytes] = {}
    alike = {content[:4] for content in contents if first.setdefault(content[:4], content) != content}
    first.clear()
    seen: dict[bytes, int] = {}
    for content, cells in zip(contents, _mappings(image, table, group, careful), strict=True):
        seen[content] = seen.get(content, 0) + 1
        digits = 2 * len(content) if content[:4] in alike else DIGITS
        yield (key(table.name), content_segment(content.hex(), seen[content], digits=digits)), cells


def _mappings(image: "Image", table: Table, group: Group, careful: bool) -> Iterator[dict[str, Value]]:
    for row in read(image, table, table.names, where=group.where, careful=careful):
        yield mapping(table, table.names, row)


def check_unique(image: "Image", table: Table, columns: Sequence[str]) -> None:
    """Raises Unreadable when these columns do not tell all rows of the table apart, or are not there."""
    missing = [column for column in columns if column != ROWID and column not in table.names]
    if missing:
        raise Unreadable(f"the key names a column that the table does not have: {', '.join(missing)}")
    if columns == (ROWID,) or columns == (table.integer_key,) or (table.name, tuple(columns)) in image.unique:
        return
    grouped = ", ".join(f"typeof({quoted(c)}), {quoted(c)} COLLATE BINARY" for c in columns)
    sql = f"SELECT 1 FROM {quoted(table.name)} NOT INDEXED GROUP BY {grouped} HAVING count(*) > 1 LIMIT 1"
    if list(image.engine.rows(sql)):
        raise Unreadable(f"the key {', '.join(columns)} is not unique")
    image.unique.add((table.name, tuple(columns)))


def arranged(table: Table, first: Sequence[str]) -> tuple[str, ...]:
    """The table's columns, those of the key first."""
    return (*first, *(name for name in table.names if name not in first))


def table_digest(image: "Image", table: Table) -> bytes:
    """BLAKE2b-256 of a table's rows in no order; of the whole image's bytes where they cannot be read."""
    if table.unread is not None:
        return image_digest(image)
    columns = ((ROWID,) if table.rowid_key else ()) + table.names

    def hashes(careful: bool) -> list[bytes]:
        rows = read(image, table, columns, careful=careful)
        return sorted(blake2b(canonical_bytes(row), digest_size=32).digest() for row in rows)

    try:
        return blake2b(b"".join([canonical_bytes(columns), *forgiving(hashes)]), digest_size=32).digest()
    except Unreadable:
        return image_digest(image)


def _all(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _bytes_of(column: str) -> str:
    return f"CASE typeof({quoted(column)}) WHEN 'text' THEN CAST({quoted(column)} AS BLOB) ELSE {quoted(column)} END"


def _with_text(rows: Iterator[Row], width: int, encoding: str) -> Iterator[Row]:
    for row in rows:
        yield tuple(
            decoded(cell, encoding) if kind == "text" and isinstance(cell, bytes) else cell
            for cell, kind in zip(row[:width], row[width:], strict=True)
        )


def _bounded(rows: Iterator[Row], size: int) -> Iterator[Row]:
    left = max(_SWELL * size, _SWELL_LEAST)
    for row in rows:
        left -= sum(len(cell) for cell in row if isinstance(cell, str | bytes))
        if left < 0:
            raise Unreadable("its rows give far more bytes than the database has")
        yield row


def as_state(rows: Iterator[tuple[Path, Mapping[str, Value]]]) -> dict[str, Value]:
    """Rows by segment. Raises Unreadable when a key that the database enforces is not unique: it lies."""
    found: dict[str, Value] = {}
    for path, cells in rows:
        segment = str(path[1])
        if segment in found:
            raise Unreadable(f"two rows have the key {segment}")
        found[segment] = cells
    return found
