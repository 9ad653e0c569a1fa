"""The live files of a database, opened and looked at so that nothing about them changes.

Closing any descriptor of a file drops every POSIX lock that this process holds on it, those of an SQLite connection in
the same process too (https://www.sqlite.org/howtocorrupt.html, 2.2). Descriptors of the main file therefore stay open
until the reader lets go. SQLite never locks the `-wal` and `-journal` files, so those are closed at once.
"""

import os
import stat
import struct
import sys
from pathlib import Path
from types import TracebackType
from typing import Final

CHUNK: Final = 1024 * 1024
HEADER: Final = 100
"""Bytes at the head of a database that say how it is made."""
_SHARED_FIRST: Final = 0x40000002  # https://www.sqlite.org/fileformat.html: the lock-byte page
_SHARED_SIZE: Final = 510
_FLOCK: Final = "hhqqi0q"
_MOST_KEPT: Final = 64


class Refused(Exception):
    """What stands at the path cannot be a database that is read; the message says why."""


class LiveFile:
    """One open file and the path it was opened by."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError, or Refused for a link, a directory, a device or a file that may not be read."""
        self.path = path
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        try:
            kind = stat.S_IFMT(os.lstat(path).st_mode)
            if kind != stat.S_IFREG:  # asked before opening: to open a FIFO or a device is to act on it
                raise Refused(_not_a_file(kind))
            self.descriptor = os.open(path, flags)
        except NotADirectoryError as error:
            raise FileNotFoundError(str(path)) from error
        except FileNotFoundError:
            raise
        except OSError as error:
            raise Refused(f"cannot be opened: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(self.descriptor).st_mode):
            self.close()
            raise Refused("it is no regular file")

    def stat(self) -> os.stat_result:
        return os.fstat(self.descriptor)

    def read(self, size: int, offset: int) -> bytes:
        """Bytes from an offset; fewer only at the end of the file. Raises Refused."""
        parts: list[bytes] = []
        while size > 0:
            try:
                part = os.pread(self.descriptor, size, offset)
            except OSError as error:
                raise Refused(f"cannot be read: {error.strerror}") from error
            if not part:
                break
            parts.append(part)
            size -= len(part)
            offset += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, buffer: bytearray, offset: int) -> int:
        """Fill a buffer from an offset; how many bytes there were, fewer only at the end. Raises Refused."""
        done = 0
        with memoryview(buffer) as view:
            while done < len(buffer):
                try:
                    count = os.preadv(self.descriptor, [view[done:]], offset + done)
                except OSError as error:
                    raise Refused(f"cannot be read: {error.strerror}") from error
                if count == 0:
                    break
                done += count
        return done

    def current(self) -> bool:
        """Whether the path still leads to this file."""
        try:
            there = os.lstat(self.path)
        except OSError:
            return False
        mine = self.stat()
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def exclusively_locked(self) -> bool | None:
        """Whether somebody holds SQLite's EXCLUSIVE lock, under which alone the file is written; None: cannot be told.

        Asks only, and takes no lock; an open file description's question sees the locks of this process as well.
        """
        if sys.platform != "linux":
            return None
        import fcntl

        wanted = struct.pack(_FLOCK, fcntl.F_RDLCK, os.SEEK_SET, _SHARED_FIRST, _SHARED_SIZE, 0)
        try:
            answer = fcntl.fcntl(self.descriptor, fcntl.F_OFD_GETLK, wanted)
        except OSError:
            return None
        return bool(struct.unpack(_FLOCK, answer)[0] == fcntl.F_WRLCK)

    def close(self) -> None:
        os.close(self.descriptor)

    def __enter__(self) -> "LiveFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class LiveDatabase:
    """The files of one database. Keeps the main file open until `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: list[LiveFile] = []

    def main(self) -> LiveFile:
        """The main file that the path leads to now. Raises as LiveFile does."""
        for file in self._kept:
            if file.current():
                return file
        file = LiveFile(self.path)
        self._kept.append(file)
        if len(self._kept) > _MOST_KEPT:
            self._kept.pop(0).close()
        return file

    def beside(self, suffix: str) -> LiveFile | None:
        """A side file, or None when there is none. Raises Refused."""
        try:
            return LiveFile(self.path.with_name(self.path.name + suffix))
        except FileNotFoundError:
            return None

    def close(self) -> None:
        while self._kept:
            self._kept.pop().close()


def side_files(path: Path) -> tuple[Path, ...]:
    """A database file and the files that SQLite may put beside it, also of a path that no file can have."""
    return (path, *(Path(f"{path}{suffix}") for suffix in ("-wal", "-shm", "-journal")))


def _not_a_file(kind: int) -> str:
    if kind == stat.S_IFLNK:
        return "it is a symbolic link, and links are not followed; name the database file itself"
    return "it is a directory" if kind == stat.S_IFDIR else "it is no regular file"
