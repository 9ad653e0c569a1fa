"""A consistent private copy of a live database: no lock is taken, SQLite does not touch the live files.

Two cases (https://www.sqlite.org/fileformat2.html, https://www.sqlite.org/walformat.html):

* The `-wal` holds a log. The main file is copied first, then the log. A checkpoint writes nothing into the main file
  but pages that the log holds, and the log only grows until it is begun anew, with other salts in its header. So, when
  the header is the same after the copying, the log copied covers every page of the main file that was written
  meanwhile, and a half-written last transaction in it fails its checksums.
* No log. The files are read twice. Bytes that both readings agree on are the bytes of the moment between the two; and
  at that moment nobody held the EXCLUSIVE lock, or a journal stood there from which the copy is rolled back.

What does not hold still is tried again, and given up as unread. The files are copied, never linked: SQLite takes two
links of one file for one database, and would read the log of one with the other.
"""

import os
from pathlib import Path
from typing import Final

from exactchange_adapters.sqlite.files import CHUNK, HEADER, LiveDatabase, LiveFile
from exactchange_adapters.sqlite.patience import Patience
from exactchange_adapters.sqlite.together import (
    Files,
    Unsettled,
    log_header,
    names_super_journal,
    opened,
    says_wal,
    times,
)

NAMES: Final = {"": "image.db", "-journal": "image.db-journal", "-wal": "image.db-wal"}
_ZEROS: Final = bytes(CHUNK)


def take(live: LiveDatabase, into: Path, *, largest: int, patience: Patience) -> bool:
    """One attempt to copy the database into a directory; whether the copy has a journal to be rolled back from.

    Raises FileNotFoundError when there is no database, Refused when it cannot be read, Unsettled to be tried again,
    TooLate.
    """
    with opened(live, patience) as files:
        files.check_sizes(largest)
        log = log_header(files.wal)
        if log is not None and files.journal is None:
            _copy(files, into, largest)
            files.check_log(live, log)
            return False
        return _without_log(live, files, into, largest)


def _without_log(live: LiveDatabase, files: Files, into: Path, largest: int) -> bool:
    began = times(files.main)
    _copy(files, into, largest)
    locked = files.main.exclusively_locked()  # the moment whose state the copy is
    with opened(live, files.patience) as again:
        if again.main is not files.main or not _equal(again, into) or times(files.main) != began:
            raise Unsettled("it is being written all the time")
    with LiveFile(into / NAMES[""]) as main:
        files.check_lock(locked, says_wal=says_wal(main.read(HEADER, 0)))
    if files.journal is not None and names_super_journal(files.journal):
        raise Unsettled("it is in the middle of a transaction over several databases")
    return files.journal is not None


def _equal(files: Files, directory: Path) -> bool:
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


def _copy(files: Files, into: Path, largest: int) -> None:
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
