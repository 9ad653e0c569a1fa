"""What stands at a path, read through descriptors: links are told and never followed, special files never opened."""

import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal, TypeAlias

EntryType: TypeAlias = Literal["file", "dir", "link", "fifo", "socket", "char device", "block device", "unknown"]
_CHUNK: Final = 1024 * 1024
_TRIES: Final = 4
_COARSE_NS: Final = 20_000_000  # file times advance with the kernel's tick, up to 10 ms apart
_PAUSE_S: Final = 0.002
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_NO_ATIME: Final = getattr(os, "O_NOATIME", 0)
_TYPES: Final[tuple[tuple[Callable[[int], bool], EntryType], ...]] = (
    (stat.S_ISREG, "file"),
    (stat.S_ISDIR, "dir"),
    (stat.S_ISLNK, "link"),
    (stat.S_ISFIFO, "fifo"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "char device"),
    (stat.S_ISBLK, "block device"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One directory entry. `mode`: the permission bits; `size`: bytes, of a regular file that was read.

    `data` is a regular file's content up to the limit asked for; `hash` is its BLAKE2b-256, if taken.
    `trouble` says why a part could not be read; the rest still holds.
    """

    type: EntryType
    mode: int = 0
    owner: tuple[int, int] = (0, 0)
    link: str | None = None
    data: bytes | None = None
    hash: str = ""
    size: int = 0
    trouble: str = ""


class Gone(Exception):
    """Nothing stands at the path. Never leaves the adapters."""


def entry_type(mode: int) -> EntryType:
    """The name of the type in a `st_mode`."""
    for test, name in _TYPES:
        if test(mode):
            return name
    return "unknown"


def read_entry(
    name: str, *, dir_fd: int | None, keep: int, largest: int, until: float, hash_kept: bool = True
) -> Entry:
    """What stands at `name` (below the directory `dir_fd`): its type, and the content of a regular file.

    `keep`: bytes up to which content is kept; `largest`: bytes beyond which it is not even hashed; `until`: when the
    time is up (`time.monotonic()`); `hash_kept`: whether content that is kept is hashed as well. A file that changes
    while it is read is read again, a few times. Raises Gone.
    """
    status: os.stat_result | None = None
    trouble = ""
    for _ in range(_TRIES):
        try:
            status = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
            found = entry_type(status.st_mode)
            if found == "link":
                return _entry(status, link=os.readlink(name, dir_fd=dir_fd))
            if found != "file":
                return _entry(status)
            read = _read_file(name, dir_fd, keep, largest, until, hash_kept)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise Gone from error
        except OSError as error:
            trouble = _said(error)
            continue  # perhaps it was replaced between the look and the opening
        if read is not None:
            return read
        trouble = "it was being written each time it was read"
    return Entry("unknown", trouble=trouble) if status is None else _entry(status, trouble=trouble)


def _read_file(name: str, dir_fd: int | None, keep: int, largest: int, until: float, hash_kept: bool) -> Entry | None:
    """The entry of a regular file, or None where it was no regular file or changed meanwhile."""
    descriptor = _open(name, dir_fd)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return None
        if before.st_size > largest:
            return _entry(before, trouble=f"more than {largest} bytes")
        chunks: list[bytes] = []
        hasher = blake2b(digest_size=32) if hash_kept or before.st_size > keep else None
        size = 0
        while chunk := os.read(descriptor, _CHUNK):
            size += len(chunk)
            if hasher is not None:
                hasher.update(chunk)
            if size <= keep:
                chunks.append(chunk)
            if size > largest:
                return _entry(before, trouble=f"more than {largest} bytes")
            if time.monotonic() > until:
                return _entry(before, trouble="reading took longer than the deadline of the capture")
        data = b"".join(chunks) if size <= keep else None
        if data is not None and _just_written(before):
            time.sleep(_PAUSE_S)  # file times are too coarse to tell: give a writer that was interrupted its turn
            if os.pread(descriptor, size + 1, 0) != data:
                return None
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if _version(before) != _version(after) or size != after.st_size:
        return None
    return _entry(after, data=data, digest="" if hasher is None else hasher.hexdigest(), size=size)


def _open(name: str, dir_fd: int | None) -> int:
    try:
        return os.open(name, _FLAGS | _NO_ATIME, dir_fd=dir_fd)
    except PermissionError:  # only the owner may leave the access time alone
        return os.open(name, _FLAGS, dir_fd=dir_fd)


def _just_written(status: os.stat_result) -> bool:
    return abs(time.time_ns() - status.st_ctime_ns) < _COARSE_NS


def _version(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)


def _entry(
    status: os.stat_result,
    *,
    link: str | None = None,
    data: bytes | None = None,
    digest: str = "",
    size: int = 0,
    trouble: str = "",
) -> Entry:
    return Entry(
        entry_type(status.st_mode),
        stat.S_IMODE(status.st_mode),
        (status.st_uid, status.st_gid),
        link,
        data,
        digest,
        size,
        trouble,
    )


def _said(error: OSError) -> str:
    # The system's words without the path: an address says where, and a path may be the agent's.
    return (error.strerror or type(error).__name__).casefold()
