"""Finds `allow` and `ignore` patterns that would hide what a must or a veto looks for."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from exactchange.address import AddressPattern, Style, overlap, parse_pattern
from exactchange.address.segments import open_value
from exactchange.conditions import Allowed, ChangeRule, Matcher, Pattern, Place, parse_matcher
from exactchange.conditions.value import ValueRule
from exactchange.errors import UsageError
from exactchange.task.declared import Declared
from exactchange.task.fitting import apart
from exactchange.task.gather import Gathered
from exactchange.task.model import Task
from exactchange.task.rules import Rule, rules
from exactchange.task.scalars import NotAScalar, resolve
from exactchange.values import Path


def check_overlaps(
    rules: Sequence[Rule],
    allow: Sequence[tuple[Path, Allowed]],
    ignore: Sequence[tuple[Path, Allowed]],
    declared: Mapping[str, Declared | None],
    task: Gathered,
) -> None:
    """Report every allow that tolerates any value where a must wants one, and every ignore over a must or veto; warn of
    an ignore over a value that one of them reads.
    """
    wanted = [(rule, rule.condition.change) for rule in rules if rule.condition.change is not None]
    for path, pattern in allow:
        for rule, change in wanted:
            if rule.explains and not pattern.tests_values and meet(pattern, change, declared):
                what = f"this allows any value where the must at {task.where(rule.path)} wants a certain one"
                task.say(path, what, "give it `from`, `to` or `row`, or another place")
                break
    for path, pattern in ignore:
        for rule, change in wanted:
            if rule.tier in ("veto", "must") and meet(pattern, change, declared):
                what = f"this ignores changes that the {rule.tier} at {task.where(rule.path)} looks for"
                task.say(path, what, "give it an `op`, or a place outside of that one's")
                break
        else:
            _warn_of_value(path, pattern, rules, declared, task)


def _warn_of_value(
    path: Path, pattern: Allowed, rules: Sequence[Rule], declared: Mapping[str, Declared | None], task: Gathered
) -> None:
    """An ignore over a value that is judged hides from the verdict how it came to be."""
    source = declared.get(pattern.in_)
    for rule in rules:
        value = rule.condition.value
        if value is None or source is None or rule.tier not in ("veto", "must") or value.in_ != pattern.in_:
            continue
        taken, read = reach(pattern, source.slashed), address_of(value, source.slashed)
        if value.query is not None or pattern.op == "removed" or taken is None or read is None:
            continue
        if overlap(taken, read) and not _other_rows(pattern, value, taken, read):
            what = f"this ignores changes of what the {rule.tier} at {task.where(rule.path)} reads"
            task.warn(path, "ignore", what, "use `allow`, which shows them")
            return


def spoken_of(task: Task, ignore: Allowed) -> tuple[Rule, bool] | None:
    """The veto or must that looks at a place which an `ignore` would take out of sight, and whether at that very place.

    False: at something in it. A rule that looks at the place itself comes first. What looks at a place by a query or a
    selector of its source's own is found only where the whole source is ignored.
    """
    spec = task.sources.get(ignore.in_)
    slashed = spec is not None and spec.kind.style is Style.SLASHED
    inside: Rule | None = None
    for tier, conditions in (("veto", task.veto), ("must", task.must)):
        for number, condition in enumerate(conditions):
            for rule in rules(tier, condition, (tier, number)):
                for place in (rule.condition.change, rule.condition.value):
                    found = None if place is None else _speaks(place, ignore, slashed)
                    if found:
                        return rule, True
                    inside = rule if inside is None and found is False else inside
    return None if inside is None else (inside, False)


def asking(task: Task, allow: Allowed) -> Rule | None:
    """The must that wants a certain value in a place of which an `allow` would tolerate any: no task may hold both."""
    spec = task.sources.get(allow.in_)
    slashed = spec is not None and spec.kind.style is Style.SLASHED
    for number, condition in enumerate(task.must):
        for rule in rules("must", condition, ("must", number)):
            change = rule.condition.change
            if change is not None and rule.explains and _overlap(allow, change, slashed):
                return rule
    return None


def _speaks(place: ChangeRule | ValueRule, ignore: Allowed, slashed: bool) -> bool | None:
    """Whether a rule looks at the place that is ignored (True) or at something in it (False); None for neither."""
    taken = address_of(ignore, slashed)
    if place.in_ != ignore.in_ or taken is None:
        return None
    if isinstance(place, ChangeRule) and ignore.op and place.op and ignore.op != place.op:
        return None
    seen = None if isinstance(place, ValueRule) and place.query is not None else address_of(place, slashed)
    if seen is None:
        return False if taken.whole else None
    narrow = seen.deep or (isinstance(place, ChangeRule) and place.tests_values)
    reach = seen if narrow else seen.with_all_below
    if overlap(taken, reach):
        return True
    return False if overlap(taken.with_all_below, reach) else None


def meet(left: Pattern, right: ChangeRule, declared: Mapping[str, Declared | None]) -> bool:
    """Whether one change could fit a pattern and a rule (errs on the side of yes)."""
    source = declared.get(left.in_)
    return source is not None and _overlap(left, right, source.slashed)


def _overlap(left: Pattern, right: ChangeRule, slashed: bool) -> bool:
    """Whether one change could fit both patterns, as far as places and operations tell.

    A container that comes or goes may hold what the other speaks of. It seldom does, so no author is told off for it.
    """
    if left.in_ != right.in_ or (left.op and right.op and left.op != right.op):
        return False
    a, b = reach(left, slashed), reach(right, slashed)
    if a is None or b is None:
        other = b if a is None else a
        return left.own() == right.own() if other is None else other.whole
    return overlap(a, b) and not _other_rows(left, right, a, b) and not _other_values(left, right, a, b)


def _other_rows(left: Place, right: Place, a: AddressPattern, b: AddressPattern) -> bool:
    """Whether a column that both choose their rows by differs, so that no row is in both."""
    mine, other = _chosen(left, a), _chosen(right, b)
    return any(apart(mine[column], other[column]) for column in mine.keys() & other.keys())


def _chosen(place: Place, address: AddressPattern) -> dict[str, Matcher]:
    """What the columns of a row must fit, by `where` and by the key in the address where that holds plain values."""
    found = dict(place.where or {})
    for field, text in (address.pairs_at(1) or {}).items():
        if not open_value(text) and "'" not in text:  # bytes and times are printed with quotes of this kind
            found.setdefault(field, _of_key(text))
    return found


def _of_key(text: str) -> Matcher:
    """A matcher of the value that a key prints."""
    if text.startswith('"'):
        return parse_matcher(json.loads(text))
    try:
        return parse_matcher(resolve(text))
    except NotAScalar:
        return parse_matcher(text)


def _other_values(left: Pattern, right: Pattern, a: AddressPattern, b: AddressPattern) -> bool:
    """Whether what stood or stands there differs, so that no change fits both."""
    mine, other = left.row or {}, right.row or {}
    pairs = [(mine[name], other[name]) for name in mine.keys() & other.keys()]
    if not (a.deep or b.deep):  # else one may mean a container, the other what is in it
        sides = ((left.from_, right.from_), (left.to, right.to))
        pairs += [(x, y) for x, y in sides if x is not None and y is not None]
    return any(apart(x, y) for x, y in pairs)


def reach(place: Pattern, slashed: bool) -> AddressPattern | None:
    """All that a pattern may fit: its place, and what is modified in it where the pattern speaks of no value."""
    address = address_of(place, slashed)
    narrow = place.tests_values or place.op in ("added", "removed")
    return address if address is None or address.deep or narrow else address.with_all_below


def address_of(place: Place, slashed: bool) -> AddressPattern | None:
    """The place as an address pattern; None where only the source's own selector can find it."""
    if place.table is not None:
        column = "" if place.column is None else f"[{json.dumps(place.column)}]"
        return _parsed(f"[{json.dumps(place.table)}][*]{column}", False)
    if place.at is None:
        return None if place.own() else _parsed("", False)
    try:
        return _parsed(place.at, slashed)
    except UsageError:
        return None  # reported where it stands


@lru_cache(maxsize=4096)
def _parsed(text: str, slashed: bool) -> AddressPattern:
    """A pattern, parsed once: every rule is compared with every other."""
    return parse_pattern(text, slashed=slashed)
