"""Content-addressed bytes beside an episode, and the one way in which files of an episode are opened."""

import errno
import os
import pathlib
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import BinaryIO

from exactchange.errors import InfrastructureError, UsageError

_NAME = re.compile(r"[0-9a-f]{64}\Z")


def blob_name(data: bytes) -> str:
    """BLAKE2b-256 in hexadecimal."""
    return blake2b(data, digest_size=32).hexdigest()


class BlobFolder:
    """A folder of blobs, each named after its content; implements `exactchange.sources.BlobStore`.

    The folder may come from anybody: no name but 64 hexadecimal digits is ever opened, links are not followed.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path

    def put(self, data: bytes) -> str:
        """Store bytes once and return their name. Raises InfrastructureError when they cannot be written."""
        name = blob_name(data)
        place = self._path / name
        try:
            if not place.exists():
                self._path.mkdir(mode=0o700, exist_ok=True)
                write_whole(place, data)
        except OSError as error:
            raise InfrastructureError(f"cannot store a snapshot in {self._path}: {error.strerror}") from error
        return name

    def get(self, name: str, *, limit: int) -> bytes:
        """The bytes of a name. Raises UsageError when missing, no plain file, altered or longer than `limit` bytes."""
        if not _NAME.match(name):
            raise UsageError("a blob is named by 64 hexadecimal digits")
        with opened(self._path, name, limit=limit) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise UsageError(f"blob {name} is longer than {limit} bytes")
        if blob_name(data) != name:
            raise UsageError(f"blob {name} does not hold what its name says")
        return data


@contextmanager
def opened(folder: pathlib.Path, name: str, *, limit: int) -> Generator[BinaryIO]:
    """A plain file directly in `folder`, of at most `limit` bytes, opened for reading.

    Raises UsageError for everything else: links (of the folder, too), pipes, devices, files that are too long.
    """
    try:
        handle = _plain(folder, name)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise UsageError(f"cannot read {name!r} of {folder}: {error}") from error
    with open(handle, "rb") as file:
        if os.fstat(handle).st_size > limit:
            raise UsageError(f"{name!r} of {folder} is longer than {limit} bytes")
        yield file


def _plain(folder: pathlib.Path, name: str) -> int:
    parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    finally:
        os.close(parent)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "no plain file", name)
    return handle


def write_whole(place: pathlib.Path, data: bytes, *, durable: bool = False) -> None:
    """Write by temporary file and rename, so that the file is whole or not there. Raises OSError."""
    temporary = place.with_name(f".{place.name}.part")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(handle)
        temporary.replace(place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        folder = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
