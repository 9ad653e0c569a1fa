"""`action`: the agent did something, or tried to."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Optional

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from exactchange.actions import KINDS, Action
from exactchange.address import key
from exactchange.conditions.effects import EFFECT_SCHEMA, RUNNING, fits_statement, known_effects, statements_of, wanted
from exactchange.conditions.evaluation import Evaluation, Result, row_match
from exactchange.conditions.matchers import MatcherField, OptionalMatcher
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.moments import Moments
from exactchange.conditions.place import AtLeast, Between, Model
from exactchange.conditions.reported import Done, check_reported, moments_reported, without_licence
from exactchange.conditions.witnessed import with_witness
from exactchange.errors import ExactChangeError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.values import ABSENT, Path, State, Value, canonical_bytes, same, sealed
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition

_AIMLESS = frozenset(
    "goto back forward reload search tab_new tab_close tab_switch shell file_write sql tool script wait "
    "message reply finish observe dialog".split()
)


_KINDS = (*sorted(KINDS), "unknown")


class Target(Model):
    """What an action was aimed at."""

    css: str | None = Field(default=None, description="CSS selector on the page.")
    role: str | None = Field(default=None, description="ARIA role, with `name`.")
    name: str | None = Field(default=None, description="Accessible name, with `role`.")
    label: str | None = Field(default=None, description="Text of the control's label.")
    testid: str | None = Field(default=None, description="The element's test id.")

    @model_validator(mode="after")
    def _some(self) -> "Target":
        if not self.fields():
            raise ValueError("say css, role and name, label or testid")
        return self

    def fields(self) -> dict[str, str]:
        """The fields that are given."""
        return {name: value for name, value in self if value is not None}


class ActionRule(Model):
    """Actions of a kind, tool, target, text or arguments. Attempts count, also those that failed."""

    kind: str | None = Field(
        default=None, description="Kind of action: click, fill, tool, reply, …", json_schema_extra={"enum": [*_KINDS]}
    )
    tool: str | None = Field(default=None, description="Name of the tool that was called.")
    target: Target | None = Field(default=None, description="What it was aimed at.")
    text: OptionalMatcher = Field(default=None, description="Text that was typed, sent or answered.")
    args: dict[str, MatcherField] | None = Field(default=None, description="Arguments of the call.")
    effect: str | list[str] | None = Field(
        default=None,
        description="What it did to data, of kinds sql, shell and script; of several, any of them.",
        json_schema_extra=EFFECT_SCHEMA,
    )
    count: AtLeast | Between | None = Field(default=None, description="How many; at least one if left out.")
    unless_after: Optional["Condition"] = Field(
        default=None, description="It does not count after this; each hit of it licenses one."
    )

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str | None) -> str | None:
        if kind is not None and kind not in _KINDS:
            said: dict[str, object] = {"word": kind, "known": _KINDS}
            raise PydanticCustomError("unknown_word", "no action is of kind '{word}'", said)
        return kind

    @field_validator("effect")
    @classmethod
    def _known_effect(cls, effect: str | list[str] | None) -> str | list[str] | None:
        return known_effects(effect)

    @model_validator(mode="after")
    def _something(self) -> "ActionRule":
        if (self.kind, self.tool, self.target, self.text, self.args, self.effect) == (None,) * 6:
            raise ValueError("say which actions: kind, tool, target, text, args or effect")
        if self.effect is not None and self.kind is not None and self.kind not in RUNNING:
            raise ValueError(f"`effect` is known of sql, shell and script, and of no {self.kind}")
        if self.effect is not None and self.tool is not None:
            raise ValueError("`effect` is known of sql, shell and script, and of no tool")
        return self

    def check(self, evaluation: Evaluation, *, doubt: Truth) -> Result:
        """Whether there are such actions. `doubt`: the truth to take, of two, where the agent's word decides."""
        return check_reported(self._done(evaluation), self.count, evaluation, doubt=doubt, why=_why)

    def moments(self, evaluation: Evaluation, *, trusted: bool) -> Moments:
        """The moments of the actions that fit. `trusted`: without those that only the agent reported."""
        return moments_reported(self._done(evaluation), evaluation, trusted=trusted)

    def _done(self, evaluation: Evaluation) -> Sequence[Done]:
        judged = [(action, self.fits(action, evaluation)) for action in evaluation.case.actions]
        if evaluation.case.heard:
            found = with_witness(self, evaluation, judged)
        else:
            found = [Done(action, truth, evidence_of(action)) for action, truth in judged if truth is not False]
        return without_licence(self.unless_after, evaluation, found)

    def fits(self, action: Action, evaluation: Evaluation) -> Truth:
        """Whether it is such an action, whoever reported it."""
        context = evaluation.context()
        odd = action.kind == "unknown"  # what it lacks may stand there by another name
        parts: list[Truth] = []
        if self.kind is not None:
            parts.append(None if odd and self.kind != "unknown" else action.kind == self.kind)
        if self.tool is not None:
            named = action.args.get("tool", ABSENT)
            nameless = action.kind == "tool" and not isinstance(named, str)
            parts.append(None if odd or nameless else same(named, self.tool))
        if self.text is not None:
            given = action.args.get("text")
            text: State = given if sealed(given) else ABSENT if action.text is None else action.text
            parts.append(None if odd and text is ABSENT else unbound(self.text.match(text, context)))
        if self.args is not None:
            inner = action.args.get("args")
            given = inner if isinstance(inner, Mapping) else action.args
            lacking = odd and not all(key(name) in given for name in self.args)
            parts.append(None if lacking else unbound(row_match(given, self.args, lambda _: context)))
        effects = wanted(self.effect)
        if effects is not None:
            parts.append(_ran(action, effects))
        if self.target is not None and False not in parts:
            parts.append(_aimed_at(self.target, action, evaluation))
        return False if False in parts else None if None in parts else True


def _aimed_at(wanted: Target, action: Action, evaluation: Evaluation) -> Truth:
    """Same words, or the same element of the page as it was before the action; coordinates alone cannot be told."""
    fields, given = wanted.fields(), action.target
    if not given:
        return False if action.kind in _AIMLESS else None
    if all(same(given.get(name, ABSENT), value) for name, value in fields.items()):
        return True
    for name in evaluation.case.sources:
        mine = _elements(name, fields, action.seq - 1, evaluation)
        theirs = _elements(name, dict(given), action.seq - 1, evaluation)
        if mine and theirs:
            return bool(mine & theirs)
    return None


def _elements(source: str, fields: Mapping[str, Value], step: int, evaluation: Evaluation) -> frozenset[Path]:
    evidence = evaluation.case.evidence(source)

    def selected(page: Snapshot) -> frozenset[Path]:
        if unread_whole(page):
            return frozenset()
        try:
            selector = evidence.kind.selector.model_validate(dict(fields))
            found = evidence.kind.select(page, selector, budget=CountedBudget())
        except (ValidationError, ExactChangeError):
            return frozenset()  # not a page, or not a selector: nothing resolved, so the caller cannot tell
        return frozenset(match.path for match in found)

    if not any(number <= step for number in evidence.steps):
        return frozenset()
    what = ("elements", canonical_bytes(fields))
    return evaluation.case.found(source, evidence.position(step), what, selected)


def evidence_of(action: Action) -> Mapping[str, Value]:
    """An action as evidence."""
    item: dict[str, Value] = {"kind": "action", "step": action.seq, "action": action.kind, "args": dict(action.args)}
    return item | {"reported_by": action.reported_by}


def _ran(action: Action, effects: frozenset[str]) -> Truth:
    """Whether what an action ran has one of these effects. What a command or script does is not known."""
    if action.kind not in RUNNING:
        return None if action.kind == "unknown" else False
    statements = statements_of(action, None)
    if statements is None:
        return None
    truths = [fits_statement(statement, effects) for statement in statements]
    return True if True in truths else None if None in truths else False


def _why(truth: Truth, sure: Sequence[Done], possible: Sequence[Done]) -> str:
    if sure:
        first = sure[0].action
        return f"{first.kind} at step {first.seq}" + (f" and {len(sure) - 1} more" if len(sure) > 1 else "")
    if truth is None and possible:
        first = possible[0].action
        what = "what it ran" if first.kind in RUNNING else "its target or kind"
        return f"step {first.seq} ({first.kind}) may be such an action: {what} cannot be told"
    return "no such action"
