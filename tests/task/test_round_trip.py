import json
import pathlib

import pytest
import yaml
from tests.task.writing import HEAD, MUST, load

from exactchange.task import Task, load_task, task_from_data
from exactchange.values import canonical_bytes

ROOT = pathlib.Path(__file__).parents[2]
SHIPPED = sorted(file for file in (ROOT / "tasks").rglob("*.yaml") if not file.name.endswith(".app.yaml"))
TRICKY = (
    HEAD.replace("Do it.", "Write {{x}} for {who}.")
    + r"""
params: {who: "{{Ada}}", n: 30, path: "{{workdir}}"}
app: {seed: "s{{1}}", start: ["{python}", "{{workdir}}", "{path}", "{{{{"]}
must:
  - {value: {in: cfg, at: '["a{{b}}"]', is: {matches: 'x{2,}\{{1}\p{Greek}{who}[{{]'}}}
  - {value: {in: db, query: "SELECT '{{}}' WHERE a = {n}", is: {exactly: {"k{{": ["{n}", "{{n}}"]}}}}
"""
)


def conditions(task: Task) -> list[object]:
    tiers = (task.given, task.veto, task.must, task.bonus, task.allow, task.ignore)
    return [item.model_dump(by_alias=True) for tier in tiers for item in tier]


def agrees(task: Task, again: Task) -> None:
    assert again == task and again.hash == task.hash
    assert conditions(again) == conditions(task)
    assert (again.instruction, again.app, again.params) == (task.instruction, task.app, task.params)
    assert {n: (s.adapter, s.raw) for n, s in again.sources.items()} == {
        n: (s.adapter, s.raw) for n, s in task.sources.items()
    }
    assert canonical_bytes(again.as_data()) == canonical_bytes(task.as_data())


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_a_shipped_task_loads_without_a_warning_and_survives_json_and_yaml(file: pathlib.Path) -> None:
    task = load_task(file)
    assert task.warnings == () and task.file == file
    agrees(task, task_from_data(json.loads(json.dumps(task.as_data())), name="json"))
    agrees(task, task_from_data(yaml.safe_load(yaml.safe_dump(task.as_data())), name="yaml"))


def test_a_task_written_as_json_is_a_task_file(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, HEAD + MUST)
    file = tmp_path / "task.json"
    file.write_text(json.dumps(task.as_data()), encoding="ascii")
    agrees(task, load_task(file))


def test_braces_survive_as_often_as_a_task_is_written_and_read(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, TRICKY)
    assert task.instruction == "Write {x} for {Ada}."
    assert task.app is not None and task.app.start == ["{python}", "{{workdir}}", "{{workdir}}", "{{{{"]
    first, second = task.must[0].value, task.must[1].value
    assert first is not None and first.at == '["a{b}"]'
    assert first.is_.raw == {"matches": r"x{2,}\{{1}\p{Greek}\{Ada\}[{]"}
    assert second is not None and second.query == "SELECT '{}' WHERE a = :n"
    assert second.is_.raw == {"exactly": {"k{": [30, "{n}"]}}
    again = task_from_data(task.as_data(), name="again")
    agrees(task, again)
    agrees(task, task_from_data(again.as_data(), name="once more"))


def test_the_hash_is_of_what_is_said_and_not_of_how(tmp_path: pathlib.Path) -> None:
    block = load(tmp_path, HEAD + MUST)
    flow = load(tmp_path, "# remark\n" + HEAD + "veto: []\nmust: [change: {to: 0x1e, at: 'a.b', in: cfg}]\n")
    assert block.hash == flow.hash
    other = load(tmp_path, HEAD + MUST.replace("30", "30.0"))
    assert other.hash != block.hash


def test_every_rule_names_its_line_and_column(tmp_path: pathlib.Path) -> None:
    task = load(
        tmp_path,
        HEAD + "veto:\n  - any:\n      - change: {in: db, op: removed, unless_after: &ok {action: {kind: reply}}}\n"
        "      - request: {in: page, method: POST, unless_after: *ok}\n" + MUST + "allow:\n  - {in: db, at: log}\n",
    )
    assert [rule.where for rule in task.veto[0].walk()] == [
        "task.yaml:10:5",
        "task.yaml:11:9",
        "task.yaml:11:53",
        "task.yaml:12:9",
        "task.yaml:12:57",
    ]
    assert task.must[0].where == "task.yaml:14:5" and task.where("allow", 0) == "task.yaml:16:5"
    assert task.sources["db"].where == "task.yaml:4:10"
