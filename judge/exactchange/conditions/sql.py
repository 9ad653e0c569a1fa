"""`sql`: a statement was sent to a database, or was tried to be."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Optional

from pydantic import Field, field_validator, model_validator

from exactchange.actions import Action
from exactchange.actions.sql import Statement
from exactchange.conditions.effects import EFFECT_SCHEMA, fits_statement, known_effects, statements_of, wanted
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.moments import Moments
from exactchange.conditions.place import AtLeast, Between, Model
from exactchange.conditions.reported import Done, check_reported, moments_reported, without_licence
from exactchange.values import Value
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition

_NO_NAME = re.compile(r"[\"'`*\[\]]")
_BOUNDED = frozenset({"update", "delete", "truncate"})


class SqlRule(Model):
    """Statements of actions of kind `sql`, by what they do. Attempts count, also those that failed."""

    effect: str | list[str] | None = Field(
        default=None,
        description="What it does; of several, any of them.",
        json_schema_extra=EFFECT_SCHEMA,
    )
    table: str | None = Field(default=None, min_length=1, description="The table that it does it to.")
    bounded: bool | None = Field(
        default=None, description="Whether something restricts the rows that it updates or deletes."
    )
    dialect: Literal["sqlite", "postgres", "mysql", "tsql"] | None = Field(
        default=None, description="The database's own SQL; without it, only what all of them read alike is understood."
    )
    count: AtLeast | Between | None = Field(default=None, description="How many statements; at least one if left out.")
    unless_after: Optional["Condition"] = Field(
        default=None, description="It does not count after this; each hit of it licenses one."
    )

    @field_validator("effect")
    @classmethod
    def _known(cls, effect: str | list[str] | None) -> str | list[str] | None:
        return known_effects(effect)

    @field_validator("table")
    @classmethod
    def _plain(cls, table: str | None) -> str | None:
        """A quote, a blank at an end or a star would stand in no name that a statement is told to have."""
        if table is not None and (
            _NO_NAME.search(table) or any(part.strip() != part or not part for part in table.split("."))
        ):
            raise ValueError(
                "`table` is one name, with its schema or without, and without quotes, stars or blanks around it"
            )
        return table

    @model_validator(mode="after")
    def _something(self) -> "SqlRule":
        if (self.effect, self.table, self.bounded) == (None,) * 3:
            raise ValueError("say which statements: effect, table or bounded")
        effects = wanted(self.effect)
        if self.bounded is not None and effects is not None and not effects & _BOUNDED:
            raise ValueError("`bounded` speaks of update, delete and truncate, and `effect` names none of them")
        return self

    def check(self, evaluation: Evaluation, *, doubt: Truth) -> Result:
        """Whether there are such statements. `doubt`: the truth to take, of two, where the agent's word decides."""
        return check_reported(self._done(evaluation), self.count, evaluation, doubt=doubt, why=_why)

    def moments(self, evaluation: Evaluation, *, trusted: bool) -> Moments:
        """The moments of the statements that fit. `trusted`: without those that only the agent reported."""
        return moments_reported(self._done(evaluation), evaluation, trusted=trusted)

    def fits(self, action: Action, _evaluation: Evaluation) -> Truth:
        """Whether an action sent such a statement, whoever reported it."""
        truths = [item.truth for item in self._of(action)]
        return True if True in truths else None if None in truths else False

    def _done(self, evaluation: Evaluation) -> Sequence[Done]:
        found = [item for action in evaluation.case.actions for item in self._of(action)]
        return without_licence(self.unless_after, evaluation, found)

    def _of(self, action: Action) -> Iterator[Done]:
        """The statements of an action that fit or may."""
        if action.kind not in ("sql", "unknown"):
            return
        statements = statements_of(action, self.dialect) if action.kind == "sql" else None
        if statements is None:
            yield Done(action, None, _evidence(action, None))
        for statement in statements or ():
            truth = fits_statement(statement, wanted(self.effect), table=self.table, bounded=self.bounded)
            if truth is not False:
                yield Done(action, truth, _evidence(action, statement))


def _evidence(action: Action, statement: Statement | None) -> Mapping[str, Value]:
    item: dict[str, Value] = {"kind": "sql", "step": action.seq, "reported_by": action.reported_by}
    if statement is None:
        return item | {"args": dict(action.args)}
    told: dict[str, Value] = {"sql": statement.sql, "effects": list(statement.effects), "why": statement.why}
    return item | told


def _why(truth: Truth, sure: Sequence[Done], possible: Sequence[Done]) -> str:
    if sure:
        effects, seq = sure[0].shown["effects"], sure[0].action.seq
        said = ", ".join(map(str, effects)) if isinstance(effects, list) else ""
        return f"{said} at step {seq}" + (f" and {len(sure) - 1} more" if len(sure) > 1 else "")
    if truth is None and possible:
        reason = str(possible[0].shown.get("why") or "")
        told = "its statement is not there" if "sql" not in possible[0].shown else reason or "its text does not tell"
        return f"step {possible[0].action.seq} ({possible[0].action.kind}) may be such a statement: {told}"
    return "no such statement"
