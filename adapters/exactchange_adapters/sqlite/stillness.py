"""Whether a database was left alone since it was last read, told from what the file system says of its files.

Whoever writes into a file changes its times, by a clock that ticks a few milliseconds apart. So files say nothing until
they have been still for longer than a tick: a write that follows at once may leave every time as it was. No program can
set the time of the last change (`ctime`) to what it wants. What is written through a memory map need not show; SQLite
writes no database so.
"""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from exactchange_adapters.sqlite.files import HEADER, LiveDatabase, Refused

STILL_NS: Final = 50_000_000
"""Several ticks of the clocks of file systems on one machine."""
_MOUNTS: Final = "/proc/self/mountinfo"
_LOCAL: Final = frozenset("bcachefs btrfs ext2 ext3 ext4 f2fs overlay tmpfs xfs zfs".split())
"""Whose times are those of this machine's clock; a server's clock may be late, and then a file seems to be still."""
State: TypeAlias = tuple[int, int, int, int, int, int]
"""Device, number, mode, size, and the times of the last write and of the last change, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What tells one state of the files from another: of the main file, log and journal what the file system says, and
    of the main file the first bytes, in which SQLite counts the transactions.
    """

    files: tuple[State | None, ...]
    header: bytes

    def still(self, at_ns: int) -> bool:
        """Whether no file had changed for a while before a moment (of `now_ns()`)."""
        return all(is_still(file, at_ns) for file in self.files)


def is_still(file: State | None, at_ns: int) -> bool:
    """Whether a file had not changed for a while before a moment; one that is not there has not."""
    return file is None or max(file[-2:]) < at_ns - STILL_NS


def traced(live: LiveDatabase) -> Trace | None:
    """The trace of the files as they are now; None where there is no database, or times tell nothing of it."""
    try:
        main = live.main()
        if main.stat().st_dev not in _local_devices():
            return None
        files = (_stated(main.stat()), *(_beside(live, suffix) for suffix in ("-wal", "-journal")))
        return Trace(files, os.pread(main.descriptor, HEADER, 0)) if main.current() else None
    except (Refused, OSError):
        return None


def now_ns() -> int:
    """The moment by the clock that files are dated by."""
    return time.time_ns()


@cache
def _local_devices() -> frozenset[int]:
    """Devices of the file systems of this machine, as they are when it is first asked; none where nothing tells."""
    found: set[int] = set()
    with suppress(OSError, ValueError):
        for line in Path(_MOUNTS).read_text(encoding="utf-8", errors="replace").splitlines():
            device, kind = line.split()[2], line.partition(" - ")[2].split()[0]
            if kind in _LOCAL:
                major, _, minor = device.partition(":")
                found.add(os.makedev(int(major), int(minor)))
    return frozenset(found)


def _beside(live: LiveDatabase, suffix: str) -> State | None:
    try:
        return _stated(os.lstat(f"{live.path}{suffix}"))
    except FileNotFoundError:
        return None


def _stated(state: os.stat_result) -> State:
    return state.st_dev, state.st_ino, state.st_mode, state.st_size, state.st_mtime_ns, state.st_ctime_ns
