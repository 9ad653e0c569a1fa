"""What the rules of a task say of single places, and which changes they ask for or forbid."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from exactchange.address import AddressPattern, includes, parse_pattern, single
from exactchange.address.keys import quote
from exactchange.conditions import ChangeRule, Matcher, Pattern, Place, ValueRule, parse_matcher
from exactchange.conditions.counting import bounds
from exactchange.task.declared import Declared
from exactchange.task.fitting import alone, takes_in
from exactchange.task.overlaps import address_of
from exactchange.task.rules import Rule
from exactchange.values import ABSENT, Path

_ABSENT: Final = parse_matcher({"absent": True})


@dataclass(frozen=True, slots=True)
class Fact:
    """What a place must hold at the start or the end for a task to be passed. `path`: where the task says so."""

    rule: Rule
    path: Path
    place: Hashable
    moment: Literal["start", "end"]
    matcher: Matcher


@dataclass(frozen=True, slots=True)
class Wanted:
    """A change that a rule asks for: its pattern, and its place as an address (None: by the source's own selector)."""

    pattern: Pattern
    address: AddressPattern | None


def one_place(place: Place, declared: Mapping[str, Declared | None]) -> Hashable | None:
    """What tells the one place of a rule from other places; None where the rule may mean several."""
    source = declared.get(place.in_)
    if source is None:
        return None
    address = address_of(place, source.slashed)
    if address is not None:
        return (place.in_, address.alternatives) if single(address) and place.where is None else None
    selects = isinstance(place, ValueRule) and place.pick == "one" and place.query is None and place.at is None
    return (place.in_, tuple(sorted(place.own().items()))) if selects and place.own() else None


def certain(rule: Rule) -> bool:
    """Whether a pass needs the rule itself: a must or a `given`, alone or under `all`."""
    return rule.tier in ("must", "given") and set(rule.inside) <= {"all"}


def forbids(rule: Rule) -> bool:
    """Whether nothing can pass in which the rule holds: of a veto, alone or under `any`; of a must under `not`."""
    if rule.tier == "veto":
        return set(rule.inside) <= {"any"}
    if rule.tier != "must" or rule.inside.count("not") != 1:
        return False
    at = rule.inside.index("not")
    return set(rule.inside[:at]) <= {"all"} and set(rule.inside[at + 1 :]) <= {"any"}


def asks(change: ChangeRule) -> bool:
    """Whether at least one such change has to be there."""
    return change.count == "all" or bounds(change.count)[0] >= 1


def facts(rules: Sequence[Rule], declared: Mapping[str, Declared | None]) -> list[Fact]:
    """What single places must hold at the start and at the end, as the musts and `given` say."""
    return [fact for rule in rules if certain(rule) for fact in _facts(rule, declared)]


def _facts(rule: Rule, declared: Mapping[str, Declared | None]) -> Iterator[Fact]:
    value, change = rule.condition.value, rule.condition.change
    if value is not None and value.query is None and value.when != "ever":
        place = one_place(value, declared)
        if place is not None and (rule.tier == "given" or value.when == "always"):
            yield Fact(rule, (*rule.path, "value", "is"), place, "start", value.is_)
        if place is not None and rule.tier == "must":
            yield Fact(rule, (*rule.path, "value", "is"), place, "end", value.is_)
    if change is None or not rule.explains or not asks(change):
        return
    place = one_place(change, declared)
    if place is None:
        return
    start = _ABSENT if change.op == "added" else change.from_
    end = _ABSENT if change.op == "removed" else change.to
    path = (*rule.path, "change")
    if start is not None:
        yield Fact(rule, (*path, "from") if change.from_ is not None else (*path, "op"), place, "start", start)
    if end is not None:
        yield Fact(rule, (*path, "to") if change.to is not None else (*path, "op"), place, "end", end)


def wanted(pattern: Pattern, declared: Mapping[str, Declared | None]) -> list[Wanted]:
    """A change that a rule asks for, and the columns of an added or removed row that it names, each as a change."""
    source = declared.get(pattern.in_)
    if source is None:
        return []
    address = address_of(pattern, source.slashed)
    out = [Wanted(pattern, address)]
    for column, matcher in (pattern.row or {}).items():
        if address is None or pattern.op not in ("added", "removed") or pattern.where is not None:
            continue
        side: dict[str, object] = {"to": matcher} if pattern.op == "added" else {"from_": matcher}
        cell = parse_pattern(f"[{quote(column)}]")
        longer = tuple((*each, *cell.alternatives[0]) for each in address.alternatives)
        update = {"row": None, "from_": None, "to": None, **side}
        out.append(Wanted(pattern.model_copy(update=update), replace(address, alternatives=longer)))
    return out


def catches(pattern: Pattern, change: Wanted, declared: Mapping[str, Declared | None]) -> bool:
    """Whether a pattern fits every change that a rule asks for. Errs on the side of no."""
    other, source = change.pattern, declared.get(pattern.in_)
    if source is None or pattern.in_ != other.in_ or pattern.where is not None:
        return False
    address = address_of(pattern, source.slashed)
    if address is None or change.address is None:
        if address is not change.address or pattern.own() != other.own():
            return False
    elif not includes(address if pattern.tests_values else address.with_all_below, _reach(change)):
        return False
    return _same_op(pattern, other) and _takes_in_values(pattern, other)


def _reach(change: Wanted) -> AddressPattern:
    """All the places at which a change may be that a rule asks for."""
    assert change.address is not None
    narrow = change.pattern.tests_values or change.pattern.op in ("added", "removed") or change.address.deep
    return change.address if narrow else change.address.with_all_below


def _same_op(pattern: Pattern, other: Pattern) -> bool:
    if pattern.op is None or pattern.op == other.op:
        return True
    before, after = alone(other.from_), alone(other.to)
    there = before is not None and after is not None and ABSENT not in (before[0], after[0])
    return pattern.op == "modified" and other.op is None and there


def _takes_in_values(pattern: Pattern, other: Pattern) -> bool:
    sides = takes_in(pattern.from_, other.from_) and takes_in(pattern.to, other.to)
    return sides and all(
        takes_in(matcher, (other.row or {}).get(column)) for column, matcher in (pattern.row or {}).items()
    )
