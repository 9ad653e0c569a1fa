"""Reads the files of `python:` conditions: beside the task, through no link, and only where they are trusted."""

import ast
import errno
import os
import pathlib
import stat
from collections.abc import Iterator, Sequence
from typing import Final

from exactchange.conditions.script import Named, Script, named
from exactchange.errors import UsageError
from exactchange.task.gather import Gathered
from exactchange.task.problem import did_you_mean
from exactchange.task.rules import Rule
from exactchange.values import Path

NEEDS_TRUST: Final = "`python` runs code that stands beside the task, with your rights"
"""What is wrong with such a condition in a task that is loaded without trust."""
LARGEST_SCRIPT: Final = 1024 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe is not waited for


def read_scripts(rules: Sequence[Rule], task: Gathered, *, trust: bool) -> dict[Path, Script]:
    """The functions that conditions name, by the path of the condition. Nothing is run, and without trust none is read.

    What is wrong is reported: no trust, a file that is not there, code that is none, a function that it lacks.
    """
    out: dict[Path, Script] = {}
    for rule in rules:
        text = rule.condition.python
        if text is None:
            continue
        path: Path = (*rule.path, "python")
        folder = _folder(task, rule.path)
        if folder is None:
            task.say(path, "`python` needs a task file, from which its path is counted")
        elif not trust:
            task.say(path, NEEDS_TRUST, "say --trust (in Python: trust=True) if you trust it")
        else:
            script = _script(named(text), folder, path, task)
            if script is not None:
                out[rule.path] = script
    return out


def _folder(task: Gathered, path: Path) -> pathlib.Path | None:
    """The folder of the file, task or fragment, in which a condition stands."""
    file = task.home(path)[0].file
    return None if file is None else file.parent


def _script(name: Named, folder: pathlib.Path, path: Path, task: Gathered) -> Script | None:
    try:
        code = _read(folder, name.file)
        functions = _functions(code)
    except UsageError as error:
        task.say(path, str(error), part=name.file)
        return None
    if functions is not None and name.function not in functions:
        hint = did_you_mean(name.function, functions) or f"write def {name.function}(case): in it"
        task.say(path, f"{name.file} has no function {name.function!r}", hint, part=name.function)
        return None
    return Script(name, code)


def _read(folder: pathlib.Path, name: str) -> bytes:
    """The bytes of a file below a folder. No link is followed, neither at the end nor on the way. Raises UsageError."""
    *above, last = name.split("/")
    try:
        here = os.open(folder, _FOLDER)
        for part in above:
            outer = here
            try:
                here = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=outer)
            finally:
                os.close(outer)
        try:
            handle = os.open(last, _FILE, dir_fd=here)
        finally:
            os.close(here)
    except (OSError, ValueError) as error:
        raise UsageError(f"{name} cannot be read: {_why(error)}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UsageError(f"{name} is no file")
    with os.fdopen(handle, "rb") as file:
        try:
            code = file.read(LARGEST_SCRIPT + 1)
        except OSError as error:
            raise UsageError(f"{name} cannot be read: {error.strerror}") from error
    if len(code) > LARGEST_SCRIPT:
        raise UsageError(f"{name} is larger than a file of checks may be ({LARGEST_SCRIPT // 1024} KiB)")
    return code


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file beside the task"
    if isinstance(error, OSError):
        link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        return "it is a link, or leads through one" if link else str(error.strerror)
    return str(error)


def _functions(code: bytes) -> frozenset[str] | None:
    """The names that a module gives to functions, as far as its text tells; None where any name may be one.

    Raises UsageError when it is no Python.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        said = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise UsageError(f"it is no Python{where}: {said}") from error
    names = list(_bound(tree))
    return None if "*" in names else frozenset(names)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that the statements of a module bind, however deep they stand; `*` where one binds whatever there is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
