"""The sources that every task has without declaring them: the agent's answer and its actions, as values."""

from collections.abc import Mapping, Sequence
from typing import Final, get_args

from exactchange.actions import ARGS, KINDS, Action, Reporter
from exactchange.address import key
from exactchange.errors import UsageError
from exactchange.snapshot import START, Mark, TreeSnapshot
from exactchange.sources import NoSelector, SourceParams, Standing, TreeKind
from exactchange.values import ABSENT, Value, parse_json

ANSWER: Final = "answer"
ACTIONS: Final = "actions"
PSEUDO: Final = frozenset({ANSWER, ACTIONS})
VALUES: Final = TreeKind[SourceParams, NoSelector, TreeSnapshot]()
"""A source kind for plain values, without parameters or a live half."""


OF_ACTIONS: Final[Mapping[str, Standing]] = {
    "": Standing("the list of actions", frozenset({"list"}), rows="action", items="action", hint="write `[*].kind`"),
    "action": Standing(
        "an action",
        frozenset({"mapping"}),
        fields={"seq": "number", "kind": "kind", "reported_by": "reporter"},
        keys="anything",
        usual=frozenset(name for fields in ARGS.values() for name in fields) | {"tool", "args"},
        hint="write `[*].kind`",
    ),
    "number": Standing("a number", frozenset({"int"})),
    "kind": Standing("a kind of action", frozenset({"str"}), texts=KINDS | {"unknown"}),
    "reporter": Standing("who reports it", frozenset({"str"}), texts=frozenset(get_args(Reporter))),
    "anything": Standing("what an action holds", free=True),
}
"""What stands in the places of `actions`; see `exactchange.sources.Placing`."""


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
