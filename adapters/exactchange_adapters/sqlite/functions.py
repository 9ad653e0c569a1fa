"""Functions of SQL as a task's query may call them: none asks the clock, none multiplies the lengths of two texts.

SQLite's own date functions read the clock for `now`, also where the word stands in the data, and its `trim`, `instr`
and `replace` multiply the lengths of two texts. Here they are asked of SQLite only after a look at what they are given.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from exactchange.errors import UsageError
from exactchange_adapters.sqlite.engine import Cell, Unreadable

if TYPE_CHECKING:
    import apsw

Call: TypeAlias = Callable[..., Cell]

_SHORT: Final = 256
_LONGEST: Final = 16 * 1024 * 1024
_NOW: Final = frozenset({"now", "subsec", "subsecond"})  # the last two mean "now, and in parts of a second"
_ZONES: Final = frozenset({"localtime", "utc"})
_TIMES: Final[Mapping[str, slice]] = {
    "date": slice(0, 1), "time": slice(0, 1), "datetime": slice(0, 1), "julianday": slice(0, 1),
    "unixepoch": slice(0, 1), "strftime": slice(1, 2), "timediff": slice(0, 2),
}  # fmt: skip
"""Date functions, and which of their arguments are times; what follows are modifiers."""


def tamed() -> dict[str, Call]:
    """The functions by name; each takes what SQL gives it. Raises UsageError where one is asked for the time."""
    import apsw

    own = apsw.Connection(":memory:")
    dates = {name: _date(own, name, times) for name, times in _TIMES.items()}
    trims = {name: _trim(own, name) for name in ("trim", "ltrim", "rtrim")}
    return {**dates, **trims, "instr": _instr(own), "replace": _replace(own)}


def _date(own: "apsw.Connection", name: str, times: slice) -> Call:
    def call(*given: Cell) -> Cell:
        texts = [_text(item).casefold() for item in given]
        zoned = _ZONES.intersection(texts[times.stop :])
        if not texts[times] or _NOW.intersection(texts[times]) or zoned:
            what = (
                f"{name}() with {sorted(zoned)[0]!r} depends on the machine" if zoned else f"{name}() asks for the time"
            )
            raise UsageError(f"{what}: the same state would give another answer elsewhere or later")
        return _asked(own, name, given)

    return call


def _trim(own: "apsw.Connection", name: str) -> Call:
    def call(*given: Cell) -> Cell:
        if len(given) != 2 or min(map(_length, given)) <= _SHORT:
            return _asked(own, name, given)
        text, letters = given
        if not isinstance(text, str) or not isinstance(letters, str):
            return _long(name)
        known = set(letters.split("\0")[0])  # SQLite reads no further
        start, end = 0, len(text)
        while name != "rtrim" and start < end and text[start] in known:
            start += 1
        while name != "ltrim" and end > start and text[end - 1] in known:
            end -= 1
        return text[start:end]

    return call


def _instr(own: "apsw.Connection") -> Call:
    def call(*given: Cell) -> Cell:
        if len(given) != 2 or min(map(_length, given)) <= _SHORT:
            return _asked(own, "instr", given)
        text, part = given
        if isinstance(text, str) and isinstance(part, str):
            return text.find(part) + 1
        if isinstance(text, bytes) and isinstance(part, bytes):
            return text.find(part) + 1
        return _long("instr")

    return call


def _replace(own: "apsw.Connection") -> Call:
    def call(*given: Cell) -> Cell:
        if len(given) != 3:
            return _asked(own, "replace", given)
        text, old, new = given
        if _length(text) + _length(new) * (_length(text) // max(1, _length(old))) > _LONGEST:
            return _long("replace")
        if min(_length(text), _length(old)) <= _SHORT:
            return _asked(own, "replace", given)
        if isinstance(text, str) and isinstance(old, str) and isinstance(new, str):
            return text.replace(old, new)
        return _long("replace")

    return call


def _long(name: str) -> Cell:
    raise Unreadable(f"{name}() is given texts that are too long for it")


def _asked(own: "apsw.Connection", name: str, given: tuple[Cell, ...]) -> Cell:
    """What SQLite's own function says, on a connection without any data."""
    (row,) = own.execute(f"SELECT {name}({', '.join('?' * len(given))})", given)
    value: Cell = row[0]
    return value


def _text(value: Cell) -> str:
    """A value as SQLite's date functions read it: up to the first NUL."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text.split("\0")[0]


def _length(value: Cell) -> int:
    return len(value) if isinstance(value, str | bytes) else 0
