"""Where a process keeps its private images; what a process that was killed left behind is removed by the next one."""

import fcntl
import os
import shutil
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Final

from exactchange.errors import InfrastructureError

PREFIX: Final = "exactchange-sqlite-"
_SETTLED_S: Final = 3600.0
"""Younger folders are left alone: their owner may not have locked them yet."""


class _Scratch:
    """One folder (mode 0700) of this process, locked as long as it lives."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.process = os.getpid()
        weakref.finalize(self, remove, self.folder, self.process)


_own: _Scratch | None = None
_making = threading.RLock()  # an image may be finalised, and so removed, while its thread makes another


def new_folder() -> Path:
    """An empty folder for one image. Raises InfrastructureError when there is no room for it."""
    try:
        with _making:
            try:
                return Path(tempfile.mkdtemp(prefix="image-", dir=_scratch().folder))
            except FileNotFoundError:  # its last image was finalised in between, and the folder went with it
                return Path(tempfile.mkdtemp(prefix="image-", dir=_scratch().folder))
    except OSError as error:
        raise InfrastructureError(f"no room for a copy of the database: {error}; set TMPDIR") from error


def _scratch() -> _Scratch:
    global _own
    if _own is None or _own.process != os.getpid() or not _own.folder.is_dir():
        _sweep(Path(tempfile.gettempdir()))
        _own = _Scratch()
    return _own


def remove(folder: Path, process: int) -> None:
    """Remove a folder of the process that made it; in a fork of that process nothing."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
        _let_go(folder.parent)


def _let_go(folder: Path) -> None:
    """The process's own folder goes with its last image, so that a judge at rest leaves nothing behind."""
    global _own
    with _making:
        if _own is None or _own.folder != folder or _own.process != os.getpid():
            return
        try:
            folder.rmdir()
        except OSError:
            return  # it holds other images
        os.close(_own.lock)
        _own = None


def _sweep(folder: Path) -> None:
    """Remove what processes left that ended without a chance to."""
    for entry in folder.glob(f"{PREFIX}*"):
        try:
            descriptor = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # gone by now, or no folder, or somebody else's
        try:
            state = os.fstat(descriptor)
            if state.st_uid != os.getuid() or time.time() - state.st_mtime < _SETTLED_S:
                continue
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(entry, ignore_errors=True)
        except OSError:
            continue  # its owner lives
        finally:
            os.close(descriptor)
