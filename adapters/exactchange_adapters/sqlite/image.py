"""A private, read-only image of a database that several snapshots may share."""

import os
import threading
import weakref
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Final

from exactchange.address import format_path, key
from exactchange.errors import SnapshotClosed
from exactchange.snapshot import Note, Unread
from exactchange.values import Value
from exactchange_adapters.sqlite.copying import NAMES
from exactchange_adapters.sqlite.engine import Engine
from exactchange_adapters.sqlite.hashing import stale
from exactchange_adapters.sqlite.layer import Layer, bare, write_out
from exactchange_adapters.sqlite.log import LogEnd
from exactchange_adapters.sqlite.patience import COUNTED, Patience
from exactchange_adapters.sqlite.schema import Schema, read_schema
from exactchange_adapters.sqlite.scratch import new_folder, remove
from exactchange_adapters.sqlite.sound import sound
from exactchange_adapters.sqlite.stillness import State, Trace

_MOST_OPEN: Final = 16
_PILE: Final = "image.pages"

if TYPE_CHECKING:
    from exactchange_adapters.sqlite.forest import Forest


@dataclass(frozen=True, slots=True)
class Origin:
    """How the files were left from which an image was read, where that tells what becomes of them afterwards.

    `trace`: of all files; `main`: of the main file, which may have been still while the log was not. None where they
    had changed too short before. `log`: how far the log was read.
    """

    trace: Trace | None = None
    main: State | None = None
    log: LogEnd | None = None


class Image:
    """A copy in a directory of the judge's own (mode 0700), or the pages in which a database differs from such a copy.

    The directory is removed when the last snapshot is closed.
    """

    def __init__(self, below: "Image | None" = None, layer: Layer | None = None) -> None:
        self.directory: Path = new_folder() if below is None else below.directory
        self.lock = threading.RLock()
        self.origin: Origin | None = None
        self.asked: dict[tuple[str, tuple[str, ...] | None], int] = {}
        self.indexed: dict[tuple[str, tuple[str, ...] | None], Mapping[str, Mapping[str, Value]]] = {}
        """Rows by segment, of tables that were asked for one row after another."""
        self.unique: set[tuple[str, tuple[str, ...]]] = set()
        """Tables with columns of which it was seen that they tell all rows apart."""
        self.forest: Forest | None = None
        """The trees of its tables, once somebody has asked for them."""
        self.hashed_whole = False
        """Whether the hash of its bytes is that of older records."""
        self.pieces: list[bytes] | None = None
        """Hashes of its pieces (`hashing`), once somebody has asked for them."""
        self.below_pieces: tuple[list[bytes], frozenset[int]] | None = None
        """Those of the image that it was made over, and which of them are not its own."""
        self._below = below
        self._layer = layer
        self._bare: Layer | None = None
        self._holders = 1
        self._indexes_agree = False
        self._engine: Engine | None = None
        self._schema: Schema | None = None
        let_go: Callable[[], None] = (
            partial(remove, self.directory, os.getpid()) if below is None else below.retain().release
        )
        self._let_go = weakref.finalize(self, let_go)

    @property
    def main(self) -> Path:
        """The file of the copy; not what the database holds where there is a layer over it."""
        return self.directory / NAMES[""]

    @property
    def wal(self) -> Path:
        """The log beside it, which is part of the copy where it is there."""
        return self.directory / NAMES["-wal"]

    @property
    def logged(self) -> bool:
        """Whether a log stands beside the copy that may hold something."""
        return self.wal.exists() and self.wal.stat().st_size > 0

    @property
    def layered(self) -> bool:
        """Whether it is pages over the copy of another image."""
        return self._layer is not None

    @property
    def layer(self) -> Layer | None:
        """All of its pages; None where a log stands beside the copy, or it is no whole number of pages."""
        with self.lock:
            if self._layer is None and self._bare is None and not self.logged:
                self._bare = bare(self.main, self.directory / _PILE)
            return self._layer or self._bare

    @property
    def size(self) -> int:
        """Bytes of the database, its log included."""
        if self._layer is not None:
            return self._layer.size * self._layer.count
        return self.main.stat().st_size + (self.wal.stat().st_size if self.wal.exists() else 0)

    def over(self, pages: Mapping[int, bytes], count: int) -> "Image":
        """An image that differs from this one in these pages, and has so many. Raises SnapshotClosed, OSError."""
        with self.lock:
            layer = self.layer
            assert layer is not None
            made = Image(self._below or self, layer.plus(pages, count))
            if self.pieces is not None:
                made.below_pieces = (self.pieces, stale(layer, iter(pages), count))
        return made

    def fill_from(self, other: "Image") -> None:
        """Write what another image holds into the files of this one, which is new. Raises OSError."""
        with other.lock:
            layer = other.layer
            if layer is not None:
                write_out(layer, self.main)
                return
            for source, target in ((other.main, self.main), (other.wal, self.wal)):
                if source.exists():
                    copyfile(source, target)

    def connect(self, *, patience: Patience = COUNTED) -> Engine:
        """A connection of the caller's own, that only reads. Raises Unreadable."""
        return Engine(self._layer or self.main, size=self.size, patience=patience)

    @property
    def engine(self) -> Engine:
        """The image's connection. Raises SnapshotClosed, Unreadable."""
        with self.lock:
            if self._holders == 0:
                raise SnapshotClosed("this snapshot of a database was closed")
            if self._engine is None:
                self._engine = self.connect()
            _OPEN.used(self)
            return self._engine

    def rest(self) -> None:
        """Close the connection, unless somebody is at work with it; it is opened again when it is needed."""
        if self.lock.acquire(blocking=False):
            try:
                self._close_engine()
            finally:
                self.lock.release()

    def _close_engine(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    @property
    def schema(self) -> Schema:
        """What the image holds. Raises SnapshotClosed, Unreadable."""
        with self.lock:
            engine = self.engine
            if self._schema is None:
                self._schema = read_schema(engine)
            return self._schema

    def trust_indexes(self) -> None:
        """See that the indexes say what the tables say, before SQLite answers from them. Raises Unreadable."""
        with self.lock:
            if not self._indexes_agree:
                sound(self.engine, "integrity_check")
                self._indexes_agree = True

    def retain(self) -> "Image":
        """The same, held once more. Raises SnapshotClosed."""
        with self.lock:
            if self._holders == 0:
                raise SnapshotClosed("this snapshot of a database was closed")
            self._holders += 1
        return self

    def release(self) -> None:
        """Held once less; the last one lets its files go."""
        with self.lock:
            self._holders -= 1
            if self._holders == 0:
                self._close_engine()
                self._schema = None
                self.indexed.clear()
                self._let_go()


@contextmanager
def let_go_on_failure(image: Image) -> Generator[None]:
    """Release an image where the block fails that is to make a snapshot of it."""
    try:
        yield
    except BaseException:
        image.release()
        raise


class _Open:
    """The images whose connection is open: an episode has an image a step, and a process only so many descriptors."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._images: dict[int, weakref.ref[Image]] = {}

    def used(self, image: Image) -> None:
        """Remember that an image is used; let the one rest that was not used for longest."""
        with self._lock:
            self._images.pop(id(image), None)
            self._images[id(image)] = weakref.ref(image)
            eldest = self._images.pop(next(iter(self._images)))() if len(self._images) > _MOST_OPEN else None
        if eldest is not None:
            eldest.rest()


_OPEN: Final = _Open()


def judged(image: Image) -> tuple[tuple[Unread, ...], tuple[Note, ...]]:
    """What of an image cannot be read, and what is worth a note. Raises Unreadable."""
    tables = image.schema.tables
    unread = [(name, table.unread) for name, table in sorted(tables.items()) if table.unread is not None]
    return tuple(unread_table(name, reason) for name, reason in unread), image.schema.notes


def unread_table(name: str, reason: str) -> Unread:
    """A table that could not be read; its content is the cause."""
    path = (key(name),)
    return Unread(path, format_path(path), reason)
