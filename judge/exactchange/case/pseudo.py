"""The sources that every task has without declaring them: the agent's answer and its actions, as values."""

from collections.abc import Mapping, Sequence
from typing import Final

from exactchange.actions import Action
from exactchange.address import key
from exactchange.errors import UsageError
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import NoSelector, SourceParams, TreeKind
from exactchange.values import ABSENT, State, Value, loads

ANSWER: Final = "answer"
ACTIONS: Final = "actions"
PSEUDO: Final = frozenset({ANSWER, ACTIONS})
VALUES: Final = TreeKind[SourceParams, NoSelector, TreeSnapshot]()
"""A source kind for plain values, without parameters or a live half."""


def answer_snapshot(answer: str | None) -> TreeSnapshot:
    """The answer as data: a JSON object or list by its fields, other text as one text; ABSENT when there is none."""
    return TreeSnapshot("answer", ABSENT if answer is None else _structured(answer))


def actions_snapshot(actions: Sequence[Action]) -> TreeSnapshot:
    """The actions as a list of `{seq, kind, …}` mappings."""
    return TreeSnapshot("actions", [_spelt({"seq": a.seq, "kind": a.kind, **a.args}) for a in actions])


def _structured(answer: str) -> Value:
    try:
        value: State = loads(answer)
    except UsageError:
        return answer
    return _spelt(value) if isinstance(value, Mapping | list) else answer


def _spelt(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key(name): _spelt(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_spelt(item) for item in value]
    return value
