"""What actions usually hold, by their kind: docs/agents.md for what is reported, the witness for what is seen.

Who reports an action may add what it likes, so that no word is wrong that is not here; it is likely a slip.
"""

from collections.abc import Mapping
from typing import Final

KEYS: Final = frozenset(
    "Enter Tab Escape Backspace Delete Insert Home End PageUp PageDown ArrowUp ArrowDown ArrowLeft ArrowRight Space "
    "Shift Control Alt AltGraph Meta ControlOrMeta CapsLock NumLock ScrollLock ContextMenu PrintScreen Pause Clear "
    "Help Undo Redo Copy Cut Paste Dead Process Unidentified "
    "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24".split()
)
"""Names of keys that type no character, as https://www.w3.org/TR/uievents-key/ has them, and `Space`."""
BUTTONS: Final = frozenset("left middle right back forward".split())
_ANY: Final[frozenset[str]] = frozenset()
_POINTED: Final[Mapping[str, frozenset[str]]] = {"target": _ANY, "xy": _ANY}
_DIALECTS: Final = frozenset("sqlite postgres mysql tsql".split())

ARGS: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "click": {**_POINTED, "button": BUTTONS, "count": _ANY},
    "fill": {**_POINTED, "text": _ANY},
    "type": {**_POINTED, "text": _ANY},
    "key": {**_POINTED, "keys": KEYS},
    "select": {**_POINTED, "values": _ANY},
    "check": {**_POINTED, "checked": _ANY},
    "upload": {**_POINTED, "files": _ANY},
    "goto": {"url": _ANY},
    "shell": {"command": _ANY},
    "script": {"code": _ANY},
    "sql": {"text": _ANY, "dialect": _DIALECTS},
    "reply": {"text": _ANY},
    "message": {"text": _ANY},
}
"""The fields of an action, each with the words that stand there; none: any value."""
