"""What is known of a statement: its acts, each an effect on a table, and whether all of it was understood."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from exactchange.values import Value

EFFECTS: Final = (
    "read", "insert", "update", "delete", "drop", "truncate", "alter", "create", "grant", "attach", "pragma", "file",
    "call", "control", "unknown",
)  # fmt: skip
"""What a statement may do. `call`: a function that acts, or code that is loaded; `control`: sessions, transactions,
locks; `unknown`: something that was not understood."""
DIALECTS: Final = ("sqlite", "postgres", "mysql", "tsql")
_BOUNDED: Final = frozenset({"update", "delete", "truncate"})
_READING: Final = frozenset({"read"})


@dataclass(frozen=True, slots=True)
class Act:
    """One effect on one table.

    `table`: its name without quotes, with the schema where one is written; empty where there is none, None where it is
    not known which. `bounded`: of an update or delete, whether something restricts the rows; None where the text does
    not tell.
    """

    effect: str
    table: str | None = ""
    bounded: bool | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `sql`: as it was sent. Where it was not `understood` its acts are those that are certain.

    `why`: what was not understood, or what makes it unbounded; for people.
    """

    sql: str
    acts: tuple[Act, ...]
    understood: bool = True
    why: str = ""

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects, sorted; with `unknown` where it was not understood."""
        found = {act.effect for act in self.acts}
        return tuple(sorted(found if self.understood else found | {"unknown"}))

    @property
    def written(self) -> tuple[str, ...]:
        """The tables that it does something to but read, sorted."""
        return _names(act for act in self.acts if act.effect not in _READING)

    @property
    def read(self) -> tuple[str, ...]:
        """The tables that it reads, sorted."""
        return _names(act for act in self.acts if act.effect in _READING)

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables that it names, sorted; names of its own subqueries are none."""
        return _names(self.acts)

    @property
    def bounded(self) -> bool | None:
        """Whether all that it updates and deletes is restricted; None where there is none, or it cannot be told."""
        found = [act.bounded for act in self.acts if act.effect in _BOUNDED]
        if False in found:
            return False
        return None if not found or None in found or not self.understood else True


def statement_record(statement: Statement) -> dict[str, Value]:
    """The JSON form of a statement: `{"sql", "effects", "tables", "bounded", "understood", "why"}`."""
    return {
        "sql": statement.sql,
        "effects": list(statement.effects),
        "tables": list(statement.tables),
        "bounded": statement.bounded,
        "understood": statement.understood,
        "why": statement.why,
    }


def _names(acts: Iterable[Act]) -> tuple[str, ...]:
    return tuple(sorted({act.table for act in acts if act.table}))
