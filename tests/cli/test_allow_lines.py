import pathlib
import sqlite3
from typing import Any

import pytest
import yaml
from tests.cli.conftest import Command

TASK = """\
id: everything
instruction: Change anything.
sources:
  config: {adapter: file, path: "{workdir}/settings.yaml"}
  db: {adapter: sqlite, path: "{workdir}/app.db"}
  files: {adapter: tree, path: "{workdir}"}
must:
  - {name: the mark is set, change: {in: config, at: mark, to: true}}
"""
BEFORE: dict[str, object] = {"mark": False, "a": 1, "gone": {"x": 1}, "jobs": [{"name": "b", "n": 1}, {"name": "t"}]}
AFTER: list[dict[str, object]] = [
    {"a": 2},
    {"new": {"x": {"y": [1, 2]}, "z": {}}},
    {"gone": None},
    {"a.b": 1, "c[0]": 2, '"': 3, "*": 4, "@at": 5, "#id": 6, "k=v": 7, " ": 8, "": 9, "{workdir}": 10, "null": 11},
    {"\x1b[2J\n": 1, "\u202eabc": 2, "日本": 3, "##vso[x]": 4, "'": 5, "\\": 6, "a: b": 7, "- x": 8, "~": 9, "1": 10},
    {"jobs": [{"name": "t"}, {"name": "b", "n": 1}]},
    {"jobs": [{"name": "b", "n": 2}, {"name": "new", "deep": {"er": 1}}]},
    {"gone": [1, 2, 3]},
]
STATEMENTS = [
    "insert into t values (2, 'new', x'00ff')",
    "delete from t",
    "update t set a = 'changed', b = null",
    "insert into t values (3, null, null); update t set a = 'changed' where id = 1",
    "create table u (a, b); insert into u values (1, 'x'), (1, 'x')",
    "create index by_a on t (a); pragma user_version = 7",
    'create table "odd.name [x]" ("the key" text primary key, "a=b" text) ; '
    "insert into \"odd.name [x]\" values ('a \"quoted\" key', 'v')",
    "alter table t add column c text default 'd'",
]
FILES: list[dict[str, str | None]] = [
    {"backup/settings.yaml": "a: 1\n"},
    {"notes.txt": "changed\n"},
    {"notes.txt": None},
    {"odd name [1].yaml": "a.b: 1\n", "x=y": "text", "#h": "text", "@f": "text", "a*b": "text", "a'b": "text"},
    {"data.json": '{"list": [{"id": 1, "v": 1}, {"id": 2, "v": 3}]}'},
    {"data.json": "[]"},
    {"sub/deeper/\x1b[2J\u202e": "text", "sub/.env": "KEY=value\n"},
]


@pytest.fixture
def world(tmp_path: pathlib.Path) -> pathlib.Path:
    """The task, and the state before in two copies."""
    (tmp_path / "task.yaml").write_text(TASK)
    for name in ("before", "after"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "notes.txt").write_text("notes\n")
        (folder / "data.json").write_text('{"list": [{"id": 1, "v": 1}, {"id": 2, "v": 2}]}')
        write(folder, BEFORE if name == "before" else {**BEFORE, "mark": True})
        execute(folder, "create table t (id integer primary key, a text, b blob); insert into t values (1, 'a', null)")
    return tmp_path


def write(folder: pathlib.Path, content: dict[str, object]) -> None:
    (folder / "settings.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def execute(folder: pathlib.Path, script: str) -> None:
    database = sqlite3.connect(folder / "app.db")
    database.executescript(script)
    database.close()


def check_pasting_helps(world: pathlib.Path, exactchange: Command) -> None:
    """The lines make it pass, one for each leaf (--all) or one for each container; and they take nothing else."""
    words = ["judge", world / "task.yaml", "--before", world / "before", "--after", world / "after"]
    wrong = places(exactchange(*words, "--json").document["unexplained"])
    for more in (["--all"], []):
        (world / "task.yaml").write_text(TASK, encoding="utf-8")
        said = exactchange(*words, *more)
        assert said.code == 1, said.out + said.err
        assert said.out.splitlines()[-1].startswith("UNMET")
        lines = ready_lines(said.out)
        text = TASK + "allow:\n" + "".join(f"  {line}\n" for line in lines)
        (world / "task.yaml").write_text(text, encoding="utf-8")
        again = exactchange(*words, "--json")
        assert again.code == 0, "\n".join([*lines, again.out, again.err])
        taken = places(again.document["allowed"])
        assert all(any(inner[: len(outer)] == outer for outer in taken) for inner in wrong)
        assert all(any(inner[: len(outer)] == outer for inner in wrong) for outer in taken)


def places(changes: list[dict[str, Any]]) -> set[tuple[object, ...]]:
    return {(change["source"], change["op"], *change["path"]) for change in changes}


def ready_lines(text: str) -> list[str]:
    lines = text.splitlines()
    after = [number for number, line in enumerate(lines) if "add to allow:" in line]
    found = [lines[n].partition("add to allow:")[2].strip() or lines[n + 1].strip() for n in after]
    assert found and all(line.startswith("- {") for line in found), text
    return found


def test_what_came_as_a_whole_gets_one_line_and_new_keys_of_what_was_there_get_one_each(
    world: pathlib.Path, exactchange: Command
) -> None:
    new: dict[str, object] = {"a": 1, "b": {"c": 2}, "d": "e"}
    content = {**BEFORE, "mark": True, "gone": {"x": 1, "y": 2, "z": 3}, "new": new}
    write(world / "after", content)
    said = exactchange("judge", world / "task.yaml", "--before", world / "before", "--after", world / "after")
    assert ready_lines(said.out) == [
        "- {in: config, at: gone.y, op: added}",
        "- {in: config, at: gone.z, op: added}",
        "- {in: config, at: new, op: added}",
    ]
    assert "! not explained: 3 values" in said.out


@pytest.mark.parametrize("changes", AFTER, ids=lambda item: ",".join(item)[:30].encode("unicode_escape").decode())
def test_the_lines_under_changes_of_a_file_make_it_pass(
    changes: dict[str, object], world: pathlib.Path, exactchange: Command
) -> None:
    content = {**BEFORE, "mark": True, **changes}
    write(world / "after", {name: value for name, value in content.items() if value is not None})
    check_pasting_helps(world, exactchange)


@pytest.mark.parametrize("script", STATEMENTS)
def test_the_lines_under_changes_of_a_database_make_it_pass(
    script: str, world: pathlib.Path, exactchange: Command
) -> None:
    execute(world / "after", script)
    check_pasting_helps(world, exactchange)


def test_the_line_under_a_database_that_came_makes_it_pass(world: pathlib.Path, exactchange: Command) -> None:
    (world / "before" / "app.db").unlink()
    execute(world / "after", "insert into t values (2, 'new', null)")
    check_pasting_helps(world, exactchange)


@pytest.mark.parametrize("files", FILES, ids=lambda item: ",".join(item)[:30].encode("unicode_escape").decode())
def test_the_lines_under_changes_of_a_directory_make_it_pass(
    files: dict[str, str | None], world: pathlib.Path, exactchange: Command
) -> None:
    for name, text in files.items():
        place = world / "after" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            place.unlink()
        else:
            place.write_text(text, encoding="utf-8")
    check_pasting_helps(world, exactchange)


def test_no_line_is_offered_that_check_would_refuse(world: pathlib.Path, exactchange: Command) -> None:
    task = TASK.replace("at: mark, to: true", 'at: "jobs[*].n", to: 5')
    (world / "task.yaml").write_text(task, encoding="utf-8")
    write(world / "after", {**BEFORE, "a": 2, "jobs": [{"name": "b", "n": 5}, {"name": "t", "n": 6}]})
    said = exactchange("judge", world / "task.yaml", "--before", world / "before", "--after", world / "after")
    assert ready_lines(said.out) == ["- {in: config, at: a, op: modified}"]
    assert "jobs[name=t].n" in said.out
