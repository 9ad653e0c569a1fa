"""The pages of an image as SQLite sees them: those of the main file, and over them what its log has committed.

Format: https://www.sqlite.org/fileformat2.html. An image is private and still, and SQLite has checked it.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from exactchange_adapters.sqlite.files import CHUNK, HEADER
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.layer import LayerFile
from exactchange_adapters.sqlite.together import WAL_HEADER

_FRAME_HEADER: Final = 24
_INDEX_HEADER: Final = "=IIIBBHII"  # of the wal-index: ..., size of a page, last frame, pages of the database
_PENDING_BYTE: Final = 0x40000000
_MOST_PAGES: Final = 1 << 24
"""Below this no number of a page begins with another byte than zero."""


class Foreign(Exception):
    """The pages are not as this module knows them; the rows have to be compared without them."""


@dataclass(frozen=True, slots=True)
class _Log:
    descriptor: int
    frames: Mapping[int, int]
    """Where in the log the newest committed version of a page stands, by its number."""
    pages: int


class Pages:
    """The pages of one image, open as long as they are read. Raises Foreign where the file is of another make."""

    def __init__(self, image: Image) -> None:
        self._open = ExitStack()
        try:
            self.layer = image.layer
            self._file = None if self.layer is None else self._open.enter_context(LayerFile(self.layer))
            self._main = self._descriptor(image.main)
            self.header = os.pread(self._main, HEADER, 0) if self._file is None else self._file.page(1)[:HEADER]
            if len(self.header) < HEADER:
                raise Foreign("no header")
            (size,) = struct.unpack_from(">H", self.header, 16)
            self.size = 65536 if size == 1 else int(size)
            self.usable = self.size - self.header[20]
            self._log = self._read_log(image) if self.layer is None else None
            self.count = self.layer.count if self.layer is not None else self._counted()
            if self.size < 512 or not 0 < self.count < _MOST_PAGES:
                raise Foreign("sizes out of bounds")
            if self._log is not None:
                self.header = self.page(1)[:HEADER]
        except BaseException:
            self._open.close()
            raise

    def __enter__(self) -> "Pages":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def page(self, number: int) -> bytes:
        """The bytes of a page. Raises Foreign when there is no such page."""
        if not 1 <= number <= self.count:
            raise Foreign(f"no page {number}")
        if self._file is not None:
            return self._file.page(number)
        at = self._log.frames.get(number) if self._log is not None else None
        if self._log is not None and at is not None:
            data = os.pread(self._log.descriptor, self.size, at)
        else:
            data = os.pread(self._main, self.size, (number - 1) * self.size)
        if len(data) < self.size:
            raise Foreign(f"page {number} is cut short")
        return data

    @property
    def own(self) -> Iterable[int]:
        """Numbers of the pages that are not those of the main file, but of its log, or of a layer."""
        if self.layer is not None:
            return self.layer.own
        return self._log.frames if self._log is not None else ()

    def main_chunk(self, into: bytearray, offset: int) -> int:
        """Fill a buffer from the main file; how many bytes there were."""
        return os.preadv(self._main, [into], offset)

    def main_holds(self, data: bytearray, offset: int) -> bool:
        """Whether these bytes stand in the main file."""
        if self.layer is not None:
            return self.layer.below.holds(data, offset)
        there = bytearray(len(data))
        return os.preadv(self._main, [there], offset) == len(data) and there == data

    def is_map(self, number: int) -> bool:
        """Whether a page maps other pages to their parents (auto_vacuum), or is where SQLite locks: no content."""
        if number == _PENDING_BYTE // self.size + 1:
            return True
        if struct.unpack_from(">I", self.header, 52) == (0,):
            return False
        first = (number - 2) // (self.usable // 5 + 1) * (self.usable // 5 + 1) + 2
        return number == (first + 1 if first == _PENDING_BYTE // self.size + 1 else first)

    def free(self) -> Iterator[int]:
        """Numbers of the pages that hold nothing. Raises Foreign when the list of them runs in a circle."""
        trunk, left = struct.unpack_from(">I", self.header, 32)[0], self.count
        while trunk and left >= 0:
            page = self.page(trunk)
            following, leaves = struct.unpack_from(">II", page)
            if leaves > self.usable // 4 - 2:
                raise Foreign("a list of free pages that is too long")
            yield trunk
            yield from struct.unpack_from(f">{leaves}I", page, 8)
            trunk, left = following, left - 1 - leaves
        if trunk:
            raise Foreign("a list of free pages that has no end")

    def _counted(self) -> int:
        return self._log.pages if self._log else os.fstat(self._main).st_size // self.size

    def _descriptor(self, path: Path) -> int:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._open.callback(os.close, descriptor)
        return descriptor

    def _read_log(self, image: Image) -> _Log | None:
        """The frames that SQLite itself has found whole and committed: it says so in the wal-index beside the log."""
        if not image.wal.exists() or image.wal.stat().st_size <= WAL_HEADER:
            return None
        list(image.engine.rows("SELECT 1 FROM sqlite_schema LIMIT 1"))  # it reads the log at its first question
        index = self._descriptor(image.main.with_name(f"{image.main.name}-shm"))
        _, _, _, ready, _, size, last, pages = struct.unpack(_INDEX_HEADER, os.pread(index, 24, 0))
        if ready != 1:
            raise Foreign("a log that SQLite does not read")
        if last == 0:
            return None
        if size not in (self.size, 1 if self.size == 65536 else self.size):
            raise Foreign("a log of pages of another size")
        log = self._descriptor(image.wal)
        step = _FRAME_HEADER + self.size
        frames: dict[int, int] = {}
        for number in range(last):
            at = WAL_HEADER + number * step
            frames[struct.unpack(">I", os.pread(log, 4, at))[0]] = at + _FRAME_HEADER
        return _Log(log, {number: at for number, at in frames.items() if number <= pages}, pages)


def differing(old: Pages, new: Pages) -> frozenset[int]:
    """Numbers of the pages that are not the same in both, or that only one of them has. Raises Foreign."""
    if old.size != new.size or old.usable != new.usable:
        raise Foreign("pages of two sizes")
    grown = range(min(old.count, new.count) + 1, max(old.count, new.count) + 1)
    if old.layer is not None and new.layer is not None and old.layer.pile is new.layer.pile:
        others = old.layer.own.differing(new.layer.own)
        return frozenset([*(number for number in others if not _alike(old, new, number)), *grown])
    logged = {*old.own, *new.own}
    found = {number for number in logged if not _alike(old, new, number)}
    found.update(grown)
    least = min(old.count, new.count)
    chunk = bytearray(CHUNK)
    for offset in range(0, least * old.size, CHUNK):
        if new.main_chunk(chunk, offset) == CHUNK and old.main_holds(chunk, offset):
            continue
        first = offset // old.size + 1
        numbers = range(first, min(first + CHUNK // old.size, least + 1))
        found.update(number for number in numbers if number not in logged and not _alike(old, new, number))
    return frozenset(found)


def _alike(old: Pages, new: Pages, number: int) -> bool:
    return number <= min(old.count, new.count) and old.page(number) == new.page(number)
