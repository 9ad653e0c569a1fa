import json
import pathlib
import shlex

import pytest
from tests.cli.conftest import Command

BROKEN = """\
id: broken
instruction: Do it.
sources:
  config: {adapter: fil, path: "{workdir}/a.yaml"}
must:
  - {chnage: {in: config, at: a, to: 1}}
  - {change: {in: confg, at: a, to: 1}}
bonus:
  - {effort: {stepps: 3}}
colour: red
"""


def test_a_first_task_is_written_that_check_accepts(first: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("check", first)
    assert (said.code, said.err) == (0, "")
    assert "ok (first-task)" in said.out


def test_the_command_that_init_names_passes(tmp_path: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("init", tmp_path / "new")
    (line,) = [line for line in said.out.splitlines() if line.startswith("then: ")]
    words = shlex.split(line.removeprefix("then: "))
    assert words[0] == "exactchange"
    assert exactchange(*words[1:]).out.splitlines()[-1].startswith("PASSED")


def test_nothing_that_is_there_is_overwritten(first: pathlib.Path, exactchange: Command) -> None:
    file = first / "first-task.yaml"
    file.write_text("mine\n")
    said = exactchange("init", first)
    assert said.code == 2
    assert file.read_text() == "mine\n"


def test_every_mistake_is_named_at_once_with_its_line(tmp_path: pathlib.Path, exactchange: Command) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(BROKEN)
    said = exactchange("check", file)
    assert said.code == 2
    for line, word in ((4, "fil"), (6, "chnage"), (7, "confg"), (9, "stepps"), (10, "colour")):
        assert any(f":{line}:" in text and word in text for text in said.out.splitlines()), (line, word)
    document = exactchange("check", file, "--json").document
    (task,) = document["tasks"]
    assert task["ok"] is False and len(task["problems"]) == 5


def test_check_goes_on_after_a_broken_file(first: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command) -> None:
    (tmp_path / "broken.yaml").write_text(BROKEN)
    said = exactchange("check", tmp_path / "broken.yaml", tmp_path / "gone.yaml", first / "first-task.yaml")
    assert said.code == 2
    assert "gone.yaml" in said.out and "ok (first-task)" in said.out


def test_control_characters_in_a_task_do_not_reach_the_terminal(tmp_path: pathlib.Path, exactchange: Command) -> None:
    (tmp_path / "t.yaml").write_text('id: "x\\u001b[2J"\ninstruction: \x1b[2J\n', encoding="utf-8")
    said = exactchange("check", tmp_path / "t.yaml")
    assert said.code == 2
    assert "\x1b" not in said.out + said.err


def test_an_unexpected_file_is_named(tmp_path: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("check", tmp_path)
    assert said.code == 2
    assert "no task file in this directory" in said.err


@pytest.mark.parametrize("what", ["task", "verdict"])
def test_a_schema_is_one_json_document(what: str, exactchange: Command) -> None:
    said = exactchange("schema", what)
    assert said.code == 0
    assert "properties" in said.document
    assert exactchange("schema", what, "--json").document == said.document


def test_adapters_are_listed_with_their_parameters(exactchange: Command) -> None:
    said = exactchange("adapters", "--json")
    assert said.code == 0
    known = {item["name"]: item for item in said.document["adapters"]}
    assert {"browser", "file", "sqlite", "tree"} <= set(known)
    assert all(item["error"] is None for item in known.values())
    assert known["file"]["params"]["path"]["required"] is True
    rules = {rule["name"]: rule["usual"] for rule in known["browser"]["noise"]}
    assert (rules["relative-time"], rules["counter"], known["file"]["noise"]) == (True, False, [])
    text = exactchange("adapters").out
    assert "path" in text and "noise rule relative-time: " in text


def test_a_snapshot_lists_every_leaf_with_its_address(first: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("snapshot", first / "seed" / "settings.yaml")
    assert said.code == 0
    assert "server.timeout  20\n" in said.out
    document = exactchange("snapshot", first / "seed" / "settings.yaml", "--json").document
    (source,) = document["sources"]
    assert (source["name"], source["adapter"]) == ("", "file")
    assert {"address": "server.timeout", "value": 20} in source["leaves"]


def test_a_snapshot_can_be_written_to_a_file(first: pathlib.Path, tmp_path: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("snapshot", first / "seed", "--json", "-o", tmp_path / "s.json")
    assert (said.code, said.out) == (0, "")
    (source,) = json.loads((tmp_path / "s.json").read_text())["sources"]
    assert source["adapter"] == "tree"


def test_a_task_s_sources_are_read_in_a_copy_of_its_work_directory(first: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("snapshot", first / "seed", "--task", first / "first-task.yaml")
    assert said.code == 0
    assert "config  server.timeout  20\n" in said.out
    document = exactchange("snapshot", first / "seed", "--task", first / "first-task.yaml", "--json").document
    assert [source["name"] for source in document["sources"]] == ["config", "files"]


@pytest.mark.parametrize("words", ["gone.yaml", "seed --task first-task.yaml --adapter tree", "seed -o /"])
def test_a_snapshot_that_cannot_be_taken_or_written_is_told(
    words: str, first: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("snapshot", *words.split(), cwd=first)
    assert said.code in (2, 4)
    assert said.out == "" and said.err
