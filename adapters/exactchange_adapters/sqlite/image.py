"""A private, read-only image of a database that several snapshots may share."""

import os
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from exactchange.address import format_path, key
from exactchange.errors import SnapshotClosed
from exactchange.snapshot import Note, Unread
from exactchange.values import Value
from exactchange_adapters.sqlite.copying import NAMES
from exactchange_adapters.sqlite.engine import Engine, Unreadable
from exactchange_adapters.sqlite.patience import COUNTED, Patience
from exactchange_adapters.sqlite.schema import Schema, read_schema
from exactchange_adapters.sqlite.scratch import new_folder, remove

_MOST_OPEN: Final = 16
_CLAIM: Final = 16
_LEAST_CLAIM: Final = 64 * 1024 * 1024
_MAGIC: Final = b"SQLite format 3\0"


class Image:
    """The files of a copy in a directory of the judge's own (mode 0700), removed when the last snapshot is closed."""

    def __init__(self) -> None:
        self.directory = new_folder()
        self.lock = threading.RLock()
        self.rolled_back = False
        self.asked: dict[tuple[str, tuple[str, ...] | None], int] = {}
        self.indexed: dict[tuple[str, tuple[str, ...] | None], Mapping[str, Mapping[str, Value]]] = {}
        """Rows by segment, of tables that were asked for one row after another."""
        self.unique: set[tuple[str, tuple[str, ...]]] = set()
        """Tables with columns of which it was seen that they tell all rows apart."""
        self._holders = 1
        self._indexes_agree = False
        self._engine: Engine | None = None
        self._schema: Schema | None = None
        self._remove = weakref.finalize(self, remove, self.directory, os.getpid())

    @property
    def main(self) -> Path:
        return self.directory / NAMES[""]

    @property
    def wal(self) -> Path:
        return self.directory / NAMES["-wal"]

    @property
    def size(self) -> int:
        """Bytes of the main file and its log."""
        return self.main.stat().st_size + (self.wal.stat().st_size if self.wal.exists() else 0)

    @property
    def engine(self) -> Engine:
        """The image's connection. Raises SnapshotClosed, Unreadable."""
        with self.lock:
            if self._holders == 0:
                raise SnapshotClosed("this snapshot of a database was closed")
            if self._engine is None:
                self._engine = Engine(self.main, size=self.size)
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

    def check(self, *, journal: bool, patience: Patience = COUNTED) -> None:
        """Roll back what was never committed, and see that the image is sound. Raises Unreadable, TooLate."""
        with self.main.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise Unreadable("not an SQLite database, or encrypted")
        copied = self.size
        if journal:
            self._roll_back()
        engine = Engine(self.main, size=self.size, patience=patience)
        try:
            engine.tolerate_collations()
            _check_size(engine, self.size, copied)
            _sound(engine, "quick_check")
        except Unreadable:
            patience.check()
            raise
        finally:
            engine.close()

    def trust_indexes(self) -> None:
        """See that the indexes say what the tables say, before SQLite answers from them. Raises Unreadable."""
        with self.lock:
            if not self._indexes_agree:
                _sound(self.engine, "integrity_check")
                self._indexes_agree = True

    def _roll_back(self) -> None:
        self.rolled_back = True
        engine = Engine(self.main, size=self.size, writable=True)
        try:
            list(engine.rows("SELECT count(*) FROM sqlite_schema"))
        finally:
            engine.close()
        (self.directory / NAMES["-journal"]).unlink(missing_ok=True)

    def retain(self) -> "Image":
        with self.lock:
            if self._holders == 0:
                raise SnapshotClosed("this snapshot of a database was closed")
            self._holders += 1
        return self

    def release(self) -> None:
        with self.lock:
            self._holders -= 1
            if self._holders == 0:
                self._close_engine()
                self._schema = None
                self.indexed.clear()
                self._remove()


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


def _check_size(engine: Engine, size: int, copied: int) -> None:
    ((pages,),) = engine.rows("PRAGMA page_count")
    ((page,),) = engine.rows("PRAGMA page_size")
    assert isinstance(pages, int) and isinstance(page, int)
    # A log or a journal may claim any size; some pages that a transaction took and gave back are truly in no file.
    claimed = max(pages * page, size)
    if claimed > max(_CLAIM * copied, _LEAST_CLAIM):
        raise Unreadable(f"the database is corrupt: it claims {claimed} bytes and had {copied}")


def judged(image: Image) -> tuple[tuple[Unread, ...], tuple[Note, ...]]:
    """What of an image cannot be read, and what is worth a note. Raises Unreadable."""
    tables = image.schema.tables
    unread = [(name, table.unread) for name, table in sorted(tables.items()) if table.unread is not None]
    return tuple(unread_table(name, reason) for name, reason in unread), image.schema.notes


def unread_table(name: str, reason: str) -> Unread:
    """A table that could not be read; its content is the cause."""
    path = (key(name),)
    return Unread(path, format_path(path), reason)


def _sound(engine: Engine, check: str) -> None:
    faults = [str(row[0]) for row in engine.rows(f"PRAGMA {check}(20)")]
    serious = [fault for fault in faults if fault != "ok" and not _harmless(fault)]
    if serious:
        raise Unreadable(f"the database is corrupt: {serious[0]}")


def _harmless(fault: str) -> bool:
    """Whether all can be read: a value that NOT NULL or a STRICT type forbids, a full-text index behind its text."""
    if "inverted index for FTS" in fault:
        return True
    head = fault.split(" value in ", 1)[0]
    return " value in " in fault and (
        head in ("NULL", "NUMERIC", "TEXT", "INT", "INTEGER", "REAL", "BLOB") or head.startswith("non-")
    )
