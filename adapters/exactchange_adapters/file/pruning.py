"""Two trees without what is the same in both, so that comparing them costs what changed."""

from collections.abc import Mapping
from typing import Final

from exactchange.values import ABSENT, Value, same

_ALIKE_BY_EQUALITY: Final = (str, int, bool, type(None))  # within one of these types, equal is the same value


def pruned(left: Mapping[str, Value], right: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Both mappings less the keys under which they hold the same value. Lists stay whole: their positions matter."""
    old_side: dict[str, Value] = {}
    new_side: dict[str, Value] = {}
    for name, old in left.items():
        new = right.get(name, ABSENT)
        if old is new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            inner = pruned(old, new)
            if inner[0] or inner[1]:
                old_side[name], new_side[name] = inner
            continue
        if new is ABSENT:
            old_side[name] = old
        elif not _alike(old, new):
            old_side[name], new_side[name] = old, new
    for name, new in right.items():
        if name not in left:
            new_side[name] = new
    return old_side, new_side


def _alike(old: Value, new: Value) -> bool:
    if type(old) is type(new) and isinstance(old, _ALIKE_BY_EQUALITY):
        return old == new
    return same(old, new)
