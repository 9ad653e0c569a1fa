"""What a source saw being done, beside what was reported: each act once, whoever tells of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from exactchange.actions import Action
from exactchange.address import key
from exactchange.case import Evidence
from exactchange.case.hearing import Hearing, witnessed
from exactchange.conditions.evaluation import Evaluation, row_match
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.moments import Moment
from exactchange.conditions.reported import Done
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot
from exactchange.sources.witnessing import Act, Recognising
from exactchange.values import ABSENT, Value, same
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.action import ActionRule

Logged: TypeAlias = Sequence[tuple[Action, Truth]]
"""What was reported, each with whether it fits a rule."""

WRITING: Final = frozenset({"fill", "type"})
"""One act to whoever sees it: only the field tells what was written."""
_NEAR: Final = 1
"""CSS pixels by which two tellings of one place may differ."""
_MOST_PAGES: Final = 12
"""Captures on which an act is looked for whose step is not known."""
_SELECTORS: Final = ("css", "testid", "role", "label")


def with_witness(rule: "ActionRule", evaluation: Evaluation, logged: Logged) -> Sequence[Done]:
    """All that fits, or may fit: what was reported, and what was only seen.

    A source that saw nothing proves nothing: what was reported stands. One that saw it done makes the agent's word more
    than its word, and tells at what a click by coordinates was aimed. `logged`: all actions, each with whether it fits.
    """
    from exactchange.conditions.action import evidence_of

    heard = witnessed(evaluation.case.heard)
    seen = [(hearing, act, fits(rule, hearing, act, logged, evaluation)) for hearing, act in heard]
    logged = [(action, _resolved(rule, action, truth, evaluation)) for action, truth in logged]
    found = {action.seq: Done(action, truth, evidence_of(action)) for action, truth in logged if truth is not False}
    more: list[Done] = []
    taken: set[int] = set()
    for hearing, act, truth in seen:
        if truth is False:
            continue
        mine = [item for seq, item in found.items() if hearing.during(seq)]
        if _each(rule, act):
            mine = [item for item in mine if item.action.seq not in taken]
        same_one = next((item for item in mine if item.truth is True), next(iter(mine), None))
        done = Done(_action(hearing, act), truth, _shown(hearing, act), _moment(hearing))
        if same_one is None:
            more.append(done)
            continue
        taken.add(same_one.action.seq)
        if truth is True and (same_one.truth is None or same_one.action.reported_by == "agent"):
            found[same_one.action.seq] = replace(done, moment=same_one.moment)
    return [*found.values(), *more] if not more else sorted([*found.values(), *more], key=lambda item: item.when)


def fits(rule: "ActionRule", hearing: Hearing, act: Act, logged: Logged, evaluation: Evaluation) -> Truth:
    """Whether an act is certainly such an action. None: it is, but a script of the page's may have done it, or its text
    was not kept; or what it was done to cannot be told, and nothing that was reported is this act.
    """
    if rule.tool is not None or rule.effect is not None or not _is_kind(rule.kind, act):
        return False
    context = evaluation.context()
    parts: list[Truth] = [True if act.sure else None]
    if rule.args is not None:
        has_all = all(key(name) in act.args for name in rule.args)
        parts.append(has_all and unbound(row_match(act.args, rule.args, lambda _: context)))
    if rule.text is not None and False not in parts:
        text = act.args.get("text", ABSENT)
        hidden = act.kind in WRITING and not isinstance(text, str)
        told = hidden and act.sure and _told(hearing, act, logged)
        parts.append(False if told else None if hidden else unbound(rule.text.match(text, context)))
    if rule.target is not None and False not in parts:
        aimed = aimed_at(rule.target.fields(), hearing, act, evaluation)
        explained = aimed is None and any(
            hearing.during(action.seq) and _is_one(action.target) and _is_it(action, hearing, act, evaluation)
            for action, _ in logged
        )
        parts.append(False if explained else aimed)
    return False if False in parts else None if None in parts else True


def aimed_at(
    fields: Mapping[str, Value], hearing: Hearing, act: Act, evaluation: Evaluation, *, around: bool = False
) -> Truth:
    """Whether an act was done to the element that these words stand for; None where that cannot be told.

    What only its place in the page tells is told by the captures around the step, that before it first. `around`: an
    element that it is in will do, as for a tool that clicks into the middle of what it is told.
    """
    if act.element is None and not act.target:
        return False  # it was done to no element
    evidence = evaluation.case.evidence(hearing.source)
    wanted = one_way(fields)
    found: Truth = None
    if act.element is not None and wanted and isinstance(evidence.kind, Recognising):
        kind, element = evidence.kind, act.element
        truths = {
            kind.is_element(element, wanted, pages=pages, around=around, budget=CountedBudget())
            for pages in _pages(hearing, evidence)
        }
        found = None if {True, False} <= truths else next(iter(truths - {None}), None)
    if (
        found is None
        and act.target
        and all(same(act.target.get(name, ABSENT), value) for name, value in fields.items())
    ):
        return True
    return found


def _pages(hearing: Hearing, evidence: Evidence) -> Sequence[Sequence[Snapshot]]:
    """The captures before an act and after it. Of a step that is not known any of them may be: each by itself."""
    first = hearing.step if hearing.outside else hearing.since - 1
    before = [number for number, step in enumerate(evidence.steps) if step <= first]
    start = before[-1] if before else 0
    if hearing.outside or hearing.since == hearing.step:
        return [evidence.captures[start:][:2]]
    last = max((number for number, step in enumerate(evidence.steps) if step <= hearing.step), default=start)
    return [[page] for page in evidence.captures[start : last + 1]] if last - start < _MOST_PAGES else [()]


def was_meant(act: Act) -> bool:
    """Whether somebody certainly did it, and not something else of which it came: a click on a label ticks a box."""
    return act.sure and act.kind != "submit" and act.args.get("count") != 0


def said_of(act: Act) -> str:
    """An act in words: `click on #save`."""
    css, url = act.target.get("css"), act.args.get("url")
    what = f" {act.args['keys']}" if isinstance(act.args.get("keys"), str) else ""
    return f"{act.kind}{what}" + (f" on {css}" if isinstance(css, str) else f" {url}" if isinstance(url, str) else "")


def one_way(fields: Mapping[str, Value]) -> Mapping[str, Value]:
    """The words of a target by which an element is selected, where there are several ways the most exact one."""
    for name in _SELECTORS:
        if isinstance(fields.get(name), str):
            return {part: fields[part] for part in ((name, "name") if name == "role" else (name,)) if part in fields}
    return {}


def place_of(target: Mapping[str, Value]) -> tuple[float, float] | None:
    """The coordinates of a target that is given by nothing else."""
    xy = target.get("xy")
    if set(target) != {"xy"} or not isinstance(xy, Sequence) or isinstance(xy, str | bytes) or len(xy) != 2:
        return None
    x, y = xy
    return (float(x), float(y)) if isinstance(x, int | float) and isinstance(y, int | float) else None


def is_at(act: Act, place: tuple[float, float]) -> bool:
    """Whether a click was made there."""
    there = place_of({"xy": act.args.get("xy")})
    return there is not None and all(abs(a - b) <= _NEAR for a, b in zip(there, place, strict=True))


def _resolved(rule: "ActionRule", action: Action, truth: Truth, evaluation: Evaluation) -> Truth:
    """What was aimed at coordinates, or at an element that nothing else tells of, was aimed at what was seen there.

    In its step, and nothing else was seen of the kind in that place. A target in words that nobody here knows (an
    XPath, a number of the runner's own) may be all that was seen of the kind.
    """
    if truth is not None or rule.target is None or not action.target:
        return truth
    fields = rule.target.fields()
    there = [
        aimed_at(fields, hearing, act, evaluation)
        for hearing, act in witnessed(evaluation.case.heard)
        if hearing.during(action.seq) and act.sure and _may_be_it(action, hearing, act, evaluation)
    ]
    return False if there and all(found is False for found in there) else truth


def _is_it(action: Action, hearing: Hearing, act: Act, evaluation: Evaluation) -> bool:
    """Whether an act is what was reported, by its kind and by what it was aimed at."""
    if not _is_kind(action.kind, act):
        return False
    place = place_of(action.target)
    if place is not None:
        return is_at(act, place)
    wanted = one_way(action.target)
    return bool(wanted) and aimed_at(wanted, hearing, act, evaluation) is True


def _may_be_it(action: Action, hearing: Hearing, act: Act, evaluation: Evaluation) -> bool:
    """As `_is_it`, where a tool acts in the middle of what it is told, or is told it in words of its own."""
    wanted = one_way(action.target)
    if not wanted and "xy" not in action.target:
        return _is_kind(action.kind, act) and not hearing.unheard
    around = bool(wanted) and aimed_at(wanted, hearing, act, evaluation, around=True) is True
    return (around and _is_kind(action.kind, act)) or _is_it(action, hearing, act, evaluation)


def _is_one(target: Mapping[str, Value]) -> bool:
    """Whether words stand for one element rather than for all of a tag or class: by these an agent could mean any."""
    words = one_way(target)
    return not isinstance(words.get("css"), str) or any(sign in str(words["css"]) for sign in "#[")


def _is_kind(wanted: str | None, act: Act) -> bool:
    return wanted is None or act.kind == wanted or (act.kind in WRITING and wanted in WRITING)


def _told(hearing: Hearing, act: Act, logged: Logged) -> bool:
    """Whether the log says what was written in that step, so that a text that was not kept leaves nothing open.

    Of an agent's word that is so where it is known for the same secret: else it could say what it likes.
    """
    written = act.args.get("text", ABSENT)
    return act.kind in WRITING and any(
        action.kind in WRITING
        and hearing.during(action.seq)
        and (
            action.text is not None
            if action.reported_by != "agent"
            else written is not ABSENT and same(action.args.get("text", ABSENT), written)
        )
        for action, _ in logged
    )


def _each(rule: "ActionRule", act: Act) -> bool:
    """Whether one reported action stands for one such act only: clicks of a pointer, where a rule counts clicks."""
    count = act.args.get("count")
    return rule.kind == "click" and act.kind == "click" and act.sure and isinstance(count, int) and count > 0


def _action(hearing: Hearing, act: Act) -> Action:
    return Action(hearing.step, act.kind, act.args, "", "witness")


def _moment(hearing: Hearing) -> Moment:
    if hearing.outside:
        return Moment(2 * hearing.step + 1, 2 * hearing.step + 2)
    return Moment(2 * hearing.since, 2 * hearing.step)


def _shown(hearing: Hearing, act: Act) -> Mapping[str, Value]:
    item: dict[str, Value] = {"kind": "action", "step": hearing.step, "action": act.kind, "args": dict(act.args)}
    return item | {"reported_by": "witness", "source": hearing.source}
