"""Every numbered rule of the task language's semantics has tests of its name in this folder."""

import pathlib
import re

RULES = range(1, 29)
_TEST = re.compile(r"^def test_rule_(\d\d)_(\w+)\(", re.MULTILINE)
_ANY = re.compile(r"^def test_(\w+)\(", re.MULTILINE)


def _texts() -> dict[str, str]:
    here = pathlib.Path(__file__)
    return {file.name: file.read_text("utf-8") for file in here.parent.glob("test_*.py") if file != here}


def test_every_rule_has_a_test_and_no_test_a_rule_that_there_is_not() -> None:
    numbers = {int(number) for text in _texts().values() for number, _ in _TEST.findall(text)}
    assert numbers == set(RULES)


def test_every_test_of_this_folder_names_its_rule_or_its_case() -> None:
    names = {name for text in _texts().values() for name in _ANY.findall(text)}
    assert {name for name in names if not name.startswith(("rule_", "case_"))} == set()


def test_the_rules_of_a_file_are_neighbours() -> None:
    spans = {file: sorted({int(n) for n, _ in _TEST.findall(text)}) for file, text in _texts().items()}
    for file, found in spans.items():
        assert found == list(range(found[0], found[-1] + 1)) if found else file == "test_cases.py", (file, found)
