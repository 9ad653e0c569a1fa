"""The hunt for changes that no test notices: which changes are made, and that one without a test is found."""

import os
import pathlib
import subprocess
import sys

import pytest
from scripts.mutation.__main__ import equivalents
from scripts.mutation.mutants import mutants

ROOT = pathlib.Path(__file__).parents[2]

CHANGES: list[tuple[str, set[str]]] = [
    ("return a < b", {"return None", "a <= b", "a >= b"}),
    ("return a is None", {"return None", "a is not None"}),
    ("return a and b", {"return None", "a or b", "a", "b"}),
    ("return not a", {"return None", "a"}),
    ("return a + 1", {"return None", "a - 1", "2", "0"}),
    ("return 'added'", {"return None", "'added~'"}),
    ("return True", {"return None", "False"}),
    ("return f(a, b, c=1)", {"return None", "f(b, a, c=1)", "f(a, b)", "2", "0"}),
    ("return zip(a, strict=True)", {"return None"}),
    ("return f(strict=True)", {"return None", "f()", "False"}),
    ("return any(a)", {"return None", "all(a)"}),
    ("return [x for x in a if x]", {"return None", "for x in a", "for x in a if not x"}),
    ("return [*a, *b]", {"return None", "[*b]", "[*a]"}),
    ("return a if b else c", {"return None", "a if not b else c", "a", "c"}),
    ("a |= b", {"a &= b", "a = b", "pass"}),
    ("a.add(b)", {"pass"}),
    ("a[0] = b", {"pass", "1"}),
    ("raise ValueError('for people')", {"pass"}),
    ("a = b", set()),
    ("assert a == b", set()),
    ("'for people'", set()),
    ("a: int | None = b", set()),
]


@pytest.mark.parametrize(("line", "changes"), CHANGES)
def test_a_line_is_changed_in_every_small_way_that_means_something(line: str, changes: set[str]) -> None:
    found = mutants("m.py", f"def f(a, b, c):\n    b = a\n    {line}\n")
    assert {mutant.change.partition("  =>  ")[2] for mutant, _ in found} == changes


def test_a_mutant_keeps_its_name_wherever_its_function_stands() -> None:
    function = "def f(a):\n    return a + 1\n"
    moved = [mutant for mutant, _ in mutants("m.py", f"X = 1\n\n\n{function}") if not mutant.of_module]
    there = [mutant for mutant, _ in mutants("m.py", function)]
    assert [mutant.name for mutant in moved] == [mutant.name for mutant in there]
    assert [mutant.line for mutant in moved] == [mutant.line + 3 for mutant in there]
    assert len({mutant.name for mutant in there}) == len(there)


def test_a_default_and_what_a_class_says_of_itself_belong_to_the_module() -> None:
    source = "class A:\n    x = f(1)\n    def g(self, n=2):\n        return lambda: n\n"
    found = {mutant.change: mutant.function for mutant, _ in mutants("m.py", source)}
    assert {found["1  =>  2"], found["2  =>  3"]} <= {"<module>.A", "<module>"}
    assert found["lambda: n  =>  lambda: None"] == "A.g"


def test_a_list_of_equivalent_mutants_names_them_in_the_first_word_of_its_lines() -> None:
    assert equivalents("# why\nabc  m.py f: a => b\n\nabd\n") == {"abc", "abd"}


MODULE = "LEAST = 18\n\n\ndef may_enter(age, guest):\n    return age >= LEAST or guest\n"
TEST = """
from {package}.door import may_enter

def test_who_may_enter():
    assert may_enter(30, False)
    assert not may_enter(5, False)
    {more}
"""
MORE = "assert may_enter(18, False); assert may_enter(5, True) is True; assert not may_enter(17, False)"


@pytest.mark.parametrize(("more", "status"), [("", 1), (MORE, 0)])
def test_a_change_that_no_test_notices_is_found_and_named(tmp_path: pathlib.Path, more: str, status: int) -> None:
    package = tmp_path / "house"
    package.mkdir()
    (package / "door.py").write_text(MODULE)
    (tmp_path / "test_door.py").write_text(TEST.format(package=package.name, more=more))
    (tmp_path / "other").mkdir()  # tests of another folder, with a plugin that is theirs alone
    (tmp_path / "other" / "conftest.py").write_text("def pytest_runtest_logreport(report): pass\n")
    (tmp_path / "other" / "test_other.py").write_text("def test_nothing(): pass\n")
    done = _hunt(tmp_path, f"{package.name}/door.py", "--tests", "test_door.py", "other")
    assert done.returncode == status, done.stdout + done.stderr
    assert ("door.py:5" in done.stdout) == (status == 1)
    assert ("age >= LEAST  =>  age > LEAST" in done.stdout) == (status == 1)


def test_where_no_tests_run_there_is_no_score(tmp_path: pathlib.Path) -> None:
    (tmp_path / "door.py").write_text(MODULE)
    done = _hunt(tmp_path, "door.py", "--tests", "nowhere")
    assert (done.returncode, "%" in done.stdout) == (2, False)


def test_tests_that_fail_without_any_mutant_say_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "door.py").write_text(MODULE)
    failing = "from door import may_enter\n\ndef test_that_fails():\n    assert may_enter(1, False)\n"
    (tmp_path / "test_door.py").write_text(failing)
    done = _hunt(tmp_path, "door.py", "--tests", "test_door.py")
    assert (done.returncode, "test_that_fails fails without any mutant" in done.stdout) == (2, True)
    assert ": 0 killed" in done.stdout


def _hunt(folder: pathlib.Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "scripts.mutation", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
