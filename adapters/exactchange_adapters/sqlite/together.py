"""The files of a live database, opened together: what stands beside the main file, and in which state it is."""

import struct
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from exactchange_adapters.sqlite.files import LiveDatabase, LiveFile, Refused
from exactchange_adapters.sqlite.patience import Patience

WAL_HEADER: Final = 32
_WAL_MAGIC: Final = (0x377F0682, 0x377F0683)
_SUPER_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")


class Unsettled(Exception):
    """The files changed while they were read, or stand in the middle of a write: try again. The message says which."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files as they were opened. A log that holds no byte is none."""

    main: LiveFile
    wal: LiveFile | None
    journal: LiveFile | None
    """One that SQLite would roll back."""
    patience: Patience
    spent: bool
    """There is a journal that holds nothing: its owner keeps one, and has not begun, or has ended, a transaction."""

    def parts(self) -> Iterator[tuple[str, LiveFile | None]]:
        """The files by suffix; the main file before the log, since a log grows by what is not in the main file yet."""
        yield "", self.main
        yield "-journal", self.journal
        yield "-wal", self.wal

    def check_sizes(self, largest: int) -> None:
        """Raises Refused where there is nothing, or more than is allowed."""
        sizes = [file.stat().st_size for _, file in self.parts() if file is not None]
        if sizes[0] == 0:
            raise Refused("it holds zero bytes: no database was written yet")
        if sum(sizes) > largest:
            raise Refused(f"it has {sum(sizes)} bytes, more than the {largest} allowed")

    def check_log(self, live: LiveDatabase, header: bytes) -> None:
        """Raises Unsettled where what was read of a log and the file below it may not belong together."""
        if self.wal is None or log_header(self.wal) != header or not self.wal.current():
            raise Unsettled("its write-ahead log was begun anew")
        if not self.main.current():
            raise Unsettled("it was replaced by another file")
        if _exists_hot(live):
            raise Unsettled("a journal appeared beside its write-ahead log")

    def check_lock(self, locked: bool | None, *, says_wal: bool) -> None:
        """Raises Unsettled where a lock that was held may mean that a transaction was half written."""
        if locked and self.journal is None and not self.spent and not says_wal:
            raise Unsettled("another program holds its exclusive lock, and no journal tells whether it is writing")


@contextmanager
def opened(live: LiveDatabase, patience: Patience) -> Generator[Files]:
    """The files as they are now. Raises FileNotFoundError, Refused."""
    with ExitStack() as stack:
        main = live.main()
        wal, journal = live.beside("-wal"), live.beside("-journal")
        for file in (wal, journal):
            if file is not None:
                stack.enter_context(file)
        is_hot = _hot(journal)
        spent = journal is not None and not is_hot
        yield Files(main, wal if wal and wal.stat().st_size else None, journal if is_hot else None, patience, spent)


def times(file: LiveFile) -> tuple[int, int]:
    """Time of the last write, and size."""
    state = file.stat()
    return state.st_mtime_ns, state.st_size


def log_header(wal: LiveFile | None) -> bytes | None:
    """The header of a log, with its salts; None when there is no log in the file."""
    head = wal.read(WAL_HEADER, 0) if wal is not None else b""
    if len(head) < WAL_HEADER or int.from_bytes(head[:4], "big") not in _WAL_MAGIC:
        return None
    # SQLite ignores a log whose header fails its checksum, and then main file and log would not belong together.
    order = ">" if head[3] & 1 else "<"
    first = second = 0
    for one, two in struct.iter_unpack(f"{order}II", head[:24]):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return head if struct.pack(">II", first, second) == head[24:] else None


def says_wal(header: bytes) -> bool:
    """Whether a file is in WAL mode: then an empty log means that nothing is being written into the main file."""
    return header[18:20] == b"\x02\x02"


def names_super_journal(journal: LiveFile) -> bool:
    """Whether rolling it back would make SQLite look at, and perhaps delete, a file that the journal names."""
    size = journal.stat().st_size
    return size >= 8 and journal.read(8, size - 8) == _SUPER_MAGIC


def _hot(journal: LiveFile | None) -> bool:
    """SQLite rolls back a journal whose first byte is not zero; PERSIST and TRUNCATE leave others behind."""
    return journal is not None and journal.read(1, 0) not in (b"", b"\0")


def _exists_hot(live: LiveDatabase) -> bool:
    journal = live.beside("-journal")
    if journal is None:
        return False
    with journal:
        return _hot(journal)
