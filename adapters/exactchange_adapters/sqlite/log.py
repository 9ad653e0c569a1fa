"""What a write-ahead log has committed, read from its bytes (https://www.sqlite.org/walformat.html).

SQLite itself never checks again what it has once found whole. Here a log that has grown is compared, by a hash, with
what was read of it before: who writes into the part that was read is noticed.
"""

import struct
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, Protocol

from exactchange_adapters.sqlite.files import CHUNK, LiveFile
from exactchange_adapters.sqlite.patience import Patience
from exactchange_adapters.sqlite.together import WAL_HEADER

_FRAME_HEADER: Final = 24
_MASK: Final = 0xFFFFFFFF


class TooMuch(Exception):
    """More has changed than is kept in memory: the database is better copied anew."""


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...
    def copy(self) -> "_Hash": ...


@dataclass(frozen=True, slots=True)
class LogEnd:
    """How far a log was read: up to the last transaction that was whole.

    `header`: of the log, with the salts that tell it from the one before; `sums`: the running checksum there; `count`:
    pages of the database, None where nothing was committed; `numbers`: the pages that the log holds so far.
    """

    header: bytes
    at: int
    sums: tuple[int, int]
    count: int | None
    numbers: frozenset[int]
    hash: _Hash = field(compare=False)


def begin(header: bytes) -> LogEnd:
    """Before the first frame of a log with this header."""
    one, other = struct.unpack(">II", header[24:WAL_HEADER])
    hasher = blake2b()
    hasher.update(header)
    return LogEnd(header, WAL_HEADER, (one, other), None, frozenset(), hasher)


@dataclass(frozen=True, slots=True)
class LogBytes:
    """The bytes of a log as they stood at one time, read before anything is made of them: a log may soon begin anew.

    `head`: a hash of those up to an offset, `tail`: those after it.
    """

    head: bytes
    tail: bytes


def read_log(wal: LiveFile, end: LogEnd, *, most: int, patience: Patience) -> LogBytes:
    """What stands in a log, up to what was read of it and after that. Raises TooMuch for more than `most` bytes."""
    hasher: _Hash = blake2b()
    for offset in range(0, end.at, CHUNK):
        patience.check()
        hasher.update(wal.read(min(CHUNK, end.at - offset), offset))
    tail = wal.read(most + 1, end.at)
    if len(tail) > most:
        raise TooMuch
    return LogBytes(hasher.digest(), tail)


def is_as_read(found: LogBytes, end: LogEnd) -> bool:
    """Whether every byte up to there is still what it was."""
    return found.head == end.hash.digest()


def read_on(tail: bytes, end: LogEnd, *, size: int, patience: Patience) -> tuple[LogEnd, dict[int, bytes]]:
    """How far the log goes now, and the newest committed content of the pages that were written since `end`.

    `tail`: the bytes after `end`; `size`: of a page.
    """
    order, salts = ">" if end.header[3] & 1 else "<", end.header[16:24]
    pages: dict[int, bytes] = {}
    open_pages: dict[int, bytes] = {}
    begins, at, sums, hasher = end.at, 0, end.sums, end.hash.copy()
    while True:
        patience.check()
        head, data = tail[at : at + _FRAME_HEADER], tail[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
        if len(data) < size or head[8:16] != salts:
            return end, pages
        number, count = struct.unpack(">II", head[:8])
        sums = _summed(sums, head[:8] + data, order)
        if number == 0 or struct.pack(">II", *sums) != head[16:]:
            return end, pages  # not written to the end, or by somebody who died
        hasher.update(head + data)
        open_pages[number] = data
        at += _FRAME_HEADER + size
        if count:
            pages |= open_pages
            end = LogEnd(end.header, begins + at, sums, count, end.numbers | open_pages.keys(), hasher.copy())
            open_pages = {}


def _summed(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    """The running checksum after these bytes."""
    first, second = sums
    for one, other in struct.iter_unpack(f"{order}II", data):
        first = (first + one + second) & _MASK
        second = (second + other + first) & _MASK
    return first, second
