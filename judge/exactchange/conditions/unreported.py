"""What was done in a step beside what was reported of it: of that nobody knows how many steps it was."""

from collections.abc import Iterator, Mapping
from typing import Final

from exactchange.actions import Action
from exactchange.case.hearing import Hearing, witnessed
from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.witnessed import aimed_at, one_way, said_of, was_meant
from exactchange.sources.witnessing import Act
from exactchange.values import canonical_bytes

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


_ON_ONE: Final = frozenset({"click", "fill"})
"""Kinds of action that are done to the element that they name, or to one in it."""


_TOUCHES: Final[Mapping[str, int]] = dict.fromkeys("select search drag goto tab_new tab_close tab_switch".split(), 2)
"""How many elements are clicked or written into in one action of a kind at most, where that is more than one."""


def not_reported(evaluation: Evaluation) -> tuple[str, ...]:
    """What somebody certainly did while an action was under way, and none that was reported is it; for people."""
    return evaluation.kept("not reported", lambda: tuple(_not_reported(evaluation)))


def _not_reported(evaluation: Evaluation) -> Iterator[str]:
    clicks: dict[tuple[int, int], int] = {}
    touched: dict[tuple[int, int], set[bytes]] = {}
    for hearing, act in witnessed(evaluation.case.heard):
        if hearing.outside or not was_meant(act):
            continue  # what was done outside of every step is warned of as such
        near = [action for action in evaluation.case.actions if hearing.during(action.seq)]
        where = f"in step {hearing.step}" if hearing.since == hearing.step else "in a step that is not known"
        if not any(_may_show(action, act) for action in near):
            yield f"{said_of(act)} {where}"
        elif act.kind in _ON_ONE and all(action.kind in _ON_ONE for action in near):
            elsewhere = all(_elsewhere(action, hearing, act, evaluation) for action in near)
            more = act.kind == "click" and not elsewhere
            known = clicks[hearing.since, hearing.step] = clicks.get((hearing.since, hearing.step), 0) + more
            if elsewhere or (more and known > len(near)):
                yield f"{said_of(act)} {where}"
        elif act.kind in _ON_ONE and all(action.kind in _SHOWS for action in near):
            places = touched.setdefault((hearing.since, hearing.step), set())
            places.add(canonical_bytes([act.target.get(name) for name in ("css", "role")]))
            if len(places) > sum(_TOUCHES.get(action.kind, 1) for action in near):
                yield f"{said_of(act)} {where}"


def _may_show(action: Action, act: Act) -> bool:
    return action.kind not in _SHOWS or act.kind in _SHOWS[action.kind]


def _elsewhere(action: Action, hearing: Hearing, act: Act, evaluation: Evaluation) -> bool:
    """Whether a report was of another element than this one, and of none that this one is in."""
    wanted = one_way(action.target)
    return bool(wanted) and aimed_at(wanted, hearing, act, evaluation, around=True) is False
