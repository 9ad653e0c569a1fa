"""What a task's own Python function is shown of a case: copies of the evidence, and no way to the world or to more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from exactchange.actions import Action
from exactchange.address import unkey
from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.meeting import may_meet
from exactchange.conditions.patterns import hits, said, unread_there
from exactchange.conditions.place import Pattern, Place
from exactchange.diff import Change
from exactchange.errors import ExactChangeError
from exactchange.limits import CountedBudget
from exactchange.snapshot import START, unread_whole
from exactchange.sources import Match
from exactchange.values import ABSENT, State, Value

_NOTHING: Final = object()


class Untold(ExactChangeError):
    """What was asked of the evidence cannot be told from it: a part is unread, or nothing was captured."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CaseView:
    """One episode, as evidence, for a function that a `python:` condition names.

    Every answer is a copy: whatever is done to it changes nothing that is judged. What is unread raises Untold, too
    much to look through OverBudget; a function that lets them pass has not told whether its condition holds.
    """

    _evaluation: Evaluation
    _without_agent: bool = False
    _asked: set[str] = field(default_factory=set[str])

    @property
    def params(self) -> dict[str, Value]:
        """The params of the task, in this variant."""
        return {name: copied(item) for name, item in self._evaluation.arguments.items()}

    @property
    def answer(self) -> str | None:
        """What the agent answered, as it said it; None when it gave no answer."""
        return self._evaluation.case.answer

    @property
    def actions(self) -> tuple[Action, ...]:
        """What was done, in order, and who reported it. What the agent alone reports (`reported_by`) proves nothing."""
        self._asked.add("actions")
        found = self._evaluation.case.actions
        return tuple(
            replace(item, args={name: copied(value) for name, value in item.args.items()})
            for item in found
            if not (self._without_agent and item.reported_by == "agent")
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources that the task declares."""
        return tuple(self._evaluation.case.sources)

    def steps(self, source: str) -> tuple[int, ...]:
        """Numbers of the actions after which a source was captured; 0 is the start, and the end may come twice."""
        return self._evaluation.case.evidence(source).steps

    def value(
        self, source: str, at: str | None = None, *, step: int | None = None, default: object = _NOTHING, **place: Value
    ) -> object:
        """The one value in a place, as `value:` finds it: at the end, or after a step.

        `place`: in place of `at`, what a rule says: `table` and `column`, `css`, `label`, … Raises LookupError when
        nothing stands there and no `default` is given, or when several values do.
        """
        found = self.values(source, at, step=step, **place)
        if len(found) > 1:
            raise LookupError(f"{source}: {len(found)} values stand there: {found[0].address}, {found[1].address}, …")
        if found:
            return found[0].value
        if default is _NOTHING:
            raise LookupError(f"{source}: nothing stands at {at if at is not None else place}")
        return default

    def values(self, source: str, at: str | None = None, *, step: int | None = None, **place: Value) -> list[Match]:
        """Everything that stands in a place, with path, address and value."""
        position = self._position(source, step)
        where = Place.model_validate({"in": source, "at": at, **place})
        evaluation = self._evaluation
        snapshot = evaluation.case.evidence(source).captures[position]
        address = evaluation.pattern(where)
        unread = [item for item in snapshot.unread if may_meet(address, item.path, evaluation, source)]
        if unread:
            raise Untold(said(source, unread[0]))
        return [replace(match, value=copied(match.value)) for match in evaluation.nodes(where, position)]

    def rows(self, source: str, query: str, *, step: int | None = None, **arguments: Value) -> list[dict[str, Value]]:
        """The rows that one SELECT gives, by column; `:name` stands for an argument, or for a param of the task."""
        evidence = self._evaluation.case.evidence(source)
        snapshot = evidence.captures[self._position(source, step)]
        if unread_whole(snapshot):
            raise Untold(said(source, snapshot.unread[0]))
        given = {**self._evaluation.arguments, **arguments}
        found = evidence.kind.rows(snapshot, query, given, budget=CountedBudget())
        if snapshot.unread:
            raise Untold(said(source, snapshot.unread[0]))
        return [_row(row) for row in found]

    def changes(
        self, source: str, at: str | None = None, *, since: int = START, until: int | None = None, **place: Value
    ) -> list[Change]:
        """What changed in a place between two steps, as `change:` sees it: rows whole, else values."""
        evaluation = self._evaluation
        # Kept as long as what was found by it, which is known by the pattern's identity.
        pattern = evaluation.kept(
            ("view", source, at, repr(sorted(place.items()))),
            lambda: Pattern.model_validate({"in": source, "at": at, **place}),
        )
        start, end = self._position(source, since), self._position(source, until)
        if start >= end:
            return []
        unread = unread_there(pattern, evaluation, start, end)
        if unread:
            raise Untold(unread[0])
        found = hits(pattern, evaluation, start, end)
        doubtful = [hit.unit.change.address for hit in found if hit.truth is None]
        if doubtful:
            raise Untold(f"{source}: whether {doubtful[0]} is meant cannot be told")
        return [_change(hit.unit.change) for hit in found if hit.truth is True]

    def _position(self, source: str, step: int | None) -> int:
        evidence = self._evaluation.case.evidence(source)
        if not evidence.captures:
            raise Untold(f"{source}: nothing of it was captured")
        if step == START:  # of an episode without actions the end follows that step, too
            return 0
        return len(evidence.captures) - 1 if step is None else evidence.position(step)


def looked_at_actions(view: CaseView) -> bool:
    """Whether somebody asked a view what was done."""
    return "actions" in view._asked  # pyright: ignore[reportPrivateUsage]  # nothing that a function needs to see


def copied(value: Value) -> Value:
    """The same value in lists and dicts of its own."""
    if isinstance(value, Mapping):
        return {name: copied(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [copied(item) for item in value]
    return value


def _row(row: Value) -> dict[str, Value]:
    assert isinstance(row, Mapping)  # of every kind that answers queries
    return {unkey(name) or name: copied(item) for name, item in row.items()}


def _change(change: Change) -> Change:
    at = {name: copied(item) for name, item in change.at.items()}
    return replace(change, before=_side(change.before), after=_side(change.after), at=at)


def _side(state: State) -> State:
    return state if state is ABSENT else copied(state)
