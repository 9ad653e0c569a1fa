"""The `change` conditions of the musts as demands: how many changes, and which ones could meet them."""

from collections.abc import Collection, Mapping, Sequence

from exactchange.conditions import ChangeRule, Condition, Evaluation, Hit, Result, hits, near_misses
from exactchange.conditions.counting import MOST_EVIDENCE, bounds, counted, shortened
from exactchange.conditions.evaluation import change_evidence
from exactchange.conditions.meeting import may_meet
from exactchange.conditions.patterns import unread_there
from exactchange.conditions.place import Between
from exactchange.conditions.units import Atom, atoms
from exactchange.errors import OverBudget
from exactchange.judging.assign import MOST_BINDINGS, Assignment, Demand
from exactchange.judging.broken import BrokenTask
from exactchange.judging.wholes import wholes
from exactchange.values import ABSENT, Path, Value, same


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
    fit = [hit for hit in hits(rule, evaluation, 0, last) if hit.truth is True and not atoms(hit.unit) <= ignored]
    found = [hit for hit in fit if not (asks_for_a_value(rule) and hit.unit.change.after is ABSENT)]
    grouped = wholes(rule, found, evaluation, last)
    chosen = _chosen(rule, condition, evaluation) if rule.count == "all" else None
    fewest, most = _bounds(rule) if chosen is None else (max(1, len(chosen)),) * 2
    if most == 0:
        return None
    placed = [(hit.unit.change.path, hit) for hit in found] if grouped is None else grouped.hits
    fitting = tuple(hit for place, hit in placed if chosen is None or place in chosen)
    inside = 0 if grouped is None else grouped.inside
    return Demand(rule, condition.where, fitting, fewest, most, chosen or (), inside)


def met(demand: Demand, given: tuple[Hit, ...], evaluation: Evaluation, assignment: Assignment) -> Result:
    """Whether the changes that an assignment gives to a demand are enough."""
    rule = demand.rule
    last = len(evaluation.case.evidence(rule.in_).captures) - 1
    there = hits(rule, evaluation, 0, last)
    unread = unread_there(rule, evaluation, 0, last)
    possible = [hit for hit in there if hit.truth is None]
    truth = counted(len(given), len(possible), Between(ge=demand.fewest), more=bool(unread))
    if rule.count == "all" and _hidden_at_start(rule, evaluation):
        truth = None  # one more place may have had to change
    if assignment.exhausted and truth is False:
        truth = None
    done = shortened([change_evidence(unit.change, None) for hit in given for unit in hit.units])
    if truth is True:
        return Result(truth, _why(demand, len(given)), done)
    taken = assignment.spots
    free = [hit for hit in there if hit.unit.spot not in taken]
    near = near_misses(rule, free, evaluation, most=MOST_EVIDENCE, names=assignment.names)
    left = _left(demand, {hit.unit.change.path for hit in there}, evaluation)
    untried = f"more than {MOST_BINDINGS:,} ways to share the changes out" if assignment.exhausted else ""
    untold = untried or "; ".join(unread) or next((hit.why for hit in possible if hit.why and truth is None), "")
    why = untold or _why(demand, len(given), near=bool(near), left=len(left))
    return Result(truth, why, (*done, *shortened(left)), near)


def _left(demand: Demand, changed: Collection[Path], evaluation: Evaluation) -> Sequence[Mapping[str, Value]]:
    """The places that had to change, all of them, and that hold at the end what they held before."""
    rule = demand.rule
    captures = evaluation.case.evidence(rule.in_).captures
    if not demand.chosen:
        return ()
    before = {match.path: match.value for match in evaluation.nodes(rule, 0)}
    try:
        after = evaluation.nodes(rule, len(captures) - 1)
    except OverBudget:
        return ()  # only what is shown beside the finding
    return [
        {
            "kind": "value",
            "source": rule.in_,
            "address": match.address,
            "value": match.value,
            "step": captures[-1].mark.step,
        }
        for match in after
        if match.path in demand.chosen and match.path not in changed and same(match.value, before[match.path])
    ]


def doubtful(demand: Demand, given: tuple[Hit, ...], evaluation: Evaluation, assignment: Assignment) -> frozenset[Atom]:
    """What may be the changes that a demand still misses: in the right place, with a value that nobody can tell.

    Where not every way to share the changes out was tried, it may be any of those that fit.
    """
    found = [*demand.hits] if assignment.exhausted or assignment.untried else []
    if len(given) < demand.fewest:
        last = len(evaluation.case.evidence(demand.rule.in_).captures) - 1
        found += [hit for hit in hits(demand.rule, evaluation, 0, last) if hit.truth is None]
    return frozenset(atom for hit in found for unit in hit.units for atom in atoms(unit))


def asks_for_a_value(rule: ChangeRule) -> bool:
    """Whether something has to stand there afterwards: in a must, `to: {not: 30}` is not met by taking it away."""
    return rule.to is not None and rule.op != "removed" and not rule.to.about_absence


def _bounds(rule: ChangeRule) -> tuple[int, int | None]:
    assert rule.count != "all"
    return (1, 1) if rule.count is None else bounds(rule.count)


def _chosen(rule: ChangeRule, condition: Condition, evaluation: Evaluation) -> Collection[Path]:
    """The places that must change where all must: those that the rule selects in the state at the start."""
    found = {m.path for m in evaluation.nodes(rule, 0) if _from_fits(rule, m.path, m.value, evaluation)}
    if not found and not _hidden_at_start(rule, evaluation):
        raise BrokenTask(f"{condition.where}: `count: all` selects nothing at the start, so it asks for nothing")
    return found


def _hidden_at_start(rule: ChangeRule, evaluation: Evaluation) -> bool:
    """Whether the rule may select a place at the start that could not be read."""
    start = evaluation.case.evidence(rule.in_).captures[0]
    address = evaluation.pattern(rule)
    return any(may_meet(address, item.path, evaluation, rule.in_) for item in start.unread)


def _from_fits(rule: ChangeRule, path: Path, value: Value, evaluation: Evaluation) -> bool:
    return rule.from_ is None or rule.from_.match(value, evaluation.context(rule.in_, path)).truth is True


def _why(demand: Demand, given: int, *, near: bool = False, left: int = 0) -> str:
    if given >= demand.fewest:
        return "done" if given == 1 else f"{given} changes"
    short = "no such change" if given == 0 else f"only {given} of {demand.fewest} such changes"
    if demand.inside:
        things = "1 change" if demand.inside == 1 else f"{demand.inside} changes"
        state = "is still there" if demand.rule.op == "removed" else "was there before"
        short += f": what is named {state}, with {things} inside it"
    stayed = f"; {left} {'place' if left == 1 else 'places'} stayed as before" if left else ""
    return f"{short}{stayed}; something near it did change" if near else f"{short}{stayed}"
