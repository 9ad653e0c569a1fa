"""An image that shares the file of another one, but for its own pages.

A database of a gigabyte of which ten rows change at every step is copied once: each step adds the pages that it changed
to one file beside the copy. SQLite reads such an image through a file system of ours (`layers`).
"""

import mmap
import os
import shutil
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from exactchange_adapters.sqlite.files import HEADER
from exactchange_adapters.sqlite.numbers import Numbers
from exactchange_adapters.sqlite.together import says_wal

_LEAST: Final = 512


class Pile:
    """A file to which pages are added, and nothing else ever happens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._count = 0

    def add(self, pages: Iterable[bytes], *, size: int) -> int:
        """Add pages of this size; how many there were before. Raises OSError, and then nothing was added."""
        with self._lock:
            first = end = self._count
            with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600), "wb") as file:
                file.seek(first * size)
                for page in pages:
                    file.write(page)
                    end += 1
            self._count = end  # what was written of others before a disk was full, is written over
            return first


class Below:
    """The file of a copy, mapped into memory as long as somebody compares with it. Nobody but the judge has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._view: memoryview | None = None

    def holds(self, data: bytearray, offset: int) -> bool:
        """Whether these bytes stand there. Raises OSError."""
        if self._view is None:
            with self.path.open("rb") as file:
                self._view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        there = self._view[offset : offset + len(data)]
        return len(there) == len(data) and data.startswith(there)  # which compares in place, and `==` byte by byte


@dataclass(frozen=True, slots=True)
class Layer:
    """The pages of an image: `own` says which page of the pile they are, counted from 1; the others are those below.

    `count`: pages of the image. Pages that stand nowhere are zeros, as in a file that was made longer.
    """

    below: Below
    pile: Pile
    own: Numbers
    size: int
    count: int

    def plus(self, pages: Mapping[int, bytes], count: int) -> "Layer":
        """The same with other pages; the file below and the pages of this one stay as they are."""
        first = self.pile.add(pages.values(), size=self.size) + 1
        own = self.own.plus({page: first + n for n, page in enumerate(pages)}, below=count + 1)
        return Layer(self.below, self.pile, own, self.size, count)


def bare(file: Path, pile: Path) -> Layer | None:
    """A layer of no pages of its own; None where the file is no whole number of pages of a size that there is."""
    with file.open("rb") as opened:
        header = opened.read(HEADER)
    size = int.from_bytes(header[16:18], "big") or 1
    size = 65536 if size == 1 else size
    length = file.stat().st_size
    if len(header) < HEADER or size < _LEAST or size & (size - 1) or length % size:
        return None
    return Layer(Below(file), Pile(pile), Numbers(), size, length // size)


class LayerFile:
    """The bytes of a layer, open as long as they are read."""

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._below = os.open(layer.below.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._pile = os.open(layer.pile.path, os.O_RDONLY | os.O_CLOEXEC) if layer.own.count else None
        except BaseException:
            os.close(self._below)
            raise

    def page(self, number: int) -> bytes:
        """The bytes of a page."""
        size, own = self._layer.size, self._layer.own[number]
        if own and self._pile is not None:
            return os.pread(self._pile, size, (own - 1) * size)
        return os.pread(self._below, size, (number - 1) * size).ljust(size, b"\0")

    def read(self, amount: int, offset: int) -> bytes:
        """Bytes from an offset; fewer only at the end."""
        size = self._layer.size
        if amount == size and offset % size == 0 and offset < self._layer.count * size:
            return self.page(offset // size + 1)
        amount = min(amount, self._layer.count * size - offset)
        if amount <= 0:
            return b""
        first, last = offset // size, (offset + amount - 1) // size
        data = b"".join(self.page(number + 1) for number in range(first, last + 1))
        return data[offset - first * size :][:amount]

    def close(self) -> None:
        os.close(self._below)
        if self._pile is not None:
            os.close(self._pile)

    def __enter__(self) -> "LayerFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def in_wal_mode(layer: Layer) -> bool:
    """Whether the header says that the file is written by way of a log."""
    with LayerFile(layer) as pages:
        return says_wal(pages.read(HEADER, 0))


def write_out(layer: Layer, target: Path) -> None:
    """Write all pages of a layer into a file of their own. Raises OSError."""
    shutil.copyfile(layer.below.path, target)
    with LayerFile(layer) as pages, target.open("r+b") as file:
        for number in layer.own:
            file.seek((number - 1) * layer.size)
            file.write(pages.page(number))
        file.truncate(layer.count * layer.size)
