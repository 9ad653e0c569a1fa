# ruff: noqa: E501  # a row of a table for every mistake
import pathlib

import pytest
from tests.task.writing import HEAD, MUST, said

from exactchange.errors import UsageError
from exactchange.task import TaskError, load_task, task_from_data

TASK = """\
id: t
instruction: Do it.
use: [shared/app.yaml]
sources: {mine: {adapter: file, path: "{workdir}/mine.yaml"}}
params: {host: task.example}
veto: [{change: {in: mine, at: b, op: removed}}]
must: [{change: {in: mine, at: a, to: "{host}{suffix}"}}]
"""
APP = """\
use: [deeper/base.yaml]
params: {host: app.example, suffix: "!"}
app: {seed: seed, start: [serve]}
sources: {db: {adapter: sqlite, path: "{workdir}/a.db"}}
veto: [{change: {in: db, op: removed}}]
"""
BASE = """\
params: {host: base.example, suffix: "?"}
app: {seed: ../other, start: [other]}
sources: {page: {adapter: browser, start: "http://{host}/"}}
ignore: [{in: page, at: "@cookies.*"}]
"""


def write(folder: pathlib.Path, **files: str) -> pathlib.Path:
    places = {"task": "task.yaml", "app": "shared/app.yaml", "base": "shared/deeper/base.yaml"}
    for name, text in files.items():
        file = folder / places.get(name, f"{name}.yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder / "task.yaml"


def test_fragments_come_first_and_the_task_s_own_word_wins(tmp_path: pathlib.Path) -> None:
    task = load_task(write(tmp_path, task=TASK, app=APP, base=BASE))
    assert list(task.sources) == ["page", "db", "mine"]
    assert task.sources["page"].raw["start"] == "http://task.example/"
    assert task.params == {"host": "task.example", "suffix": "!"}
    assert [rule.change.in_ for rule in task.veto if rule.change] == ["db", "mine"]
    assert [pattern.in_ for pattern in task.ignore] == ["page"]
    assert task.app is not None and task.app.start == ["serve"]


def test_every_part_knows_the_file_that_it_came_from(tmp_path: pathlib.Path) -> None:
    task = load_task(write(tmp_path, task=TASK, app=APP, base=BASE))
    assert [rule.where for rule in task.veto] == ["shared/app.yaml:5:8", "task.yaml:6:8"]
    assert task.where("ignore", 0) == "shared/deeper/base.yaml:4:10"
    assert task.sources["db"].where == "shared/app.yaml:4:15"


def test_a_fragment_s_seed_is_found_from_the_fragment(tmp_path: pathlib.Path) -> None:
    task = load_task(write(tmp_path, task=TASK, app=APP, base=BASE))
    assert task.app is not None and task.app.seed == "shared/seed"
    own = TASK + "app: {seed: seed, start: [x]}\n"
    task = load_task(write(tmp_path, task=own, app=APP, base=BASE))
    assert task.app is not None and task.app.seed == "seed"
    task = load_task(write(tmp_path, task=TASK, app=APP.replace("app: {seed: seed, start: [serve]}\n", ""), base=BASE))
    assert task.app is not None and task.app.seed == "shared/other"


def test_here_is_the_folder_of_the_file_in_which_it_stands(tmp_path: pathlib.Path) -> None:
    app = APP.replace("[serve]", '["{here}/serve", "{{here}}", "{workdir}"]')
    task = load_task(write(tmp_path, task=TASK, app=app, base=BASE))
    assert task.app is not None and task.app.start == ["{here}/shared/serve", "{{here}}", "{workdir}"]
    again = task_from_data(task.as_data(), name="again")
    assert (again, again.app) == (task, task.app)
    own = TASK + 'app: {start: ["{here}/x"]}\n'
    task = load_task(write(tmp_path, task=own, app=APP, base=BASE))
    assert task.app is not None and task.app.start == ["{here}/x"]


def test_here_stands_in_the_commands_of_the_application_only(tmp_path: pathlib.Path) -> None:
    for text in (APP.replace("{workdir}/a.db", "{here}/a.db"), APP.replace("seed: seed", 'seed: "{here}/seed"')):
        with pytest.raises(UsageError, match="has a value only in the commands of `app`"):
            load_task(write(tmp_path, task=TASK, app=text, base=BASE))
    with pytest.raises(UsageError, match="gets its value when the world is brought up"):
        load_task(write(tmp_path, task=TASK.replace("params: {", "params: {here: x, "), app=APP, base=BASE))


def test_a_fragment_that_two_others_use_counts_once(tmp_path: pathlib.Path) -> None:
    text = TASK.replace("[shared/app.yaml]", "[shared/app.yaml, shared/deeper/base.yaml]")
    task = load_task(write(tmp_path, task=text, app=APP, base=BASE))
    assert len(task.ignore) == 1


def test_the_hash_depends_on_what_is_said_and_not_on_where(tmp_path: pathlib.Path) -> None:
    whole = HEAD + "veto: [{change: {in: db, op: removed}}]\n" + MUST
    first = load_task(write(tmp_path, task=whole))
    split = HEAD + "use: [veto.yaml]\n" + MUST + "# a remark\n"
    second = load_task(write(tmp_path, task=split, veto="veto:\n  - change: {op: removed, in: db}\n"))
    assert (first.hash, first) == (second.hash, second)
    other = load_task(write(tmp_path, task=split, veto="veto:\n  - change: {op: added, in: db}\n"))
    assert other.hash != first.hash and other != first


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"task": TASK}, "3:7: there is no file 'shared/app.yaml'; the path is relative to the file that uses it"),
        (
            {"task": TASK, "app": APP, "base": "use: [../app.yaml]\n"},
            "1:7: these files use each other in a circle: app.yaml -> base.yaml -> app.yaml",
        ),
        ({"task": TASK, "app": APP, "base": BASE + "must: []\n"}, "5:1: `must` cannot stand in a fragment; what must be reached belongs to the task"),
        ({"task": TASK, "app": APP, "base": BASE + "id: x\n"}, "5:1: `id` cannot stand in a fragment; a fragment has no id of its own"),
        (
            {"task": TASK, "app": APP, "base": BASE.replace("page: {", "db: {").replace("in: page", "in: db")},
            "4:11: a source called 'db' is already there, from shared/deeper/base.yaml:3:15; give one of the two another name",
        ),
        ({"task": TASK, "app": APP, "base": "[]\n"}, "1:7: deeper/base.yaml is no fragment; a fragment is a mapping, such as `ignore: [...]`"),
        ({"task": TASK, "app": APP, "base": BASE + "vetto: []\n"}, "5:1: unknown key 'vetto' in a task; did you mean 'veto'?"),
        ({"task": TASK.replace("shared/app.yaml", "/etc/passwd")}, "3:7: a fragment's path is relative to the file that uses it, with forward slashes"),
        ({"task": TASK.replace("shared/app.yaml", "../secret.txt")}, "3:7: a fragment is a .yaml file, which '../secret.txt' is not"),
        ({"task": TASK.replace("[shared/app.yaml]", "shared/app.yaml")}, "3:6: `use` takes a list of files; write use: [name.yaml]"),
        ({"task": TASK.replace("[shared/app.yaml]", "[3]")}, "3:7: a fragment is named by a path, not by a int"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_fragment_is_said_where_it_is(
    tmp_path: pathlib.Path, files: dict[str, str], message: str
) -> None:
    with pytest.raises(TaskError) as caught:
        load_task(write(tmp_path, **files))
    assert message in [said(problem) for problem in caught.value.problems]


def test_mistakes_of_all_files_are_named_at_once_the_task_s_first(tmp_path: pathlib.Path) -> None:
    file = write(
        tmp_path,
        task=TASK.replace("op: removed", "op: remved"),
        app=APP.replace("op: removed", "op: gone"),
        base=BASE.replace("in: page", "in: pge"),
    )
    with pytest.raises(TaskError) as caught:
        load_task(file)
    where = [problem.where.removeprefix(f"{tmp_path}/") for problem in caught.value.problems]
    assert where == ["task.yaml:6:39", "shared/app.yaml:5:30", "shared/deeper/base.yaml:4:15"]


def test_a_file_that_is_not_there_is_a_problem(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TaskError, match="none.yaml: there is no such file"):
        load_task(tmp_path / "none.yaml")
    with pytest.raises(TaskError, match="is a directory; name the task file in it"):
        load_task(tmp_path)
