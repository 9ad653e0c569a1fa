"""Writes an episode while it runs: a chained log that only grows, and the snapshots beside it."""

import os
import pathlib
import time
from collections.abc import Mapping
from hashlib import blake2b
from typing import Protocol

from exactchange.actions import Action, Reporter, action_record
from exactchange.case import Ended
from exactchange.episode.blobs import BlobFolder, blob_name
from exactchange.episode.clock import ClockWatch
from exactchange.episode.events import FILE, SPILL
from exactchange.episode.header import End, Header, write_header
from exactchange.errors import InfrastructureError, UsageError
from exactchange.snapshot import Mark, Note, Snapshot, TreeSnapshot, unread_whole
from exactchange.sources.registry import AnyKind
from exactchange.values import ABSENT, Value, dumps

_WORTH_TWO_TRIES = 64 * 1024


class Clock(Protocol):
    """The two clocks of a recording."""

    def __call__(self) -> tuple[int, int]:
        """Wall clock and monotonic clock, in ns."""
        ...


def system_clock() -> tuple[int, int]:
    """This machine's clocks."""
    return time.time_ns(), time.monotonic_ns()


class EpisodeRecorder:
    """Records one episode into a directory of its own, mode 0700. Raises UsageError for one that holds something.

    Every line of `events.jsonl` is flushed when it is written and carries the hash of the line before it; the first
    one that of the header. An episode without an end in its header is still running, or crashed.
    """

    def __init__(self, directory: pathlib.Path, header: Header, *, clock: Clock = system_clock) -> None:
        _make_folder(directory)
        self.directory = directory
        self._header = header
        self._clock = clock
        self._watch = ClockWatch()
        self._blobs = BlobFolder(directory / "blobs")
        self._last: dict[str, Snapshot] = {}
        self._seq = 0
        self._wall_ns = 0
        self._head = header.origin
        write_header(header, directory)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._log = os.open(directory / FILE, flags, 0o600)

    @property
    def head(self) -> str:
        """Hash of the last event."""
        return self._head

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of this episode will find worth saying."""
        return self._watch.notes

    def event(self, kind: str, body: Mapping[str, Value], *, reporter: Reporter = "runner") -> int:
        """Append an event and return its number. Raises InfrastructureError when it cannot be written."""
        wall_ns, mono_ns = self._clock()
        self._wall_ns = wall_ns
        self._seq += 1
        self._watch.see(seq=self._seq, wall_ns=wall_ns, mono_ns=mono_ns, step=kind in ("action", "after"))
        envelope: dict[str, Value] = {
            "seq": self._seq,
            "prev": self._head,
            "time_ns": wall_ns,
            "mono_ns": mono_ns,
            "reporter": reporter,
            "type": kind,
        }
        text = dumps(body)
        if len(text) > SPILL:
            body = {"body": self._blobs.put(text.encode("ascii"))}
        line = dumps({**body, **envelope}).encode("ascii")
        self._append(line)
        self._head = blob_name(line)
        return self._seq

    @property
    def wall_ns(self) -> int:
        """When the last event was recorded, by the wall clock."""
        return self._wall_ns

    def attempted(self, action: Action) -> None:
        """Record an action before it is done."""
        self.event("action", {"action": action_record(action)}, reporter=action.reported_by)

    def done(self, action: Action, *, reporter: Reporter = "runner") -> None:
        """Record that an action is over, with its error."""
        self.event("after", {"ref": action.seq, "error": action.error}, reporter=reporter)

    def snapshot(self, source: str, kind: AnyKind, snapshot: Snapshot) -> None:
        """Record a capture: as what tells it from the source's last one, where that is less than the whole."""
        place: dict[str, Value] = {"source": source, "step": snapshot.mark.step}
        lost = _lost(snapshot)
        if lost is not None:
            self.event("capture", {**place, "lost": lost})
            return
        store = _Staged(self._blobs)
        record = kind.save(snapshot, base=self._last.get(source), store=store)
        if source in self._last and store.size > _WORTH_TWO_TRIES:
            whole = _Staged(self._blobs)
            record_of_whole = kind.save(snapshot, base=None, store=whole)
            if whole.size < store.size:
                store, record = whole, record_of_whole
        store.commit()
        self._last[source] = snapshot
        self.event("capture", {**place, "record": record})

    def seal(self, *, ended: Ended, stopped_at: int | None) -> tuple[str, int]:
        """Record the end; returns the hash of the last event and the wall clock. Nothing can be added afterwards.

        Raises InfrastructureError when it cannot be written.
        """
        self.event("end", {"ended": ended, "stopped_at": stopped_at})
        end = End(ended=ended, stopped_at=stopped_at, ended_ns=self._wall_ns, events=self._seq, head=self._head)
        try:
            os.fsync(self._log)
        except OSError as error:
            raise InfrastructureError(f"cannot write {self.directory / FILE}: {error.strerror}") from error
        write_header(self._header.model_copy(update={"end": end}), self.directory)
        self.close()
        return self._head, self._wall_ns

    def close(self) -> None:
        """Let go of the log; what was recorded stays. Without `seal` before, the episode counts as crashed."""
        self._last.clear()
        if self._log >= 0:
            os.close(self._log)
            self._log = -1

    def _append(self, line: bytes) -> None:
        if self._log < 0:
            raise UsageError(f"the episode in {self.directory} is closed; nothing can be added to it")
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._log, rest) :]
        except OSError as error:
            raise InfrastructureError(f"cannot write {self.directory / FILE}: {error.strerror}") from error


class _Staged:
    """Blobs that are held back until it is known which of two forms is smaller."""

    def __init__(self, folder: BlobFolder) -> None:
        self._folder = folder
        self._held: dict[str, bytes] = {}

    @property
    def size(self) -> int:
        return sum(map(len, self._held.values()))

    def put(self, data: bytes) -> str:
        name = blake2b(data, digest_size=32).hexdigest()
        self._held[name] = data
        return name

    def get(self, name: str, *, limit: int) -> bytes:
        return self._folder.get(name, limit=limit)

    def commit(self) -> None:
        for data in self._held.values():
            self._folder.put(data)


def _lost(snapshot: Snapshot) -> Mapping[str, Value] | None:
    """Of a source that could not be captured at all, the reason; such a snapshot is none of its kind's own."""
    if type(snapshot) is not TreeSnapshot or snapshot.tree is not ABSENT or not unread_whole(snapshot):
        return None
    if len(snapshot.unread) != 1 or snapshot.notes or snapshot.unread[0].address:
        return None
    mark: Mark = snapshot.mark
    return {
        "reason": snapshot.unread[0].reason,
        "cause": snapshot.unread[0].cause,
        "wall_ns": mark.wall_ns,
        "mono_ns": mark.mono_ns,
    }


def _make_folder(directory: pathlib.Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if directory.is_symlink() or any(directory.iterdir()):
            raise UsageError(f"{directory} is not an empty directory; name a new one for the episode")
        directory.chmod(0o700)
    except OSError as error:
        raise UsageError(f"cannot make the episode's directory {directory}: {error.strerror}") from error
