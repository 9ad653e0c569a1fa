"""Intents: the actions that a person would call one step."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactchange.actions.model import NEUTRAL, Action
from exactchange.values import Value, canonical_bytes

_SELECT_ALL = frozenset({"ctrl+a", "control+a", "meta+a", "cmd+a", "controlormeta+a"})
_ERASING = frozenset({"backspace", "delete"})
_WRITING = ("fill", "type")
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
    """Fold click, select all, typing and Enter or Tab on one target into one `fill`; all else is a step by itself."""
    out: list[Intent | _Open] = []
    pending: _Open | None = None
    for action in actions:
        if action.kind in NEUTRAL:
            out.append(Intent("neutral", (action,)))
        elif pending is not None and pending.continues(action):
            pending.add(action)
        else:
            pending = _Open([action])
            out.append(pending)
    return tuple(item if isinstance(item, Intent) else item.intent() for item in out)


class _Open:
    """A step to which the next action may still belong."""

    def __init__(self, actions: list[Action]) -> None:
        self._actions: list[Action] = []
        self._written = self._committed = False
        self._aim: bytes | None = None
        for action in actions:
            self.add(action)

    def add(self, action: Action) -> None:
        self._actions.append(action)
        self._written = self._written or action.kind in _WRITING
        self._committed = self._committed or _commits(action)
        if self._aim is None and action.target:
            self._aim = _place(action)

    def continues(self, action: Action) -> bool:
        """Whether an action goes on with the filling of a field that this step began."""
        first = self._actions[0]
        if self._committed or not (first.kind in ("click", *_WRITING) or _edits(first)):
            return False
        if self._aim is not None and action.target and self._aim != _place(action):
            return False
        if action.kind == "click":
            again = self._aim is not None and bool(action.target)
            return first.kind == "click" and not self._written and again and _count(action) == 3
        if action.kind == "key":
            return _edits(action) or (self._written and _commits(action))
        return action.kind == "type" or (action.kind == "fill" and not self._written)

    def intent(self) -> Intent:
        first = self._actions[0].kind
        return Intent("fill" if self._written else _KIND_OF.get(first, first), tuple(self._actions))


def corrections(actions: Sequence[Action]) -> int:
    """How often something was put right: a field given another text again, or characters erased while typing.

    Erasing what stood there before anything was typed puts nothing right.
    """
    count = 0
    filled: dict[bytes, str] = {}
    for intent in group(actions):
        if intent.kind != "fill":
            continue
        count += _erased(intent.actions)
        place = next((_place(action) for action in intent.actions if action.target), None)
        text = "".join(action.text or "" for action in intent.actions)
        if place is not None:
            count += place in filled and filled[place] != text
            filled[place] = text
    return count


def _erased(actions: Sequence[Action]) -> int:
    """How many erasing keys follow something typed."""
    typed = False
    count = 0
    for action in actions:
        typed = typed or action.kind in _WRITING
        count += typed and action.kind == "key" and bool(_ERASING & set(_keys(action)))
    return count


def _edits(action: Action) -> bool:
    return action.kind == "key" and bool(set(_keys(action)) & (_SELECT_ALL | _ERASING))


def _commits(action: Action) -> bool:
    return action.kind == "key" and bool(set(_keys(action)) & _COMMITTING)


def _place(action: Action) -> bytes:
    return canonical_bytes(action.target)


def _keys(action: Action) -> list[str]:
    keys: Value = action.args.get("keys", action.args.get("key"))
    names = keys if isinstance(keys, list) else [keys]
    return [name.casefold().replace(" ", "") for name in names if isinstance(name, str)]


def _count(action: Action) -> int:
    count = action.args.get("count", 1)
    return count if isinstance(count, int) else 1
