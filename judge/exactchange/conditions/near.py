"""Near misses: changes in the right place that a pattern did not accept, and what kept them from it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from exactchange.address import key
from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.matchers import MatchContext, Matcher
from exactchange.conditions.matchers.number import doubt
from exactchange.conditions.patterns import Hit, cell_context, context_of
from exactchange.conditions.place import Pattern
from exactchange.conditions.units import Unit
from exactchange.values import ABSENT, State, Value, canonical_bytes, dumps, type_name
from exactchange.verdict import NearMiss

MOST_LOOKED_AT = 1_000

_Told: TypeAlias = tuple[str, str]
"""What was wanted and what is there, for people."""


def near_misses(
    pattern: Pattern,
    found: Sequence[Hit],
    evaluation: Evaluation,
    *,
    most: int,
    names: Mapping[str, bytes] | None = None,
) -> tuple[NearMiss, ...]:
    """Why units in the right place do not fit: what was wanted, what is there. Of the nearest ones, the first `most`.

    The nearest are those with the fewest parts that do not fit; of a unit, the first such part is told. `names`: the
    values, as canonical bytes, for which the names of `same:` stand elsewhere; a unit that fits but for them is near.
    """
    told = [(hit.unit, list(_misfits(pattern, hit.unit, evaluation, names or {}))) for hit in found[:MOST_LOOKED_AT]]
    fewest = min((len(misfits) for _, misfits in told if misfits), default=0)
    nearest = [NearMiss(unit.change, *misfits[0]) for unit, misfits in told if misfits and len(misfits) == fewest]
    return tuple(nearest[:most])


def _misfits(pattern: Pattern, unit: Unit, evaluation: Evaluation, names: Mapping[str, bytes]) -> Iterator[_Told]:
    change = unit.change
    for side, matcher, value in (("from", pattern.from_, change.before), ("to", pattern.to, change.after)):
        if matcher is not None and (wanted := _unfit(matcher, value, context_of(unit, evaluation), names)):
            yield f"{side} {wanted}", _shown(value)
    for column, matcher in (pattern.row or {}).items():
        value = unit.side.get(key(column), ABSENT) if isinstance(unit.side, Mapping) else ABSENT
        if wanted := _unfit(matcher, value, cell_context(unit, column, evaluation), names):
            yield f"{column}: {wanted}", f"{column}: {_shown(value)}"


def _unfit(matcher: Matcher, value: State, context: MatchContext, names: Mapping[str, bytes]) -> str:
    """What was wanted in place of a value; empty where it fits."""
    found = matcher.match(value, context)
    if found.truth is not True:
        return matcher.describe() + doubt(matcher.tests, value, context)
    other = [name for name, bound in found.bindings if names.get(name) not in (None, canonical_bytes(bound))]
    return f"the same {' and '.join(other)} as elsewhere" if other else ""


def _shown(value: State) -> str:
    return "nothing" if value is ABSENT else f"{_short(value)} ({type_name(value)})"


def _short(value: Value) -> str:
    text = dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"
