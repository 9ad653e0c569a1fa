"""Runs that fall short of what a task asks for: a wanted change undone, or a value that is only near the wanted one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from exactchange.address import key
from exactchange.authoring.audit.answers import answering, near_answers
from exactchange.authoring.audit.leaves import Leaf, leaves
from exactchange.authoring.audit.mutant import (
    Impossible,
    Made,
    Mutant,
    altered,
    edited,
    last,
    undoing,
    with_snapshot,
)
from exactchange.authoring.audit.neighbours import beside, instead
from exactchange.authoring.audit.ordering import reordered
from exactchange.authoring.audit.places import edits_for_change, nodes_of
from exactchange.authoring.audit.renumbered import with_actions
from exactchange.authoring.audit.samples import samples
from exactchange.authoring.audit.sending import asked_for
from exactchange.authoring.audit.urls import is_url, near_urls, spellings
from exactchange.case import ACTIONS, ANSWER, Case
from exactchange.conditions import Condition, Evaluation, Matcher, ValueRule
from exactchange.conditions.action import ActionRule
from exactchange.conditions.matchers import MatchContext
from exactchange.conditions.matchers.moments import WithinEpisode
from exactchange.conditions.matchers.tests import Generated, Same
from exactchange.conditions.noise import BY_RULE
from exactchange.conditions.sql import SqlRule
from exactchange.diff import Change
from exactchange.snapshot import Snapshot
from exactchange.sources import Edit, Put, Remove
from exactchange.sources.variations import near_values, other
from exactchange.task import Task
from exactchange.values import ABSENT, Path, Value, same
from exactchange.verdict import Finding, Verdict

_EACH: Final = 3
_COLUMNS: Final = 24
_LONG_AGO: Final = ("2001-01-01T00:00:00Z", 978_307_200)


def undone(task: Task, case: Case, verdict: Verdict) -> Iterator[Made]:
    """Each wanted change by itself, each must's changes together, and each source that a must reads as it was."""
    for must, finding in _musts(task, verdict):
        changes = finding.explains
        groups = [*((change,) for change in changes[:_COLUMNS]), *([changes] if len(changes) > 1 else [])]
        for group in groups:
            for source in dict.fromkeys(change.source for change in group):
                mine = [change for change in group if change.source == source]
                what = "a wanted change undone" if len(group) == 1 else "all changes of a must undone"
                edits = undoing(case.sources[source], mine)
                yield altered(case, source, edits, sort="undone", what=what, rule=must.title(), where=must.where)
    for leaf in leaves(task.must):
        yield from _undone_reading(leaf, case)


def _undone_reading(leaf: Leaf, case: Case) -> Iterator[Made]:
    condition = leaf.condition
    done = condition.action or condition.sql
    if done is not None:
        yield _without(done, leaf, case)
    elif condition.order is not None:
        yield from reordered(leaf, case)
    elif condition.value is not None and condition.value.in_ in case.sources:
        source = condition.value.in_
        evidence = case.sources[source]
        like = Mutant("undone", "a source as it was at the start", case, source, (), leaf.title, leaf.condition.where)
        yield with_snapshot(case, source, last(evidence), lambda: _at_start(case, source), like)


def _at_start(case: Case, source: str) -> Snapshot:
    """The start once more, as a snapshot of its own at the mark of the end."""
    evidence = case.sources[source]
    return edited(evidence, evidence.captures[0], ())


def _without(rule: ActionRule | SqlRule, leaf: Leaf, case: Case) -> Made:
    """The run without the actions that a must asks for."""
    evaluation = Evaluation(case)
    kept = [action for action in case.actions if rule.fits(action, evaluation) is not True]
    found = None if len(kept) == len(case.actions) else with_actions(case, kept)
    if found is None:
        return Impossible("undone", f"no action can be left out: {leaf.title}")
    return Mutant("undone", "a wanted action left out", found, ACTIONS, (), leaf.title, leaf.condition.where)


def near(task: Task, case: Case, verdict: Verdict) -> Iterator[Made]:
    """Values that are near the wanted ones, or that a rule takes as well, each in place of one of them."""
    evaluation = Evaluation(case, task.params)
    for must, finding in _musts(task, verdict):
        for change in finding.explains[:_COLUMNS]:
            for path, value, matcher in _wanted(change, must, evaluation):
                for what, item in _wrong(value, matcher, evaluation.context(change.source, path)):
                    edits = (Put(path, item),)
                    yield altered(
                        case, change.source, edits, sort="near", what=what, rule=must.title(), where=must.where
                    )
        yield from beside(must, finding.explains[:_COLUMNS], case)
    for leaf in leaves(task.must):
        if leaf.condition.value is not None:
            yield from _near_reading(leaf.condition.value, leaf, case, task)
        elif leaf.condition.request is not None:
            yield from asked_for(leaf.condition.request, leaf, case)


def _wanted(change: Change, must: Condition, evaluation: Evaluation) -> Iterator[tuple[Path, Value, Matcher | None]]:
    """The values that came about by a wanted change, with what the must asks of each."""
    if change.after is ABSENT or change.op == "moved":
        return
    rules = [c.change for c in must.walk() if c.change is not None and c.change.in_ == change.source]
    if not isinstance(change.after, Mapping):
        context = evaluation.context(change.source, change.path)
        fitting = (rule.to for rule in rules if rule.to is not None and rule.to.match(change.after, context).truth)
        yield change.path, change.after, next(fitting, None)
        return
    rows: dict[str, Matcher] = {key(name): item for rule in rules for name, item in (rule.row or {}).items()}
    for name, value in list(change.after.items())[:_COLUMNS]:
        if not isinstance(value, Mapping | list):
            yield (*change.path, name), value, rows.get(name)


def _wrong(value: Value, matcher: Matcher | None, context: MatchContext) -> Iterator[tuple[str, Value]]:
    """Values near this one, and others that fit. Of what the system makes up, what it did not make up here."""
    tests = () if matcher is None else matcher.tests
    if any(isinstance(test, Generated) for test in tests):
        yield "an id that was there before", -1 if isinstance(value, int) else "no id"
    elif any(isinstance(test, WithinEpisode) for test in tests):
        yield "a time long ago", _LONG_AGO[0] if isinstance(value, str) else _LONG_AGO[1]
    elif any(isinstance(test, Same) for test in tests):
        yield "a value of its own", other(value)
    else:
        near: list[tuple[str, Value]] = list(near_values(value))
        if isinstance(value, str) and is_url(value):
            near += [*near_urls(value), *spellings(value)]
        yield from near
        if matcher is not None and not any(matcher.match(item, context).truth for _, item in near):
            others = (item for item in samples(matcher, context) if not same(item, value))
            yield from (("another value that fits", item) for item in islice(others, _EACH))


def _near_reading(rule: ValueRule, leaf: Leaf, case: Case, task: Task) -> Iterator[Made]:
    if rule.in_ == ANSWER:
        if case.answer is not None:
            wrong = iter(()) if rule.at else _wrong(case.answer, rule.is_, MatchContext())
            yield from answering(leaf, case, near_answers(case.answer, wrong, task.instruction))
        return
    if rule.in_ not in case.sources:
        return
    if rule.query is not None:
        yield from _without_rows(rule.query, rule.in_, leaf, case)
        return
    evaluation = Evaluation(case, task.params)
    for node in nodes_of(rule, evaluation, last(case.sources[rule.in_]))[:_EACH]:
        wrong = _wrong(node.value, rule.is_, evaluation.context(rule.in_, node.path))
        ways: list[tuple[str, Edit]] = [(what, Put(node.path, item)) for what, item in wrong]
        for what, edit in [*ways, ("what a must reads is gone", Remove(node.path))]:
            yield altered(case, rule.in_, (edit,), sort="near", what=what, rule=leaf.title, where=leaf.condition.where)


def _without_rows(query: str, source: str, leaf: Leaf, case: Case) -> Iterator[Made]:
    """Of each table that a query may read, no row at all."""
    for word in dict.fromkeys(re.findall(r"\w+", query)):
        made = altered(
            case,
            source,
            (Remove((key(word),)),),
            sort="near",
            what="what a query reads is gone",
            rule=leaf.title,
            where=leaf.condition.where,
        )
        if isinstance(made, Mutant):  # every other word is no table
            yield made


def tolerated(task: Task, case: Case, verdict: Verdict) -> Iterator[Made]:
    """In each place that is allowed or ignored: another value where something changed, and a change that it takes."""
    for settled in verdict.allowed:
        yield from instead(settled, case)
    for settled in (*verdict.allowed, *verdict.ignored):
        change = settled.change
        if change.after is ABSENT or change.op == "moved" or settled.where.startswith(BY_RULE):
            continue
        cells = change.after.items() if isinstance(change.after, Mapping) else ()
        leaf: Sequence[tuple[Path, Value]] = [((*change.path, name), item) for name, item in list(cells)[:_COLUMNS]]
        for path, value in leaf or [(change.path, change.after)]:
            edits = (Put(path, other(value, path)),)
            yield altered(case, change.source, edits, sort="tolerated", what="a value changed", where=settled.where)
    for section, patterns in (("allow", task.allow), ("ignore", task.ignore)):
        for number, pattern in enumerate(patterns):
            end = last(case.sources[pattern.in_])
            found = edits_for_change(pattern, Evaluation(case, task.params), end)
            for what, edit in islice(found, _EACH):
                where = task.where(section, number)
                yield altered(case, pattern.in_, edit, sort="tolerated", what=what, where=where)


def _musts(task: Task, verdict: Verdict) -> Iterator[tuple[Condition, Finding]]:
    findings = [finding for finding in verdict.findings if finding.tier == "must"]
    yield from zip(task.must, findings, strict=True)
