"""Intents: the actions that a person would call one step."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactchange.actions.keyboard import character, commits, edits, erases, goes_back, selects_all
from exactchange.actions.model import NEUTRAL, Action
from exactchange.values import canonical_bytes, sealed

_WRITING = ("fill", "type")


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
    def first(self) -> int:
        """Number of its first action."""
        return self.actions[0].seq

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
    """Fold what a person would call one step; all else is a step by itself.

    Into one `fill`: click, select all, typing or single keys, and Enter or Tab, on one target. Into one `drag`, or
    `activate` where the button was let go in the same place: pressing a mouse button and letting it go. Actions that
    are no step stand where they were, and neither end nor begin one.
    """
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


def settled(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions before the last step, to which the next action may still belong."""
    steps = [intent for intent in group(actions) if intent.counts]
    return tuple(action for action in actions if not steps or action.seq < steps[-1].first)


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
        typed = len(self._actions) > 1 and character(action) is not None
        self._written = self._written or action.kind in _WRITING or typed
        self._committed = self._committed or commits(action)
        if self._aim is None and action.target:
            self._aim = _place(action)

    def continues(self, action: Action) -> bool:
        """Whether an action goes on with the filling of a field, or with the drag, that this step began."""
        first, last = self._actions[0], self._actions[-1]
        if last.kind == "mouse_down":
            return action.kind == "mouse_up"
        if self._committed or not (self._clicked() or first.kind in _WRITING or edits(first)):
            return False
        if self._aim is not None and action.target and self._aim != _place(action):
            return False
        if action.kind == "click":
            again = self._aim is not None and bool(action.target)
            return self._clicked() and not self._written and again and _count(action) == 3
        if action.kind == "key":
            typed = character(action)  # a space after a mere click ticks a box, and types nothing
            return edits(action) or (typed or " ") != " " or (self._written and (typed == " " or commits(action)))
        return action.kind == "type" or (action.kind == "fill" and not self._written)

    def _clicked(self) -> bool:
        """Whether it began with a click, or with a button that was pressed and let go in one place."""
        first, *rest = self._actions
        return first.kind == "click" or (first.kind == "mouse_down" and bool(rest) and not self._dragged())

    def _dragged(self) -> bool:
        first, *rest = self._actions
        return first.kind == "mouse_down" and bool(rest) and rest[0].target != first.target

    def intent(self) -> Intent:
        first = self._actions[0].kind
        kind = "drag" if self._dragged() else "activate" if self._clicked() else _KIND_OF.get(first, first)
        return Intent("fill" if self._written else kind, tuple(self._actions))


def corrections(actions: Sequence[Action]) -> int:
    """How often something was put right: a field given another text again, or characters erased while typing.

    Erasing what stood there before anything was typed puts nothing right, nor does typing the same text again.
    """
    count = 0
    filled: dict[bytes, str] = {}
    for intent in group(actions):
        if intent.kind != "fill":
            continue
        count += _erased(intent.actions)
        place = next((_place(action) for action in intent.actions if action.target), None)
        if place is not None:
            text = _text(intent.actions)
            count += place in filled and filled[place] != text
            filled[place] = text
    return count


def _erased(actions: Sequence[Action]) -> int:
    """How many erasing keys follow something typed."""
    typed = False
    count = 0
    for action in actions:
        typed = typed or action.kind in _WRITING or character(action) is not None
        count += typed and erases(action)
    return count


def _text(actions: Sequence[Action]) -> str:
    """What was typed into a field, less what was erased again; what stood there before is not known."""
    text = ""
    chosen = False
    for action in actions:
        hidden = action.args.get("text")
        typed = action.text or (str(hidden) if sealed(hidden) else character(action)) or ""
        if action.kind == "fill" or (chosen and (typed or erases(action))):
            text, chosen = typed, False
        elif selects_all(action) or (action.kind == "click" and _count(action) == 3):
            chosen = True
        else:
            text = text[:-1] if goes_back(action) else text + typed
    return text


def _place(action: Action) -> bytes:
    return canonical_bytes(action.target)


def _count(action: Action) -> int:
    count = action.args.get("count", 1)
    return count if isinstance(count, int) else 1
