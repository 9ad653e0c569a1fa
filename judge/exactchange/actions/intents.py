"""Intents: the actions that a person would call one step."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactchange.actions.model import NEUTRAL, Action
from exactchange.values import Value, canonical_bytes

_SELECT_ALL = frozenset({"ctrl+a", "control+a", "meta+a", "cmd+a", "controlormeta+a"})
_ERASING = frozenset({"backspace", "delete"})
_COMMITTING = frozenset({"enter", "return", "tab"})


@dataclass(frozen=True, slots=True)
class Intent:
    """One step: its kind (`fill activate drag select check upload navigate key script tool …`) and its actions."""

    kind: str
    actions: tuple[Action, ...]

    @property
    def counts(self) -> bool:
        """Whether it is a step; looking, waiting and talking are none."""
        return self.kind != "neutral"

    @property
    def last(self) -> int:
        """Number of its last action."""
        return self.actions[-1].seq


_KIND_OF = {
    "click": "activate",
    "goto": "navigate",
    "back": "navigate",
    "forward": "navigate",
    "reload": "navigate",
    "search": "navigate",
}


def group(actions: Sequence[Action]) -> tuple[Intent, ...]:
    """Fold click, select all, typing and Enter on one target into one `fill`; everything else is a step by itself."""
    out: list[Intent] = []
    pending: list[Action] = []
    for action in actions:
        if action.kind in NEUTRAL:
            out.append(Intent("neutral", (action,)))
        elif pending and _continues(pending, action):
            pending.append(action)
            _replace_open(out, pending)
        else:
            pending = [action]
            out.append(Intent(_kind(pending), (action,)))
    return tuple(out)


def corrections(actions: Sequence[Action]) -> int:
    """How often something was put right: a field given another text again, or characters erased while typing."""
    count = 0
    filled: dict[bytes, str] = {}
    for intent in group(actions):
        count += sum(1 for action in intent.actions if action.kind == "key" and _ERASING & set(_keys(action)))
        if intent.kind != "fill":
            continue
        text = "".join(action.text or "" for action in intent.actions)
        place = _place(intent.actions[0])
        count += place in filled and filled[place] != text
        filled[place] = text
    return count


def _replace_open(out: list[Intent], pending: list[Action]) -> None:
    for number in range(len(out) - 1, -1, -1):
        if out[number].counts:
            out[number] = Intent(_kind(pending), tuple(pending))
            return


def _continues(pending: Sequence[Action], action: Action) -> bool:
    first = pending[0]
    if first.kind not in ("click", "fill", "type", "key"):
        return False
    if any(item.kind == "key" and _COMMITTING & set(_keys(item)) for item in pending):
        return False
    same_target = not action.target or not first.target or _place(action) == _place(first)
    if action.kind == "key":
        keys = set(_keys(action))
        typing = any(item.kind in ("fill", "type") for item in pending)
        return same_target and bool(keys & (_SELECT_ALL | _ERASING) or (typing and keys & _COMMITTING))
    if action.kind == "click":
        return first.kind == "click" and _count(action) == 3 and _place(action) == _place(first)
    written = any(item.kind in ("fill", "type") for item in pending)
    return action.kind in ("fill", "type") and same_target and (action.kind == "type" or not written)


def _kind(actions: Sequence[Action]) -> str:
    if any(action.kind in ("fill", "type") for action in actions):
        return "fill"
    return _KIND_OF.get(actions[0].kind, actions[0].kind)


def _place(action: Action) -> bytes:
    return canonical_bytes(action.target)


def _keys(action: Action) -> list[str]:
    keys: Value = action.args.get("keys", action.args.get("key"))
    names = keys if isinstance(keys, list) else [keys]
    return [name.casefold().replace(" ", "") for name in names if isinstance(name, str)]


def _count(action: Action) -> int:
    count = action.args.get("count", 1)
    return count if isinstance(count, int) else 1
