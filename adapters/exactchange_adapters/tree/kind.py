"""The source kind of a directory: its entries by path, and what their files mean."""

import os
import pathlib
import stat
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from pydantic import Field, field_validator

from exactchange.address import AddressPattern, Style, format_path, key, parse_pattern, unkey
from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange.snapshot import CLAIMED, Mark, Note, Unread
from exactchange.sources import Match, Narrowed, NoSelector, SourceParams, Standing, Suggestion, TreeKind, World
from exactchange.values import ABSENT, Path, State, Value
from exactchange_adapters.file.content import Reading
from exactchange_adapters.file.disk import Gone, read_entry
from exactchange_adapters.file.meanings import dialects_that_see
from exactchange_adapters.file.settle import SecretRule, are_addresses
from exactchange_adapters.file.snapshot import FilesSnapshot
from exactchange_adapters.file.standings import OF_DIRECTORIES
from exactchange_adapters.file.state import entry_state, visible
from exactchange_adapters.file.variations import directory_suggestions, rewritten
from exactchange_adapters.tree.narrow import narrow_trees
from exactchange_adapters.tree.walk import Walker

_OFFLINE_S: Final = 120.0
_OPEN_ROOT: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK | os.O_CLOEXEC


class TreeParams(SourceParams):
    """Parameters of a directory source."""

    facets = frozenset({"owner"})

    path: str = Field(pattern=r"^[^\x00]+$", description="The directory; a relative path is below the work directory.")
    secrets: SecretRule = Field(
        default="auto",
        description="Which values in files are kept as a keyed hash: those that look secret, none, or these patterns.",
    )

    @field_validator("secrets")
    @classmethod
    def _are_addresses(cls, texts: SecretRule) -> SecretRule:
        are_addresses(texts)
        return texts


class DirectoryKind(TreeKind[TreeParams, NoSelector, FilesSnapshot]):
    """A directory. Every entry is a key of the tree by its relative path; files have their content below it.

    A directory is told by itself when it came or went empty, or is unusual; else what is in it tells it.
    """

    name = "tree"
    style = Style.SLASHED
    params = TreeParams
    snapshot_type = FilesSnapshot

    def open(self, params: TreeParams, *, world: World) -> "AbstractAsyncContextManager[TreeReader]":
        """A reader of the directory; nothing is held open between captures."""
        return _opened(params, world)

    def from_path(
        self, path: pathlib.Path | None, params: TreeParams, *, world: World, budget: Budget
    ) -> FilesSnapshot:
        return TreeReader(params, world, path).take(Mark(), until=time.monotonic() + _OFFLINE_S)

    def narrow(self, before: FilesSnapshot, after: FilesSnapshot, *, params: TreeParams, budget: Budget) -> Narrowed:
        if before.tree is after.tree:
            return Narrowed(ABSENT, ABSENT)
        return narrow_trees(before.tree, after.tree, owner="owner" in params.closed)

    def describe(self, path: Path, *, before: FilesSnapshot, after: FilesSnapshot) -> tuple[str, Mapping[str, Value]]:
        name = unkey(str(path[0])) if path else None
        if name is None:
            return super().describe(path, before=before, after=after)
        at: dict[str, Value] = {"file": name, "key": list(path[1:])}
        dialects = dialects_that_see(path[1:], _entry(before, path[0]), _entry(after, path[0]))
        return format_path(path, style=self.style), at | ({"dialects": list(dialects)} if dialects else {})

    def find(self, snapshot: FilesSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        tree = snapshot.tree
        if isinstance(tree, Mapping):
            tree = {name: visible(item) if isinstance(item, Mapping) else item for name, item in tree.items()}
        return super().find(FilesSnapshot(self.name, tree), pattern, budget=budget)

    def standings(self, params: TreeParams) -> Mapping[str, Standing]:
        """See `exactchange.sources.Placing`."""
        return OF_DIRECTORIES

    def in_scope(self, path: Path, params: TreeParams) -> bool:
        """All of the directory; owners only where the task closes them, since copies rarely keep those."""
        return path[-1:] != ("@owner",) or "owner" in params.closed

    def suggestions(self, snapshot: FilesSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return directory_suggestions(snapshot.tree, near=near, most=most)

    def rewritten(self, snapshot: FilesSnapshot) -> Sequence[Suggestion]:
        names = list(snapshot.tree) if isinstance(snapshot.tree, Mapping) else []
        files = [found for name in names if (found := rewritten(snapshot.tree, (name,)))]
        return [*super().rewritten(snapshot), *(item for found in (*files[:1], *files[1:][-1:]) for item in found)]


class TreeReader:
    """Reads one directory on demand; holds what it read last, so that unchanged files are not understood anew."""

    def __init__(self, params: TreeParams, world: World, path: pathlib.Path | None = None) -> None:
        self._root = world.workdir / params.path if path is None else path
        # What lies below the work directory the agent may have replaced by a link; what lies above is the author's.
        self._follow = world.workdir not in self._root.parents
        # A path that a command names is the author's word: a link there is where to look, and nothing of the state.
        self._named = path is not None
        self._claimed = [world.workdir / path for path in world.claimed]
        self._patterns = [parse_pattern(text, slashed=True) for text in params.except_]
        self._left_out: set[str] = set()
        self._walker = Walker(Reading(secret=params.secrets), self._skips, self._closes)
        self._claimed_below: frozenset[str] = frozenset()
        self._tree: Mapping[str, Value] = {}

    async def capture(self, *, mark: Mark, previous: FilesSnapshot | None, deadline_s: float) -> FilesSnapshot:
        return self.take(mark, until=time.monotonic() + deadline_s)

    async def aclose(self) -> None:
        self._walker.known = {}
        self._tree = {}

    def take(self, mark: Mark, *, until: float) -> FilesSnapshot:
        """The directory as it is now; `until`: when the time is up (`time.monotonic()`)."""
        try:
            link = None if self._named else _link(self._root)
            descriptor = os.open(self._root, _OPEN_ROOT | (0 if self._follow else os.O_NOFOLLOW))
        except FileNotFoundError:
            return FilesSnapshot("tree", ABSENT, mark)
        except OSError as error:
            return self._no_directory(mark, until, error)
        try:
            self._claimed_below = _relative(self._claimed, self._root)
            self._left_out = set()
            own = _own_facets(os.fstat(descriptor), link)
            found = self._walker.walk(descriptor, until=until)
        except OverBudget as error:
            return FilesSnapshot("tree", {}, mark, (Unread((), "", str(error)),))
        finally:
            os.close(descriptor)
        tree: dict[str, Value] = {**own, **{key(path): item.state.tree for path, item in found.items()}}
        unread = tuple(
            Unread((key(path), *place), format_path((key(path), *place), style=Style.SLASHED), reason)
            for path, item in found.items()
            for place, reason in item.state.unread
        )
        return FilesSnapshot("tree", self._shared(tree), mark, unread, self._notes())

    def _shared(self, tree: dict[str, Value]) -> Mapping[str, Value]:
        last = self._tree
        if len(last) != len(tree) or any(
            last.get(name) is not item and (not isinstance(item, str) or last.get(name) != item)
            for name, item in tree.items()
        ):
            self._tree = tree
        return self._tree

    def _no_directory(self, mark: Mark, until: float, error: OSError) -> FilesSnapshot:
        """What stands in the directory's place: a link, a file; or a directory that cannot be opened."""
        try:
            entry = read_entry(os.fspath(self._root), dir_fd=None, keep=0, largest=0, until=until)
        except Gone:
            return FilesSnapshot("tree", ABSENT, mark)
        if entry.type == "dir":
            reason = (error.strerror or "it cannot be opened").casefold()
            return FilesSnapshot("tree", {}, mark, (Unread((), "", reason),))
        state = entry_state(entry, "", Reading(compare="bytes"), keys_needed=False)
        return FilesSnapshot(
            "tree", {name: state.tree[name] for name in ("@type", "@link") if name in state.tree}, mark
        )

    def _skips(self, path: str) -> bool:
        if path in self._claimed_below:
            self._left_out.add(path)
            return True
        place = (key(path),)
        return any(pattern.matches(place, slashed=True) for pattern in self._patterns)

    def _closes(self, path: str) -> bool:
        place = (key(path),)
        return any(pattern.all_inside(place) for pattern in self._patterns)

    def _notes(self) -> tuple[Note, ...]:
        return tuple(Note("claimed", f"{path}{CLAIMED}") for path in sorted(self._left_out))


@asynccontextmanager
async def _opened(params: TreeParams, world: World) -> AsyncGenerator[TreeReader]:
    reader = TreeReader(params, world)
    try:
        yield reader
    finally:
        await reader.aclose()


def _entry(snapshot: FilesSnapshot, name: str | int) -> State:
    tree = snapshot.tree
    return tree.get(str(name), ABSENT) if isinstance(tree, Mapping) else ABSENT


def _link(root: pathlib.Path) -> str | None:
    """Where the root leads, if it is itself a link that is followed."""
    return os.readlink(root) if root.is_symlink() else None


def _own_facets(status: os.stat_result, link: str | None) -> dict[str, Value]:
    own: dict[str, Value] = {"@type": "dir", "@mode": f"{stat.S_IMODE(status.st_mode):04o}"}
    return own if link is None else {**own, "@link": link}


def _relative(claimed: Sequence[pathlib.Path], root: pathlib.Path) -> frozenset[str]:
    """The claimed files below a root, by relative path; the files themselves may be links, or not there."""
    real = os.path.realpath(root)
    places = [os.path.join(os.path.realpath(path.parent), path.name) for path in claimed]
    return frozenset(os.path.relpath(place, real) for place in places if place.startswith(f"{real.rstrip('/')}/"))


KIND = DirectoryKind()
