"""One page of a b-tree: which pages stand below it, and which rows stand in it."""

import struct
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from exactchange_adapters.sqlite.pages import Foreign

INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF = 2, 5, 10, 13
_INTERIOR: Final = frozenset([INDEX_INTERIOR, TABLE_INTERIOR])
_FIRST: Final = 100
"""The first page holds the header of the file before its own."""
_NINTH: Final = 8
_LOCAL: Final = 35
_TWO_BYTES: Final = 0x80
"""With this begins a length that takes more than one byte; no page is so small that a shorter row goes on elsewhere."""


class Cell(NamedTuple):
    """A row as its page holds it. `overflow`: the first of the pages that hold the rest of it, 0 for none."""

    rowid: int
    raw: bytes
    overflow: int


def kind_of(number: int, page: bytes) -> int:
    """What kind of page it claims to be."""
    return page[_FIRST if number == 1 else 0]


def is_interior(number: int, page: bytes) -> bool:
    """Whether a page leads to others. Raises Foreign when it is no page of a b-tree."""
    kind = kind_of(number, page)
    if kind in _INTERIOR:
        return True
    if kind not in (INDEX_LEAF, TABLE_LEAF):
        raise Foreign(f"page {number} is of no b-tree")
    return False


def children(number: int, page: bytes) -> list[int]:
    """Numbers of the pages right below an interior one, in order. Raises Foreign."""
    at = _FIRST if number == 1 else 0
    below = [int.from_bytes(page[cell : cell + 4], "big") for cell in _cells(page, at, 12)]
    below.append(struct.unpack_from(">I", page, at + 8)[0])
    return below


def keys(number: int, page: bytes) -> list[int]:
    """The rowids between the pages below an interior page of a table, in order. Raises Foreign."""
    at = _FIRST if number == 1 else 0
    if page[at] != TABLE_INTERIOR:
        raise Foreign(f"page {number} leads to no rows")
    return [_signed(_varint(page, cell + 4)[0]) for cell in _cells(page, at, 12)]


def rows(number: int, page: bytes, usable: int) -> Iterator[Cell]:
    """The rows of a leaf of a table with rowids. Raises Foreign."""
    at = _FIRST if number == 1 else 0
    if page[at] != TABLE_LEAF:
        raise Foreign(f"page {number} is no leaf of a table")
    for begin in _cells(page, at, 8):
        size, after = _varint(page, begin)
        rowid, after = _varint(page, after)
        local = local_size(size, usable)
        end = after + local + (4 if local < size else 0)
        if end > usable:
            raise Foreign(f"page {number} holds a row beyond its end")
        overflow = int.from_bytes(page[end - 4 : end], "big") if local < size else 0
        yield Cell(_signed(rowid), page[begin:end], overflow)


def may_overflow(number: int, page: bytes) -> bool:
    """Whether a leaf of a table may hold a row that goes on elsewhere: told fast, and wrong to the safe side."""
    begins = _cells(page, _FIRST if number == 1 else 0, 8)
    return bool(begins) and max(map(page.__getitem__, begins)) >= _TWO_BYTES


def local_size(size: int, usable: int) -> int:
    """How many bytes of a row of this size stand in its leaf (section 1.6 of the format)."""
    longest = usable - _LOCAL
    if size <= longest:
        return size
    least = (usable - 12) * 32 // 255 - 23
    local = least + (size - least) % (usable - 4)
    return local if local <= longest else least


def _cells(page: bytes, at: int, header: int) -> Sequence[int]:
    (count,) = struct.unpack_from(">H", page, at + 3)
    try:
        begins = struct.unpack_from(f">{count}H", page, at + header)
    except struct.error as error:
        raise Foreign("a page with more rows than it has room for") from error
    if begins and max(begins) + 4 > len(page):
        raise Foreign("a row that begins beyond its page")
    return begins


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for count in range(_NINTH):
        byte = page[at + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    return value << 8 | page[at + _NINTH], at + _NINTH + 1
