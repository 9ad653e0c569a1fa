"""Finds `allow` and `ignore` patterns that would hide what a must or a veto looks for."""

import json
from collections.abc import Mapping, Sequence

from exactchange.address import AddressPattern, Style, overlap, parse_pattern
from exactchange.conditions import Allowed, ChangeRule, Pattern
from exactchange.errors import UsageError
from exactchange.task.declared import Declared
from exactchange.task.gather import Gathered
from exactchange.task.model import Task
from exactchange.task.rules import Rule, rules
from exactchange.values import Path


def check_overlaps(
    rules: Sequence[Rule],
    allow: Sequence[tuple[Path, Allowed]],
    ignore: Sequence[tuple[Path, Allowed]],
    declared: Mapping[str, Declared | None],
    task: Gathered,
) -> None:
    """Report every allow that tolerates any value where a must wants one, and every ignore over a must or veto."""
    wanted = [(rule, rule.condition.change) for rule in rules if rule.condition.change is not None]
    for path, pattern in allow:
        for rule, change in wanted:
            if rule.explains and not pattern.tests_values and _meet(pattern, change, declared):
                what = f"this allows any value where the must at {task.where(rule.path)} wants a certain one"
                task.say(path, what, "give it `from`, `to` or `row`, or another place")
                break
    for path, pattern in ignore:
        for rule, change in wanted:
            if (rule.tier == "veto" or rule.explains) and _meet(pattern, change, declared):
                what = f"this ignores changes that the {rule.tier} at {task.where(rule.path)} looks for"
                task.say(path, what, "give it an `op`, or a place outside of that one's")
                break


def hidden(task: Task, ignore: Allowed) -> Rule | None:
    """The first veto or must whose changes an `ignore` might hide."""
    spec = task.sources.get(ignore.in_)
    slashed = spec is not None and spec.kind.style is Style.SLASHED
    for tier, conditions in (("veto", task.veto), ("must", task.must)):
        for number, condition in enumerate(conditions):
            for rule in rules(tier, condition, (tier, number)):
                change = rule.condition.change
                if change is None or not (tier == "veto" or rule.explains):
                    continue
                if _overlap(ignore, change, slashed, inside=True):
                    return rule
    return None


def _meet(left: Pattern, right: ChangeRule, declared: Mapping[str, Declared | None]) -> bool:
    source = declared.get(left.in_)
    return source is not None and _overlap(left, right, source.slashed)


def _overlap(left: Pattern, right: ChangeRule, slashed: bool, *, inside: bool = False) -> bool:
    """Whether one change could fit both patterns, as far as places and operations tell.

    `inside`: a container that comes or goes may hold what the other speaks of. It seldom does, so no author is told off
    for it; what is proposed to an author takes no such risk.
    """
    if left.in_ != right.in_ or (left.op and right.op and left.op != right.op):
        return False
    a, b = _reach(left, slashed, inside), _reach(right, slashed, inside)
    if a is None or b is None:
        other = b if a is None else a
        return left.own() == right.own() if other is None else other.whole
    return overlap(a, b)


def _reach(place: Pattern, slashed: bool, inside: bool) -> AddressPattern | None:
    """All that a pattern may fit: its place, and what is modified in it where the pattern speaks of no value."""
    address = _address(place, slashed)
    narrow = place.tests_values or (place.op in ("added", "removed") and not inside)
    return address if address is None or address.deep or narrow else address.with_all_below


def _address(place: Pattern, slashed: bool) -> AddressPattern | None:
    """The place as an address pattern; None where only the source's own selector can find it."""
    if place.table is not None:
        column = "" if place.column is None else f"[{json.dumps(place.column)}]"
        return parse_pattern(f"[{json.dumps(place.table)}][*]{column}")
    if place.at is None:
        return None if place.own() else parse_pattern("")
    try:
        return parse_pattern(place.at, slashed=slashed)
    except UsageError:
        return None  # reported where it stands
