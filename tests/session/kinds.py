"""Sources whose readers misbehave in a chosen way, and tasks that watch them."""

import asyncio
import pathlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace

from tests.episode.kit import kit_task

from exactchange.snapshot import Mark, TreeSnapshot
from exactchange.sources import NoSelector, SourceParams, TreeKind, World
from exactchange.sources.registry import AnyKind
from exactchange.task import SourceSpec, Task

Happen = Callable[[Mark], object]


@dataclass
class Trace:
    """What readers did, in order."""

    said: list[str] = field(default_factory=list[str])


class OddReader:
    def __init__(self, kind: "OddKind") -> None:
        self._kind = kind

    async def capture(self, *, mark: Mark, previous: TreeSnapshot | None, deadline_s: float) -> TreeSnapshot:
        self._kind.trace.said.append(f"{self._kind.label} {mark.step}")
        happened = self._kind.happen(mark)
        if asyncio.iscoroutine(happened):
            happened = await happened
        return TreeSnapshot("odd", {"v": happened if isinstance(happened, int) else 0}, mark)

    async def aclose(self) -> None:
        return


class OddKind(TreeKind[SourceParams, NoSelector, TreeSnapshot]):
    """A source whose reader does what it is told."""

    name = "odd"

    def __init__(self, label: str, trace: Trace, happen: Happen, *, needs_browser: bool = False) -> None:
        self.label = label
        self.trace = trace
        self.happen = happen
        self.needs_browser = needs_browser

    def open(self, params: SourceParams, *, world: World) -> AbstractAsyncContextManager[OddReader]:
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[OddReader]:
        self.trace.said.append(f"{self.label} open")
        try:
            yield OddReader(self)
        finally:
            self.trace.said.append(f"{self.label} closed")


@dataclass(frozen=True)
class OddSpec(SourceSpec):
    odd: "AnyKind | None" = None

    @property
    def kind(self) -> AnyKind:
        assert self.odd is not None
        return self.odd

    def params(self, expand: Callable[[str], str]) -> SourceParams:
        return SourceParams()


def odd_task(*kinds: "OddKind", task: Task | None = None) -> Task:
    """The kit's task with these sources beside its own."""
    task = task or kit_task()
    odd: Mapping[str, SourceSpec] = {
        kind.label: OddSpec(kind.label, "odd", {}, "kit.yaml:1:1", odd=kind) for kind in kinds
    }
    return replace(task, sources={**task.sources, **odd})


def nothing(_mark: Mark) -> None:
    return


def world_of(folder: pathlib.Path) -> pathlib.Path:
    return folder / "work"
