"""Where the log and what the sources saw themselves do not agree: said with every verdict, and no outcome by itself."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from exactchange.actions import Action
from exactchange.case import Case
from exactchange.case.hearing import Hearing, witnessed
from exactchange.conditions import Evaluation
from exactchange.conditions.witnessed import WRITING, aimed_at, one_way, place_of, said_of, was_meant
from exactchange.sources.witnessing import Act
from exactchange.verdict import Warned

_MOST_NAMED = 5
_LONGEST_NAME = 200
_POINTING: Final = frozenset("click check select upload drag".split())
_TYPING: Final = frozenset("fill type key click check select upload".split())
_GOING: Final = frozenset("goto back reload key".split())
# What may be seen of an action of each kind; of what is in none of these tables, such as a script, anything.
_SHOWS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys("click check upload".split(), _POINTING),
    **dict.fromkeys("mouse_down mouse_up drag".split(), _POINTING | {"fill"}),  # a slider that is drawn
    **dict.fromkeys("fill type key select".split(), _TYPING),
    **dict.fromkeys("goto back forward reload search tab_new tab_close tab_switch".split(), _GOING | _TYPING),
    **dict.fromkeys("observe wait move scroll message reply finish dialog".split(), frozenset[str]()),
}
_SEEN: Final = frozenset("click fill type key select check upload".split())
"""Kinds of action that a page shows."""


def disagreements(evaluation: Evaluation) -> Iterator[Warned]:
    """What was seen and is not in the log, what is in the log and was not seen, and why there may have been more."""
    case = evaluation.case
    if not case.heard:
        return
    extra = list(_not_reported(evaluation))
    if extra:
        yield Warned("witness", f"seen to be done, but not in the log: {_named(extra)}")
    silent = list(_not_seen(case))
    if silent:
        yield Warned("witness", f"in the log, but not seen in any page: {_named(silent)}")
    unheard = list(dict.fromkeys(f"{h.source}: {why}" for h in case.heard for why in h.unheard))
    if unheard:
        yield Warned("witness", f"what was done may not all have been seen: {_named(unheard)}")


def _not_reported(evaluation: Evaluation) -> Iterator[str]:
    clicks: dict[tuple[int, int], int] = {}
    for hearing, act in witnessed(evaluation.case.heard):
        if hearing.outside or not was_meant(act):
            continue  # what was done outside of every step is warned of as such
        near = [action for action in evaluation.case.actions if hearing.during(action.seq)]
        where = f"in step {hearing.step}" if hearing.since == hearing.step else "in a step that is not known"
        if not any(_may_show(action, act) for action in near):
            yield f"{said_of(act)} {where}"
        elif act.kind == "click" and all(action.kind == "click" for action in near):
            elsewhere = all(_elsewhere(action, hearing, act, evaluation) for action in near)
            known = clicks[hearing.since, hearing.step] = clicks.get((hearing.since, hearing.step), 0) + (not elsewhere)
            if elsewhere or known > len(near):
                yield f"{said_of(act)} {where}"


def _may_show(action: Action, act: Act) -> bool:
    return action.kind not in _SHOWS or act.kind in _SHOWS[action.kind]


def _elsewhere(action: Action, hearing: Hearing, act: Act, evaluation: Evaluation) -> bool:
    """Whether a reported click was aimed at another element than this one."""
    wanted = one_way(action.target)
    return bool(wanted) and aimed_at(wanted, hearing, act, evaluation) is False


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
