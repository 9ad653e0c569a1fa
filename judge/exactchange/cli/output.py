"""What the command line writes: text for people or one JSON document, errors, progress; nothing judged unescaped."""

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO, TypeVar

import click

from exactchange.errors import InfrastructureError

if TYPE_CHECKING:
    from exactchange.values.jsonform import Json

DEBUG = "EXACTCHANGE_DEBUG"
"""The variable with which a mistake of ours is shown with its traceback."""
Command = TypeVar("Command", bound=Callable[..., object])
_NARROWEST, _WIDEST, _UNKNOWN = 44, 160, 100
_PLAINER = {"✓": "v", "✗": "x", "…": "...", "·": "-"}


class Unwritable(InfrastructureError):
    """Stdout does not take what was to be said: nobody has been told the verdict."""


class ReaderGone(Unwritable):
    """Whoever read stdout has gone: as a program that SIGPIPE ends, which needs no words."""

    exit_code = 128 + 13


@dataclass(frozen=True, slots=True)
class Look:
    """How text is drawn on this terminal."""

    width: int
    colour: bool


def json_option(command: Command) -> Command:
    """The `--json` option, which every command has."""
    option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
    return option(command)


def prepare_streams() -> None:
    """Make both streams able to write anything: what their encoding lacks is escaped, and never an error.

    Raises Unwritable when stdout is closed.
    """
    _hold_closed_streams()
    if getattr(sys, "stdout", None) is None:
        raise Unwritable("stdout is closed: a verdict could not be told; send it to a file, or to /dev/null")
    if getattr(sys, "stderr", None) is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # open as long as the process is
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def look() -> Look:
    """The width of the terminal, and whether colour is wanted: only on a terminal, and not under NO_COLOR."""
    width = shutil.get_terminal_size((_UNKNOWN, 24)).columns
    forced, refused = os.environ.get("FORCE_COLOR"), os.environ.get("NO_COLOR")
    able = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return Look(max(_NARROWEST, min(_WIDEST, width)), bool(not refused and (forced or able)))


def say(text: str) -> None:
    """Write text that has been rendered already to stdout."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").casefold().replace("-", "")
    if not encoding.startswith("utf"):
        for sign, plainer in _PLAINER.items():
            text = text.replace(sign, plainer)
    _write(text if text.endswith("\n") else f"{text}\n")


def say_json(document: "Mapping[str, Json]") -> None:
    """Write the one JSON document; ASCII, so that no terminal reads anything else into it."""
    _write(json.dumps(document, indent=1, allow_nan=False) + "\n")


def flush() -> None:
    """Write what stdout still holds. Raises Unwritable."""
    _write("")


def hint(text: str) -> None:
    """Write a line for people to stderr, whatever is in it; where stderr takes nothing, nobody is told."""
    from exactchange.reports.sanitise import shown

    if getattr(sys, "stderr", None) is None:
        return
    try:
        for part in text.split("\n"):
            sys.stderr.write(f"exactchange: {shown(part)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _silence(sys.stderr)


def fail(message: str, *, code: int, as_json: bool) -> int:
    """Say what is wrong on stderr, and with `--json` as a document too; returns the exit code."""
    hint(message)
    if not as_json:
        return code
    try:
        say_json({"schema": "exactchange/error/1", "error": message, "exit_code": code})
    except Unwritable as error:
        return unwritable(error)
    return code


def unwritable(error: Unwritable) -> int:
    """Say on stderr why stdout takes nothing, where that needs to be said; returns the exit code."""
    if not isinstance(error, ReaderGone):
        hint(str(error))
    return error.exit_code


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        _silence(sys.stdout)
        raise ReaderGone("stdout: nobody reads it any more") from error
    except (OSError, ValueError) as error:
        _silence(sys.stdout)
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Unwritable(f"stdout cannot be written: {why}; what was to be said is not all there") from error


def _silence(stream: TextIO) -> None:
    """Let go of what a stream cannot write: else Python tries again at its end, and ends otherwise than we said."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _hold_closed_streams() -> None:
    """Occupy the numbers of streams that are closed, so that no file that is opened later is taken for one of them."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is among the arguments; asked before they are parsed, for errors in parsing them."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return "--json" in arguments[:end]


@contextmanager
def progress(title: str, *, total: int | None = None) -> Generator[Callable[[str], None]]:
    """Progress on stderr: a line that redraws itself on a terminal, nothing elsewhere.

    Gives a function to call with each new piece of news; with `total`, each call is one step done.
    """
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    from exactchange.reports.sanitise import cut, shown

    class News(TextColumn):
        """The description as plain text: what is in it is never markup."""

        def render(self, task: "object") -> Text:
            return Text(str(getattr(task, "description", "")))

    bar = [BarColumn()] if total is not None else []
    console = Console(file=sys.stderr, no_color=bool(os.environ.get("NO_COLOR")))
    with Progress(SpinnerColumn(), News(""), *bar, TimeElapsedColumn(), console=console, transient=True) as display:
        line = display.add_task(shown(title), total=total)

        def news(text: str) -> None:
            display.update(line, description=cut(shown(f"{title}: {text}"), 70), advance=1 if total is not None else 0)

        yield news
