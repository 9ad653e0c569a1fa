"""What a directory holds, byte for byte, so that a check can tell whether reading left it alone."""

import os
import pathlib
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from hashlib import blake2b


@dataclass(frozen=True, slots=True)
class Trace:
    """One directory entry: mode bits with type, size in bytes, mtime in ns, content (hash or link target)."""

    mode: int
    size: int
    mtime_ns: int
    content: str


@dataclass(frozen=True, slots=True)
class Footprint:
    """Every entry below a directory by its relative path. Access times are left out: reading may move them."""

    root: pathlib.Path
    entries: Mapping[str, Trace]

    def differences(self, later: "Footprint", *, tolerated: Sequence[str] = ()) -> list[str]:
        """What is not as it was, one line each. `tolerated`: shell patterns of file names that may differ."""
        out: list[str] = []
        for name in sorted(self.entries.keys() | later.entries.keys()):
            if any(fnmatch(os.path.basename(name), pattern) for pattern in tolerated):
                continue
            out += _difference(name, self.entries.get(name), later.entries.get(name), lenient=bool(tolerated))
        return out


def footprint(root: pathlib.Path) -> Footprint:
    """Read everything below `root` (which may be missing). Links are not followed; special files are not opened."""
    entries: dict[str, Trace] = {}
    todo = [root]
    while todo:
        path = todo.pop()
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            continue
        entries[os.path.relpath(path, root)] = _trace(path, status)
        if stat.S_ISDIR(status.st_mode):
            todo += [path / name for name in os.listdir(path)]
    return Footprint(root, entries)


def _trace(path: pathlib.Path, status: os.stat_result) -> Trace:
    content = ""
    if stat.S_ISREG(status.st_mode):
        content = blake2b(path.read_bytes(), digest_size=16).hexdigest()
    elif stat.S_ISLNK(status.st_mode):
        content = os.readlink(path)
    return Trace(status.st_mode, status.st_size, status.st_mtime_ns, content)


def _difference(name: str, before: Trace | None, after: Trace | None, *, lenient: bool) -> list[str]:
    if before is None or after is None:
        return [f"{name!r} {'appeared' if before is None else 'is gone'}"]
    # Where a side file may come and go, so do the size and time of the directory that holds it.
    skip = {"size", "mtime_ns"} if lenient and stat.S_ISDIR(before.mode) else set[str]()
    fields = ("mode", "size", "mtime_ns", "content")
    return [
        f"{name!r} has another {field}: {getattr(before, field)!r} -> {getattr(after, field)!r}"
        for field in fields
        if field not in skip and getattr(before, field) != getattr(after, field)
    ]
