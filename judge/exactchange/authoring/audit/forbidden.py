"""Runs in which a red line is crossed, made from the veto itself: a change and back again, a request, an action."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import Final

from exactchange.actions import Action
from exactchange.authoring.audit.leaves import Leaf, leaves, reads
from exactchange.authoring.audit.mutant import Impossible, Made, Mutant, altered, editor, last
from exactchange.authoring.audit.ordering import Event, event_of, turned
from exactchange.authoring.audit.places import Told, edits_for_change, edits_for_value
from exactchange.authoring.audit.renumbered import with_actions
from exactchange.authoring.audit.running import example, examples
from exactchange.authoring.audit.samples import samples
from exactchange.authoring.audit.sending import crossing, respelt
from exactchange.authoring.audit.unfound import SUGGESTED, inside, unfound
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.action import ActionRule
from exactchange.conditions.counting import Count, bounds
from exactchange.conditions.effects import wanted
from exactchange.conditions.request import RequestRule
from exactchange.conditions.sql import SqlRule
from exactchange.errors import ExactChangeError
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.task import Task
from exactchange.values import Value, dumps

_TRIES: Final = 16
"""Alterations of one capture."""
_RUNS: Final = 6
_WANTED: Final = 3


@dataclass(frozen=True, slots=True)
class _Try:
    """A run that may cross the line. `made`: snapshots of its own."""

    what: str
    case: Case
    source: str = ""
    made: tuple[Snapshot, ...] = ()


def forbidden(task: Task, case: Case) -> Iterator[Made]:
    """For each veto, and each alternative of it, runs in which it is crossed: for a moment, so that the end is the good
    one, or to the end.

    Runs in which no other veto is crossed come before others. Impossible: no run could be made that crosses it; nor is
    any made where what it speaks of is not there: a place that a run has to bring into being first is rather misspelt.
    """
    for leaf in leaves(task.veto, whole=True):
        missing = unfound(leaf.condition, Evaluation(case, task.params))
        found = [] if missing else list(_crossing(task, leaf, case))
        yield from found
        if found and leaf.condition.request is not None:
            yield from respelt(leaf.condition.request, leaf, case)
        missing = missing or ("" if found else _unfitted(leaf.condition, Evaluation(case, task.params)))
        if not found:
            why = f"no run could be made that crosses the veto {leaf.title!r}{f': {missing}' if missing else ''}"
            yield Impossible("forbidden", why, leaf.title, leaf.condition.where)


def _unfitted(condition: Condition, evaluation: Evaluation) -> str:
    """Which matcher of a condition no value came to mind for; "" where that is not the reason."""
    for part in condition.walk():
        own = (part.change.to, *(part.change.row or {}).values()) if part.change else ()
        every = (*own, part.value.is_ if part.value else None)
        for matcher in every:
            if matcher is not None and not matcher.about_absence and not samples(matcher, evaluation.context()):
                return f"no value came to mind that fits {dumps(matcher.raw)}"
    return ""


def _crossing(task: Task, leaf: Leaf, case: Case) -> Iterator[Mutant]:
    spare: list[Mutant] = []
    count = 0
    # Back again is a change of its own, which may cross another line; then what stays tells this one from that.
    ways = (False,) if leaf.condition.kind in ("action", "request", "sql") else (False, True)
    each = (islice(_tries(leaf.condition, case, task, stays=stays), _RUNS) for stays in ways)
    for tried in chain.from_iterable(each):
        mutant = Mutant(
            "forbidden", tried.what, tried.case, tried.source, (), leaf.title, leaf.condition.where, tried.made
        )
        if not all(_holds(part, tried.case, task) for part in (leaf.condition, leaf.rule)):
            mutant.close()
        elif not any(_holds(rule, tried.case, task) for rule in task.veto if rule is not leaf.rule):
            count += 1
            yield mutant
        elif spare:
            mutant.close()
        else:
            spare.append(mutant)
        if count >= _WANTED:
            break
    if count:
        for mutant in spare:
            mutant.close()
    else:
        yield from spare


def _holds(rule: Condition, case: Case, task: Task) -> bool:
    try:
        return rule.check(Evaluation(case, task.params), tier="veto").truth is True
    except ExactChangeError:
        return False


def _tries(condition: Condition, case: Case, task: Task, *, stays: bool) -> Iterator[_Try]:
    """Runs that may cross a line: by a change that is there for a moment, or one that `stays` to the end."""
    if condition.all is not None:
        yield from _together(condition.all, case, task, stays=stays)
    elif condition.any is not None:
        for part in condition.any:
            yield from islice(_tries(part, case, task, stays=stays), _WANTED)
    elif condition.action is not None:
        yield from _acting(condition.action, case)
    elif condition.sql is not None:
        yield from _running(condition.sql, case)
    elif condition.request is not None:
        yield from _sending(condition.request, case)
    elif condition.order is not None:
        yield from _turned(condition.order, case)
        yield from _one_by_one(condition.order, case, task)
    else:
        yield from _changing(condition, case, task, lambda source: _positions(case, source, stays=stays))


def _turned(parts: Sequence[Condition], case: Case) -> Iterator[_Try]:
    """Runs in which two things that came in the allowed order come in the forbidden one."""
    for first, second in pairwise(parts):
        one, other = event_of(first, case), event_of(second, case)
        found = turned(other, one, case) if isinstance(one, Event) and isinstance(other, Event) else None
        if found is not None:
            yield _Try("what came second came first", found[0], "", found[1])


def _one_by_one(parts: Sequence[Condition], case: Case, task: Task, done: int = 0) -> Iterator[_Try]:
    """Runs in which each of several things comes at a time of its own, one after the other, or came anyway."""
    if done == len(parts):
        yield _Try("", case)
        return
    share = (done + 1) / (len(parts) + 1)
    part = parts[done]

    def position(source: str) -> list[int]:
        return [min(last(case.sources[source]), 1 + round(last(case.sources[source]) * share))]

    tries: Iterator[_Try]
    if part.action is not None:
        tries = _acting(part.action, case, [round(len(case.actions) * share)])
    elif part.sql is not None:
        tries = _running(part.sql, case, [round(len(case.actions) * share)])
    elif part.request is not None:
        sent = crossing(part.request, case, position(part.request.in_) if part.request.in_ in case.sources else [])
        tries = (_Try(what, found, "", made) for what, found, made in sent)
    else:
        tries = _changing(part, case, task, position)
    for first in (*islice(tries, _WANTED), _Try("", case)):
        for rest in _one_by_one(parts, first.case, task, done + 1):
            what = ", then ".join(filter(None, (first.what, rest.what)))
            yield _Try(what, rest.case, first.source or rest.source, (*first.made, *rest.made))


def _together(parts: Sequence[Condition], case: Case, task: Task, *, stays: bool) -> Iterator[_Try]:
    """Runs in which each of several conditions may hold, by what was done for it or because it does anyway.

    They share snapshots, which go with the last of them.
    """
    if not parts:
        yield _Try("", case)
        return
    for first in (*islice(_tries(parts[0], case, task, stays=stays), _WANTED), _Try("", case)):
        for rest in _together(parts[1:], first.case, task, stays=stays):
            what = " and ".join(filter(None, (first.what, rest.what)))
            yield _Try(what, rest.case, first.source or rest.source)


def _positions(case: Case, source: str, *, stays: bool = False) -> list[int]:
    """Positions of captures in which something may be for a moment, the middle first; the end if there is no other."""
    end = last(case.sources[source])
    moments = list(dict.fromkeys(n for n in (end // 2, 1, end - 1) if 0 < n < end))
    return [end] if stays or not moments else moments


def _changing(
    condition: Condition, case: Case, task: Task, positions_of: Callable[[str], Sequence[int]]
) -> Iterator[_Try]:
    """Runs with a change by which the condition holds: of those that it speaks of, or else of any that come to mind."""
    for source in [name for name in case.sources if reads(condition, name)]:
        positions = positions_of(source)
        for edits in (_spoken_of, _any):
            found = False
            for position in positions:
                for what, edit in islice(edits(condition, case, source, position, task), _TRIES):
                    made = altered(case, source, edit, sort="forbidden", what=what, at=position)
                    if not isinstance(made, Mutant):
                        continue
                    if not _holds(condition, made.case, task):
                        made.close()
                        continue
                    found = True
                    back = "" if position == last(case.sources[source]) else ", and back again"
                    yield _Try(f"{what}{back}", made.case, source, made.made)
            if found:
                break


def _spoken_of(condition: Condition, case: Case, source: str, position: int, task: Task) -> Iterator[Told]:
    evaluation = Evaluation(case, task.params)
    if condition.change is not None:
        yield from edits_for_change(condition.change, evaluation, position)
    elif condition.value is not None:
        yield from edits_for_value(condition.value, evaluation, position)


def _any(condition: Condition, case: Case, source: str, position: int, task: Task) -> Iterator[Told]:
    evidence = case.sources[source]
    kind, snapshot = editor(evidence), evidence.captures[position]
    if kind is None or unread_whole(snapshot):
        return
    every = kind.suggestions(snapshot, near=(), most=SUGGESTED)
    place = condition.change or condition.value
    pattern = None if place is None else Evaluation(case).pattern(place)
    # Those in the place itself first: of an index, say, there are few among many.
    for suggestion in sorted(every, key=lambda item: pattern is None or not inside(pattern, item, evidence)):
        yield suggestion.what, suggestion.edits


def _sending(rule: RequestRule, case: Case) -> Iterator[_Try]:
    positions = _positions(case, rule.in_) if rule.in_ in case.sources else []
    for what, found, made in crossing(rule, case, positions):
        yield _Try(what, found, rule.in_, made)


def _acting(rule: ActionRule, case: Case, places: Sequence[int] | None = None) -> Iterator[_Try]:
    effects = sorted(wanted(rule.effect) or ())
    for args in _arguments(rule, Evaluation(case)):
        kind = rule.kind or ("tool" if rule.tool is not None or rule.args is not None else "click")
        if effects:
            kind, args = rule.kind or "sql", {"text": example(effects[0]), **args}
        yield from _done(kind, args, rule.count, case, places, what=f"an action is done: {kind} {dumps(args)}")


def _running(rule: SqlRule, case: Case, places: Sequence[int] | None = None) -> Iterator[_Try]:
    for text in examples(rule):
        yield from _done("sql", {"text": text}, rule.count, case, places, what=f"a statement is sent: {text}")


def _done(
    kind: str, args: dict[str, Value], count: Count, case: Case, places: Sequence[int] | None, *, what: str
) -> Iterator[_Try]:
    """Runs in which an action is done once more, as often as it takes, at some time, or after so many actions."""
    done = [Action(0, kind, args, dumps({"kind": kind, **args}), "runner")] * max(1, bounds(count)[0])
    for after in places or dict.fromkeys((len(case.actions) // 2, 0, len(case.actions))):
        found = with_actions(case, [*case.actions[:after], *done, *case.actions[after:]])
        if found is not None:
            yield _Try(what, found)


def _arguments(rule: ActionRule, evaluation: Evaluation) -> Iterator[dict[str, Value]]:
    context = evaluation.context()
    base: dict[str, Value] = {}
    if rule.tool is not None:
        base["tool"] = rule.tool
    if rule.target is not None:
        base["target"] = dict(rule.target.fields())
    if rule.args is not None:
        found = {
            name: samples(matcher, context)[:1] for name, matcher in rule.args.items() if not matcher.about_absence
        }
        given: dict[str, Value] = {name: values[0] for name, values in found.items() if values}
        base |= {"args": given} if rule.tool is not None else given
    for text in samples(rule.text, context)[:2] if rule.text is not None else (None,):
        yield base if text is None else {**base, "text": text}
