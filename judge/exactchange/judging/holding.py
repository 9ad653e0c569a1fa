"""Warns of what a task asks for in vain, as the evidence shows: values that no run could have brought about, and tables
and columns that are not there.
"""

from collections.abc import Iterator, Sequence

from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.evaluation import never_there
from exactchange.conditions.place import Place
from exactchange.snapshot import START
from exactchange.task import Task
from exactchange.task.stored import misspelt, unholdable
from exactchange.verdict import Warned


def never_held(task: Task, evaluation: Evaluation) -> tuple[Warned, ...]:
    """A warning for each value that the state at the start can never come to hold, and each place that never was.

    A must that asks for one fails and a veto on one never fires, so that the task is to blame and not the agent.
    """
    parts = [(part, part.where) for tier in (task.given, task.veto, task.must, task.bonus) for part in _parts(tier)]
    found = [warned for part, where in parts for warned in _of_condition(part, where, evaluation)]
    for section, patterns in (("allow", task.allow), ("ignore", task.ignore)):
        for number, pattern in enumerate(patterns):
            found += _warned(pattern, task.where(section, number), evaluation)
    found += [warned for part in _parts(task.veto) for warned in _nowhere(part, found, evaluation)]
    return tuple(dict.fromkeys(found))


def _nowhere(part: Condition, told: Sequence[Warned], evaluation: Evaluation) -> Iterator[Warned]:
    """A warning where a veto is on what stands in a place and nothing ever did. `told`: what was warned of."""
    rule = part.value
    evidence = None if rule is None else evaluation.case.sources.get(rule.in_)
    if rule is None or evidence is None or not evidence.captures or rule.is_.about_absence:
        return
    known = any(item.kind == "misspelt" and item.message.startswith(f"{part.where}: ") for item in told)
    if known or evidence.params.missing == "ok" or never_there(evidence) or rule.may_have_stood(evaluation):
        return
    place = rule.at or rule.table or ", ".join(f"{name}: {value}" for name, value in rule.own().items())
    what = f"{part.where}: in {rule.in_} nothing ever stood at {place}, so that this veto saw nothing"
    yield Warned("misspelt", f"{what}: is the place misspelt? (`missing: ok` if not)")


def _parts(tier: tuple[Condition, ...]) -> Iterator[Condition]:
    for condition in tier:
        yield from condition.walk()


def _of_condition(part: Condition, where: str, evaluation: Evaluation) -> Iterator[Warned]:
    for place in (part.change, part.value):
        if place is not None:
            yield from _warned(place, where, evaluation)


def _warned(place: Place, where: str, evaluation: Evaluation) -> Iterator[Warned]:
    evidence = evaluation.case.sources.get(place.in_)
    if evidence is None or not evidence.captures or evidence.captures[0].mark.step != START:
        return
    for item in unholdable(place, evidence.kind, evidence.captures[0]):
        yield Warned("impossible", f"{where}: {item.why}")
    for item in misspelt(place, evidence.kind, evidence.captures[0], evidence.captures[-1]):
        hint = f"; {item.hint}" if item.hint else ""
        yield Warned("misspelt", f"{where}: {item.why} at the start or the end{hint}")
