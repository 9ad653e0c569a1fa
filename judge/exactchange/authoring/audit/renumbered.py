"""A run with other actions: captures, and what the sources saw of the work, stay with the actions they followed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from exactchange.actions import Action
from exactchange.case import Case
from exactchange.case.hearing import Hearing
from exactchange.snapshot import Snapshot


def with_actions(case: Case, actions: Sequence[Action]) -> Case | None:
    """The case with these actions, numbered anew, and each capture after the action that it followed.

    None where captures are of a kind that cannot be numbered anew.
    """
    numbers = {action.seq: number for number, action in enumerate(actions, 1) if action.seq}
    steps: dict[int, int] = {0: 0}
    for action in case.actions:
        steps[action.seq] = numbers.get(action.seq, steps[action.seq - 1] if action.seq - 1 in steps else 0)
    end = len(actions)
    sources = dict(case.sources)
    for name, evidence in case.sources.items():
        captures: list[Snapshot] = []
        for number, snapshot in enumerate(evidence.captures):
            step = end if number == len(evidence.captures) - 1 else steps.get(snapshot.mark.step, snapshot.mark.step)
            if not hasattr(snapshot, "__dataclass_fields__"):
                return None
            captures.append(replace(snapshot, mark=replace(snapshot.mark, step=step)))  # type: ignore[type-var]
        sources[name] = replace(evidence, captures=tuple(captures))
    done = tuple(replace(action, seq=number) for number, action in enumerate(actions, 1))
    begun = {numbers[seq]: time for seq, time in case.begun.items() if seq in numbers}
    heard = tuple(
        replace(hearing, since=steps.get(hearing.since, 0), step=steps.get(hearing.step, end))
        for hearing in case.heard
        if hearing.outside or any(hearing.during(seq) for seq in (0, *numbers))  # else what was seen is not done
    )
    return replace(case, sources=sources, actions=done, begun=begun, heard=heard)


def moved_heard(case: Case, places: Mapping[int, int | None]) -> tuple[Hearing, ...]:
    """What was seen of the actions, where some stand elsewhere (their new numbers) or were never done (None)."""
    out: list[Hearing] = []
    for hearing in case.heard:
        place = places.get(hearing.step, hearing.step) if hearing.since == hearing.step else hearing.step
        if hearing.outside or hearing.since != hearing.step:
            out.append(hearing)
        elif place is not None:
            out.append(replace(hearing, since=place, step=place))
    return tuple(out)
