"""Edits by which a change or a value comes about that a rule speaks of."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from exactchange.address import key
from exactchange.address.walk import children
from exactchange.authoring.audit.samples import concrete, samples
from exactchange.conditions import Evaluation, Pattern, Place, ValueRule
from exactchange.errors import ExactChangeError, OverBudget
from exactchange.sources import Add, Edit, Match, Put, Remove
from exactchange.sources.variations import other
from exactchange.values import Path, Value, same, sealed

_NODES: Final = 40
_EACH: Final = 3

Told = tuple[str, tuple[Edit, ...]]


def edits_for_change(rule: Pattern, evaluation: Evaluation, position: int) -> Iterator[Told]:
    """Edits of a capture after which it differs from the others by a change that a rule may speak of."""
    ops = (rule.op,) if rule.op is not None else ("modified", "added", "removed")
    nodes = nodes_of(rule, evaluation, position)
    by_op: dict[str, list[Told]] = {
        "modified": list(_modifying(rule, evaluation, nodes)),
        "removed": [
            ("something removed", (Remove(node.path),)) for node in nodes[:_EACH] if _was(rule, node, evaluation)
        ],
        "added": list(_adding(rule, evaluation, nodes)),
    }
    lists = [by_op[op] for op in ops]
    for number in range(max(map(len, lists), default=0)):
        yield from (found[number] for found in lists if number < len(found))


def edits_for_value(rule: ValueRule, evaluation: Evaluation, position: int) -> Iterator[Told]:
    """Edits of a capture after which a value stands in a place that a rule speaks of."""
    if rule.query is not None:
        return
    nodes = nodes_of(rule, evaluation, position)
    context = evaluation.context(rule.in_)
    for node in nodes[:_EACH]:
        yield from (("a value changed", (Put(node.path, item),)) for item in samples(rule.is_, context))
    pattern = evaluation.pattern(rule)
    if pattern is not None:
        for path, row in concrete(pattern):
            if row is None:
                yield from (("something added", (Put(path, item),)) for item in samples(rule.is_, context))


def nodes_of(place: Place, evaluation: Evaluation, position: int) -> list[Match]:
    """What stands in a place in a capture: not too many of it, and nothing where that cannot be told."""
    try:
        return list(islice(evaluation.nodes(place, position), _NODES))
    except (OverBudget, ExactChangeError):
        return []


def _modifying(rule: Pattern, evaluation: Evaluation, nodes: list[Match]) -> Iterator[Told]:
    for node in nodes:
        for path, value in _leaves(node):
            if rule.from_ is not None and rule.from_.match(value, evaluation.context(rule.in_, path)).truth is not True:
                continue
            wanted = (
                samples(rule.to, evaluation.context(rule.in_, path)) if rule.to is not None else [other(value, path)]
            )
            yield from (("a value changed", (Put(path, item),)) for item in wanted[:_EACH] if not same(item, value))


def _leaves(node: Match) -> Iterator[tuple[Path, Value]]:
    """A leaf itself; of a row, or what else holds leaves, the last of them, which seldom are a key."""
    below = [] if sealed(node.value) else list(children(node.value))
    if not below:
        yield node.path, node.value
    flat = [(segment, item) for segment, item in below if not isinstance(item, Mapping | list)]
    yield from (((*node.path, segment), item) for segment, item in reversed(flat[-_EACH:]))


def _was(rule: Pattern, node: Match, evaluation: Evaluation) -> bool:
    """Whether what stands there may be what a rule says stood there before."""
    return rule.from_ is None or rule.from_.match(node.value, evaluation.context(rule.in_, node.path)).truth is True


def _adding(rule: Pattern, evaluation: Evaluation, nodes: list[Match]) -> Iterator[Told]:
    pattern = evaluation.pattern(rule)
    if pattern is None:
        return
    columns: dict[str, Value] = {}
    for name, matcher in (rule.row or {}).items():
        found = samples(matcher, evaluation.context(rule.in_))
        if found:
            columns[key(name)] = found[0]
    for name, matcher in (rule.where or {}).items():
        found = samples(matcher, evaluation.context(rule.in_))
        columns |= {key(name): found[0]} if found else {}
    for path, row in concrete(pattern):
        if row is not None:
            given: dict[str, Value] = {**{key(name): item for name, item in row.items()}, **columns}
            yield "a row added", (Add(path, given),)
            yield from (("a row added", (Add(path, like),)) for like in _like_others(given, nodes)[:_EACH])
        elif path:
            wanted = samples(rule.to, evaluation.context(rule.in_, path))
            yield from (("something added", (Put(path, item),)) for item in wanted[:_EACH])


def _like_others(given: Mapping[str, Value], nodes: list[Match]) -> list[Mapping[str, Value]]:
    """Rows that are not there: each as another one is, but for the columns that are given."""
    rows = [node.value for node in nodes if isinstance(node.value, Mapping) and given.keys() <= node.value.keys()]
    made: list[Mapping[str, Value]] = [{**row, **given} for row in rows]
    return [row for number, row in enumerate(made) if row not in rows and row not in made[:number]]
