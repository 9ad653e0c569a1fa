"""Finds rules that contradict each other, so that no run could pass, or none could earn what they offer."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

from exactchange.conditions import Allowed, ChangeRule, Condition, ValueRule
from exactchange.conditions.action import ActionRule
from exactchange.conditions.counting import bounds
from exactchange.conditions.place import Between
from exactchange.conditions.request import RequestRule
from exactchange.conditions.sql import SqlRule
from exactchange.task.declared import Declared
from exactchange.task.facts import Fact, Wanted, asks, catches, certain, facts, forbids, one_place, wanted
from exactchange.task.fitting import alone, apart, finite, impossible, takes_in
from exactchange.task.gather import Gathered
from exactchange.task.rules import Rule
from exactchange.values import ABSENT, Path, State, dumps, same

_Sources = Mapping[str, Declared | None]


def check_conflicts(
    rules: Sequence[Rule], allow: Sequence[tuple[Path, Allowed]], declared: _Sources, task: Gathered
) -> None:
    """Report rules of which no run can meet both, and warn of what could only be of use in a run that cannot pass."""
    known = facts(rules, declared)
    forbidding = [rule for rule in rules if forbids(rule)]
    told = _check_facts(known, task)
    told |= _check_changes(rules, known, declared, task, told)
    for rule in rules:
        if rule.tier == "must" and certain(rule) and rule.path not in told:
            _check_forbidden(rule, forbidding, known, declared, task)
    _check_values_forbidden(forbidding, known, declared, task)
    for path, pattern in allow:
        _warn_of_use(path, wanted(pattern, declared), forbidding, declared, task, "allows")
    for rule in rules:
        change = rule.condition.change
        if rule.tier == "bonus" and change is not None and set(rule.inside) <= {"all", "order"} and asks(change):
            _warn_of_use(rule.path, wanted(change, declared), forbidding, declared, task, "asks for")
    _check_idle([rule for rule in rules if rule.tier == "must"], known, declared, task)


def _check_facts(known: Sequence[Fact], task: Gathered) -> set[Path]:
    """Two rules that want different values in one place at one time. Gives the paths of the rules that were told."""
    told: set[Path] = set()
    groups: dict[tuple[Hashable, str], list[Fact]] = {}
    for fact in known:
        groups.setdefault((fact.place, fact.moment), []).append(fact)
    for first, second in (pair for group in groups.values() for pair in combinations(group, 2)):
        if first.rule is second.rule or second.rule.path in told or not apart(first.matcher, second.matcher):
            continue
        if impossible(first.matcher.raw) or impossible(second.matcher.raw):
            continue  # reported where it stands
        what = f"at the {first.moment} this has to be {_said(second)}, and {_said(first)} by {_by(first.rule, task)}"
        task.say(second.path, what, "nothing is both: change one of the two")
        told.add(second.rule.path)
    return told


def _check_changes(
    rules: Sequence[Rule], known: Sequence[Fact], declared: _Sources, task: Gathered, told: set[Path]
) -> set[Path]:
    """Changes of one place that cannot be, since it stays as it was or since another must takes the only one."""
    seen: dict[Hashable, Rule] = {}
    out: set[Path] = set()
    for rule in rules:
        change = rule.condition.change
        place = None if change is None or not certain(rule) or not rule.explains else one_place(change, declared)
        if change is None or place is None or not asks(change) or rule.path in told:
            continue
        stays = _stays(place, rule, known)
        if stays is not None:
            value, other = stays
            what = f"nothing changes here: it is {_shown(value)} at the start and at the end, by {_by(other, task)}"
            task.say((*rule.path, "change"), what, "ask for another value, or for `value`", key=True)
            out.add(rule.path)
        elif change.tests_values or change.op in ("added", "removed"):
            first = seen.setdefault(place, rule)
            if first is not rule:
                what = f"this is one change, and it goes to {_by(first, task)} already"
                task.say((*rule.path, "change"), what, "say both in one rule: `from` and `to`", key=True)
                out.add(rule.path)
    return out


def _stays(place: Hashable, rule: Rule, known: Sequence[Fact]) -> tuple[State, Rule] | None:
    """The one value that a place has at both ends, by rules on values or by one of these and this rule; and that one.

    Of other changes in that place another check tells.
    """
    here = [fact for fact in known if fact.place == place and (fact.rule is rule or fact.rule.condition.change is None)]
    there = [(fact, found[0]) for fact in here if (found := alone(fact.matcher)) is not None]
    for fact, value in there:
        for other, after in there:
            if (fact.moment, other.moment) == ("start", "end") and same(value, after):
                elsewhere = [item.rule for item in (fact, other) if item.rule is not rule]
                if elsewhere:
                    return value, elsewhere[0]
    return None


def _check_forbidden(
    rule: Rule, forbidding: Sequence[Rule], known: Sequence[Fact], declared: _Sources, task: Gathered
) -> None:
    """A must of which the very thing that it asks for is forbidden by a veto, or by a must that it must not be."""
    change = rule.condition.change
    units = wanted(change, declared) if change is not None and rule.explains and asks(change) else []
    for other in forbidding:
        if other.path[: len(rule.path)] == rule.path:
            continue
        if _alike(rule.condition, other.condition) or _catches_any(other.condition.change, units, declared):
            what = f"{_by(other, task)} forbids what this asks for, so that no run can pass"
            hint = "narrow that one by `op`, `from`, `to` or its place" if units else "remove one of the two"
            task.say((*rule.path, rule.condition.kind), what, hint, key=True)
            return


def _check_values_forbidden(
    forbidding: Sequence[Rule], known: Sequence[Fact], declared: _Sources, task: Gathered
) -> None:
    """A value that a veto forbids, and that the world begins with or a must asks for."""
    for rule in forbidding:
        value = rule.condition.value
        place = None if value is None or value.query is not None else one_place(value, declared)
        if value is None or place is None or value.when == "always":
            continue
        for fact in known:
            looked = fact.moment == "end" or (rule.tier == "veto" and value.when != "end") or value.when == "ever"
            alike = fact.rule.condition.value is not None and _alike(fact.rule.condition, rule.condition)
            if fact.place == place and looked and finite(fact.matcher.raw) and takes_in(value.is_, fact.matcher):
                if not (alike and fact.rule.tier == "must"):  # that pair is told of already
                    what = f"{_by(rule, task)} forbids the very value that this asks for, so that no run can pass"
                    task.say(fact.path, what, "change one of the two")


def _warn_of_use(
    path: Path, units: Sequence[Wanted], forbidding: Sequence[Rule], declared: _Sources, task: Gathered, verb: str
) -> None:
    """Warn of an `allow` or bonus for a change that a veto, or a must under `not`, forbids."""
    for other in forbidding:
        if _catches_any(other.condition.change, units, declared):
            task.warn(path, "contradiction", f"{_by(other, task)} forbids every change that this {verb}", "remove it")
            return


def _catches_any(forbidden: ChangeRule | None, units: Sequence[Wanted], declared: _Sources) -> bool:
    if forbidden is None or forbidden.unless_after is not None or not _one_is_enough(forbidden):
        return False
    return any(catches(forbidden, unit, declared) for unit in units)


def _one_is_enough(event: ChangeRule | ActionRule | RequestRule | SqlRule) -> bool:
    if isinstance(event.count, Between):
        return (event.count.ge or 0) <= 1 and event.count.le is None
    return event.count is None


def _alike(left: Condition, right: Condition) -> bool:
    """Whether two conditions ask the same, whatever they are called, so that what meets the one meets the other.

    Of what is made of others that is not sure: a veto looks at every step, and counts what is undone later.
    """
    if left.kind != right.kind or left.kind not in ("change", "value", "action", "request", "sql", "effort"):
        return False
    event = left.change or left.action or left.request or left.sql
    if event is not None and not _one_is_enough(event):
        return False
    one, other = (
        item.model_dump(mode="python", by_alias=True, exclude_none=True, exclude={"name", "weight"})
        for item in (left, right)
    )
    return one == other


def _check_idle(musts: Sequence[Rule], known: Sequence[Fact], declared: _Sources, task: Gathered) -> None:
    """Musts of which every one holds before the first action: doing nothing would be a pass."""
    tops = [rule for rule in musts if len(rule.path) == 2]
    if tops and all(_idle(rule.condition, known, declared) for rule in tops):
        what = "every must holds before the first action, so that doing nothing would be a pass"
        task.say(("must",), what, "ask for what has to be reached", key=True)


def _idle(condition: Condition, known: Sequence[Fact], declared: _Sources) -> bool:
    """Whether a condition certainly holds where nothing was done and nothing changed."""
    if condition.all is not None:
        return all(_idle(part, known, declared) for part in condition.all)
    if condition.any is not None:  # with one that does not, a run may pass by that one
        return all(_idle(part, known, declared) for part in condition.any)
    if condition.not_ is not None:
        return _needs_something(condition.not_)
    if condition.value is not None:
        return _given(condition.value, known, declared)
    event = condition.change or condition.action or condition.request or condition.sql
    if event is not None:
        return event.count != "all" and bounds(event.count)[0] == 0
    return condition.effort is not None


def _needs_something(condition: Condition) -> bool:
    """Whether a condition certainly fails where nothing was done and nothing changed."""
    if condition.any is not None:
        return all(_needs_something(part) for part in condition.any)
    if condition.all is not None:
        return any(_needs_something(part) for part in condition.all)
    if condition.order is not None:
        return any(_needs_something(part) for part in condition.order)
    event = condition.change or condition.action or condition.request or condition.sql
    return event is not None and event.count != "all" and bounds(event.count)[0] >= 1


def _given(value: ValueRule, known: Sequence[Fact], declared: _Sources) -> bool:
    place = None if value.query is not None else one_place(value, declared)
    start = [fact for fact in known if fact.place == place and fact.moment == "start" and fact.rule.tier == "given"]
    return place is not None and any(takes_in(value.is_, fact.matcher) and finite(fact.matcher.raw) for fact in start)


def _by(rule: Rule, task: Gathered) -> str:
    return f"{'`given`' if rule.tier == 'given' else f'the {rule.tier}'} at {task.where(rule.path)}"


def _said(fact: Fact) -> str:
    value = alone(fact.matcher)
    return fact.matcher.describe() if value is None else _shown(value[0])


def _shown(value: State) -> str:
    return "absent" if value is ABSENT else dumps(value)
