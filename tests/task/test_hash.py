"""The hash of a task is of all that judges a run, and of nothing that only explains it."""

import copy
import pathlib
from collections.abc import Iterator

import pytest
from tests.task.test_holes import WHOLE
from tests.task.writing import HEAD, MUST, load

from exactchange.task import Task, load_task, task_from_data
from exactchange.task.model import hash_of
from exactchange.values import Value

ROOT = pathlib.Path(__file__).parents[2]
SHIPPED = sorted(file for file in (ROOT / "tasks").rglob("*.yaml") if not file.name.endswith(".app.yaml"))
WHY = ', why: "the {save} notes what it did"'

REMARKS = {
    "a why of an allow is another": (WHY, ', why: "it is noise"'),
    "a why of an allow is gone": (WHY, ""),
    "a why of an ignore is gone": (", why: who is signed in", ""),
    "a hole is explained otherwise": ("the database is the truth", "nobody looks"),
    "a hole is another": ('{in: page, at: "**",', '{in: page, at: "@url",'),
    "a hole is gone": ("  - {in: files, why: tested elsewhere}\n", ""),
    "no hole is left": (WHOLE[WHOLE.index("holes:") :], ""),
}


@pytest.mark.parametrize(("old", "new"), REMARKS.values(), ids=REMARKS)
def test_what_only_explains_a_hole_makes_no_other_hash_and_ages_no_recording(
    old: str, new: str, tmp_path: pathlib.Path
) -> None:
    task = load(tmp_path, WHOLE)
    assert old in WHOLE
    other = load(tmp_path, WHOLE.replace(old, new))
    assert other.hash == task.hash
    assert other != task, "they do not say the same, so they are not equal"


def test_a_column_or_key_that_is_called_why_judges_as_any_other(tmp_path: pathlib.Path) -> None:
    rule = '\nallow:\n  - {in: db, at: "log[*]", op: added, row: {why: told}}\n'
    task = load(tmp_path, HEAD + MUST + rule)
    assert load(tmp_path, HEAD + MUST + rule.replace("told", "untold")).hash != task.hash
    assert load(tmp_path, HEAD + MUST + rule.replace(", row: {why: told}", "")).hash != task.hash


def altered(node: Value) -> Iterator[Value]:
    """The data with one thing in it altered, at every place of it: a value, a key, an item gone or there twice."""
    if isinstance(node, dict):
        for name, item in node.items():
            rest = {key: value for key, value in node.items() if key != name}
            yield rest
            yield {**rest, f"{name}x": item}
            yield from ({**node, name: other} for other in altered(item))
    elif isinstance(node, list):
        for number, item in enumerate(node):
            yield node[:number] + node[number + 1 :]
            yield [*node, item]
            yield from ([*node[:number], other, *node[number + 1 :]] for other in altered(item))
    else:
        yield [node]
        yield f"{node}x" if isinstance(node, str) else str(node)


def judged(data: Value) -> Value:
    """The data of a task without what only explains."""
    assert isinstance(data, dict)
    found = copy.deepcopy({name: item for name, item in data.items() if name != "holes"})
    for section in ("allow", "ignore"):
        items = found.get(section)
        if isinstance(items, list):
            found[section] = [_plain(item) for item in items]
    return found


def _plain(item: Value) -> Value:
    return {name: value for name, value in item.items() if name != "why"} if isinstance(item, dict) else item


WHOLES: dict[str, Task] = {file.stem: load_task(file) for file in SHIPPED}


@pytest.mark.parametrize("name", WHOLES)
def test_everything_else_makes_another_hash_whatever_is_altered(name: str) -> None:
    """A law, over every place of every shipped task: nothing that can change a verdict is left out."""
    task = WHOLES[name]
    data = judged(task.as_data())
    others = list(altered(data))
    assert len(others) > 100
    assert hash_of(task.data) == task.hash == hash_of(data)  # type: ignore[arg-type]  # a mapping, by `judged`
    for other in others:
        if judged(other) != data:
            assert hash_of(other) != task.hash, other  # type: ignore[arg-type]


def test_the_task_of_its_data_alone_has_the_same_hash(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, WHOLE)
    data = {name: item for name, item in task.as_data().items() if name != "holes"}
    assert task_from_data(data, name="again").hash == task.hash


def test_the_code_that_a_condition_names_is_part_of_it(tmp_path: pathlib.Path) -> None:
    assert hash_of({"a": 1}, {"must[0]": "x"}) != hash_of({"a": 1}, {"must[0]": "y"}) != hash_of({"a": 1})
