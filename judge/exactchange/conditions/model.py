"""A condition: one rule of a task, of one kind."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Self

from pydantic import Field, PrivateAttr, field_validator, model_validator

from exactchange.conditions.action import ActionRule
from exactchange.conditions.change import ChangeRule
from exactchange.conditions.effort import EffortRule
from exactchange.conditions.evaluation import Evaluation, Result, Tier
from exactchange.conditions.logic import all_of, any_of, negation
from exactchange.conditions.moments import Moments
from exactchange.conditions.order import check_order
from exactchange.conditions.place import Model
from exactchange.conditions.request import RequestRule
from exactchange.conditions.script import Script, check_script, named
from exactchange.conditions.sql import SqlRule
from exactchange.conditions.together import at_one_moment, of_a_moment
from exactchange.conditions.value import ValueRule
from exactchange.errors import UsageError
from exactchange.verdict import Truth

KINDS = ("change", "value", "action", "request", "sql", "order", "effort", "all", "any", "not", "python")


class Condition(Model):
    """One rule. Exactly one kind; `name` for people; `weight` counts in a bonus."""

    name: str | None = Field(default=None, description="What the rule asks, for people.")
    weight: int | float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Weight of a bonus; 1 if left out."
    )
    change: ChangeRule | None = None
    value: ValueRule | None = None
    action: ActionRule | None = None
    request: RequestRule | None = None
    sql: SqlRule | None = None
    order: list["Condition"] | None = Field(
        default=None, min_length=2, description="Each of these came before the next one."
    )
    effort: EffortRule | None = None
    all: list["Condition"] | None = Field(default=None, min_length=1, description="All of these hold.")
    any: list["Condition"] | None = Field(default=None, min_length=1, description="At least one of these holds.")
    not_: "Condition | None" = Field(default=None, alias="not", description="This does not hold.")
    python: str | None = Field(
        default=None,
        description='A function that gets the case, "checks.py:function", beside the file; needs --trust.',
        json_schema_extra={"pattern": r"^[^{}:\\]+\.py:[A-Za-z_]\w*$"},
    )
    _where: str = PrivateAttr(default="")
    _script: Script | None = PrivateAttr(default=None)

    @field_validator("python")
    @classmethod
    def _is_named(cls, text: str | None) -> str | None:
        try:
            return text if text is None else ":".join(named(text))
        except UsageError as error:
            raise ValueError(str(error)) from error

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [kind for kind in KINDS if self._of(kind) is not None]
        if len(given) != 1:
            raise ValueError(
                f"a condition has one kind of {', '.join(KINDS)}; "
                + (f"here are {' and '.join(given)}" if given else "here is none")
            )
        return self

    @property
    def kind(self) -> str:
        """Which kind it is."""
        return next(kind for kind in KINDS if self._of(kind) is not None)

    @property
    def where(self) -> str:
        """`file:line:column` of the rule; empty when it was not read from a file."""
        return self._where

    @property
    def parts(self) -> tuple["Condition", ...]:
        """The conditions right inside: of order, all, any and not, and an `unless_after`."""
        inside = [*(self.order or ()), *(self.all or ()), *(self.any or ()), *([self.not_] if self.not_ else [])]
        for rule in (self.change, self.action, self.request, self.sql):
            if rule is not None and rule.unless_after is not None:
                inside.append(rule.unless_after)
        return tuple(inside)

    def located(self, where: Mapping[tuple[str | int, ...], str], at: tuple[str | int, ...]) -> "Condition":
        """Remember the place in the task file of this condition and of those inside. `at`: its path in the data."""
        self._where = where.get(at, self._where)
        for name in ("order", "all", "any"):
            for number, part in enumerate(self._of(name) or ()):  # type: ignore[arg-type,var-annotated]  # lists by name
                part.located(where, (*at, name, number))
        if self.not_ is not None:
            self.not_.located(where, (*at, "not"))
        for name in ("change", "action", "request", "sql"):
            rule: ChangeRule | ActionRule | RequestRule | SqlRule | None = getattr(self, name)
            if rule is not None and rule.unless_after is not None:
                rule.unless_after.located(where, (*at, name, "unless_after"))
        return self

    def title(self) -> str:
        """The name, or what the rule says in short."""
        return self.name or _short(self)

    def trusted(self, script: Script) -> None:
        """Let a `python` condition ask this function. Without, it cannot tell."""
        self._script = script

    def sources(self, declared: Collection[str]) -> frozenset[str]:
        """Names of the sources that it looks at, of those that the task declares: a function may look at all."""
        own = {rule.in_ for rule in (self.change, self.value, self.request) if rule is not None}
        every = declared if self.python is not None else ()
        return frozenset(own).union(every, *(part.sources(declared) for part in self.parts))

    def walk(self) -> Iterator["Condition"]:
        """The condition and all inside."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def check(self, evaluation: Evaluation, *, tier: Tier) -> Result:
        """Whether it holds. A veto looks at every step.

        What only the agent reports proves nothing: it fulfils no must, earns no bonus and clears no veto. What speaks
        against the agent holds whatever a step hid that was not read; what speaks for it, as far as it was read.
        """
        veto = tier == "veto"
        return self._check(evaluation, ever=veto, doubt=True if veto else None, harm=veto)

    def _check(self, evaluation: Evaluation, *, ever: bool, doubt: Truth, harm: bool) -> Result:
        """`harm`: the truth that speaks against the agent."""
        result = self._seen(evaluation, ever=ever, doubt=doubt, harm=harm)
        source = self._in_between(ever)
        if result.truth is not harm or source is None or evaluation.seen_throughout(source):
            return result
        if self._seen(evaluation.unfinished(), ever=ever, doubt=doubt, harm=harm).truth is harm:
            return result
        return Result(None, f"{source} was not read after every step, and may have held anything in between")

    def _in_between(self, ever: bool) -> str | None:
        """The source of a rule that asks for what was there at some time, and not only for the end."""
        if self.change is not None and self.change.in_between(ever):
            return self.change.in_
        if self.value is not None and (self.value.when or ("ever" if ever else "end")) != "end":
            return self.value.in_
        return None

    def _seen(self, evaluation: Evaluation, *, ever: bool, doubt: Truth, harm: bool) -> Result:
        """Whether it holds as far as everything was read."""
        if self.change is not None:
            return self.change.check(evaluation, ever=ever)
        if self.value is not None:
            return self.value.check(evaluation, ever=ever)
        if self.action is not None:
            return self.action.check(evaluation, doubt=doubt)
        if self.request is not None:
            return self.request.check(evaluation)
        if self.sql is not None:
            return self.sql.check(evaluation, doubt=doubt)
        if self.effort is not None:
            return self.effort.check(evaluation)
        if self.python is not None:
            return check_script(self._script, self.python, evaluation, doubt=doubt)
        if self.order is not None:
            return check_order([_moments(part, evaluation, doubt=doubt, harm=harm) for part in self.order])
        if self.not_ is not None:
            inner = None if doubt is None else not doubt
            return negation(self.not_._check(evaluation, ever=ever, doubt=inner, harm=not harm))
        states = [part for part in self.all or () if ever and of_a_moment(part)]
        together = [at_one_moment(states, evaluation, harm=harm)] if len(states) > 1 else []
        parts = [part for part in self.all or self.any or () if not together or part not in states]
        results = [*together, *(part._check(evaluation, ever=ever, doubt=doubt, harm=harm) for part in parts)]
        return all_of(results) if self.all is not None else any_of(results)

    def moments(self, evaluation: Evaluation, *, trusted: bool) -> Moments:
        """When it was met. `trusted`: what only the agent reported does not count."""
        if self.change is not None:
            return self.change.moments(evaluation)
        if self.value is not None:
            return self.value.moments(evaluation)
        if self.action is not None:
            return self.action.moments(evaluation, trusted=trusted)
        if self.request is not None:
            return self.request.moments(evaluation)
        if self.sql is not None:
            return self.sql.moments(evaluation, trusted=trusted)
        if self.any is not None:
            inner = [part.moments(evaluation, trusted=trusted) for part in self.any]
            return Moments(tuple(sorted({m for item in inner for m in item.sure})), any(i.unsure for i in inner))
        return Moments((), True, f"`{self.kind}` has no moment; use change, value, action, request, sql or any of them")

    def _of(self, kind: str) -> object:
        return getattr(self, "not_" if kind == "not" else kind)


def _moments(part: Condition, evaluation: Evaluation, *, doubt: Truth, harm: bool) -> Moments:
    """When a part of an order was met; or may have been, where nobody saw it and a miss speaks against the agent."""
    found = part.moments(evaluation, trusted=doubt is not True)
    if harm:
        return found
    gaps = [moment for name in sorted(part.sources(())) for moment in evaluation.gaps(name)]
    return replace(found, maybe=tuple(gaps))


def _short(condition: Condition) -> str:
    rule = condition.change or condition.value
    if rule is not None:
        return f"{condition.kind} in {rule.in_}: {rule.at or rule.table or 'anywhere'}"
    return f"python {condition.python}" if condition.python is not None else condition.kind


for _rule in (ChangeRule, ActionRule, RequestRule, SqlRule):
    _rule.model_rebuild(_types_namespace={"Condition": Condition})
Condition.model_rebuild()
