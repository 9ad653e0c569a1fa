"""The sources that every task has without declaring them: the agent's answer and its actions, as values."""

from collections.abc import Mapping, Sequence
from typing import Final

from exactchange.actions import Action
from exactchange.address import key
from exactchange.errors import UsageError
from exactchange.snapshot import START, Mark, TreeSnapshot
from exactchange.sources import NoSelector, SourceParams, TreeKind
from exactchange.values import ABSENT, Value, parse_json

ANSWER: Final = "answer"
ACTIONS: Final = "actions"
PSEUDO: Final = frozenset({ANSWER, ACTIONS})
VALUES: Final = TreeKind[SourceParams, NoSelector, TreeSnapshot]()
"""A source kind for plain values, without parameters or a live half."""


def answer_snapshot(answer: str | None, *, step: int) -> TreeSnapshot:
    """The answer as data: a JSON object or list by its fields, other text as one text; ABSENT when there is none.

    `step`: number of the last action, after which it was given.
    """
    return TreeSnapshot("answer", ABSENT if answer is None else _structured(answer), Mark(step))


def actions_snapshot(actions: Sequence[Action]) -> TreeSnapshot:
    """The actions as a list of `{seq, kind, reported_by, …}` mappings."""
    items = [{**a.args, "seq": a.seq, "kind": a.kind, "reported_by": a.reported_by} for a in actions]
    return TreeSnapshot("actions", [_spelt(item) for item in items], Mark(actions[-1].seq if actions else START))


def _structured(answer: str) -> Value:
    try:
        value = parse_json(answer)
    except UsageError:
        return answer
    return _spelt(value) if isinstance(value, Mapping | list) else answer


def _spelt(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key(name): _spelt(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_spelt(item) for item in value]
    return value
