"""Values as short text: typed, cut with their length said, and a pair cut where its two sides differ."""

import datetime as dt
import re
import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction

from exactchange.reports.sanitise import quoted, shown
from exactchange.values import ABSENT, State, Value, type_name

_BARE_KEY = re.compile(r"[\w.@/+-]+\Z")
_LONGEST_INT_BITS = 200  # beyond that the digits tell nobody anything, and beyond 4,300 Python refuses to print them
_DEEPEST = 4
_FEW = 3
_LONGEST_ALIKE = 200  # of longer texts nobody compares the letters by eye
_LEAD = 8  # characters of agreement that stay before the place where two long texts differ


def value_text(value: State, limit: int) -> str:
    """The value in about `limit` characters; what was cut is said with its length: `"aaa…" (12,345 characters)`."""
    if isinstance(value, str):
        return _text(value, 0, limit)
    if value is ABSENT:
        return "absent"
    if isinstance(value, bytes):
        return _bytes(value, limit)
    if isinstance(value, Mapping):
        return _mapping(value, limit, _DEEPEST)
    if isinstance(value, Sequence):
        return _list(value, limit, _DEEPEST)
    return _scalar(value)


def pair_text(before: State, after: State, limit: int) -> tuple[str, str]:
    """Both sides of a change in about `limit` characters each; two that would look the same are told apart."""
    if isinstance(before, str) and isinstance(after, str):
        same = _agreement(before, after)
        start = max(0, same - _LEAD) if max(len(before), len(after)) > limit and same > limit // 2 else 0
        left, right = _text(before, start, limit), _text(after, start, limit)
    else:
        left, right = value_text(before, limit), value_text(after, limit)
    if left == right or _look_alike(before, after):
        return f"{left} {_telling(before, after)}", f"{right} {_telling(after, before)}"
    return left, right


def typed_text(value: State, limit: int) -> str:
    """The value with its type: `"30" (str)`, `30 (int)`."""
    return f"{value_text(value, limit)} ({type_of(value)})"


def score_text(score: Fraction | None) -> str:
    """`score 86.7`, or `no score` where the infrastructure failed."""
    return "no score" if score is None else f"score {number_text(score)}"


def number_text(number: Fraction) -> str:
    """A number with at most one decimal: `100`, `33.3`."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.1f}"


def type_of(value: State) -> str:
    """Name of the value's type as messages use it."""
    if value is ABSENT:
        return "absent"
    if isinstance(value, Mapping):
        return "mapping"
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return "list"
    return type_name(value)


def _text(value: str, start: int, limit: int) -> str:
    if len(value) <= limit:
        return quoted(value)
    part = value[start : start + limit]
    lead = "…" if start else ""
    tail = "…" if start + limit < len(value) else ""
    return f'"{lead}{quoted(part)[1:-1]}{tail}" ({len(value):,} characters)'


def _bytes(value: bytes, limit: int) -> str:
    few = max(4, limit // 2)
    return f"x'{value[:few].hex()}{'…' if len(value) > few else ''}' ({len(value):,} bytes)"


def _scalar(value: None | bool | int | float | dt.datetime | dt.date | dt.time) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value.bit_length() > _LONGEST_INT_BITS:
            bits = value.bit_length()
            return f"{'-' if value < 0 else ''}0x{abs(value) >> (bits - 32):x}… ({bits:,} bits)"
        return str(value)
    return repr(value) if isinstance(value, float) else value.isoformat()


def _mapping(value: Mapping[str, Value], limit: int, depth: int) -> str:
    if not value:
        return "{}"
    if set(value) == {"@secret"}:
        return "a secret"
    parts = [(f"{_key(name)}: ", item) for name, item in sorted(value.items())]
    return "{" + _parts(parts, limit, depth) + "}"


def _list(value: Sequence[Value], limit: int, depth: int) -> str:
    return "[" + _parts([("", item) for item in value], limit, depth) + "]" if value else "[]"


def _parts(parts: Sequence[tuple[str, Value]], limit: int, depth: int) -> str:
    if depth == 0:
        return f"… {len(parts):,} parts"
    out: list[str] = []
    room = limit - 2
    for number, (lead, item) in enumerate(parts):
        text = lead + _below(item, min(room, 32), depth - 1)
        if out and len(text) > room:
            return ", ".join([*out, f"… {len(parts) - number:,} more"])
        out.append(text)
        room -= len(text) + 2
    return ", ".join(out)


def _below(value: Value, limit: int, depth: int) -> str:
    if isinstance(value, Mapping):
        return _mapping(value, limit, depth)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _list(value, limit, depth)
    return value_text(value, max(8, limit))


def _key(name: str) -> str:
    return name if _BARE_KEY.match(name) and name.isascii() else quoted(name[:40] + ("…" if len(name) > 40 else ""))


def _agreement(left: str, right: str) -> int:
    """Length of the common beginning, by halving: the texts may be very long."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _look_alike(left: State, right: State) -> bool:
    """Whether two texts may be drawn alike: equal when composed, or unlike in a few letters of other scripts only."""
    if not isinstance(left, str) or not isinstance(right, str) or (left.isascii() and right.isascii()):
        return False
    if max(len(left), len(right)) > _LONGEST_ALIKE:
        return False
    if unicodedata.normalize("NFKC", left) == unicodedata.normalize("NFKC", right):
        return True
    unlike = [(a, b) for a, b in zip(left, right, strict=False) if a != b]
    few = len(left) == len(right) and len(unlike) <= _FEW
    return few and all(_script(a) != _script(b) for a, b in unlike)


def _script(char: str) -> str:
    """LATIN, CYRILLIC, GREEK, …: the first word of its name."""
    return unicodedata.name(char, "").partition(" ")[0]


def _telling(value: State, other: State) -> str:
    """What tells two values apart that look the same when shown: their code points, or their types."""
    if isinstance(value, str) and isinstance(other, str):
        at = _agreement(value, other)
        points = " ".join(f"U+{ord(char):04X}" for char in value[at : at + 2]) or "the end"
        return f"(character {at + 1}: {points})"
    return shown(f"({type_of(value)})") if type_of(value) != type_of(other) else "(differs further in)"
