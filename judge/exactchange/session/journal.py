"""What a session knows so far: kept in memory for judging, and recorded where a record was asked for."""

import pathlib
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from exactchange import __version__
from exactchange.actions import Action, Reporter
from exactchange.case import Case, Ended, Evidence
from exactchange.case.hearing import Hearing
from exactchange.diff import Diff
from exactchange.episode import EpisodeRecorder, Header, RunWorld
from exactchange.episode.events import hearing_record
from exactchange.episode.header import Software, SourceRef, TaskRef, WorldText
from exactchange.episode.recorder import Clock
from exactchange.errors import InfrastructureError
from exactchange.snapshot import Note, Snapshot
from exactchange.sources import SourceParams
from exactchange.sources.registry import AnyKind
from exactchange.sources.witnessing import Heard
from exactchange.values import Value

if TYPE_CHECKING:
    from exactchange.task import Task

T = TypeVar("T")
Sources = Mapping[str, tuple[AnyKind, SourceParams]]


class Journal:
    """Everything that happens goes through here once, so that the case in memory is the case on disk.

    A record that cannot be written, as on a full disk, is a failure of the infrastructure: it ends there, and what is
    judged goes on in memory, so that a veto that holds is kept.
    """

    def __init__(
        self,
        sources: Sources,
        recorder: EpisodeRecorder | None,
        *,
        started_ns: int,
        clock: Clock,
        hear: Callable[[], Mapping[str, Heard]] = dict,
    ) -> None:
        self._sources = sources
        self._recorder = recorder
        self._clock = clock
        self._started_ns = started_ns
        self._captures: dict[str, list[Snapshot]] = {name: [] for name in sources}
        self._held: list[Snapshot] = []
        self._alike: dict[tuple[str, int], int] = {}
        self._diffs: dict[tuple[str, int, int], Diff] = {}
        self._found: dict[tuple[str, int, object], object] = {}
        self._notes: list[Note] = []
        self._seen: tuple[Note, ...] = ()
        self._answer: str | None = None
        self._begun: dict[int, int] = {}
        self._hear = hear
        self._heard: list[Hearing] = []
        self._heard_of: set[str] = set()
        self._since = 0
        self._ending = self._told_late = False
        self.actions: list[Action] = []
        self.stopped_at: int | None = None
        self.failure: str | None = None

    @property
    def last(self) -> int:
        """Number of the last action."""
        return self.actions[-1].seq if self.actions else 0

    def attempt(self, action: Action, *, announced: bool = True) -> None:
        """An action is about to be done; without `announced` it is only told of now, and was done whenever it was."""
        if announced:
            self.listen(outside=True)
            self._since = action.seq
        self.actions.append(action)
        self._write(lambda recorder: recorder.attempted(action))
        self._begun[action.seq] = self._clock()[0] if self._recorder is None else self._recorder.wall_ns

    def done(self, action: Action, *, reporter: Reporter) -> None:
        """The last action is over; `action` is it, with its error."""
        self.actions[-1] = action
        self._write(lambda recorder: recorder.done(action, reporter=reporter))

    def captured(self, source: str, snapshot: Snapshot) -> None:
        """A capture that counts as evidence."""
        self.hold(snapshot)
        self._captures[source].append(snapshot)
        self._write(lambda recorder: recorder.snapshot(source, self._sources[source][0], snapshot))
        self.listen(outside=self._ending)

    def ending(self, *, under_way: bool) -> None:
        """No action follows. `under_way`: nobody said that the last one is over."""
        self._told_late = self._since != self.last
        self._ending = not under_way
        self.listen(outside=self._ending)

    def listen(self, *, outside: bool = False) -> None:
        """Take what the sources saw since the last time. `outside`: no action is under way.

        What was done while actions were told of that nobody had announced may be theirs.
        """
        quiet = outside and self._since == self.last
        for source, heard in self._hear().items():
            if heard.acts or heard.unheard or source not in self._heard_of:
                self._heard_of.add(source)
                hearing = Hearing(source, self._since, self.last, quiet, heard.acts, heard.unheard)
                self._heard.append(hearing)
                self._event("witness", hearing_record(hearing), reporter="witness")
        if not self._told_late:  # else what is heard only now may be of any of the actions, too
            self._since = self.last

    def read_since(self, source: str) -> bool:
        """Whether a capture of this source follows the last action, or the start where there is none."""
        captures = self._captures[source]
        return bool(captures) and captures[-1].mark.step == self.last

    def hold(self, snapshot: Snapshot) -> None:
        """A capture to be closed at the end; evidence or not."""
        self._held.append(snapshot)

    def stop(self) -> None:
        """The agent was told to stop at the last action."""
        if self.stopped_at is None and self.actions:
            self.stopped_at = self.last
            self._event("stop", {"action": self.last})

    def fail(self, message: str) -> None:
        """The infrastructure failed; the first failure counts."""
        if self.failure is None:
            self.failure = message
            self._event("failure", {"message": message})

    def note(self, note: Note) -> None:
        """Something that the verdict shall warn of."""
        self._notes.append(note)
        self._event("note", {"kind": note.kind, "message": note.message})

    def answered(self, text: str, *, reporter: Reporter) -> None:
        """The agent's answer."""
        self._answer = text
        self._event("answer", {"text": text}, reporter=reporter)

    def so_far(self) -> Case:
        """The case up to now."""
        return self._case(ended=None, ended_ns=self._clock()[0], complete=False)

    def finished(self, ended: Ended) -> Case:
        """The whole case; the record is sealed, and nothing can be added."""
        sealed = self._write(lambda recorder: recorder.seal(ended=ended, stopped_at=self.stopped_at))
        if sealed is None:
            return self._case(ended=ended, ended_ns=self._clock()[0], complete=True)
        head, ended_ns = sealed
        return self._case(ended=ended, ended_ns=ended_ns, complete=True, hashes={"events": head})

    def close(self) -> None:
        """Free all snapshots and let go of the record."""
        if self._recorder is not None:
            self._recorder.close()
        for snapshot in self._held:
            snapshot.close()
        self._held.clear()

    def _case(
        self,
        *,
        ended: Ended | None,
        ended_ns: int,
        complete: bool,
        hashes: Mapping[str, str] | None = None,
    ) -> Case:
        sources = {
            name: Evidence(name, kind, params, tuple(self._captures[name]))
            for name, (kind, params) in self._sources.items()
        }
        return Case(
            sources,
            tuple(self.actions),
            answer=self._answer,
            complete=complete,
            ended=ended,
            stopped_at=self.stopped_at,
            started_ns=self._started_ns,
            ended_ns=ended_ns,
            mode="online",
            failure=self.failure,
            notes=(*self._clocks(), *self._notes),
            hashes=hashes or {},
            begun=dict(self._begun),
            heard=tuple(self._heard),
            _alike=self._alike,  # places are positions, and captures are only ever added
            _diffs=self._diffs,
            _found=self._found,
        )

    def _event(self, kind: str, body: Mapping[str, Value], *, reporter: Reporter = "runner") -> None:
        self._write(lambda recorder: recorder.event(kind, body, reporter=reporter))

    def _write(self, write: Callable[[EpisodeRecorder], T]) -> T | None:
        """What a recorder gives when it has written something; None where there is none, or none any more."""
        if self._recorder is None:
            return None
        try:
            return write(self._recorder)
        except InfrastructureError as error:
            self._seen = self._recorder.notes
            self._recorder.close()
            self._recorder = None
            self.fail(f"{error}; the recording ends there")
            return None

    def _clocks(self) -> tuple[Note, ...]:
        """What a reader of the record will say of its clocks."""
        return self._seen if self._recorder is None else self._recorder.notes


def new_journal(
    task: "Task",
    sources: Sources,
    *,
    world: RunWorld,
    record: pathlib.Path | None,
    runner: Software,
    clock: Clock,
    hear: Callable[[], Mapping[str, Heard]] = dict,
) -> Journal:
    """A journal that also records into `record`, a new directory. Raises UsageError where it holds something."""
    started_ns = clock()[0]
    if record is None:
        return Journal(sources, None, started_ns=started_ns, clock=clock, hear=hear)
    header = Header(
        id=secrets.token_hex(16),
        task=TaskRef(id=task.id, hash=task.hash),
        params=dict(task.params),
        world=WorldText(port=world.port),
        sources={
            name: SourceRef(adapter=task.sources[name].adapter, params=dict(task.sources[name].raw)) for name in sources
        },
        runner=runner,
        judge=__version__,
        started_ns=started_ns,
    )
    recorder = EpisodeRecorder(record, header, clock=clock)
    return Journal(sources, recorder, started_ns=started_ns, clock=clock, hear=hear)
