"""The bench on which an adapter is tried: its kind, parameters and world, with readers driven from plain test code."""

import asyncio
import pathlib
import threading
from collections.abc import Coroutine, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

from exactchange.diff import Diff
from exactchange.errors import UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark, Snapshot
from exactchange.sources import Reader, SourceKind, SourceParams, diff_snapshots

AnyKind: TypeAlias = "SourceKind[Any, Any, Any]"  # the bench holds kinds of every parameter type
T = TypeVar("T")
_GRACE_S = 30.0  # beyond an adapter's own deadline the bench gives up: a reader that hangs must not hang the tests


@dataclass(slots=True)
class MemoryStore:
    """A blob store in memory that keeps the contract of the real one."""

    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def put(self, data: bytes) -> str:
        name = blake2b(data, digest_size=32).hexdigest()
        self.blobs[name] = data
        return name

    def get(self, name: str, *, limit: int) -> bytes:
        data = self.blobs.get(name)
        if data is None or len(data) > limit:
            raise UsageError(f"no blob of at most {limit} bytes is called {name}")
        return data


@dataclass(frozen=True, slots=True)
class Bench:
    """A source as a test sees it. Is a `World` itself: `workdir` holds the judged state and nothing else.

    `while_open`: shell patterns of side files that a reader may write while it is open (a pinned WAL's `*-shm`).
    """

    kind: AnyKind
    params: SourceParams
    workdir: pathlib.Path
    cdp_url: str | None = None
    claimed: frozenset[pathlib.Path] = frozenset()
    while_open: tuple[str, ...] = ()
    own_browser: bool = False
    deadline_s: float = 10.0

    @contextmanager
    def reading(self) -> "Generator[LiveReader]":
        """A reader of the source, open for the block."""
        loop = _LoopThread()
        try:
            context = self.kind.open(self.params, world=self)
            reader = loop.run(_enter(context), timeout_s=_GRACE_S)
            try:
                yield LiveReader(self, reader, loop)
            finally:
                loop.run(_leave(context, reader), timeout_s=_GRACE_S)
        finally:
            loop.close()

    def capture(self) -> Snapshot:
        """One snapshot by a reader of its own."""
        with self.reading() as reader:
            return reader.capture()

    def diff(self, before: Snapshot, after: Snapshot) -> Diff:
        """The changes between two snapshots of the source."""
        return diff_snapshots(self.kind, "source", before, after, params=self.params, budget=CountedBudget())


class LiveReader:
    """A reader driven from synchronous code; its event loop runs in a thread of its own, as in a session."""

    def __init__(self, bench: Bench, reader: "Reader[Any]", loop: "_LoopThread") -> None:
        self._bench, self._reader, self._loop = bench, reader, loop
        self._step = -1

    @property
    def live(self) -> "Reader[Any]":
        """The reader itself, for what it can do beside."""
        return self._reader

    def capture(self, *, previous: Snapshot | None = None, deadline_s: float | None = None) -> Snapshot:
        """The source as it is now. Fails when the reader is not back well after its deadline (seconds)."""
        limit = self._bench.deadline_s if deadline_s is None else deadline_s
        mark = Mark(self._step)
        self._step += 1
        work = self._reader.capture(mark=mark, previous=previous, deadline_s=limit)
        snapshot: Snapshot = self._loop.run(work, timeout_s=limit + _GRACE_S)
        return snapshot


class _LoopThread:
    """An event loop that keeps running between calls, so that connections stay alive while the test acts."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="adapter-bench", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], *, timeout_s: float) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout_s)
        except TimeoutError as error:
            future.cancel()
            if future.done() and not future.cancelled():
                raise  # the reader's own TimeoutError, not the bench's
            raise AssertionError(f"the reader was not back after {timeout_s:.0f} s") from error

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_GRACE_S)
        if not self._thread.is_alive():
            self._loop.close()


async def _enter(context: "AbstractAsyncContextManager[Reader[Any]]") -> "Reader[Any]":
    return await context.__aenter__()


async def _leave(context: "AbstractAsyncContextManager[Reader[Any]]", reader: "Reader[Any]") -> None:
    await reader.aclose()  # allowed before the context ends, and must be harmless twice
    await context.__aexit__(None, None, None)
