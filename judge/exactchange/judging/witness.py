"""Where the log and what the sources saw themselves do not agree: said with every verdict, and no outcome by itself."""

from collections.abc import Iterator, Sequence
from typing import Final

from exactchange.actions import Action
from exactchange.case import Case
from exactchange.conditions import Evaluation
from exactchange.conditions.unreported import not_reported
from exactchange.conditions.witnessed import WRITING, one_way, place_of
from exactchange.verdict import Warned

_MOST_NAMED = 5
_LONGEST_NAME = 200
_SEEN: Final = frozenset("click fill type key select check upload".split())
"""Kinds of action that a page shows."""


def disagreements(evaluation: Evaluation) -> Iterator[Warned]:
    """What was seen and is not in the log, what is in the log and was not seen, and why there may have been more."""
    case = evaluation.case
    if not case.heard:
        return
    extra = not_reported(evaluation)
    if extra:
        yield Warned("witness", f"seen to be done, but not in the log: {_named(extra)}")
    silent = list(_not_seen(case))
    if silent:
        yield Warned("witness", f"in the log, but not seen in any page: {_named(silent)}")
    unheard = list(dict.fromkeys(f"{h.source}: {why}" for h in case.heard for why in h.unheard))
    if unheard:
        yield Warned("witness", f"what was done may not all have been seen: {_named(unheard)}")


def _not_seen(case: Case) -> Iterator[str]:
    for action in case.actions:
        if action.kind not in _SEEN or action.error is not None or action.reported_by == "witness":
            continue
        if action.seq == case.stopped_at:
            continue  # it was stopped before it was done, or had no capture after it
        if not any(hearing.during(action.seq) and hearing.acts for hearing in case.heard):
            yield f"{_said(action)} in step {action.seq}{_why(action)}"


def _said(action: Action) -> str:
    wanted = one_way(action.target)
    words = next((str(value) for value in wanted.values()), "")
    return f"{action.kind} on {words}" if words else action.kind


def _why(action: Action) -> str:
    if place_of(action.target) is not None:
        return " (given by coordinates, which may be no page's)"
    if action.kind in WRITING or action.kind == "key":
        return " (nothing may have had the focus, or it went to the browser itself)"
    return " (it may have missed, or met what is disabled)"


def _named(items: Sequence[str]) -> str:
    more = f"; and {len(items) - _MOST_NAMED} more" if len(items) > _MOST_NAMED else ""
    return "; ".join(item[:_LONGEST_NAME] for item in items[:_MOST_NAMED]) + more
