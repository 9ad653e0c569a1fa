"""The source kind of one file: what stands at a path, by its meaning."""

import os
import pathlib
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from pydantic import Field, field_validator

from exactchange.address import AddressPattern, format_path
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Unread
from exactchange.sources import Match, Narrowed, NoSelector, SourceParams, Standing, Suggestion, TreeKind, World
from exactchange.values import ABSENT, Path, State, Value
from exactchange_adapters.file.content import Compare, Reading
from exactchange_adapters.file.dialects import Dialect, format_of_name
from exactchange_adapters.file.dialects.parsed import LARGEST_TEXT
from exactchange_adapters.file.disk import Entry, Gone, read_entry
from exactchange_adapters.file.meanings import dialects_that_see, with_meanings
from exactchange_adapters.file.notes import notes_on
from exactchange_adapters.file.settle import SecretRule, are_addresses
from exactchange_adapters.file.snapshot import FilesSnapshot
from exactchange_adapters.file.standings import STANDINGS
from exactchange_adapters.file.state import EntryState, entry_state, lean, visible
from exactchange_adapters.file.variations import file_suggestions, rewritten

_LARGEST_FILE: Final = 4 * 1024**3  # bytes that are hashed; what is parsed is far smaller
_OFFLINE_S: Final = 60.0
_TEXT_ONLY: Final = frozenset({"str", "null", "list"})


class FileParams(SourceParams):
    """Parameters of a file source."""

    facets = frozenset({"owner"})

    path: str = Field(pattern=r"^[^\x00]+$", description="The file; a relative path is below the work directory.")
    dialect: Dialect | None = Field(
        default=None, description="How the file is read; if left out, by its name, so that no reader's view is lost."
    )
    compare: Compare = Field(
        default="meaning",
        description="meaning: keys and values; text: every line, comments and layout included; bytes: hash and size.",
    )
    unordered: tuple[str, ...] = Field(default=(), description="Address patterns of lists in which order is nothing.")
    secrets: SecretRule = Field(
        default="auto",
        description="Which values are kept as a keyed hash: those that look secret, none, or these address patterns.",
    )

    @field_validator("secrets", "unordered")
    @classmethod
    def _are_addresses(cls, texts: SecretRule) -> SecretRule:
        are_addresses(texts)
        return texts

    @property
    def reading(self) -> Reading:
        """How the file is to be understood."""
        return Reading(self.dialect, self.compare, self.secrets, self.unordered, self.key)


class FileKind(TreeKind[FileParams, NoSelector, FilesSnapshot]):
    """One file: type, mode, owner, link target, and its keys and values (or lines, or hash)."""

    name = "file"
    params = FileParams
    snapshot_type = FilesSnapshot

    def open(self, params: FileParams, *, world: World) -> "AbstractAsyncContextManager[FileReader]":
        """A reader of the file; nothing is held open between captures."""
        return _opened(params, world)

    def from_path(
        self, path: pathlib.Path | None, params: FileParams, *, world: World, budget: Budget
    ) -> FilesSnapshot:
        return FileReader(params, world, path).take(Mark(), until=time.monotonic() + _OFFLINE_S)

    def claims(self, params: FileParams) -> tuple[pathlib.Path, ...]:
        return (pathlib.Path(params.path),)

    def narrow(self, before: FilesSnapshot, after: FilesSnapshot, *, params: FileParams, budget: Budget) -> Narrowed:
        if before.tree is after.tree:
            return Narrowed(ABSENT, ABSENT)
        owner = "owner" in params.closed
        left, right = before.tree, after.tree
        if not isinstance(left, Mapping) or not isinstance(right, Mapping):
            return Narrowed(_came_or_went(left, owner=owner), _came_or_went(right, owner=owner))
        compared = with_meanings(visible(left), visible(right), left, right)
        return Narrowed(compared.before, compared.after, notes=tuple(notes_on(compared, left, right)))

    def describe(self, path: Path, *, before: FilesSnapshot, after: FilesSnapshot) -> tuple[str, Mapping[str, Value]]:
        at: dict[str, Value] = {"key": list(path)}
        dialects = dialects_that_see(path, before.tree, after.tree)
        return format_path(path), at | ({"dialects": list(dialects)} if dialects else {})

    def find(self, snapshot: FilesSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        tree = snapshot.tree
        shown = visible(tree) if isinstance(tree, Mapping) else tree
        return super().find(FilesSnapshot(self.name, shown), pattern, budget=budget)

    def standings(self, params: FileParams) -> Mapping[str, Standing]:
        """See `exactchange.sources.Placing`."""
        return STANDINGS

    def in_scope(self, path: Path, params: FileParams) -> bool:
        """All of the file; its owner only where the task closes it, since copies rarely keep that."""
        return path[-1:] != ("@owner",) or "owner" in params.closed

    def scope(self, params: FileParams) -> str:
        return ""

    def suggestions(self, snapshot: FilesSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return file_suggestions(snapshot.tree, near=near, most=most)

    def rewritten(self, snapshot: FilesSnapshot) -> Sequence[Suggestion]:
        return [*super().rewritten(snapshot), *rewritten(snapshot.tree)]

    def value_types(self, params: FileParams) -> frozenset[str] | None:
        if params.compare != "meaning":
            return None
        texts = (params.dialect or format_of_name(params.path) or "").startswith(("ini", "dotenv"))
        return _TEXT_ONLY if texts else None


class FileReader:
    """Reads one file on demand; holds what it read last, so that unchanged bytes are not understood anew."""

    def __init__(self, params: FileParams, world: World, path: pathlib.Path | None = None) -> None:
        self._path = world.workdir / params.path if path is None else path  # an absolute path stands for itself
        self._workdir = world.workdir
        self._name = pathlib.PurePath(params.path).name
        self._reading = params.reading
        self._entry: Entry | None = None
        self._via: str | None = None
        self._state: EntryState | None = None

    async def capture(self, *, mark: Mark, previous: FilesSnapshot | None, deadline_s: float) -> FilesSnapshot:
        return self.take(mark, until=time.monotonic() + deadline_s)

    async def aclose(self) -> None:
        self._entry = self._state = None

    def take(self, mark: Mark, *, until: float) -> FilesSnapshot:
        """The file as it is now; `until`: when the time is up (`time.monotonic()`)."""
        keep = LARGEST_TEXT + 1
        try:
            entry = read_entry(
                os.fspath(self._path), dir_fd=None, keep=keep, largest=_LARGEST_FILE, until=until, hash_kept=False
            )
        except Gone:
            self._entry = self._state = None
            return FilesSnapshot("file", ABSENT, mark)
        via = _detour(self._path, self._workdir)
        # Equality compares the bytes: times and sizes can be forged.
        if self._state is None or entry != self._entry or via != self._via:
            self._entry, self._via = entry, via
            self._state = entry_state(entry, self._name, self._reading, via=via)
        unread = tuple(Unread(path, format_path(path), reason) for path, reason in self._state.unread)
        return FilesSnapshot("file", self._state.tree, mark, unread)


@asynccontextmanager
async def _opened(params: FileParams, world: World) -> AsyncGenerator[FileReader]:
    reader = FileReader(params, world)
    try:
        yield reader
    finally:
        await reader.aclose()


def _detour(path: pathlib.Path, workdir: pathlib.Path) -> str | None:
    """Where a link among the directories below the work directory leads; None where there is none.

    What lies above is the author's; what lies below the agent may have replaced, so that the path leads elsewhere.
    """
    if workdir not in path.parents:
        return None
    plain = os.path.join(os.path.realpath(workdir), path.parent.relative_to(workdir))
    real = os.path.realpath(path.parent)
    return None if real == os.path.normpath(plain) else os.path.relpath(real, os.path.realpath(workdir))


def _came_or_went(tree: State, *, owner: bool) -> State:
    return lean(visible(tree), owner=owner) if isinstance(tree, Mapping) else tree


KIND = FileKind()
