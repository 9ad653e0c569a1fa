"""Redundant steps: after which all was as it had been before, for the judge and for the agent.

The state of a source is all of it that an address can name, less what the task ignores or its own rules take for noise,
and less the record of requests, which only grows. What no source shows, nobody can tell: what a page looked like where
no page is a source, or what a command printed.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from exactchange.actions import Action, Intent, group
from exactchange.case import Evidence
from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.noise import noise
from exactchange.conditions.patterns import hits
from exactchange.conditions.sent import REQUESTS
from exactchange.conditions.units import Atom, Unit, atoms, below, own_atoms, sides, whole_units
from exactchange.limits import CountedBudget
from exactchange.snapshot import START
from exactchange.values import ABSENT, Path, canonical_bytes, digest
from exactchange.verdict import Truth

TELLING: Final = frozenset({"shell", "script", "sql", "tool"})
"""Actions whose answer the agent reads: where nothing changed they are a look, and redundant only when repeated."""
DOWNLOADED: Final = "@downloaded"
MUTE: Final = frozenset({"file_write"})
"""Actions that show the agent nothing, so that a source tells all of their effect."""


@dataclass(frozen=True, slots=True)
class Redundant:
    """The numbers of the last actions of the steps that were redundant for certain, and of those that may have been."""

    certain: tuple[int, ...]
    possible: tuple[int, ...]


Differing: TypeAlias = frozenset[tuple[str, Path, bytes]]
Hidden: TypeAlias = frozenset[tuple[str, Path]]


@dataclass(frozen=True, slots=True)
class State:
    """All that differs from the start, as digests, and the places that could not be read."""

    differs: Differing = frozenset()
    unread: Hidden = frozenset()


@dataclass(slots=True)
class StateReader:
    """Tells states apart, and counts what that takes: an agent can leave as much unread as it likes."""

    budget: CountedBudget = field(default_factory=CountedBudget)
    _known: dict[tuple[State, Hidden], Differing] = field(default_factory=dict[tuple[State, Hidden], Differing])

    def like(self, one: State, other: State) -> Truth:
        """Whether nothing tells the two apart; unknown where something could that was not read. Raises OverBudget."""
        self.budget.spend(nodes=1)
        if one == other:
            return None if one.unread else True
        unread = one.unread | other.unread
        if not unread:
            return False
        return None if self._read(one, unread) == self._read(other, unread) else False

    def _read(self, state: State, unread: Hidden) -> Differing:
        """What differs, but for what lies in an unread place or around it."""
        if (state, unread) not in self._known:
            self.budget.spend(nodes=(1 + len(state.differs)) * len(unread))
            self._known[state, unread] = frozenset(item for item in state.differs if not _hidden(item, unread))
        return self._known[state, unread]


@dataclass(slots=True)
class _Moments:
    """States that were there, each once."""

    reader: StateReader
    _there: dict[State, None] = field(default_factory=dict[State, None])

    def add(self, state: State) -> None:
        self._there[state] = None

    def hold(self, state: State) -> Truth:
        """Whether a state like this one was there."""
        if state in self._there and not state.unread:
            return True
        found = {self.reader.like(state, other) for other in self._there if state.unread or other.unread}
        return None if None in found else False


@dataclass
class _Seen:
    """What the agent has seen so far. `calls`: the states in which each call was made that changed nothing."""

    reader: StateReader
    states: _Moments
    last: State
    calls: dict[bytes, _Moments] = field(default_factory=dict[bytes, _Moments])

    def show(self, state: State) -> None:
        self.states.add(state)
        self.last = state


def redundant(evaluation: Evaluation, actions: Sequence[Action]) -> Redundant | None:
    """The steps among the actions that changed nothing in any source and nothing that the agent could see, or that led
    back to a state already seen. None where not every step was looked at.

    Of what is done and undone again the undoing is redundant. An attempt that was refused is, when it changed nothing.
    """
    case = evaluation.case
    if not all(evidence.steps[:1] == (START,) and case.watched_every_step(n) for n, evidence in case.sources.items()):
        return None
    shows_pages = any(evidence.kind.needs_browser for evidence in case.sources.values())
    reader = StateReader()
    seen = _Seen(reader, _Moments(reader), _state(evaluation, START))
    seen.show(seen.last)
    certain: list[int] = []
    possible: list[int] = []
    busy = START  # up to here a step was going on, whose own states in between nobody counts
    for intent in group(actions):
        state = _state(evaluation, intent.last)
        if intent.counts:
            busy = intent.last
            truth = _idle(intent, state, seen, shows_pages=shows_pages)
            certain += [intent.last] if truth else []
            possible += [intent.last] if truth is None else []
        if intent.counts or intent.last > busy:
            seen.show(state)
    return Redundant(tuple(certain), tuple(possible))


def _idle(intent: Intent, state: State, seen: _Seen, *, shows_pages: bool) -> Truth:
    kind = intent.actions[0].kind
    if kind in TELLING and seen.reader.like(state, seen.last) is not False:
        call = canonical_bytes([kind, dict(intent.actions[0].args)])
        before = seen.calls.setdefault(call, _Moments(seen.reader))
        truth = before.hold(state)
        before.add(state)
        return truth
    truth = seen.states.hold(state)
    return None if truth and not shows_pages and kind not in TELLING | MUTE else truth


def _state(evaluation: Evaluation, step: int) -> State:
    parts = [_of_source(evaluation, evidence, step) for evidence in evaluation.case.sources.values()]
    differs = frozenset(mark for part in parts for mark in part.differs)
    return State(differs, frozenset(place for part in parts for place in part.unread))


def _of_source(evaluation: Evaluation, evidence: Evidence, step: int) -> State:
    position = evidence.position(step)
    return evaluation.kept(("state", evidence.name, position), lambda: _since_start(evaluation, evidence, position))


def _since_start(evaluation: Evaluation, evidence: Evidence, position: int) -> State:
    diff = evaluation.diff(evidence.name, 0, position)
    between = sides(evidence, 0, position)
    units = [unit for change in diff.changes for unit in whole_units(change, between)]
    ignored = _ignored(evaluation, evidence.name, position) | noise(units).keys()
    marks = [
        _mark(part) for unit in units for part in _left(unit, ignored) if not _recorded(evidence, part.change.path)
    ]
    unread = [(evidence.name, item.path) for item in diff.unread if not _recorded(evidence, item.path)]
    return State(frozenset(marks), frozenset(unread))


def _ignored(evaluation: Evaluation, source: str, position: int) -> frozenset[Atom]:
    """What the task ignores between the start and a capture."""
    patterns = [pattern for pattern in evaluation.ignored if pattern.in_ == source and position > 0]
    found = [hit for pattern in patterns for hit in hits(pattern, evaluation, 0, position)]
    return frozenset(atom for hit in found if unbound(hit.matched) is True for atom in atoms(hit.unit))


def _left(unit: Unit, noise: AbstractSet[Atom]) -> Iterator[Unit]:
    """What is left of a unit without the noise; of a row the columns."""
    own = own_atoms(unit)
    left = own - noise
    if left and (unit.row is None or left == own):
        yield unit
    elif left:
        yield from (part for part in below(unit) if atoms(part) & left)


def _mark(unit: Unit) -> tuple[str, Path, bytes]:
    change = unit.change
    after = [] if change.after is ABSENT else [change.after]
    return change.source, change.path, digest([change.op, after, change.position])


def _recorded(evidence: Evidence, path: Path) -> bool:
    """Whether a place is the record of what a page sent: no state, and nothing that anybody sees. What a downloaded
    file holds comes with the download and never changes.
    """
    return evidence.kind.needs_browser and path[:1] in ((REQUESTS,), (DOWNLOADED,))


def _hidden(item: tuple[str, Path, bytes], unread: Hidden) -> bool:
    name, path, _ = item
    return any(name == source and path[: len(other)] == other[: len(path)] for source, other in unread)
