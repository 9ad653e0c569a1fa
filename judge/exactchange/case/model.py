"""The evidence of one episode: actions, answer, and the captures of every source in order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar, cast

from exactchange.actions import Action
from exactchange.case.hearing import Hearing
from exactchange.case.pseudo import ACTIONS, ANSWER, VALUES, actions_snapshot, answer_snapshot
from exactchange.diff import Diff
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import START, Cause, Note, Snapshot, Unread, unread_whole
from exactchange.sources import SourceParams, diff_snapshots
from exactchange.sources.registry import AnyKind

T = TypeVar("T")
Ended: TypeAlias = Literal["done", "stopped", "crashed", "timeout"]
_OF_ALL = ("", 0, 0)
"""The window of what concerns the start of all sources together."""


@dataclass(frozen=True, slots=True)
class SourceUnread:
    """A source of which a needed capture is missing as a whole."""

    source: str
    reason: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class Evidence:
    """One source's captures, ordered by the step they follow; the first is the start (step 0)."""

    name: str
    kind: AnyKind
    params: SourceParams
    captures: tuple[Snapshot, ...]
    part: str = ""
    """What of the source it is, where it is not all of it: tells its changes from those of the rest."""

    @property
    def account(self) -> str:
        """Under which name its changes are accounted for."""
        return f"{self.name}\0{self.part}" if self.part else self.name

    def at(self, step: int) -> Snapshot:
        """The last capture that follows this step or an earlier one. Raises UsageError when there is none."""
        return self.captures[self.position(step)]

    def position(self, step: int) -> int:
        """The position of that capture. Raises UsageError when there is none."""
        found = [number for number, snapshot in enumerate(self.captures) if snapshot.mark.step <= step]
        if not found:
            raise UsageError(f"source {self.name!r} has no capture at step {step}")
        return found[-1]

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that its captures follow."""
        return tuple(snapshot.mark.step for snapshot in self.captures)


@dataclass(frozen=True)
class Case:
    """One episode, or a prefix of one (`complete` False).

    `sources`: evidence of every source that the task declares, in the task's order. `ended`: how it ended, None while
    it runs. `stopped_at`: number of the action at which the judge told the agent to stop. `missing`: sources whose
    captures are not there at all. `started_ns`, `ended_ns`: the recorder's wall clock.
    """

    sources: Mapping[str, Evidence]
    actions: tuple[Action, ...] = ()
    answer: str | None = None
    complete: bool = True
    ended: Ended | None = "done"
    stopped_at: int | None = None
    started_ns: int = 0
    ended_ns: int = 0
    mode: Literal["online", "offline"] = "offline"
    failure: str | None = None
    """What failed in the infrastructure, when something did: then there is no verdict (unless a veto holds already)."""
    notes: tuple[Note, ...] = ()
    """What the recorder, or the reader of the recording, has to say of it: the verdict warns of it."""
    hashes: Mapping[str, str] = field(default_factory=dict[str, str])
    """`events`: head of the chain of recorded events, for the verdict; empty where nothing was recorded."""
    begun: Mapping[int, int] = field(default_factory=dict[int, int])
    """When each action was announced, by its number: the recorder's wall clock, in ns; empty where it is not known."""
    heard: tuple[Hearing, ...] = ()
    """What sources saw of the work themselves, in order; at least one of every source that listened at all."""
    _alike: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int], repr=False, compare=False)
    _diffs: dict[tuple[str, int, int], Diff] = field(
        default_factory=dict[tuple[str, int, int], Diff], repr=False, compare=False
    )
    _found: dict[tuple[str, int, object], object] = field(
        default_factory=dict[tuple[str, int, object], object], repr=False, compare=False
    )
    _windows: "dict[tuple[str, int, int], dict[object, object]] | None" = field(default=None, repr=False, compare=False)

    def remembering(self) -> "Case":
        """The same case, which keeps what is found between two captures for all cases made by `with_captures` of it.

        For whoever judges many that differ in a capture or two. It takes memory for every rule, step by step.
        """
        return self if self._windows is not None else replace(self, _windows={})

    def remembered(self, source: str, start: int, end: int, what: object, find: Callable[[], T]) -> T:
        """What `find` gives of two captures of a source, found once if the case remembers. `what` says what it is."""
        if self._windows is None or source not in self.sources:
            return find()
        window = self._windows.setdefault((source, start, end), {})
        if what not in window:
            window[what] = find()
        return cast("T", window[what])

    def at_start(self) -> "Case":
        """The case of an agent that did nothing: what holds there is not the doing of the one that is judged.

        Its end is its start, so that nothing changed, and what is unread at the start stays unread.
        """
        if self._windows is not None:
            kept = self._windows.setdefault(_OF_ALL, {})
            if "start" not in kept:
                kept["start"] = self._start()
            return cast("Case", kept["start"])
        return self._start()

    def _start(self) -> "Case":
        still = {name: replace(evidence, captures=evidence.captures[:1] * 2) for name, evidence in self.sources.items()}
        return Case(still, started_ns=self.started_ns, ended_ns=self.ended_ns)

    def with_captures(self, source: str, others: Mapping[int, Snapshot]) -> "Case":
        """The same episode with other captures of a source, by their positions. What was found of the rest is kept."""
        evidence = self.evidence(source)
        captures = tuple(others.get(number, snapshot) for number, snapshot in enumerate(evidence.captures))
        first = min(others, default=len(captures))
        return replace(
            self,
            sources={**self.sources, source: replace(evidence, captures=captures)},
            _alike={place: like for place, like in self._alike.items() if place[0] != source or place[1] < first},
            _diffs={
                place: diff
                for place, diff in self._diffs.items()
                if place[0] != source or others.keys().isdisjoint(place[1:])
            },
            _windows=None
            if self._windows is None
            else {
                place: found
                for place, found in self._windows.items()
                if place[0] not in (source, "") or others.keys().isdisjoint(place[1:])
            },
            _found={
                place: found for place, found in self._found.items() if place[0] != source or place[1] not in others
            },
        )

    def of_part(self, source: str, part: str, captures: tuple[Snapshot, ...]) -> "Case":
        """The same episode with no source but one, of which only a part is there, in these captures."""
        evidence = replace(self.evidence(source), captures=captures, part=part)
        windows: dict[tuple[str, int, int], dict[object, object]] | None = None if self._windows is None else {}
        return replace(self, sources={source: evidence}, _alike={}, _diffs={}, _found={}, _windows=windows)

    @property
    def last_step(self) -> int:
        """Number of the last action."""
        return self.actions[-1].seq if self.actions else START

    def evidence(self, source: str) -> Evidence:
        """The evidence of a source, `answer` and `actions` included. Raises UsageError for an unknown name."""
        if source in self.sources:
            return self.sources[source]
        if source == ANSWER:
            return Evidence(source, VALUES, SourceParams(), (answer_snapshot(self.answer, step=self.last_step),))
        if source == ACTIONS:
            return Evidence(source, VALUES, SourceParams(), (actions_snapshot(self.actions),))
        raise UsageError(f"no source is called {source!r}; there are {', '.join(self.sources) or 'none'}")

    def found(self, source: str, position: int, what: object, find: Callable[[Snapshot], T]) -> T:
        """What `find` gives on a capture of a source, found once also for the longer cases that grow out of this one.

        `what` tells it from other things that are found there. An error is not kept.
        """
        snapshot = self.evidence(source).captures[position]
        if source not in self.sources:  # the answer and the actions are others as a case grows
            return find(snapshot)
        place = (source, position, what)
        if place not in self._found:
            self._found[place] = find(snapshot)
        return cast("T", self._found[place])

    def diff(self, source: str, start: int, end: int) -> Diff:
        """All changes of a source between the captures number `start` and `end` (positions in its captures).

        Captures in which nothing changed since the one before are compared with nothing else. A comparison that is too
        large is unread as a whole: the content caused it.
        """
        return self._compared(source, start, max(self._first_like(source, end), min(start + 1, end)))

    def unchanged(self, source: str, position: int) -> bool:
        """Whether a capture is known to show the state of the one before it."""
        return position > 0 and self._compared(source, position - 1, position) == Diff()

    def _first_like(self, source: str, position: int) -> int:
        """The first of the captures up to this one, in a row, that are known to show its state."""
        place = (source, position)
        if place not in self._alike:
            first = position
            while self.unchanged(source, first):
                first = self._alike.get((source, first - 1), first - 1)
            self._alike[place] = first
        return self._alike[place]

    def _compared(self, source: str, start: int, end: int) -> Diff:
        place = (source, start, end)
        if place not in self._diffs:
            found = self.evidence(source)
            before, after = found.captures[start], found.captures[end]
            try:
                self._diffs[place] = diff_snapshots(
                    found.kind, source, before, after, params=found.params, budget=CountedBudget()
                )
            except OverBudget as error:
                self._diffs[place] = Diff((), (Unread((), "", f"too much to compare: {error}"),))
        return self._diffs[place]

    def watched_every_step(self, source: str) -> bool:
        """Whether a capture follows every action, so that nothing done and undone in between went unseen."""
        captures = self.evidence(source).captures
        steps = {snapshot.mark.step for snapshot in captures if not unread_whole(snapshot)}
        return all(action.seq in steps for action in self.actions)
