"""Reads an episode back as the case that was judged while it ran."""

import pathlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from exactchange.actions import Action
from exactchange.case import Case, Ended, Evidence
from exactchange.case.hearing import Hearing
from exactchange.episode.blobs import BlobFolder
from exactchange.episode.clock import ClockWatch
from exactchange.episode.events import (
    FILE,
    Answered,
    Attempted,
    Captured,
    Done,
    Ends,
    Event,
    Failed,
    Halted,
    Noted,
    Witnessed,
)
from exactchange.episode.header import Header, InvalidEpisode, read_header
from exactchange.episode.log import EventLog, read_log
from exactchange.errors import UsageError
from exactchange.limits import Budget, CountedBudget
from exactchange.snapshot import START, Mark, Note, Snapshot, lost
from exactchange.sources.registry import AnyKind
from exactchange.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exactchange.task import Task


@dataclass(slots=True)
class _Story:
    """What the events tell, gathered in order."""

    actions: list[Action] = field(default_factory=list[Action])
    begun: dict[int, int] = field(default_factory=dict[int, int])
    done: bool = True
    captures: dict[str, list[Captured]] = field(default_factory=dict[str, "list[Captured]"])
    answer: str | None = None
    stopped_at: int | None = None
    failure: str | None = None
    notes: list[Note] = field(default_factory=list[Note])
    heard: list[Hearing] = field(default_factory=list[Hearing])
    end: Ends | None = None
    last_ns: int = 0


def read_episode(directory: pathlib.Path, task: "Task", *, budget: Budget | None = None) -> Case:
    """The case of a recorded episode, `mode` offline; equal to the case of the live run in everything else.

    What the recording lacks is unread, never left out. The directory may come from anybody: no path in it is
    followed, no verdict in it is used. Raises InvalidEpisode when it is damaged or altered, and UsageError when it is
    of another task.
    """
    budget = budget if budget is not None else CountedBudget()
    header = read_header(directory)
    if header.task.id != task.id:
        raise UsageError(f"{directory} is an episode of task {header.task.id!r}, not of {task.id!r}")
    log = read_log(directory, header, budget=budget)
    story = _tell(log, directory)
    sources = _sources(story, task, header, store=BlobFolder(directory / "blobs"), budget=budget)
    if header.end is not None and (
        story.end is None
        or (header.end.ended, header.end.stopped_at, header.end.ended_ns)
        != (story.end.ended, story.end.stopped_at, story.end.time_ns)
    ):
        raise InvalidEpisode(f"{directory}: its header and its last event tell different ends; it was altered")
    return Case(
        sources,
        tuple(story.actions),
        answer=story.answer,
        ended=_ended(story),
        stopped_at=story.stopped_at,
        started_ns=header.started_ns,
        ended_ns=story.last_ns,
        failure=story.failure,
        notes=_notes(log, header, story, task),
        hashes={"events": log.head},
        begun=story.begun,
        heard=tuple(hearing for hearing in story.heard if hearing.source in task.sources),
    )


def _ended(story: _Story) -> Ended:
    return story.end.ended if story.end is not None else "crashed"


def _notes(log: EventLog, header: Header, story: _Story, task: "Task") -> tuple[Note, ...]:
    watch = ClockWatch()
    for event in log.events:
        step = isinstance(event, Attempted | Done)
        watch.see(seq=event.seq, wall_ns=event.time_ns, mono_ns=event.mono_ns, step=step)
    notes = [*watch.notes, *story.notes, *log.notes]
    if story.end is None:
        notes.append(Note("crashed", "the recording has no end: the run crashed, or is still going on"))
    if header.task.hash != task.hash:
        notes.append(Note("task", "the episode was recorded with another version of this task"))
    strangers = sorted(story.captures.keys() - task.sources.keys())
    if strangers:
        notes.append(Note("sources", f"recorded, but not of this task: {', '.join(map(repr, strangers))}"))
    return tuple(notes)


def _tell(log: EventLog, directory: pathlib.Path) -> _Story:
    story = _Story()
    for event in log.events:
        problem = "nothing follows the end" if story.end is not None else _take(story, event)
        if problem:
            raise InvalidEpisode(f"{directory / FILE}:{event.seq}: {problem}")
        story.last_ns = event.time_ns
    return story


def _take(story: _Story, event: Event) -> str:
    """Add an event; says what is wrong with it, or nothing."""
    last = story.actions[-1].seq if story.actions else START
    match event:
        case Attempted():
            if event.action.seq != last + 1:
                return f"action {event.action.seq} follows action {last}"
            story.actions.append(event.action.action())
            story.begun[event.action.seq] = event.time_ns
            story.done = False
        case Done():
            if event.ref != last or story.done:
                return f"action {event.ref} cannot be over here"
            story.actions[-1] = replace(story.actions[-1], error=event.error)
            story.done = True
        case Captured():
            if event.step != last or (event.record is None) == (event.lost is None):
                return f"a capture after action {last} is expected here"
            story.captures.setdefault(event.source, []).append(event)
        case _:
            return _take_rest(story, event, last)
    return ""


def _take_rest(story: _Story, event: Answered | Halted | Failed | Noted | Witnessed | Ends, last: int) -> str:
    match event:
        case Answered():
            if story.answer is not None:
                return "a second answer"
            story.answer = event.text
        case Halted():
            if event.action != last or story.stopped_at is not None:
                return f"the agent cannot be stopped at action {event.action} here"
            story.stopped_at = event.action
        case Failed():
            story.failure = story.failure or event.message
        case Noted():
            story.notes.append(Note(event.kind, event.message))
        case Witnessed():
            if not event.since <= event.step == last or (event.outside and event.since != last):
                return f"what was seen after action {last} is expected here"
            story.heard.append(event.hearing())
        case Ends():
            if event.stopped_at != story.stopped_at:
                return "the end tells another stop than the events"
            story.end = event
    return ""


def _sources(
    story: _Story, task: "Task", header: Header, *, store: BlobFolder, budget: Budget
) -> "Mapping[str, Evidence]":
    world = header.world.world()
    found: dict[str, Evidence] = {}
    last = story.actions[-1].seq if story.actions else START
    for name, spec in task.sources.items():
        shelf = _Shelf(spec.kind, store, budget)
        captures = [shelf.load(event) for event in story.captures.get(name, [])]
        if not captures or captures[0].mark.step != START:
            reason = "the recording has no capture from before the first action"
            captures.insert(0, lost(spec.kind.name, Mark(START), reason=reason, cause="infrastructure"))
        if story.end is None:
            reason = "the recording ends before the last capture"
            captures.append(lost(spec.kind.name, Mark(last), reason=reason, cause="infrastructure"))
        elif captures[-1].mark.step != last:
            reason = "no capture follows the last action"
            captures.append(lost(spec.kind.name, Mark(last), reason=reason, cause="infrastructure"))
        found[name] = Evidence(name, spec.kind, spec.params(world.expand), tuple(captures))
    return found


class _Shelf:
    """The captures of one source, each built on the one before."""

    def __init__(self, kind: AnyKind, store: BlobFolder, budget: Budget) -> None:
        self._kind = kind
        self._store = store
        self._budget = budget
        self._base: Snapshot | None = None

    def load(self, event: Captured) -> Snapshot:
        if event.lost is not None:
            mark = Mark(event.step, event.lost.wall_ns, event.lost.mono_ns)
            return lost(self._kind.name, mark, reason=event.lost.reason, cause=event.lost.cause)
        record: Mapping[str, Value] = event.record or {}  # type: ignore[assignment]  # made by `loads`
        mark = Mark(event.step, event.time_ns, event.mono_ns)
        try:
            snapshot: Snapshot = self._kind.load(record, base=self._base, store=self._store, budget=self._budget)
            if snapshot.mark.step != event.step:
                raise UsageError(f"its own mark says step {snapshot.mark.step}")
        except Exception as error:  # noqa: BLE001  # whatever a hostile record makes a kind raise, it is unread
            reason = f"the recorded capture of event {event.seq} cannot be read: {error}"
            return lost(self._kind.name, mark, reason=reason, cause="content")
        self._base = snapshot
        return snapshot
