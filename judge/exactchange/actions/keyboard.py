"""What a key does in a field: types a character, edits what stands there, or leaves it."""

from exactchange.actions.model import Action
from exactchange.values import Value, sealed

_SELECT_ALL = frozenset({"ctrl+a", "control+a", "meta+a", "cmd+a", "controlormeta+a"})
_ERASING = frozenset({"backspace", "delete"})
_COMMITTING = frozenset({"enter", "return", "tab"})

_HIDDEN = "\u2022"
"""Stands for a key that was typed into a field for secrets: a character, and nobody knows which."""


def selects_all(action: Action) -> bool:
    """Whether it selects all that stands in a field."""
    return bool(_names(action) & _SELECT_ALL)


def erases(action: Action) -> bool:
    """Whether it erases a character, or what is selected."""
    return bool(_names(action) & _ERASING)


def edits(action: Action) -> bool:
    """Whether it selects or erases what stands in a field."""
    return selects_all(action) or erases(action)


def goes_back(action: Action) -> bool:
    """Whether it erases the character before the caret."""
    return "backspace" in _names(action)


def commits(action: Action) -> bool:
    """Whether it leaves the field, or sends its form."""
    return bool(_names(action) & _COMMITTING)


def character(action: Action) -> str | None:
    """What a single key without modifiers types; None for any other action."""
    keys = _pressed(action)
    if len(keys) != 1:
        return None
    return " " if keys[0].casefold() == "space" else keys[0] if len(keys[0]) == 1 and keys[0].isprintable() else None


def _names(action: Action) -> frozenset[str]:
    return frozenset(name.casefold().replace(" ", "") for name in _pressed(action))


def _pressed(action: Action) -> list[str]:
    """The keys of an action of kind `key`; none of any other."""
    if action.kind != "key":
        return []
    keys: Value = action.args.get("keys", action.args.get("key"))
    names = keys if isinstance(keys, list) else [keys]
    told = (_HIDDEN if sealed(name) else name for name in names)
    return [name for name in told if isinstance(name, str)]
