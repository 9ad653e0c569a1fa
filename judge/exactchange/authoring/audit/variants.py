"""The same task with other params: the good run of one variant must not pass under another."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from exactchange.errors import UsageError
from exactchange.task import Task, load_task
from exactchange.values import Scalar, Value, dumps, same

_Ways = Iterator[tuple[str, Value]]


@dataclass(frozen=True)
class Variant:
    """The task with other values for some params, by name. `task` None: it has none, and `why`.

    `what`: how the values differ, in a few words.
    """

    params: Mapping[str, Value]
    task: Task | None
    why: str = ""
    what: str = ""

    @property
    def said(self) -> str:
        """The params and their values, for people."""
        return ", ".join(f"{name}={dumps(value)}" for name, value in self.params.items())


def task_variants(task: Task, *, trust: bool = False) -> Iterator[Variant]:
    """Variants of a task that was read from a file, each param alone in several ways and then all of them together;
    reads the file again. A value that the task itself refuses makes no variant; `trust`: as `load_task`.
    """
    every: dict[str, Value] = {}
    for name, value in task.params.items():
        if task.file is None:
            yield Variant({name: value}, None, "the task was not read from a file")
            continue
        if value is None or not isinstance(value, bool | int | float | str):
            yield Variant({name: value}, None, "only texts, numbers and booleans are varied")
            continue
        ways = [_read(task, {name: other}, what, trust) for what, other in other_values(value)]
        made = [way for way in ways if way.task is not None]
        yield from made or ways[:1]
        every |= made[0].params if made else {}
    if len(every) > 1:
        yield _read(task, every, "all params at once", trust)


def _read(task: Task, params: Mapping[str, Value], what: str, trust: bool) -> Variant:
    assert task.file is not None
    try:
        return Variant(params, load_task(task.file, params={**task.params, **params}, trust=trust), what=what)
    except UsageError as error:
        return Variant(params, None, str(error).partition("\n")[0], what)


def other_values(value: Scalar) -> _Ways:
    """Other values of the same type that a run of this one might pass for, each with how it differs, none twice."""
    told: list[Value] = [value]
    for what, other in _ways(value):
        if not any(same(other, item) for item in told):
            told.append(other)
            yield what, other


def _ways(value: Scalar) -> _Ways:
    if isinstance(value, bool):
        yield "the opposite", not value
    elif isinstance(value, int | float):
        yield from (("one more", value + 1), ("ten times as much", value * 10), ("the opposite", -value))
        yield "nothing", type(value)(0)
    else:
        yield from _texts(str(value))


def _texts(text: str) -> _Ways:
    """A date, or a text of digits, keeps what it is; of any other the word is another one first."""
    yield from _later(text)
    if re.fullmatch(r"-?[0-9]{1,15}", text, re.ASCII):
        number = int(text)
        yield from (("one more", str(number + 1)), ("ten times as much", str(number * 10)), ("nothing", "0"))
    yield "another word", "".join(map(_next, text)) or "x"
    yield from (("something before it", f"x{text}"), ("something after it", f"{text}x"))
    yield "its beginning", text[:-1] or "x"
    yield "twice", f"{text} {text}"
    yield "other case", text.swapcase()
    yield "a trailing blank", f"{text} "
    yield "one blank more inside", text.replace(" ", "  ", 1)


def _later(text: str) -> _Ways:
    for read in (dt.date.fromisoformat, dt.datetime.fromisoformat):
        with suppress(ValueError, OverflowError):
            moved = (read(text) + dt.timedelta(days=1)).isoformat()
            yield "a day later", f"{moved[:10]}{text[10:]}" if len(text) >= 10 and text[4:5] == "-" else moved
            return


def _next(letter: str) -> str:
    """A letter or digit of the same sort; everything else stays, so that the shape does."""
    for first, last in ("az", "AZ", "09"):
        if first <= letter < last:
            return chr(ord(letter) + 1)
        if letter == last:
            return first
    return letter
