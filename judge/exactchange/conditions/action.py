"""`action`: the agent did something, or tried to."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Optional

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from exactchange.actions import KINDS, Action
from exactchange.address import key
from exactchange.conditions.counting import counted, shortened
from exactchange.conditions.evaluation import Evaluation, Result, row_match
from exactchange.conditions.licences import unlicensed
from exactchange.conditions.matchers import MatcherField, OptionalMatcher
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.moments import Moments, of_action
from exactchange.conditions.place import AtLeast, Between, Model
from exactchange.errors import ExactChangeError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.values import ABSENT, Path, Value, canonical_bytes, same
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

    @model_validator(mode="after")
    def _something(self) -> "ActionRule":
        if (self.kind, self.tool, self.target, self.text, self.args) == (None,) * 5:
            raise ValueError("say which actions: kind, tool, target, text or args")
        return self

    def check(self, evaluation: Evaluation, *, doubt: Truth) -> Result:
        """Whether there are such actions. `doubt`: the truth to take, of two, where the agent's word decides."""
        hits = self._unlicensed(evaluation, self._judged(evaluation))
        sure = [action for action, truth in hits if truth is True and action.reported_by != "agent"]
        claimed = [action for action, truth in hits if truth is True and action.reported_by == "agent"]
        possible = [action for action, truth in hits if truth is None]
        more = not evaluation.ends
        without = counted(len(sure), len(possible), self.count, more=more)
        believed = counted(len(sure) + len(claimed), len(possible), self.count, more=more)
        if without is not believed:
            evidence = shortened([_evidence(action) for action in [*sure, *claimed]])
            truth = doubt if doubt in (without, believed) else None
            return Result(truth, f"only the agent says so (step {claimed[0].seq})", evidence)
        shown = sure or claimed or possible
        return Result(without, _why(without, sure or claimed, possible), shortened([_evidence(a) for a in shown]))

    def moments(self, evaluation: Evaluation, *, trusted: bool) -> Moments:
        """The moments of the actions that fit. `trusted`: without those that only the agent reported."""
        hits = self._unlicensed(evaluation, self._judged(evaluation))
        believed = [(a, truth) for a, truth in hits if not (trusted and a.reported_by == "agent")]
        sure = tuple(of_action(action.seq) for action, truth in believed if truth is True)
        return Moments(sure, not evaluation.ends or any(truth is None for _, truth in believed))

    def _judged(self, evaluation: Evaluation) -> list[tuple[Action, Truth]]:
        return [(action, self.fits(action, evaluation)) for action in evaluation.case.actions]

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
            text = ABSENT if action.text is None else action.text
            parts.append(None if odd and text is ABSENT else unbound(self.text.match(text, context)))
        if self.args is not None:
            inner = action.args.get("args")
            given = inner if isinstance(inner, Mapping) else action.args
            lacking = odd and not all(key(name) in given for name in self.args)
            parts.append(None if lacking else unbound(row_match(given, self.args, lambda _: context)))
        if self.target is not None and False not in parts:
            parts.append(_aimed_at(self.target, action, evaluation))
        return False if False in parts else None if None in parts else True

    def _unlicensed(
        self, evaluation: Evaluation, hits: Sequence[tuple[Action, Truth]]
    ) -> Sequence[tuple[Action, Truth]]:
        return unlicensed(
            self.unless_after, evaluation, hits, moment=lambda hit: of_action(hit[0].seq), truth=lambda hit: hit[1]
        )


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


def _evidence(action: Action) -> Mapping[str, Value]:
    item: dict[str, Value] = {"kind": "action", "step": action.seq, "action": action.kind, "args": dict(action.args)}
    return item | {"reported_by": action.reported_by}


def _why(truth: Truth, sure: Sequence[Action], possible: Sequence[Action]) -> str:
    if sure:
        return f"{sure[0].kind} at step {sure[0].seq}" + (f" and {len(sure) - 1} more" if len(sure) > 1 else "")
    if truth is None and possible:
        return f"step {possible[0].seq} ({possible[0].kind}) may be such an action: its target or kind cannot be told"
    return "no such action"
