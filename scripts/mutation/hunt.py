"""Runs the tests against one mutant after another: each in a process of its own that has imported everything already.

Nothing is written into the tree. A function's code is exchanged in memory; what runs at import is imported anew.
"""

import gc
import mmap
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import CodeType, FunctionType
from typing import Final, Literal, TypeAlias, cast

import pytest
from hypothesis import Phase, settings
from scripts.mutation.child import anew, code_of, functions, in_child
from scripts.mutation.crew import dealt
from scripts.mutation.ground import Ground, survey
from scripts.mutation.mutants import Mutant, mutants

Fate: TypeAlias = Literal["killed", "timeout", "survived", "untested", "equivalent"]
_LEAST_CPU_S: Final = 20
_MORE_CPU: Final = 5
"""How many times longer than without a mutant the tests may take before it counts as an endless loop."""
_MOST_KILLERS: Final = 6


@dataclass(eq=False)  # pytest keeps plugins in sets
class Hunt:
    """A pytest plugin that takes the place of running the tests once: it runs them against every mutant.

    `files`: relative to the working directory. `known`: names of mutants that change nothing. `tell` gets each fate.
    `whole`: also what runs at import. `only`: the names of those to try; all where there is none.
    `workers`: how many processes work side by side.
    """

    files: Sequence[str]
    known: frozenset[str]
    tell: Callable[[Mutant, Fate], None]
    whole: bool = True
    only: frozenset[str] = frozenset()
    workers: int = 1
    failed: bool = field(default=False, init=False)
    broken: str = field(default="pytest ran no tests", init=False)
    """Why nothing could be found out; empty when all went well."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Look for the same counterexample each time, however slow the machine, and do not make it smaller."""
        settings.register_profile(
            "mutants", derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate], print_blob=False
        )
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
        ground = survey(session, self.files, lambda test: self._run(session, [test]) is None)
        if ground is None:
            self.broken = "the tests cannot be run"
            return True
        self.broken = "".join(f"{test} fails without any mutant\n" for test in ground.failing)
        found = self._found()
        todo: list[tuple[Mutant, CodeType]] = []
        for mutant, code in found:
            if mutant.name in self.known:
                self.tell(mutant, "equivalent")
            else:
                todo.append((mutant, code))
        trial = _Trial(ground, session, partial(self._run, session), functions(self.files))
        gc.collect()
        gc.freeze()  # what is not looked at again stays shared with every child
        lost = set(range(len(todo)))
        for number, fate in dealt(len(todo), lambda number: trial.fate(*todo[number]), workers=self.workers):
            lost.discard(number)
            self.tell(todo[number][0], cast("Fate", fate))
        if lost:
            self.broken += f"{len(lost)} mutants were not tried: a process died\n"
        return True

    def _found(self) -> list[tuple[Mutant, CodeType]]:
        """Every mutant with what has to be exchanged: its function's code, or its module's; the dear ones last."""
        out: list[tuple[Mutant, CodeType]] = []
        for file in self.files:
            for mutant, code in mutants(file, pathlib.Path(file).read_text(encoding="utf-8")):
                if (self.whole or not mutant.of_module) and (not self.only or mutant.name in self.only):
                    out.append((mutant, _exchanged(mutant, code)))
        return sorted(out, key=lambda item: item[0].of_module)

    def _run(self, session: pytest.Session, tests: Sequence[int]) -> int | None:
        """Run tests until one fails: its number."""
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            after = None if following is None else session.items[following]
            session.config.hook.pytest_runtest_protocol(item=session.items[test], nextitem=after)
            if self.failed:
                self.failed = False
                return test
        return None


def _exchanged(mutant: Mutant, code: CodeType) -> CodeType:
    """The code of the function alone, unless it has cells that only its making fills."""
    if mutant.of_module:
        return code
    function = code_of(code, mutant.function)
    return code if function.co_freevars else function


class _Trial:
    """Tells the fate of one mutant after another, and tries first what ended its neighbours."""

    def __init__(
        self,
        ground: Ground,
        session: pytest.Session,
        run: Callable[[Sequence[int]], int | None],
        functions: dict[tuple[str, str, int], list[FunctionType]],
    ) -> None:
        self._ground = ground
        self._names = [item.nodeid for item in session.items]
        self._run = run
        self._functions = functions
        self._killer = mmap.mmap(-1, 8)
        """One more than the number of the test that noticed the last mutant, written by the process that ran it."""
        self._killers: dict[str, list[int]] = {}
        """By function the tests that noticed its mutants so far, the last one first."""

    def fate(self, mutant: Mutant, code: CodeType) -> Fate:
        """Run the tests that run what it changes, in a process of their own."""
        killers = self._killers.setdefault(f"{mutant.file} {mutant.function}", [])
        found = self._ground.of(mutant)
        whole = code.co_name == "<module>"
        targets = self._functions.get((mutant.file, mutant.function, code.co_firstlineno), [])
        if not found or not (targets or whole):
            return "untested"
        covering = set(found)
        tests = [*(test for test in killers if test in covering), *(test for test in found if test not in killers)]

        def work() -> int:
            if whole:
                return self._anew(mutant.file, code, killers, found)
            for target in targets:
                target.__code__ = code
            killer = self._run(tests)
            self._killer[:] = (0 if killer is None else killer + 1).to_bytes(8, "little")
            return int(killer is not None)

        self._killer[:] = bytes(8)
        spent = sum(self._ground.seconds if whole else (self._ground.seconds[test] for test in tests))
        status = in_child(work, cpu_s=int(_LEAST_CPU_S + _MORE_CPU * spent), quiet=True)
        killer = int.from_bytes(self._killer[:], "little") - 1
        if killer >= 0:
            killers[:] = [killer, *(test for test in killers if test != killer)][:_MOST_KILLERS]
        return "survived" if status == 0 else "killed" if status > 0 else "timeout"

    def _anew(self, file: str, code: CodeType, killers: Sequence[int], found: Sequence[int]) -> int:
        """Whole files of tests, since a constant is read where no line of it runs; first those that noticed others."""
        names = [self._names[test] for test in killers]
        files = list(dict.fromkeys(self._names[test].partition("::")[0] for test in found))
        numbers = {name: number for number, name in enumerate(self._names)}

        def failed(name: str) -> None:
            self._killer[:] = (numbers.get(name, -1) + 1).to_bytes(8, "little")

        return anew(file, code, [*([names] if names else []), files], without=self._ground.failing, failed=failed)
