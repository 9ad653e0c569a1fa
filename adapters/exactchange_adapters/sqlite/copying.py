"""A consistent private copy of a live database: no lock is taken, SQLite does not touch the live files.

Two cases (https://www.sqlite.org/fileformat2.html, https://www.sqlite.org/walformat.html):

* The `-wal` holds a log. The main file is copied first, then the log. A checkpoint writes nothing into the main file
  but pages that the log holds, and the log only grows until it is begun anew, with other salts in its header. So, when
  the header is the same after the copying, the log copied covers every page of the main file that was written
  meanwhile, and a half-written last transaction in it fails its checksums.
* No log. The files are read twice. Bytes that both readings agree on are the bytes of the moment between the two; and
  at that moment nobody held the EXCLUSIVE lock, or a journal stood there from which the copy is rolled back.

What does not hold still is tried again, and given up as unread. Files that did not change are copied all the same,
never linked: SQLite takes two links of one file for one database, and would read the log of one with the other.
"""

import os
import struct
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exactchange_adapters.sqlite.files import CHUNK, LiveDatabase, LiveFile, Refused
from exactchange_adapters.sqlite.patience import Patience

NAMES: Final = {"": "image.db", "-journal": "image.db-journal", "-wal": "image.db-wal"}
_WAL_MAGIC: Final = (0x377F0682, 0x377F0683)
_WAL_HEADER: Final = 32
_SUPER_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")
_ZEROS: Final = bytes(CHUNK)


class Unsettled(Exception):
    """The files changed while they were read, or stand in the middle of a write: try again. The message says which."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What an attempt gave. `same`: every byte is that of the earlier copy, and nothing was written."""

    same: bool
    journal: bool = False
    """The copy holds a journal from which it has to be rolled back."""


@dataclass(frozen=True, slots=True)
class _Files:
    main: LiveFile
    wal: LiveFile | None
    journal: LiveFile | None
    """One that SQLite would roll back."""
    patience: Patience
    spent: bool
    """There is a journal that holds nothing: its owner keeps one, and has not begun, or has ended, a transaction."""

    def parts(self) -> Iterator[tuple[str, LiveFile | None]]:
        yield "", self.main  # the main file before the log: see above
        yield "-journal", self.journal
        yield "-wal", self.wal


def take(live: LiveDatabase, into: Path, *, earlier: Path | None, largest: int, patience: Patience) -> Taken:
    """One attempt to copy the database into a directory, or to find it equal to an earlier copy's directory.

    Raises FileNotFoundError when there is no database, Refused when it cannot be read, Unsettled to be tried again,
    TooLate.
    """
    with _opened(live, patience) as files:
        _check_sizes(files, largest)
        log = _log_header(files.wal)
        if log is not None and files.journal is None:
            return _with_log(live, files, log, into, earlier, largest)
        return _without_log(live, files, into, earlier, largest)


@contextmanager
def _opened(live: LiveDatabase, patience: Patience) -> Generator[_Files]:
    with ExitStack() as stack:
        main = live.main()
        wal, journal = live.beside("-wal"), live.beside("-journal")
        for file in (wal, journal):
            if file is not None:
                stack.enter_context(file)
        hot = _hot(journal)
        spent = journal is not None and not hot
        yield _Files(main, wal if wal and wal.stat().st_size else None, journal if hot else None, patience, spent)


def _check_sizes(files: _Files, largest: int) -> None:
    sizes = [file.stat().st_size for _, file in files.parts() if file is not None]
    if sizes[0] == 0:
        raise Refused("it holds zero bytes: no database was written yet")
    if sum(sizes) > largest:
        raise Refused(f"it has {sum(sizes)} bytes, more than the {largest} allowed")


def _with_log(live: LiveDatabase, files: _Files, log: bytes, into: Path, earlier: Path | None, largest: int) -> Taken:
    assert files.wal is not None
    same = earlier is not None and not (earlier / NAMES["-journal"]).exists() and _equal(files, earlier)
    if not same:
        _copy(files, into, largest)
    if _log_header(files.wal) != log or not files.wal.current():
        raise Unsettled("its write-ahead log was begun anew")
    if not files.main.current():
        raise Unsettled("it was replaced by another file")
    if _exists_hot(live):
        raise Unsettled("a journal appeared beside its write-ahead log")
    return Taken(same)


def _without_log(live: LiveDatabase, files: _Files, into: Path, earlier: Path | None, largest: int) -> Taken:
    began = _times(files.main)
    same = earlier is not None and _equal(files, earlier)
    if not same:
        _copy(files, into, largest)
    locked = files.main.exclusively_locked()  # the moment whose state the copy is
    there = earlier if same and earlier is not None else into
    with _opened(live, files.patience) as again:
        if again.main is not files.main or not _equal(again, there) or _times(files.main) != began:
            raise Unsettled("it is being written all the time")
    if locked and files.journal is None and not files.spent and not _says_wal(there):
        raise Unsettled("another program holds its exclusive lock, and no journal tells whether it is writing")
    if files.journal is not None and _names_super_journal(files.journal):
        raise Unsettled("it is in the middle of a transaction over several databases")
    return Taken(same, files.journal is not None)


def _times(file: LiveFile) -> tuple[int, int]:
    state = file.stat()
    return state.st_mtime_ns, state.st_size


def _equal(files: _Files, directory: Path) -> bool:
    for suffix, file in files.parts():
        copy = directory / NAMES[suffix]
        if (file is not None) != copy.exists() or (file is not None and not _same_bytes(file, copy, files.patience)):
            return False
    return True


def _same_bytes(file: LiveFile, copy: Path, patience: Patience) -> bool:
    if file.stat().st_size != copy.stat().st_size:
        return False
    with LiveFile(copy) as mine:
        offset = 0
        while True:
            patience.check()
            left = file.read(CHUNK, offset)
            if left != mine.read(CHUNK, offset):
                return False
            if len(left) < CHUNK:
                return True
            offset += CHUNK


def _copy(files: _Files, into: Path, largest: int) -> None:
    for suffix, file in files.parts():
        target = into / NAMES[suffix]
        target.unlink(missing_ok=True)
        if file is not None:
            _copy_file(file, target, largest, files.patience)


def _copy_file(file: LiveFile, target: Path, largest: int, patience: Patience) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        offset = 0
        while chunk := file.read(CHUNK, offset):
            patience.check()
            if chunk != _ZEROS:  # a sparse file must not fill the judge's disk
                _write(descriptor, chunk, offset)
            offset += len(chunk)
            if offset > largest:
                raise Unsettled("it grew beyond what is allowed while it was read")
        os.ftruncate(descriptor, offset)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        done = os.pwrite(descriptor, view, offset)
        view, offset = view[done:], offset + done


def _log_header(wal: LiveFile | None) -> bytes | None:
    """The header of a log, with its salts; None when there is no log in the file."""
    head = wal.read(_WAL_HEADER, 0) if wal is not None else b""
    if len(head) < _WAL_HEADER or int.from_bytes(head[:4], "big") not in _WAL_MAGIC:
        return None
    # SQLite ignores a log whose header fails its checksum, and then the argument above would not hold.
    order = ">" if head[3] & 1 else "<"
    first = second = 0
    for one, two in struct.iter_unpack(f"{order}II", head[:24]):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return head if struct.pack(">II", first, second) == head[24:] else None


def _hot(journal: LiveFile | None) -> bool:
    """SQLite rolls back a journal whose first byte is not zero; PERSIST and TRUNCATE leave others behind."""
    return journal is not None and journal.read(1, 0) not in (b"", b"\0")


def _exists_hot(live: LiveDatabase) -> bool:
    journal = live.beside("-journal")
    if journal is None:
        return False
    with journal:
        return _hot(journal)


def _says_wal(directory: Path) -> bool:
    """Whether the file is in WAL mode: then an empty log means that nothing is being written into the main file."""
    with LiveFile(directory / NAMES[""]) as main:
        return main.read(2, 18) == b"\x02\x02"


def _names_super_journal(journal: LiveFile) -> bool:
    # Rolling back such a journal would make SQLite look at, and perhaps delete, a file that the journal names.
    size = journal.stat().st_size
    return size >= 8 and journal.read(8, size - 8) == _SUPER_MAGIC
