"""Runs the tests against one mutant after another: each in a process of its own that has imported everything already.

Nothing is written into the tree. A function's code is exchanged in memory; what runs at import is imported anew.
"""

import gc
import json
import mmap
import os
import pathlib
import resource
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Final, Literal, TypeAlias

import coverage
import pytest
from hypothesis import Phase, settings
from scripts.mutation.mutants import Mutant, mutants

Fate: TypeAlias = Literal["killed", "timeout", "survived", "untested", "equivalent"]
QUIET: Final = ("-q", "--assert=plain", "--tb=line", "-p", "no:cacheprovider", "--capture=no")
_LEAST_CPU_S: Final = 20
_MORE_CPU: Final = 5
"""How many times longer than without a mutant the tests may take before it counts as an endless loop."""
_MOST_MEMORY: Final = 6 << 30


@dataclass(frozen=True)
class Ground:
    """What the tests do without any mutant.

    `seconds`: of each test. `by_line`: the tests that run a line of a file and pass. `failing`: the others, by name.
    """

    seconds: Sequence[float]
    by_line: Mapping[str, Mapping[int, Sequence[int]]]
    failing: Sequence[str] = ()

    def of(self, mutant: Mutant) -> list[int]:
        """The tests that run what a mutant changes, the shortest first."""
        lines = self.by_line.get(mutant.file, {})
        wanted = lines if mutant.of_module else mutant.lines
        found = {test for line in wanted for test in lines.get(line, ())}
        return sorted(found, key=lambda test: (self.seconds[test], test))


@dataclass
class Hunt:
    """A pytest plugin that takes the place of running the tests once: it runs them against every mutant.

    `files`: relative to the working directory. `known`: names of mutants that change nothing. `tell` gets each fate.
    `whole`: also what runs at import. `only`: the names of those to try; all where there is none.
    """

    files: Sequence[str]
    known: frozenset[str]
    tell: Callable[[Mutant, Fate], None]
    whole: bool = True
    only: frozenset[str] = frozenset()
    failed: bool = field(default=False, init=False)
    broken: str = field(default="pytest ran no tests", init=False)
    """Why nothing could be found out; empty when all went well."""
    _killer: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 8), init=False)
    """The test that noticed the last mutant, written by the process that ran it."""
    _killers: dict[str, list[int]] = field(default_factory=dict[str, list[int]], init=False)
    """By function the tests that noticed its mutants so far: the likeliest to notice the next."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """Look for a counterexample and do not make it smaller: one is enough."""
        settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], print_blob=False)
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember that a test failed."""
        self.failed = self.failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests without a mutant, then against each."""
        if session.testsfailed:
            self.broken = "the tests cannot be collected"
            return True
        ground = self._ground(session)
        if ground is None:
            self.broken = "the tests cannot be run"
            return True
        self.broken = "".join(f"{test} fails without any mutant\n" for test in ground.failing)
        functions = _functions(self.files)
        gc.freeze()  # what is not looked at again stays shared with every child
        for of_module in (False, True) if self.whole else (False,):  # the dear ones last
            for file in self.files:
                for mutant, code in mutants(file, pathlib.Path(file).read_text(encoding="utf-8")):
                    if mutant.of_module is not of_module or (self.only and mutant.name not in self.only):
                        continue
                    known = mutant.name in self.known
                    fate = "equivalent" if known else self._fate(mutant, code, ground, session, functions)
                    self.tell(mutant, fate)
        return True

    def _ground(self, session: pytest.Session) -> Ground | None:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "ground.json"
            status = _in_child(lambda: self._measured(session, out))
            if status != 0:
                return None
            raw = json.loads(out.read_text("utf-8"))
        told: dict[str, dict[str, list[int]]] = raw["by_line"]
        failing: list[int] = raw["failing"]
        by_line = {file: {int(line): tests for line, tests in lines.items()} for file, lines in told.items()}
        return Ground(raw["seconds"], by_line, [session.items[test].nodeid for test in failing])

    def _measured(self, session: pytest.Session, out: pathlib.Path) -> int:
        """Run all tests and write down which lines each runs, and which fail. 0 unless it cannot be done."""
        watch = coverage.Coverage(data_file=None, branch=False, include=[*self.files], config_file=False)
        watch.start()
        seconds: list[float] = []
        failing: list[int] = []
        for number in range(len(session.items)):
            began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
            watch.switch_context(str(number))
            self._run(session, [number])
            seconds.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - began)
            if self.failed:
                failing.append(number)
                self.failed = False
        watch.stop()
        data = watch.get_data()
        by_line = {
            file: {
                line: [int(test) for test in tests if test and int(test) not in failing]
                for line, tests in data.contexts_by_lineno(os.path.abspath(file)).items()
            }
            for file in self.files
        }
        out.write_text(json.dumps({"seconds": seconds, "by_line": by_line, "failing": failing}), "utf-8")
        return 0

    def _fate(
        self,
        mutant: Mutant,
        code: CodeType,
        ground: Ground,
        session: pytest.Session,
        functions: Mapping[tuple[str, str, int], list[FunctionType]],
    ) -> Fate:
        killers = self._killers.setdefault(f"{mutant.file} {mutant.function}", [])
        found = ground.of(mutant)
        tests = [*(test for test in killers if test in found), *(test for test in found if test not in killers)]
        if not tests:
            return "untested"
        spent = sum(ground.seconds if mutant.of_module else (ground.seconds[test] for test in tests))
        limit = int(_LEAST_CPU_S + _MORE_CPU * spent)

        changed = None if mutant.of_module else _code_of(code, mutant.function)
        targets = [] if changed is None else functions.get((mutant.file, mutant.function, changed.co_firstlineno), [])

        def work() -> int:
            if changed is None or any(target.__code__.co_freevars != changed.co_freevars for target in targets):
                names = [session.items[test].nodeid for test in found]
                return _anew(mutant.file, code, names, without=ground.failing)
            for target in targets:
                target.__code__ = changed
            self._run(session, tests)
            return int(self.failed)

        if changed is not None and not targets:
            return "untested"

        status = _in_child(work, cpu_s=limit, quiet=True)
        if status == 1 and not mutant.of_module:
            killer = int.from_bytes(self._killer[:], "little")
            killers[:] = [killer, *(test for test in killers if test != killer)]
        return "survived" if status == 0 else "killed" if status > 0 else "timeout"

    def _run(self, session: pytest.Session, tests: Sequence[int]) -> None:
        """Run tests until one fails."""
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            after = None if following is None else session.items[following]
            session.config.hook.pytest_runtest_protocol(item=session.items[test], nextitem=after)
            if self.failed:
                self._killer[:] = test.to_bytes(8, "little")
                return


def _in_child(work: Callable[[], int], *, cpu_s: int | None = None, quiet: bool = False) -> int:
    """What a piece of work gives in a process of its own; negative when a signal ended it.

    `cpu_s`: how much it may compute, so that what else the machine does at the time has no say.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    with suppress(BaseException):  # whatever a mutant raises: it was noticed
        if quiet:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        if cpu_s is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        status = work()
    os._exit(status)


def _functions(files: Sequence[str]) -> dict[tuple[str, str, int], list[FunctionType]]:
    """All functions of some files by file, dotted name and first line."""
    by_path = {os.path.abspath(file): file for file in files}
    out: dict[tuple[str, str, int], list[FunctionType]] = {}
    for item in gc.get_objects():
        if type(item) is FunctionType and item.__code__.co_filename in by_path:
            code = item.__code__
            out.setdefault((by_path[code.co_filename], code.co_qualname, code.co_firstlineno), []).append(item)
    return out


def _code_of(code: CodeType, name: str) -> CodeType:
    """The code of a function inside a module's code."""
    stack = [code]
    while stack:
        current = stack.pop()
        if current.co_qualname == name:
            return current
        stack += [item for item in current.co_consts if isinstance(item, CodeType)]
    raise LookupError(name)


def _anew(file: str, code: CodeType, nodeids: Sequence[str], *, without: Sequence[str]) -> int:
    """Import everything of ours anew, one file with this code, and run the files of tests; 0 when they pass."""
    path = os.path.abspath(file)
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        return code if self.path == path else plain(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]
    for name, module in list(sys.modules.items()):
        if _is_ours(getattr(module, "__file__", None)):
            del sys.modules[name]
    whole = dict.fromkeys(
        nodeid.partition("::")[0] for nodeid in nodeids
    )  # a constant is read where no line of it runs
    return int(pytest.main([*QUIET, "-x", *(f"--deselect={name}" for name in without), *whole]))


def _is_ours(file: str | None) -> bool:
    return file is not None and file.startswith(f"{os.getcwd()}{os.sep}") and "site-packages" not in file
