"""The same task with other params: the good run of one variant must not pass under another."""

from collections.abc import Iterator
from dataclasses import dataclass

from exactchange.errors import UsageError
from exactchange.task import Task, load_task
from exactchange.values import Scalar, Value, dumps


@dataclass(frozen=True)
class Variant:
    """The task with another value for one param. `task` None: it has none, and `why`."""

    param: str
    value: Value
    task: Task | None
    why: str = ""

    @property
    def said(self) -> str:
        """The param and its value, for people."""
        return f"{self.param}={dumps(self.value)}"


def task_variants(task: Task, *, trust: bool = False) -> Iterator[Variant]:
    """A variant for each param of a task that was read from a file; reads the file again. `trust`: as `load_task`."""
    for name, value in task.params.items():
        if task.file is None:
            yield Variant(name, value, None, "the task was not read from a file")
            continue
        if value is None or not isinstance(value, bool | int | float | str):
            yield Variant(name, value, None, "only texts, numbers and booleans are varied")
            continue
        another = other_param(value)
        try:
            yield Variant(name, another, load_task(task.file, params={**task.params, name: another}, trust=trust))
        except UsageError as error:
            yield Variant(name, another, None, str(error).partition("\n")[0])


def other_param(value: Scalar) -> Value:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    text = str(value)
    return f"{text[:-1]}{int(text[-1]) ^ 1}" if text[-1:].isascii() and text[-1:].isdigit() else f"x{text}"
