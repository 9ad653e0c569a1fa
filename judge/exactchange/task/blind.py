"""Finds what a task does not look at although it seems to: swallowed sources, places left out, bonus nobody permits."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from exactchange.address import AddressPattern, boundless, includes, overlap, parse_pattern, pattern_below
from exactchange.address.keys import key_segment
from exactchange.address.segments import Deep, Exactly, File, Glob, Item
from exactchange.conditions import Allowed, ChangeRule, Pattern
from exactchange.errors import UsageError
from exactchange.sources import SourceParams
from exactchange.task.declared import Declared
from exactchange.task.facts import asks
from exactchange.task.gather import Gathered
from exactchange.task.overlaps import address_of, meet
from exactchange.task.rules import Rule
from exactchange.values import Path

_Sources = Mapping[str, Declared | None]
_Placed = Sequence[tuple[Path, Allowed]]
_OPS = frozenset({"added", "removed", "modified"})


@runtime_checkable
class Faceted(Protocol):
    """A kind of which only some facets are closed."""

    def closed_places(self, params: SourceParams) -> Sequence[str]:
        """Address patterns that together are all that its closed world covers; () where that cannot be said so."""
        ...


def check_coverage(rules: Sequence[Rule], allow: _Placed, ignore: _Placed, declared: _Sources, task: Gathered) -> None:
    """Warn of patterns that leave nothing of a source to be judged and of bonus for changes that nobody permits; report
    rules on places that their source leaves out.
    """
    for name, source in declared.items():
        if source is not None:
            _warn_swallowed(name, source, "ignores", ignore, task)
            _warn_swallowed(name, source, "allows", [item for item in allow if item[1].max is None], task)
    for rule in rules:
        change = rule.condition.change
        source = None if change is None else declared.get(change.in_)
        if change is None or source is None:
            continue
        _check_left_out(rule, change, source, declared, task)
        if rule.tier == "bonus" and set(rule.inside) <= {"all", "order"} and asks(change):
            _warn_unpermitted(rule, change, source, rules, [*allow, *ignore], declared, task)


def _warn_swallowed(name: str, source: Declared, verb: str, patterns: _Placed, task: Gathered) -> None:
    """Warn where patterns that say no value take in everything, whatever happens to it."""
    wide = [(path, item) for path, item in patterns if item.in_ == name and not item.tests_values and not item.where]
    ops: set[str] = set()
    taken: list[AddressPattern] = []
    for path, item in wide:
        address = address_of(item, source.slashed)
        if address is None:
            continue
        if item.op is None:
            taken.append(address.with_all_below)
        if boundless(address):
            ops |= _OPS if item.op is None else {item.op}
        if ops >= _OPS or _all_facets(source, taken):
            what = f"this {verb} all that is judged of {name!r}, so that anything may change there"
            task.warn(path, verb.removesuffix("s"), what, "name the very places that may change")
            return


def _all_facets(source: Declared, taken: Sequence[AddressPattern]) -> bool:
    if not isinstance(source.kind, Faceted) or source.params is None:
        return False
    closed = [parse_pattern(text).with_all_below for text in source.kind.closed_places(source.params)]
    return bool(closed) and all(any(includes(wide, facet) for wide in taken) for facet in closed)


def _check_left_out(rule: Rule, change: ChangeRule, source: Declared, declared: _Sources, task: Gathered) -> None:
    """A change of a place that the source does not look at is never seen."""
    address = address_of(change, source.slashed)
    if address is None or source.params is None:
        return
    path = (*rule.path, "change", "at" if change.at is not None else "table" if change.table is not None else "in")
    only, left = (_parsed(texts, source) for texts in (source.params.only, source.params.except_))
    if only and not any(overlap(item.with_all_below, address.with_all_below) for item in only):
        what = f"{change.in_!r} looks only at what its `only` names, so no change here is seen"
        task.say(path, what, "add this place to `only`")
    elif any(includes(item.with_all_below, address) for item in left):
        task.say(path, f"{change.in_!r} leaves this place out by its `except`, so no change here is seen")
    elif source.slashed:
        owner = next((name for name, owned in _claimed(source, declared) if _inside(owned, address)), None)
        if owner is not None:
            what = f"this file belongs to the source {owner!r}, and {change.in_!r} leaves it out by itself"
            task.warn(path, "source", what, f"say `in: {owner}`")


def _parsed(texts: Sequence[str], source: Declared) -> list[AddressPattern]:
    out: list[AddressPattern] = []
    for text in texts:
        try:
            out.append(parse_pattern(text, slashed=source.slashed))
        except UsageError:
            continue  # reported where it stands
    return out


def _claimed(tree: Declared, declared: _Sources) -> Iterator[tuple[str, AddressPattern]]:
    """The files in a directory that are other sources' own, each as the pattern of all in it."""
    root = getattr(tree.params, "path", None)
    for name, other in declared.items():
        if other is None or other is tree or other.params is None or not isinstance(root, str):
            continue
        for claim in other.kind.claims(other.params):
            if claim.is_relative_to(root) and claim != pathlib.Path(root):
                yield name, pattern_below((str(claim.relative_to(root)),), slashed=True)


def _inside(owned: AddressPattern, address: AddressPattern) -> bool:
    """Whether an address leads into a file by one of its readings: a dot may be where the file's name ends."""
    return any(includes(owned, AddressPattern("", (each,))) for each in address.alternatives)


def _warn_unpermitted(
    rule: Rule,
    change: ChangeRule,
    source: Declared,
    rules: Sequence[Rule],
    patterns: _Placed,
    declared: _Sources,
    task: Gathered,
) -> None:
    """A bonus for a change that makes the run unmet, since no must asks for it and nothing allows it."""
    asked: list[Pattern] = [item.condition.change for item in rules if item.explains and item.condition.change]
    if any(meet(item, change, declared) for item in [*asked, *(pattern for _, pattern in patterns)]):
        return
    if _judged(change, source):
        what = "no must, allow or ignore speaks of this change, so a run that earns the bonus is unmet"
        task.warn((*rule.path, "change"), "bonus", what, "add it to `allow`", key=True)


def _judged(change: ChangeRule, source: Declared) -> bool:
    """Whether "nothing else changed" covers a place, as far as one example of it tells."""
    address = address_of(change, source.slashed)
    if address is None or source.params is None:
        return False
    return source.kind.in_scope(_example(address), source.params)


def _example(address: AddressPattern) -> Path:
    """A path that the pattern stands for."""
    path: list[str | int] = []
    names: list[str] = []
    for item in address.alternatives[0]:
        if isinstance(item, File):
            names.append("".join(item.parts) or "x")
        elif isinstance(item, Exactly):
            path.append(item.segment)
        elif isinstance(item, Glob):
            path.append("".join(item.parts) or "x")
        elif isinstance(item, Item):
            pairs = [f"{name}={value}" for name, value in item.pairs or ()]
            path.append(",".join(pairs) or key_segment([("id", 1)]))
        else:
            assert isinstance(item, Deep)
    return ("/".join(names), *path) if names else tuple(path)
