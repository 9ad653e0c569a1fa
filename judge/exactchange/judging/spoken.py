"""What a must says of documents that are judged by themselves: they may have left with what it asks for."""

from collections.abc import Collection
from dataclasses import dataclass

from exactchange.conditions import Atom, Evaluation, atoms, explained
from exactchange.conditions.documents import Apart, apart
from exactchange.conditions.matchers.base import unbound
from exactchange.errors import OverBudget
from exactchange.judging.assign import Demand
from exactchange.judging.demands import asks_for_a_value
from exactchange.values import ABSENT
from exactchange.verdict import Freed


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is explained of such documents, what may be, and whether nobody can tell."""

    explained: frozenset[Atom] = frozenset()
    freed: tuple[Freed, ...] = ()
    doubtful: frozenset[Atom] = frozenset()
    untold: bool = False


def spoken(demand: Demand, given: Collection[Atom], evaluation: Evaluation) -> Spoken:
    """What a demand says of the documents of its source. `given`: what it explains of the whole way to the end.

    That alone meets it: a form may leave with all that was asked for, and yet not have been saved. But what a must asks
    for is no change without leave, wherever it was made and however often.
    """
    parts = [_of(demand, given, document) for document in apart(evaluation, demand.rule.in_)]
    return Spoken(
        frozenset(atom for part in parts for atom in part.explained),
        tuple(free for part in parts for free in part.freed),
        frozenset(atom for part in parts for atom in part.doubtful),
        any(part.untold for part in parts),
    )


def _of(demand: Demand, given: Collection[Atom], document: Apart) -> Spoken:
    rule, inside = demand.rule, document.evaluation
    try:
        found = [hit for hit in document.hits(rule) if not (asks_for_a_value(rule) and hit.unit.change.after is ABSENT)]
    except OverBudget:
        return Spoken(untold=True)
    fit = [explained(rule, hit.unit, where=demand.where, evaluation=inside) for hit in found if unbound(hit.matched)]
    maybe = (atom for hit in found if unbound(hit.matched) is None for atom in atoms(hit.unit))
    same = () if document.left else ((document.evidence.account, path, moved) for _, path, moved in given)
    return Spoken(
        frozenset((*(atom for part in fit for atom in part.atoms), *same)),
        tuple(free for part in fit for free in part.freed),
        frozenset(maybe),
    )
