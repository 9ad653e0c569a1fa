"""What the agent did: actions as reported, and the intents that a person would call steps."""

from exactchange.actions.intents import Intent, corrections, group, settled
from exactchange.actions.model import KINDS, NEUTRAL, Action, Reporter
from exactchange.actions.plain import action_record, normalise, read_jsonl
from exactchange.actions.vocabulary import ARGS, KEYS

__all__ = [
    "ARGS",
    "KEYS",
    "KINDS",
    "NEUTRAL",
    "Action",
    "Intent",
    "Reporter",
    "action_record",
    "corrections",
    "group",
    "normalise",
    "read_jsonl",
    "settled",
]
