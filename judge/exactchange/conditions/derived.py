"""Changes of what a selector works out of the state: none is ever told, and a red line must not be silent over one."""

from pydantic import BaseModel

from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.place import Pattern
from exactchange.sources.standing import Deriving
from exactchange.values import ABSENT, Path, State, same


def untold(pattern: Pattern, evaluation: Evaluation, start: int, end: int) -> tuple[str, ...]:
    """Why it cannot be told whether there was such a change between two captures; empty where there was none.

    What a selector finds may be a text, which stands in no place of the state, so that no change of it is among the
    changes. That it is another text than before is known all the same.
    """
    kind = evaluation.case.evidence(pattern.in_).kind
    if not pattern.own() or not isinstance(kind, Deriving):
        return ()
    before, after = (_derived(kind, pattern, evaluation, side) for side in (start, end))
    for path, (address, _) in {**before, **after}.items():
        old, new = (side[path][1] if path in side else ABSENT for side in (before, after))
        if not same(old, new) and _is_meant(pattern, old, new, evaluation):
            return (f"{pattern.in_}: {address} is another, and no change is told of it: {kind.derives_hint}",)
    return ()


def _derived(
    kind: Deriving[BaseModel], pattern: Pattern, evaluation: Evaluation, side: int
) -> dict[Path, tuple[str, State]]:
    found = evaluation.nodes(pattern, side)
    return {item.path: (item.address, item.value) for item in found if kind.is_derived(item.path)}


def _is_meant(pattern: Pattern, old: State, new: State, evaluation: Evaluation) -> bool:
    """Whether a rule may speak of a place where this gave way to that."""
    op = "added" if old is ABSENT else "removed" if new is ABSENT else "modified"
    sides = ((pattern.from_, old), (pattern.to, new))
    context = evaluation.context(pattern.in_)
    fits = all(matcher is None or matcher.match(value, context).truth is not False for matcher, value in sides)
    return pattern.op in (None, op) and fits
