"""Cells, their order and their spelling in paths: everything by exact value and storage class."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from exactchange.address import key, key_segment, parse_key_segment
from exactchange.errors import UsageError
from exactchange.values import Path, Value, digest
from exactchange_adapters.sqlite.engine import Cell, Row

Rank: TypeAlias = tuple[int, int | float | bytes]
_BROKEN: Final = "\udfff"
"""Stands before text of a UTF-16 database that is no UTF-16, of which each byte follows as a lone surrogate."""
DIGITS: Final = 8
"""Of a content hash in a path, where no other content begins like it."""
_INTEGER: Final = re.compile(r"-?\d+\Z")
_REAL: Final = re.compile(r"-?(?:inf\Z|\d)")  # text that begins with a digit, or is "inf", stands in quotes


def same_row(left: Row, right: Row) -> bool:
    """Whether two rows hold the same values of the same storage classes."""
    if left != right or [*map(type, left)] != [*map(type, right)]:
        return False
    return 0.0 not in left or [*map(repr, left)] == [*map(repr, right)]  # 0.0 and -0.0 are equal, and differ


def same_cell(left: Cell, right: Cell) -> bool:
    """Whether two values are the same, storage class and sign of zero included."""
    return type(left) is type(right) and left == right and (left != 0 or repr(left) == repr(right))


def rank(cell: Cell, encoding: str) -> Rank:
    """Where SQLite puts a value with the BINARY collation: NULL, numbers, text by its bytes, blobs."""
    if cell is None:
        return (0, 0)
    if isinstance(cell, str):
        return (2, encoded(cell, encoding))
    return (3, cell) if isinstance(cell, bytes) else (1, cell)


def encoded(text: str, encoding: str) -> bytes:
    """The bytes that the database holds for a text that `decoded` gave."""
    if text.startswith(_BROKEN) and encoding != "utf-8":
        return bytes(ord(letter) - 0xDC00 for letter in text[1:])
    return text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "surrogatepass")


def decoded(raw: bytes, encoding: str) -> str:
    """Text of a database, broken text too: bytes that are no text become lone surrogates, one to one."""
    if encoding == "utf-8":
        return raw.decode(encoding, "surrogateescape")
    try:
        return raw.decode(encoding, "surrogatepass")
    except UnicodeDecodeError:
        return _BROKEN + "".join(chr(0xDC00 + byte) for byte in raw)


def bindable(cell: Value) -> bool:
    """Whether SQLite can be asked for a value: not for text that is none."""
    return not isinstance(cell, str) or all(not 0xD800 <= ord(letter) <= 0xDFFF for letter in cell)


def content_hash(columns: Mapping[str, Value]) -> str:
    """What identifies a row without a key: BLAKE2b-256 of its canonical content, in hexadecimal."""
    return digest(columns).hex()


def content_segment(content: str, occurrence: int, *, digits: int = DIGITS) -> str:
    """`#1a2b3c4d`, or `#1a2b3c4d~2` for the second of several equal rows."""
    return f"#{content[:digits]}" + (f"~{occurrence}" if occurrence > 1 else "")


def parse_content_segment(segment: str) -> tuple[str, int] | None:
    """Hash prefix and occurrence; None when the segment is something else."""
    head, _, tail = segment[1:].partition("~")
    if not segment.startswith("#") or (tail and not tail.isdecimal()):
        return None
    return head, int(tail or 1)


def key_path(table: str, columns: Sequence[str], cells: Row) -> Path:
    """Path of the row of a table with these values in its key."""
    return key(table), key_segment(list(zip(columns, cells, strict=True)))


def parse_key(segment: str) -> dict[str, Cell] | None:
    """Typed values of a key segment; None when the segment is no key."""
    if segment.startswith(("#", "@")) or "=" not in segment:
        return None
    try:
        return {name: _typed(text) for name, text in parse_key_segment(segment)}
    except (UsageError, ValueError):
        return None


def _typed(text: str) -> Cell:
    if text.startswith('"'):
        return str(json.loads(text))
    if text.startswith("x'"):
        return bytes.fromhex(text[2:-1])
    if text == "null":
        return None
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _REAL.match(text) else text
