"""Everything below a directory, walked on descriptors: no link is followed, no name is joined into a path."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from exactchange.errors import OverBudget
from exactchange_adapters.file.content import Reading
from exactchange_adapters.file.dialects import format_of_name
from exactchange_adapters.file.dialects.parsed import LARGEST_TEXT
from exactchange_adapters.file.disk import Entry, Gone, read_entry
from exactchange_adapters.file.state import EntryState, entry_state

TEXT_LIMIT: Final = 64 * 1024
"""Bytes up to which a text file without a format is told by its lines; beyond, by hash and size."""
DEEPEST: Final = 100
MOST_ENTRIES: Final = 100_000
MOST_TEXT: Final = 64 * 1024 * 1024
"""Bytes of content that all files together may have in memory."""
MOST_BYTES: Final = 8 * 1024**3
"""Bytes that are hashed in one capture."""
_OPEN_DIR: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Known:
    """An entry as it was read last (without its bytes: the hash tells whether they are the same) and its state."""

    entry: Entry
    state: EntryState


@dataclass(slots=True)
class _Counted:
    """What one capture has used."""

    until: float
    entries: int = 0
    kept: int = 0
    hashed: int = 0

    def entry(self) -> None:
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            raise OverBudget(f"more than {MOST_ENTRIES} entries; leave directories out with `except:`")
        if time.monotonic() > self.until:
            raise OverBudget("reading took longer than the deadline of the capture")

    def content(self, entry: Entry) -> None:
        self.kept += len(entry.data or b"")
        self.hashed += entry.size
        if self.kept > MOST_TEXT:
            raise OverBudget(f"more than {MOST_TEXT} bytes of text; leave directories out with `except:`")
        if self.hashed > MOST_BYTES:
            raise OverBudget(f"more than {MOST_BYTES} bytes; leave directories out with `except:`")


@dataclass(slots=True)
class _Level:
    """An open directory: its descriptor, its relative path with a closing slash, and the names yet to be read."""

    descriptor: int
    prefix: str
    names: Iterator[str]


@dataclass(slots=True)
class Walker:
    """Walks a tree again and again; what did not change keeps its state.

    `skipped`: paths to leave out; `closed`: directories to leave out what is in them, which is not even listed.
    """

    reading: Reading
    skipped: Callable[[str], bool]
    closed: Callable[[str], bool]
    known: dict[str, Known] = field(default_factory=dict[str, Known])

    def walk(self, root: int, *, until: float) -> Mapping[str, Known]:
        """Every entry below the open directory `root` by relative path. Raises OverBudget; closes what it opened."""
        counted = _Counted(until)
        found: dict[str, Known] = {}
        levels = [_Level(root, "", iter(_names(root, counted)))]
        try:
            while levels:
                self._step(levels, found, counted)
        finally:
            for level in levels[1:]:
                os.close(level.descriptor)
        self.known = found
        return found

    def _step(self, levels: list[_Level], found: dict[str, Known], counted: _Counted) -> None:
        here = levels[-1]
        name = next(here.names, None)
        if name is None:
            levels.pop()
            if levels:
                os.close(here.descriptor)
            return
        path = here.prefix + name
        if self.skipped(path):
            return
        keep = LARGEST_TEXT if format_of_name(name) else TEXT_LIMIT
        try:
            entry = read_entry(name, dir_fd=here.descriptor, keep=keep, largest=MOST_BYTES, until=counted.until)
        except Gone:
            return  # removed since the directory was listed
        counted.content(entry)
        found[path] = self._known(path, name, entry)
        if entry.type == "dir" and not entry.trouble and not self.closed(path):
            trouble = _descend(levels, name, counted)
            if trouble:
                state = found[path].state
                found[path] = Known(found[path].entry, EntryState(state.tree, (((), trouble),)))

    def _known(self, path: str, name: str, entry: Entry) -> Known:
        bare = replace(entry, data=None)
        before = self.known.get(path)
        if before is not None and before.entry == bare and entry.type != "dir":
            return before
        state = entry_state(entry, name, self.reading, text_limit=TEXT_LIMIT, keys_needed=False)
        if before is not None and before.entry == bare and before.state == state:
            return before
        return Known(bare, state)


def _descend(levels: list[_Level], name: str, counted: _Counted) -> str:
    """Open a directory below the last level; the reason where that cannot be."""
    here = levels[-1]
    if len(levels) >= DEEPEST:
        return f"nested deeper than {DEEPEST} levels"
    try:
        descriptor = os.open(name, _OPEN_DIR, dir_fd=here.descriptor)
    except OSError as error:
        return (error.strerror or "it cannot be opened").casefold()
    try:
        names = _names(descriptor, counted)
    except (OSError, OverBudget) as error:
        os.close(descriptor)
        if isinstance(error, OverBudget):
            raise
        return (error.strerror or "it cannot be listed").casefold()
    levels.append(_Level(descriptor, f"{here.prefix}{name}/", iter(names)))
    return ""


def _names(descriptor: int, counted: _Counted) -> list[str]:
    names: list[str] = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            counted.entry()
            names.append(entry.name)
    return sorted(names)
