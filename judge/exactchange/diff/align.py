"""Two trees brought into the form that DeepDiff compares without loss: only what differs, every scalar typed.

Mappings become dicts of `k:` keys, lists become dicts of `i:` items (by identity where they have one, else by position
after the equal head and tail), the lines of a text go by what they say, and everything that is compared whole becomes
its canonical bytes in hexadecimal. So DeepDiff sees nothing but dicts with text keys and text values, for which it is
exact (see docs/architecture.md).
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from exactchange.address.walk import identity_field, item_segment
from exactchange.diff.lines import Lines, hunks
from exactchange.diff.rising import longest_rising
from exactchange.values import ABSENT, State, Value, canonical_bytes, same, sealed

Form: TypeAlias = "str | dict[str, Form]"
Pair: TypeAlias = tuple[Form, Form]
_LISTS: TypeAlias = Sequence[Value]


def align(before: State, after: State) -> Pair | None:
    """Both sides in comparable form, reduced to what differs; None when they are the same value."""
    if before is after:  # readers share what did not change
        return None
    if sealed(before) or sealed(after):
        return None if same(before, after) else (_whole(before), _whole(after))
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return _mappings(before, after)
    if _is_list(before) and _is_list(after):
        return _lists(before, after)
    return None if same(before, after) else (_whole(before), _whole(after))


def shared_ends(before: Sequence[Value], after: Sequence[Value]) -> tuple[int, int]:
    """How many items two lists share at the head and, not counting those, at the tail."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and same(before[head], after[head]):
        head += 1
    tail = 0
    while tail < shorter - head and same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    return head, tail


def _is_list(value: State) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _whole(value: State) -> str:
    return canonical_bytes(value).hex()


def _mappings(before: Mapping[str, Value], after: Mapping[str, Value]) -> Pair | None:
    left: dict[str, Form] = {}
    right: dict[str, Form] = {}
    for key in before.keys() | after.keys():
        old, new = before.get(key, ABSENT), after.get(key, ABSENT)
        if old is not new:
            _put(f"k:{key}", old, new, left, right)
    return (left, right) if left or right else None


def _lists(before: State, after: State) -> Pair | None:
    assert isinstance(before, Sequence) and isinstance(after, Sequence)
    if isinstance(before, Lines) and isinstance(after, Lines):
        return _lines(before, after)
    field = identity_field(before, after)
    return _positional(before, after) if field is None else _keyed(before, after, field)


def _put(name: str, before: State, after: State, left: dict[str, Form], right: dict[str, Form]) -> None:
    if before is ABSENT:
        right[name] = _whole(after)
    elif after is ABSENT:
        left[name] = _whole(before)
    else:
        pair = align(before, after)
        if pair is not None:
            left[name], right[name] = pair


def _keyed(before: _LISTS, after: _LISTS, field: str) -> Pair | None:
    old = {item_segment(item, field): item for item in before}
    new = {item_segment(item, field): item for item in after}
    left: dict[str, Form] = {}
    right: dict[str, Form] = {}
    for segment in [*old, *(name for name in new if name not in old)]:
        _put(f"i:{segment}", old.get(segment, ABSENT), new.get(segment, ABSENT), left, right)
    places = {name: number for number, name in enumerate(old)}, {name: number for number, name in enumerate(new)}
    for segment in _moved([name for name in old if name in new], [name for name in new if name in old]):
        left[f"o:{segment}"] = str(places[0][segment])
        right[f"o:{segment}"] = f"{places[1][segment]}'"  # differs even where a neighbour's leaving kept the number
    return (left, right) if left or right else None


def _positional(before: _LISTS, after: _LISTS) -> Pair | None:
    head, tail = shared_ends(before, after)
    left: dict[str, Form] = {}
    right: dict[str, Form] = {}
    for number in range(head, max(len(before), len(after)) - tail):
        old = before[number] if number < len(before) - tail else ABSENT
        new = after[number] if number < len(after) - tail else ABSENT
        _put(f"i:{number}", old, new, left, right)
    return (left, right) if left or right else None


def _lines(before: Lines, after: Lines) -> Pair | None:
    """`w:` a line that went, `c:` one that came, `m:` one written anew, with its numbers on both sides."""
    left: dict[str, Form] = {}
    right: dict[str, Form] = {}
    for hunk in hunks(before, after):
        paired = hunk.paired
        for old, new in zip(range(hunk.start, hunk.end), range(hunk.new_start, hunk.new_end), strict=False):
            _put(f"m:{old}:{new}", before[old], after[new], left, right)
        left |= {f"w:{old}": _whole(before[old]) for old in range(hunk.start + paired, hunk.end)}
        right |= {f"c:{new}": _whole(after[new]) for new in range(hunk.new_start + paired, hunk.new_end)}
    return (left, right) if left or right else None


def _moved(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The fewest items whose moving explains the new order: all but a longest rising run."""
    place = {name: number for number, name in enumerate(new)}
    stay = set(longest_rising([place[name] for name in old]))
    return [name for number, name in enumerate(old) if number not in stay]
