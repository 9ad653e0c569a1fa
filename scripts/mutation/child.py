"""Work done in a process of its own that has imported everything already, and what it is done on: code in memory."""

import gc
import os
import resource
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Final

import pytest

QUIET: Final = ("-q", "--assert=plain", "--tb=line", "-p", "no:cacheprovider", "--capture=no")
_MOST_MEMORY: Final = 6 << 30


def in_child(work: Callable[[], int], *, cpu_s: int | None = None, quiet: bool = False) -> int:
    """What a piece of work gives in a process of its own; negative when a signal ended it.

    `cpu_s`: how much it may compute, so that what else the machine does at the time has no say.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    try:
        if quiet:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        if cpu_s is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        status = work()
    finally:  # whatever a mutant raises: it was noticed
        if (error := sys.exc_info()[1]) is not None:
            traceback.print_exception(error)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def functions(files: Sequence[str]) -> dict[tuple[str, str, int], list[FunctionType]]:
    """All functions of some files by file, dotted name and first line."""
    by_path = {os.path.abspath(file): file for file in files}
    out: dict[tuple[str, str, int], list[FunctionType]] = {}
    for item in gc.get_objects():
        if type(item) is FunctionType and item.__code__.co_filename in by_path:
            code = item.__code__
            out.setdefault((by_path[code.co_filename], code.co_qualname, code.co_firstlineno), []).append(item)
    return out


def code_of(code: CodeType, name: str) -> CodeType:
    """The code of a function inside a module's code."""
    stack = [code]
    while stack:
        current = stack.pop()
        if current.co_qualname == name:
            return current
        stack += [item for item in current.co_consts if isinstance(item, CodeType)]
    raise LookupError(name)


class FirstFailure:
    """A pytest plugin that tells the first test that fails."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell: Callable[[str], None] | None = tell

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell it once."""
        if report.failed and self._tell is not None:
            self._tell(report.nodeid)
            self._tell = None


def anew(
    file: str, code: CodeType, tries: Sequence[Sequence[str]], *, without: Sequence[str], failed: Callable[[str], None]
) -> int:
    """Import everything of ours anew, one file with this code, and run tests; 0 when they pass.

    `tries`: what pytest is given, one after another until something fails; what `failed` is told.
    """
    path = os.path.abspath(file)
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        return code if self.path == path else plain(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]
    for name, module in list(sys.modules.items()):
        if _is_ours(getattr(module, "__file__", None)):
            del sys.modules[name]
    left_out = [f"--deselect={name}" for name in without]
    status = 0
    for tests in tries:
        status = int(pytest.main([*QUIET, "-x", *left_out, *tests], plugins=[FirstFailure(failed)]))
        if status not in (0, pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            break  # the other two: tests that were named are called differently now, which is nothing to notice
    return status


def _is_ours(file: str | None) -> bool:
    return file is not None and file.startswith(f"{os.getcwd()}{os.sep}") and "site-packages" not in file
