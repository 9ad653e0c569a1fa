"""The `change` conditions of the musts as demands: how many changes, and which ones could meet them."""

from collections.abc import Collection

from exactchange.conditions import ChangeRule, Condition, Evaluation, Hit, Result, hits, near_misses
from exactchange.conditions.counting import MOST_EVIDENCE, bounds, counted, shortened
from exactchange.conditions.evaluation import change_evidence
from exactchange.conditions.patterns import may_meet, unread_there
from exactchange.conditions.place import Between
from exactchange.conditions.units import Atom, atoms
from exactchange.judging.assign import Demand
from exactchange.judging.broken import BrokenTask
from exactchange.values import Path, Value


def demand_of(condition: Condition, evaluation: Evaluation, ignored: frozenset[Atom]) -> Demand | None:
    """What a condition demands of the diff from start to end; None when it is judged by itself and explains nothing.

    Raises BrokenTask when it asks for changes of everything in a place where nothing stood.
    """
    rule = condition.change
    if rule is None or rule.when == "ever" or rule.unless_after is not None:
        return None
    last = len(evaluation.case.evidence(rule.in_).captures) - 1
    if last < 1:
        return None
    chosen = _chosen(rule, condition, evaluation) if rule.count == "all" else None
    fewest, most = _bounds(rule) if chosen is None else (max(1, len(chosen)),) * 2
    if most == 0:
        return None
    fitting = tuple(
        hit
        for hit in hits(rule, evaluation, 0, last)
        if hit.truth is True and not atoms(hit.unit) <= ignored and (chosen is None or hit.unit.change.path in chosen)
    )
    return Demand(rule, condition.where, fitting, fewest, most)


def met(demand: Demand, given: tuple[Hit, ...], evaluation: Evaluation, *, exhausted: bool) -> Result:
    """Whether the changes given to a demand are enough. `exhausted`: other assignments were not tried."""
    rule = demand.rule
    last = len(evaluation.case.evidence(rule.in_).captures) - 1
    missed = [hit for hit in hits(rule, evaluation, 0, last) if hit.truth is not True]
    unread = unread_there(rule, evaluation, 0, last)
    possible = sum(1 for hit in missed if hit.truth is None)
    count = Between(ge=demand.fewest, le=demand.most)
    truth = counted(len(given), possible, count, more=bool(unread)) if len(given) < demand.fewest else True
    if exhausted and truth is False:
        truth = None
    near = () if truth is True else near_misses(rule, missed, evaluation, most=MOST_EVIDENCE)
    evidence = shortened([change_evidence(hit.unit.change, None) for hit in given])
    return Result(truth, _why(demand, len(given), bool(near), unread), evidence, near)


def doubtful(demand: Demand, given: tuple[Hit, ...], evaluation: Evaluation) -> frozenset[Atom]:
    """What may be the changes that a demand still misses: in the right place, with a value that nobody can tell."""
    if len(given) >= demand.fewest:
        return frozenset()
    last = len(evaluation.case.evidence(demand.rule.in_).captures) - 1
    found = hits(demand.rule, evaluation, 0, last)
    return frozenset(atom for hit in found if hit.truth is None for atom in atoms(hit.unit))


def _bounds(rule: ChangeRule) -> tuple[int, int | None]:
    assert rule.count != "all"
    return (1, 1) if rule.count is None else bounds(rule.count)


def _chosen(rule: ChangeRule, condition: Condition, evaluation: Evaluation) -> Collection[Path]:
    """The places that must change where all must: those that the rule selects in the state at the start."""
    start = evaluation.case.evidence(rule.in_).captures[0]
    found = {m.path for m in evaluation.nodes(rule, 0) if _from_fits(rule, m.path, m.value, evaluation)}
    address = evaluation.pattern(rule)
    unread = any(may_meet(address, item.path, evaluation, rule.in_) for item in start.unread)
    if not found and not unread:
        raise BrokenTask(f"{condition.where}: `count: all` selects nothing at the start, so it asks for nothing")
    return found


def _from_fits(rule: ChangeRule, path: Path, value: Value, evaluation: Evaluation) -> bool:
    return rule.from_ is None or rule.from_.match(value, evaluation.context(rule.in_, path)).truth is True


def _why(demand: Demand, given: int, near: bool, unread: tuple[str, ...]) -> str:
    if given >= demand.fewest:
        return "done" if given == 1 else f"{given} changes"
    if unread:
        return "; ".join(unread)
    short = "no such change" if given == 0 else f"only {given} of {demand.fewest} such changes"
    return f"{short}; something near it did change" if near else short
