"""The kit must catch what it is for: each adapter here breaks one rule of the contract."""

import os
import pathlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from exactchange.address import AddressPattern, nodes
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Snapshot, TreeSnapshot, Unread
from exactchange.sources import (
    BlobStore,
    Edit,
    Match,
    NoSelector,
    Put,
    Remove,
    SourceParams,
    Span,
    Standing,
    Suggestion,
    TreeKind,
    World,
)
from exactchange.testing import Bench, check_adapter, check_deadline, check_quiet, footprint
from exactchange.values import ABSENT, Path, State, Value

Step = Callable[[pathlib.Path, "TreeSnapshot | None"], TreeSnapshot]


class LineKind(TreeKind[SourceParams, NoSelector, TreeSnapshot]):
    """An honest little kind: `state` holds `name=value` lines. Subclasses break one rule each."""

    name = "lines"

    def open(self, params: SourceParams, *, world: World) -> "AbstractAsyncContextManager[LineReader]":
        return self._opened(world)

    @asynccontextmanager
    async def _opened(self, world: World) -> "AsyncGenerator[LineReader]":
        yield LineReader(self, world.workdir / "state")

    def from_path(
        self, path: pathlib.Path | None, params: SourceParams, *, world: World, budget: Budget
    ) -> TreeSnapshot:
        return self.read(path or world.workdir / "state", None)

    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        return TreeSnapshot(self.name, *_parse(path))


class LineReader:
    def __init__(self, kind: LineKind, path: pathlib.Path) -> None:
        self._kind, self._path = kind, path

    async def capture(self, *, mark: Mark, previous: TreeSnapshot | None, deadline_s: float) -> TreeSnapshot:
        found = self._kind.read(self._path, previous)
        return TreeSnapshot(found.kind, found.tree, mark, found.unread, found.notes)

    async def aclose(self) -> None:
        self._kind.closing(self._path) if isinstance(self._kind, Litters) else None


def _parse(path: pathlib.Path) -> tuple[State, Mark, tuple[Unread, ...]]:
    if not path.exists():
        return ABSENT, Mark(), ()
    lines = path.read_text().splitlines()
    if any("=" not in line for line in lines):
        return {}, Mark(), (Unread((), "", "a line without ="),)
    return {name: value for name, _, value in (line.partition("=") for line in lines)}, Mark(), ()


class Touches(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        if path.exists():
            os.utime(path)
        return super().read(path, previous)


class Litters(LineKind):
    def closing(self, path: pathlib.Path) -> None:
        path.with_name("leftover").touch()


class Fickle(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        found = super().read(path, previous)
        assert isinstance(found.tree, Mapping)
        return TreeSnapshot(self.name, {**found.tree, "read at": time.perf_counter_ns()})


class Stale(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        return super().read(path, previous) if previous is None else previous


class Blind(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        return TreeSnapshot(self.name, {"a": "1"} if path.exists() else ABSENT)


class TakesUnreadForAbsent(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        found = super().read(path, previous)
        return TreeSnapshot(self.name, ABSENT) if found.unread else found


class TakesAbsentForUnread(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        found = super().read(path, previous)
        return found if found.tree is not ABSENT else TreeSnapshot(self.name, {}, unread=(Unread((), "", "gone"),))


class BlamesTheMachine(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        found = super().read(path, previous)
        unread = tuple(Unread(item.path, item.address, item.reason, "infrastructure") for item in found.unread)
        return TreeSnapshot(self.name, found.tree, unread=unread)


class OfflineDiffers(LineKind):
    def from_path(
        self, path: pathlib.Path | None, params: SourceParams, *, world: World, budget: Budget
    ) -> TreeSnapshot:
        return TreeSnapshot(self.name, {"a": 1})


class AmbiguousAddresses(LineKind):
    def find(self, snapshot: TreeSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        return [Match(path, "a" if path else "", value) for path, value in nodes(snapshot.tree)]


class FindsNothing(LineKind):
    def find(self, snapshot: TreeSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        return super().find(snapshot, pattern, budget=budget) if pattern.whole else []


class Places(LineKind):
    """A kind that says which places it has: a text at each key."""

    def standings(self, params: SourceParams) -> Mapping[str, Standing]:
        return {"": Standing("a file", frozenset({"mapping"}), keys="value"), "value": Standing("a value", self.types)}

    types = frozenset({"str"})


class NoSuchPlace(Places):
    def standings(self, params: SourceParams) -> Mapping[str, Standing]:
        return {"": Standing("a file", frozenset({"mapping"}))}


class NoSuchType(Places):
    types = frozenset({"int"})


class ForgetsNotes(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        found = super().read(path, previous)
        hidden = (Unread(("a",), "a", "always hidden"),) if found.tree is not ABSENT else ()
        return TreeSnapshot(self.name, found.tree, unread=hidden)

    def save(self, snapshot: TreeSnapshot, *, base: TreeSnapshot | None, store: BlobStore) -> Mapping[str, Value]:
        return super().save(TreeSnapshot(snapshot.kind, snapshot.tree, snapshot.mark), base=base, store=store)


class TrustsRecords(LineKind):
    def load(
        self, record: Mapping[str, Value], *, base: TreeSnapshot | None, store: BlobStore, budget: Budget
    ) -> TreeSnapshot:
        assert record["notes"] == []
        return super().load(record, base=base, store=store, budget=budget)


class Papers(LineKind):
    """A kind with documents: all of it is one, as long as it is captured and not loaded."""

    names = ("paper", "paper")
    """What it calls the document in the first capture of a list, and in the others."""

    def documents(self, captures: Sequence[Snapshot]) -> Sequence[Span]:
        found: dict[str, list[tuple[int, Path]]] = {}
        for position in range(len(captures)):
            found.setdefault(self.names[position > 0], []).append((position, ()))
        return [Span(tuple(stood), name) for name, stood in found.items()]

    def alone(self, snapshot: TreeSnapshot, path: Path, *, placed: Path) -> TreeSnapshot:
        return snapshot

    def document_of(self, path: Path, params: SourceParams) -> Path | None:
        return None

    def closes_documents(self, params: SourceParams) -> bool:
        return False


class NewPapers(Papers):
    names = ("paper", "copy")


class LosesPapers(Papers):
    """Knows no document of a snapshot again that was loaded: those have a tree of their own."""

    def __init__(self) -> None:
        self._loaded: list[State] = []

    def load(
        self, record: Mapping[str, Value], *, base: TreeSnapshot | None, store: BlobStore, budget: Budget
    ) -> TreeSnapshot:
        loaded = super().load(record, base=base, store=store, budget=budget)
        self._loaded.append(loaded.tree)
        return loaded

    def documents(self, captures: Sequence[Snapshot]) -> Sequence[Span]:
        trees = [item.tree for item in captures if isinstance(item, TreeSnapshot)]
        return [] if any(tree is known for tree in trees for known in self._loaded) else super().documents(captures)


class SuggestsNothingNew(LineKind):
    def suggestions(self, snapshot: TreeSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return [Suggestion("the same", (Put(("a",), "1"),))][:most]


class SuggestsWhatItCannotMake(LineKind):
    def suggestions(self, snapshot: TreeSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return [Suggestion("a hole", (Remove(("no", "such", "place")),))][:most]


class SuggestsTooMuch(LineKind):
    def suggestions(self, snapshot: TreeSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return [*super().suggestions(snapshot, near=near, most=most), Suggestion("more", (Put(("z",), "9"),))] * 2


class SuggestsAtRandom(LineKind):
    def suggestions(self, snapshot: TreeSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return [Suggestion("a value", (Put(("a",), str(time.perf_counter_ns())),))]


class EditsInPlace(LineKind):
    def edited(self, snapshot: TreeSnapshot, edits: Sequence[Edit]) -> TreeSnapshot:
        return snapshot


class RewritesOtherwise(LineKind):
    def rewritten(self, snapshot: TreeSnapshot) -> Sequence[Suggestion]:
        return [Suggestion("the order of lines", (Put(("a",), "5"),))]


def _check(kind: LineKind, folder: pathlib.Path) -> None:
    state = folder / "state"
    state.write_text("a=1\nb=2\n")
    check_adapter(
        Bench(kind, SourceParams(), folder),
        change=lambda: state.write_text("a=1\nb=3\nc=4\n"),
        remove=state.unlink,
        spoil=lambda: state.write_text("nonsense"),
    )


@pytest.mark.parametrize("kind", [LineKind, Papers, Places])
def test_an_honest_adapter_passes(kind: type[LineKind], tmp_path: pathlib.Path) -> None:
    _check(kind(), tmp_path)


BROKEN: list[tuple[type[LineKind], str]] = [
    (Touches, "reading changed the source"),
    (Litters, "after the reader closed"),
    (Fickle, "two captures with nothing done"),
    (Stale, "a capture with and one without its predecessor, after a change"),
    (Blind, "the digest is still the same"),
    (TakesUnreadForAbsent, "reports nothing unread"),
    (TakesAbsentForUnread, "not ABSENT"),
    (BlamesTheMachine, "is content, not infrastructure"),
    (OfflineDiffers, "taken by path"),
    (AmbiguousAddresses, "is the address of"),
    (FindsNothing, "does not find"),
    (NoSuchPlace, "by the standings of the kind a file has no such place"),
    (NoSuchType, "by the standings of the kind a str stands there, and not a value"),
    (ForgetsNotes, "stored form"),
    (TrustsRecords, "records may be hostile"),
    (NewPapers, "documents came or left"),
    (SuggestsNothingNew, "nothing differs after"),
    (SuggestsWhatItCannotMake, "and cannot make it"),
    (SuggestsTooMuch, "were asked for"),
    (SuggestsAtRandom, "other suggestions the second time"),
    (EditsInPlace, "alters the snapshot itself"),
    (RewritesOtherwise, "is the same state written otherwise"),
    (LosesPapers, "does not tell the documents apart"),
]


@pytest.mark.parametrize(("kind", "message"), BROKEN, ids=[kind.__name__ for kind, _ in BROKEN])
def test_a_broken_rule_is_named(kind: type[LineKind], message: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(AssertionError, match=message):
        _check(kind(), tmp_path)


class Sleeps(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        time.sleep(3)  # the fault itself: a reader that does not look at its deadline
        return super().read(path, previous)


def test_a_reader_that_ignores_its_deadline_is_caught(tmp_path: pathlib.Path) -> None:
    with pytest.raises(AssertionError, match="a deadline of"):
        check_deadline(Bench(Sleeps(), SourceParams(), tmp_path), deadline_s=0.1)


class SideFile(LineKind):
    def read(self, path: pathlib.Path, previous: TreeSnapshot | None) -> TreeSnapshot:
        path.with_name("state-shm").write_text(str(time.perf_counter_ns()))
        return super().read(path, previous)


def test_a_tolerated_side_file_must_be_gone_or_as_before_at_the_end(tmp_path: pathlib.Path) -> None:
    (tmp_path / "state").write_text("a=1\n")
    with pytest.raises(AssertionError, match="reading changed"):
        check_quiet(Bench(SideFile(), SourceParams(), tmp_path))
    with pytest.raises(AssertionError, match="'state-shm' has another"):
        check_quiet(Bench(SideFile(), SourceParams(), tmp_path, while_open=("*-shm",)))


def test_a_footprint_sees_content_names_times_modes_and_links(tmp_path: pathlib.Path) -> None:
    for name in ("content", "time", "mode", "gone"):
        (tmp_path / name).write_text("x")
    os.symlink("a", tmp_path / "link")
    before = footprint(tmp_path)
    assert before.differences(footprint(tmp_path)) == []
    status = (tmp_path / "content").stat()
    (tmp_path / "content").write_text("y")
    os.utime(tmp_path / "content", ns=(status.st_atime_ns, status.st_mtime_ns))
    os.utime(tmp_path / "time", ns=(0, 0))
    (tmp_path / "mode").chmod(0o600)
    (tmp_path / "gone").unlink()
    (tmp_path / "link").unlink()
    os.symlink("b", tmp_path / "link")
    found = "\n".join(before.differences(footprint(tmp_path)))
    assert "'content' has another content" in found and "'link' has another content" in found
    assert "'time' has another mtime" in found and "'mode' has another mode" in found and "'gone' is gone" in found
