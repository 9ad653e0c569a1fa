"""Options and arguments that several commands share."""

import errno
import math
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from exactchange.errors import ExactChangeError, InfrastructureError, UsageError

if TYPE_CHECKING:
    from exactchange.task import Task
    from exactchange.values import Value

Command = TypeVar("Command", bound=Callable[..., object])
TIMEOUT_S = 300.0


def params_option(command: Command) -> Command:
    """`--param NAME=VALUE`, repeatable."""
    option = click.option(
        "--param", "params", metavar="NAME=VALUE", multiple=True, help="A parameter of the task; may be repeated."
    )
    return option(command)


def trust_option(command: Command) -> Command:
    """`--trust`: the task's own code may run."""
    text = "Let the `python:` conditions of the task run: code of its author's, with your rights."
    return click.option("--trust", is_flag=True, help=text)(command)


def agent_option(command: Command) -> Command:
    """`--agent CMD`: who works."""
    option = click.option(
        "--agent", required=True, metavar="CMD", help="The command that starts the agent; {python} is this Python."
    )
    return option(command)


def timeout_option(command: Command) -> Command:
    """`--timeout S`: how long the agent may work."""
    option = click.option(
        "--timeout",
        "timeout_s",
        type=click.FloatRange(min=0, min_open=True),
        callback=_finite,
        default=TIMEOUT_S,
        show_default=True,
        metavar="S",
        help="Seconds after which the agent is ended.",
    )
    return option(command)


def all_option(command: Command) -> Command:
    """`--all`: nothing left out."""
    return click.option("--all", "full", is_flag=True, help="Show every change and all evidence.")(command)


def path_argument(name: str, *, many: bool = False, required: bool = True) -> Callable[[Command], Command]:
    """A path that the command looks at itself, so that a missing one gets a message of ours."""
    return click.argument(name, nargs=-1 if many else 1, required=required, type=click.Path(path_type=pathlib.Path))


def parsed_params(given: Sequence[str]) -> "dict[str, Value]":
    """`NAME=VALUE` as a task would read it: `30` is a number, `"30"` a text. Raises UsageError."""
    out: dict[str, Value] = {}
    for item in given:
        name, equals, text = item.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--param {item}: write NAME=VALUE, such as --param save=fetch")
        if name in out:
            raise click.UsageError(f"--param {name} is given twice")
        out[name] = _value(text)
    return out


def loaded(path: pathlib.Path, params: "Mapping[str, Value] | None" = None, *, trust: bool = False) -> "Task":
    """The task in a file. Raises UsageError, with every mistake in the file."""
    from exactchange.task import load_task

    return load_task(path, params=params, trust=trust)


def cannot_write(place: object, error: OSError) -> ExactChangeError:
    """What to raise for a file that could not be written: the caller's slip, unless the disk is full or broken."""
    kind = InfrastructureError if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO) else UsageError
    return kind(f"cannot write {place}: {error.strerror}")


def _finite(_context: click.Context, _option: click.Parameter, seconds: float) -> float:
    """Neither infinity nor what is no number is a time after which anything ends."""
    if not math.isfinite(seconds):
        raise click.BadParameter(f"{seconds} is no number of seconds, such as 300")
    return seconds


def _value(text: str) -> "Value":
    """JSON scalars keep their type, everything else is text; the same in a task file, where YAML 1.2 core decides."""
    import json

    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value if value is None or isinstance(value, bool | int | float | str) else text
