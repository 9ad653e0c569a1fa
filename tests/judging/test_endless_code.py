"""A `python:` function without an end is told by what it runs, which is counted, and never by how long it takes."""

import sys

import pytest
from tests.judging.test_python_conditions import RUN, told

from exactchange.errors import InfrastructureError


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactchange.conditions.script.MOST_LINES", 10_000)


ENDLESS = [
    "while True: pass",
    "return sum(1 for n in iter(int, 1))",
    "return len([n for n in iter(int, 1)])",
    "return max(map(lambda n: n, iter(int, 1)))",
    "import functools\n    return functools.reduce(lambda a, b: a, iter(int, 1))",
    "def again(n):\n    while True:\n        yield n\n\ndef check(case):\n    return any(n for n in again(0))\n",
    "try:\n        while True: pass\n    except Exception: return True",
    "try:\n        while True: pass\n    except BaseException: return True",
    "try:\n        while True: pass\n    finally: return True",
]


@pytest.mark.usefixtures("few_lines")
@pytest.mark.parametrize("code", ENDLESS)
def test_what_has_no_end_is_no_answer_whatever_it_catches(code: str) -> None:
    assert told(code, RUN) == (None, "checks.py:check ran more than 10,000 lines of its file: is it endless?")


@pytest.mark.usefixtures("few_lines")
def test_what_is_endless_while_its_file_is_read_is_no_answer() -> None:
    assert told("while True: pass\ndef check(case): return True\n", RUN)[0] is None


@pytest.mark.usefixtures("few_lines")
def test_the_lines_of_libraries_are_not_counted_since_they_depend_on_what_is_kept() -> None:
    code = "import copy\n    return len(copy.deepcopy([[n] for n in range(4_000)])) == 4_000"
    assert told(code, RUN)[0] is True


def test_a_function_has_lines_enough_for_a_hundred_thousand_rows() -> None:
    assert told("total = 0\n    for n in range(100_000):\n        total += n\n    return total > 5", RUN)[0] is True


def test_where_nothing_can_be_counted_there_is_no_verdict_and_never_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("exactchange.conditions.script.PATIENCE_S", 0.2)
    with pytest.raises(InfrastructureError, match="did not answer within 0.2 s"):
        told("import threading\n    threading.Event().wait(5)\n    return True", RUN)


def test_a_tracer_of_somebody_else_is_left_as_it_was() -> None:
    before = sys.gettrace()
    told("return True", RUN)
    assert sys.gettrace() is before
