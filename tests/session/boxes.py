"""Sources in memory that a test changes by hand, with parts that cannot be read; they remember what was truly there."""

import pathlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from exactchange.errors import UsageError
from exactchange.snapshot import Mark, TreeSnapshot, Unread
from exactchange.sources import NoSelector, SourceParams, TreeKind, World
from exactchange.sources.registry import AnyKind
from exactchange.task import SourceSpec
from exactchange.values import ABSENT, Path, State


@dataclass
class Box:
    """What stands in a source now. `dark`: parts that the next capture cannot read; () is the whole of it."""

    state: State = ABSENT
    dark: list[Path] = field(default_factory=list[Path])
    truths: list[State] = field(default_factory=list[State])
    """What stood there at each capture."""


class BoxReader:
    """Captures a box."""

    def __init__(self, box: Box) -> None:
        self._box = box

    async def capture(self, *, mark: Mark, previous: TreeSnapshot | None, deadline_s: float) -> TreeSnapshot:
        dark, self._box.dark = self._box.dark, []
        self._box.truths.append(self._box.state)
        if () in dark:
            raise UsageError("nothing of it can be read")
        return without(TreeSnapshot("box", self._box.state, mark), *dark)

    async def aclose(self) -> None:
        return


class BoxKind(TreeKind[SourceParams, NoSelector, TreeSnapshot]):
    """A source that is a box. Facets (`@name`) are outside of the closed world."""

    name = "box"

    def __init__(self, box: Box) -> None:
        self.box = box

    def open(self, params: SourceParams, *, world: World) -> AbstractAsyncContextManager[BoxReader]:
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[BoxReader]:
        yield BoxReader(self.box)

    def in_scope(self, path: Path, params: SourceParams) -> bool:
        return not (path and isinstance(path[0], str) and path[0].startswith("@"))


@dataclass(frozen=True)
class BoxSpec(SourceSpec):
    of: "AnyKind | None" = None

    @property
    def kind(self) -> AnyKind:
        assert self.of is not None
        return self.of

    def params(self, expand: Callable[[str], str]) -> SourceParams:
        return SourceParams(missing="ok")


def box_specs(boxes: Mapping[str, Box]) -> dict[str, SourceSpec]:
    """Each box as a task declares its sources."""
    return {name: BoxSpec(name, "box", {}, "boxes.yaml:1:1", of=BoxKind(box)) for name, box in boxes.items()}


def database_spec(path: pathlib.Path) -> SourceSpec:
    """A real database as a task declares it."""
    return SourceSpec("db", "sqlite", {"path": str(path)}, "boxes.yaml:2:1")


def without(snapshot: TreeSnapshot, *paths: Path) -> TreeSnapshot:
    """The same capture less these parts, which are unread."""
    tree, lost = snapshot.tree, list(snapshot.unread)
    for path in paths:
        tree = _less(tree, path)
        lost.append(Unread(path, ".".join(map(str, path)), "dark"))
    return TreeSnapshot(snapshot.kind, tree, snapshot.mark, tuple(lost), snapshot.notes)


def _less(tree: State, path: Path) -> State:
    head, rest = path[0], path[1:]
    if not isinstance(tree, dict) or head not in tree:
        return tree
    assert isinstance(head, str)
    kept = {name: item for name, item in tree.items() if name != head}
    if not rest:
        return kept
    below = _less(tree[head], rest)
    return kept if below is ABSENT else {**kept, head: below}
