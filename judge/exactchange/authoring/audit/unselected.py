"""Vetoes by selectors that nothing in the good run is found by, or of which no change is ever told."""

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from exactchange.case import Evidence
from exactchange.conditions import ChangeRule, Evaluation
from exactchange.conditions.action import Target
from exactchange.errors import ExactChangeError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.sources import Deriving, Match
from exactchange.task.problem import did_you_mean


def unselected(rule: ChangeRule, evaluation: Evaluation) -> str | None:
    """Why a rule on changes that a selector finds sees none in the good run; None where it may, and for no selector."""
    evidence = evaluation.case.sources.get(rule.in_)
    if evidence is None or not rule.own() or not _read(evidence):
        return None
    try:
        found = [match for at in range(len(evidence.captures)) for match in evaluation.nodes(rule, at)]
    except ExactChangeError:
        return None
    said = ", ".join(f"{name}: {value}" for name, value in rule.own().items())
    if not found:
        return None if rule.op == "added" else f"{rule.in_}: nothing is ever found by {said}"
    kind = evidence.kind
    if isinstance(kind, Deriving) and all(kind.is_derived(match.path) for match in found):
        return f"{rule.in_}: no change is told of what is found by {said}; {kind.derives_hint}"
    return None


def misnamed(target: Target, evaluation: Evaluation) -> str | None:
    """What a target may have meant whose role and name no element of the good run has; None where nothing is near."""
    role, name = target.role, target.name
    if role is None or name is None:
        return None
    names = {
        str(match.value)
        for evidence in evaluation.case.sources.values()
        for snapshot in _read(evidence)
        for match in _selected(evidence, snapshot, {"role": role, "field": "name"})
    }
    if " ".join(name.split()) in names:
        return None
    near = did_you_mean(name, names)
    return None if near is None else f"no {role} of the good run is called {name!r}; {near}"


def _read(evidence: Evidence) -> list[Snapshot]:
    return [snapshot for snapshot in evidence.captures if not unread_whole(snapshot)]


def _selected(evidence: Evidence, snapshot: Snapshot, fields: Mapping[str, str]) -> Iterator[Match]:
    try:
        yield from evidence.kind.select(
            snapshot, evidence.kind.selector.model_validate(dict(fields)), budget=CountedBudget()
        )
    except (ValidationError, ExactChangeError):
        return  # no page, or one that cannot be looked through
