"""Runs in which what came one after the other came otherwise: turned round, in one step, or the first not at all."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from exactchange.actions import Action
from exactchange.authoring.audit.leaves import Leaf
from exactchange.authoring.audit.mutant import Impossible, Made, Mutant, edited, undoing
from exactchange.authoring.audit.renumbered import moved_heard
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Place, hits
from exactchange.diff import Change
from exactchange.errors import ExactChangeError
from exactchange.snapshot import Snapshot
from exactchange.sources import CannotEdit, Edit, Put, Remove
from exactchange.values import ABSENT

_MOST: Final = 24
Run = tuple[Case, tuple[Snapshot, ...]]


@dataclass(frozen=True, slots=True)
class Event:
    """What a part of an `order` speaks of, as it came in the good run: at a step, an action or changes of a source."""

    step: int
    action: Action | None = None
    source: str = ""
    changes: tuple[Change, ...] = ()


def reordered(leaf: Leaf, case: Case) -> Iterator[Made]:
    """For each two things that a must wants one after the other: runs in which they did not come so."""
    for first, second in pairwise(leaf.condition.order or ()):
        told = [event_of(part, case) for part in (first, second)]
        if not isinstance(told[0], Event) or not isinstance(told[1], Event):
            why = next(item for item in told if isinstance(item, str))
            yield Impossible(
                "undone", f"the order of {leaf.title!r} could not be tried: {why}", leaf.title, leaf.condition.where
            )
            continue
        yield from _of_two(told[0], told[1], leaf, case)


def _of_two(first: Event, second: Event, leaf: Leaf, case: Case) -> Iterator[Made]:
    ways: list[tuple[str, Callable[[], Run | None]]] = [
        ("what was to come first came second", lambda: turned(first, second, case)),
        ("both came in one step", lambda: _hidden(first, case, first.step, second.step - 1)),
        ("what was to come first did not come", lambda: _left_out(first, case)),
    ]
    count = 0
    for what, make in ways:
        found = make()
        if found is not None:
            count += 1
            yield Mutant("undone", what, found[0], "", (), leaf.title, leaf.condition.where, found[1])
    if not count:
        why = f"the order of {leaf.title!r} could not be tried: its steps cannot be altered"
        yield Impossible("undone", why, leaf.title, leaf.condition.where)


def event_of(part: Condition, case: Case) -> Event | str:
    """When and how a part first came in a run; else why that cannot be said."""
    evaluation = Evaluation(case)
    try:
        moments = part.moments(evaluation, trusted=False).sure
        if not moments:
            return f"{part.title()!r} did not come in the good run"
        step = min(moment.last for moment in moments) // 2
        rule = part.action or part.sql
        if rule is not None:
            found = next((a for a in case.actions if a.seq == step and rule.fits(a, evaluation) is True), None)
            return f"no action of step {step} is of {part.title()!r}" if found is None else Event(step, found)
        place = part.change or part.value
        if place is None:
            return f"`{part.kind}` has no evidence that can be put to another step"
        changes = _changes(part, place, evaluation)
    except ExactChangeError as error:
        return str(error).partition("\n")[0]
    return Event(step, None, place.in_, changes) if changes else f"nothing of {part.title()!r} is there at the end"


def _changes(part: Condition, place: Place, evaluation: Evaluation) -> tuple[Change, ...]:
    """The changes from start to end by which a part came about."""
    last = len(evaluation.case.evidence(place.in_).captures) - 1
    if part.change is not None:
        sure = (hit for hit in hits(part.change, evaluation, 0, last) if hit.truth is True)
        return tuple(unit.change for hit in sure for unit in hit.units)[:_MOST]
    paths = [match.path for match in evaluation.nodes(place, last)]
    every = evaluation.diff(place.in_, 0, last).changes
    return tuple(c for c in every if any(path[: len(c.path)] == c.path[: len(path)] for path in paths))[:_MOST]


def turned(first: Event, second: Event, case: Case) -> Run | None:
    """The run in which the second came before the first: the first later, or else the second sooner."""
    steps = [action.seq for action in case.actions]
    if first.action is not None and second.action is not None:
        return _swapped(case, first.step, second.step)
    later = next((step for step in steps if step > second.step), None)
    if later is not None and (first.action is not None or _shown(first, case, later)):
        return (
            _swapped(case, first.step, later)
            if first.action is not None
            else _hidden(first, case, first.step, second.step)
        )
    if second.action is not None:
        return _swapped(case, first.step, second.step)
    return _brought_forward(second, case, first.step)


def _shown(event: Event, case: Case, step: int) -> bool:
    return any(snapshot.mark.step >= step for snapshot in case.sources[event.source].captures)


def _swapped(case: Case, one: int, other: int) -> Run | None:
    """The run in which two actions have changed places; what the sources show stays where it was."""
    if one == other:
        return None
    by_step = {action.seq: action for action in case.actions}
    if one not in by_step or other not in by_step:
        return None
    put = {one: replace(by_step[other], seq=one), other: replace(by_step[one], seq=other)}
    actions = tuple(put.get(action.seq, action) for action in case.actions)
    return replace(case, actions=actions, heard=moved_heard(case, {one: other, other: one})), ()


def _left_out(event: Event, case: Case) -> Run | None:
    """The run in which it never came. An action becomes a look."""
    if event.action is None:
        return _hidden(event, case, event.step, None)
    look = Action(event.step, "wait", {}, '{"kind":"wait"}', event.action.reported_by)
    actions = tuple(look if a.seq == event.step else a for a in case.actions)
    return replace(case, actions=actions, heard=moved_heard(case, {event.step: None})), ()


def _hidden(event: Event, case: Case, since: int, until: int | None) -> Run | None:
    """The run in which its changes are not seen yet in these steps; None where there is nothing to hide."""
    if event.action is not None:
        return None
    undo = undoing(case.sources[event.source], event.changes)
    return _edited(event, case, lambda step: since <= step and (until is None or step <= until), undo)


def _brought_forward(event: Event, case: Case, before: int) -> Run | None:
    """The run in which its changes were there before a step."""
    redo: list[Edit] = [
        Remove(change.path) if change.after is ABSENT else Put(change.path, change.after)
        for change in event.changes
        if change.op != "moved"
    ]
    return _edited(event, case, lambda step: 0 < step < before, redo)


def _edited(event: Event, case: Case, chosen: Callable[[int], bool], edits: Sequence[Edit]) -> Run | None:
    evidence = case.sources[event.source]
    others: dict[int, Snapshot] = {}
    try:
        for number, snapshot in enumerate(evidence.captures):
            if number and chosen(snapshot.mark.step):
                others[number] = edited(evidence, snapshot, edits)
    except CannotEdit:
        for snapshot in others.values():
            snapshot.close()
        return None
    return (case.with_captures(event.source, others), tuple(others.values())) if others else None
