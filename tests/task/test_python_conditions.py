"""How a task with code of its own is loaded: only where it is trusted, from beside the task, and without running it."""

import os
import pathlib

import pytest
from tests.task.writing import HEAD, marked, said

from exactchange.task import NeedsTrust, Problem, Task, TaskError, load_task, task_from_data, task_schema
from exactchange.values import Value

GOOD = "def total(case):\n    return True\n"
LOUD = "raise SystemExit('this ran')\ndef total(case):\n    return True\n"


def write(folder: pathlib.Path, condition: str, code: str | None = GOOD, *, more: str = "") -> pathlib.Path:
    """A task with one must, and the code beside it."""
    folder.mkdir(exist_ok=True, parents=True)
    if code is not None:
        (folder / "checks.py").write_text(code, encoding="utf-8")
    (folder / "task.yaml").write_text(f"{HEAD}must:\n  - {condition}\n{more}", encoding="utf-8")
    return folder / "task.yaml"


def trusted(file: pathlib.Path) -> Task:
    return load_task(file, trust=True)


def problems(file: pathlib.Path, *, trust: bool = True) -> tuple[Problem, ...]:
    with pytest.raises(TaskError) as caught:
        load_task(file, trust=trust)
    return caught.value.problems


def one(file: pathlib.Path) -> str:
    (found,) = problems(file)
    return said(found)


RULE = '{python: "checks.py:total"}'


def test_code_is_an_error_that_names_the_place_and_the_remedy_unless_it_is_trusted(tmp_path: pathlib.Path) -> None:
    with pytest.raises(NeedsTrust) as caught:
        load_task(write(tmp_path, RULE))
    (found,) = caught.value.problems
    assert (
        said(found).startswith("10:14: `python` runs code") and "--trust" in said(found) and "trust=True" in said(found)
    )
    assert marked(found) == '"checks.py:total"'


def test_without_trust_the_file_is_not_even_looked_for(tmp_path: pathlib.Path) -> None:
    (found,) = problems(write(tmp_path, RULE, None), trust=False)
    assert "no such file" not in found.message and "trust" in str(found)


def test_a_task_with_other_mistakes_is_not_only_in_need_of_trust(tmp_path: pathlib.Path) -> None:
    file = write(tmp_path, RULE, more="allow:\n  - {in: nosuch, at: a}\n")
    assert len(problems(file, trust=False)) == 2
    with pytest.raises(TaskError) as caught:
        load_task(file)
    assert not isinstance(caught.value, NeedsTrust)


def test_every_tier_and_every_place_of_a_condition_needs_trust(tmp_path: pathlib.Path) -> None:
    inside = (
        "  - {all: [{any: [{not: "
        + RULE
        + "}, {value: {in: cfg, at: a, is: 1}}]}]}\n"
        + "".join(f"{tier}:\n  - {RULE}\n" for tier in ("given", "veto", "bonus"))
    )
    assert len(problems(write(tmp_path, RULE, more=inside), trust=False)) == 5
    assert len(trusted(tmp_path / "task.yaml").code) == 5


@pytest.mark.parametrize("trust", [True, False])
def test_loading_runs_nothing(trust: bool, tmp_path: pathlib.Path) -> None:
    file = write(tmp_path, RULE, LOUD)
    if trust:
        trusted(file)
    else:
        problems(file, trust=False)


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("checks.py", "names a file and a function"),
        ("checks.py:", "names a file and a function"),
        (":total", "names a file and a function"),
        ("checks:total", "names a file and a function"),
        ("checks.py:total()", "names a file and a function"),
        ("checks.py:a.b", "names a file and a function"),
        ("checks.py:x:total", "names a file and a function"),
        ("checks.txt:total", "names a file and a function"),
        ("{which}.py:total", "names a file and a function"),
        ("a\\\\checks.py:total", "names a file and a function"),
        ("/etc/checks.py:total", "beside the task"),
        ("../checks.py:total", "beside the task"),
        ("a/../../checks.py:total", "beside the task"),
        ("./checks.py:total", "beside the task"),
        ("~/checks.py:total", "beside the task"),
        ("a//checks.py:total", "beside the task"),
        ("nosuch.py:total", "no such file"),
        ("checks.py:totl", "did you mean 'total'"),
    ],
)
def test_what_names_no_function_beside_the_task_is_refused(written: str, what: str, tmp_path: pathlib.Path) -> None:
    file = write(tmp_path / "inner", f'{{python: "{written}"}}', more="params: {which: checks}\n")
    (tmp_path / "checks.py").write_text(GOOD, encoding="utf-8")
    found = one(file)
    assert what in found and found.startswith("10:"), found


@pytest.mark.parametrize("written", ["7", "[checks.py, total]", "{file: checks.py}"])
def test_what_is_no_text_is_refused(written: str, tmp_path: pathlib.Path) -> None:
    assert "`python` takes a text" in one(write(tmp_path, f"{{python: {written}}}"))


def test_code_below_the_task_is_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "checks.py").write_text(GOOD, encoding="utf-8")
    assert trusted(write(tmp_path, '{python: "more/checks.py:total"}', None)).code


@pytest.mark.parametrize("link", ["checks.py", "more"])
def test_a_link_is_not_followed_neither_at_the_end_nor_on_the_way(link: str, tmp_path: pathlib.Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "checks.py").write_text(GOOD, encoding="utf-8")
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / link).symlink_to(outside / "checks.py" if link == "checks.py" else outside)
    name = "checks.py" if link == "checks.py" else "more/checks.py"
    assert "it is a link" in one(write(folder, f'{{python: "{name}:total"}}', None))


def test_a_folder_a_pipe_and_a_huge_file_are_no_code(tmp_path: pathlib.Path) -> None:
    (tmp_path / "checks.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "huge.py").write_bytes(b"#" * (1024 * 1024 + 1))
    for name, why in (("checks", "no file"), ("pipe", "no file"), ("huge", "larger than")):
        assert why in one(write(tmp_path, f'{{python: "{name}.py:total"}}', None))


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("def total(case:\n    return True\n", "no Python in line 1"),
        ("def total(case): return\x00 True\n", "no Python"),
        ("x = " + "(" * 5000 + ")" * 5000, "no Python"),
        ("async def total(case):\n    return True\n", "no function 'total'"),
        ("", "no function 'total'"),
    ],
)
def test_what_cannot_be_the_function_is_told_before_anything_runs(code: str, what: str, tmp_path: pathlib.Path) -> None:
    assert what in one(write(tmp_path, RULE, code))


@pytest.mark.parametrize(
    "code",
    [
        "total = lambda case: True\n",
        "from math import *\n",
        "import math as total\n",
        "if True:\n def total(c): pass\n",
    ],
)
def test_a_function_may_be_made_in_any_way(code: str, tmp_path: pathlib.Path) -> None:
    assert trusted(write(tmp_path, RULE, code)).code


def test_the_code_is_part_of_what_the_task_says(tmp_path: pathlib.Path) -> None:
    before = trusted(write(tmp_path, RULE))
    same = trusted(write(tmp_path, RULE))
    after = trusted(write(tmp_path, RULE, GOOD.replace("True", "False")))
    assert before.hash == same.hash != after.hash
    assert before == same != after
    assert before.as_data() == after.as_data()


def test_what_runs_is_what_was_hashed_whatever_becomes_of_the_file(tmp_path: pathlib.Path) -> None:
    task = trusted(write(tmp_path, RULE))
    (tmp_path / "checks.py").write_text(LOUD, encoding="utf-8")
    script = task.must[0]._script  # pyright: ignore[reportPrivateUsage]
    assert script is not None and script.code == GOOD.encode() and task.code == {"must[0]": script.digest}


def test_a_fragments_code_stands_beside_the_fragment(tmp_path: pathlib.Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "f.yaml").write_text(f"veto:\n  - {RULE}\n", encoding="utf-8")
    file = write(tmp_path / "tasks", "{change: {in: cfg, at: a, to: 1}}", GOOD, more="use: [../shared/f.yaml]\n")
    (found,) = problems(file)
    assert found.where.endswith("shared/f.yaml:2:15") and "no such file" in found.message
    (shared / "checks.py").write_text(GOOD, encoding="utf-8")
    assert list(trusted(file).code) == ["veto[0]"]


def test_data_that_is_no_file_has_no_code(tmp_path: pathlib.Path) -> None:
    data: dict[str, Value] = trusted(write(tmp_path, RULE)).as_data()
    with pytest.raises(TaskError, match="needs a task file"):
        task_from_data(data, name="t")


def test_code_needs_a_moment_nowhere_and_may_say_what_is_given(tmp_path: pathlib.Path) -> None:
    order = f"{{order: [{RULE}, {{change: {{in: cfg, at: a}}}}]}}"
    assert "`python` has no moment" in one(write(tmp_path, order))
    assert trusted(write(tmp_path, RULE, more=f"given:\n  - {RULE}\n")).given


def test_the_schema_knows_the_kind() -> None:
    schema = task_schema()["definitions"]
    assert isinstance(schema, dict)
    condition = schema["Condition"]
    assert isinstance(condition, dict) and isinstance(condition["properties"], dict)
    assert "--trust" in str(condition["properties"]["python"])


def test_a_condition_says_which_sources_it_looks_at(tmp_path: pathlib.Path) -> None:
    task = trusted(write(tmp_path, RULE, more="veto:\n  - {change: {in: cfg, op: removed}}\n"))
    assert task.must[0].sources(task.sources) == set(task.sources) and len(task.sources) == 5
    assert task.veto[0].sources(task.sources) == {"cfg"}
