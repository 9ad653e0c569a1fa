"""Statements that a rule about SQL speaks of, made from the rule itself."""

from collections.abc import Iterator, Mapping
from typing import Final

from exactchange.conditions.effects import wanted
from exactchange.conditions.sql import SqlRule

_WITHOUT: Final = " WHERE 1 = 1"
_WITH: Final = " WHERE id = 1"
_EXAMPLES: Final[Mapping[str, str]] = {
    "delete": "DELETE FROM {table}{where}",
    "update": "UPDATE {table} SET a = 1{where}",
    "insert": "INSERT INTO {table} (a) VALUES (1)",
    "drop": "DROP TABLE {table}",
    "truncate": "TRUNCATE TABLE {table}",
    "create": "CREATE TABLE {table} (a int)",
    "alter": "ALTER TABLE {table} ADD a int",
    "read": "SELECT * FROM {table}",
    "grant": "GRANT SELECT ON {table} TO a",
    "attach": "ATTACH 'a' AS b",
    "pragma": "PRAGMA user_version = 1",
    "file": "SELECT load_file('a')",
    "call": "SELECT setval('a', 1)",
    "control": "COMMIT",
    "unknown": "?",
}
"""By effect, one that comes to mind; whether it crosses a line in the dialect of the rule is seen when it is judged."""


def example(effect: str, *, table: str = "t", bounded: bool | None = None) -> str:
    """A statement with an effect."""
    return _EXAMPLES[effect].format(table=table, where=_WITH if bounded else _WITHOUT)


def examples(rule: SqlRule) -> Iterator[str]:
    """Statements that a rule may speak of."""
    for effect in _EXAMPLES:
        if effect in (wanted(rule.effect) or _EXAMPLES):
            yield example(effect, table=rule.table or "t", bounded=rule.bounded)
