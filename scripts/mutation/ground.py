"""What the tests do without any mutant: how long each takes, what it runs, and whether it passes."""

import json
import os
import pathlib
import resource
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import coverage
import pytest
from scripts.mutation.child import in_child
from scripts.mutation.mutants import Mutant


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


def survey(session: pytest.Session, files: Sequence[str], passes: Callable[[int], bool]) -> Ground | None:
    """Run every test of a session once, in a process of its own; None when that cannot be done.

    `passes`: runs the test of that number.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "ground.json"
        if in_child(lambda: _measured(session, files, passes, out)) != 0:
            return None
        raw = json.loads(out.read_text("utf-8"))
    told: dict[str, dict[str, list[int]]] = raw["by_line"]
    failing: list[int] = raw["failing"]
    by_line = {file: {int(line): tests for line, tests in lines.items()} for file, lines in told.items()}
    return Ground(raw["seconds"], by_line, [session.items[test].nodeid for test in failing])


def _measured(session: pytest.Session, files: Sequence[str], passes: Callable[[int], bool], out: pathlib.Path) -> int:
    """Write down which lines each test runs, and which fail. 0 unless it cannot be done."""
    watch = coverage.Coverage(data_file=None, branch=False, include=[*files], config_file=False)
    watch.start()
    seconds: list[float] = []
    failing: list[int] = []
    for number in range(len(session.items)):
        began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        watch.switch_context(str(number))
        if not passes(number):
            failing.append(number)
        seconds.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - began)
    watch.stop()
    data = watch.get_data()
    by_line = {
        file: {
            line: [int(test) for test in tests if test and int(test) not in failing]
            for line, tests in data.contexts_by_lineno(os.path.abspath(file)).items()
        }
        for file in files
    }
    out.write_text(json.dumps({"seconds": seconds, "by_line": by_line, "failing": failing}), "utf-8")
    return 0
