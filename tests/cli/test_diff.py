import pathlib
import sqlite3

import pytest
from tests.cli.conftest import Command


@pytest.fixture
def two(tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """Two directories with one difference."""
    for name, timeout in (("before", 20), ("after", 30)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "settings.yaml").write_text(f"server:\n  timeout: {timeout}\n")
        (folder / "same.txt").write_text("same\n")
    return tmp_path / "before", tmp_path / "after"


def test_no_change_is_exit_0(two: tuple[pathlib.Path, pathlib.Path], exactchange: Command) -> None:
    said = exactchange("diff", two[0], two[0])
    assert (said.code, said.out) == (0, "no change\n")


def test_a_change_is_exit_1_with_its_address(two: tuple[pathlib.Path, pathlib.Path], exactchange: Command) -> None:
    said = exactchange("diff", *two)
    assert said.code == 1
    assert "settings.yaml.server.timeout  20 -> 30" in said.out
    assert said.out.splitlines()[-1] == "1 change: 1 modified"


def test_files_are_compared_by_meaning(tmp_path: pathlib.Path, exactchange: Command) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\nb: [x, y]\n")
    (tmp_path / "b.yaml").write_text("# a comment\nb:\n- x\n- y\na: 1\n")
    assert exactchange("diff", tmp_path / "a.yaml", tmp_path / "b.yaml").code == 0


def test_the_document_of_a_diff_is_all_there_is(two: tuple[pathlib.Path, pathlib.Path], exactchange: Command) -> None:
    said = exactchange("diff", *two, "--json")
    assert {change["source"] for change in said.document["changes"]} == {two[1].name}
    (change,) = said.document["changes"]
    assert said.code == 1
    assert said.document["complete"] is True
    assert (change["op"], change["before"], change["after"]) == ("modified", 20, 30)
    assert said.err == ""


def test_counts_alone(two: tuple[pathlib.Path, pathlib.Path], exactchange: Command) -> None:
    assert "~1" in exactchange("diff", *two, "--stat").out
    assert exactchange("diff", *two, "--stat", "--json").document["modified"] == 1


def test_databases_are_compared_row_by_row(tmp_path: pathlib.Path, exactchange: Command) -> None:
    for name, state in (("a.db", "new"), ("b.db", "paid")):
        with sqlite3.connect(tmp_path / name) as database:
            database.execute("create table orders (id integer primary key, status text)")
            database.execute("insert into orders values (7, ?)", (state,))
        database.close()
    said = exactchange("diff", tmp_path / "a.db", tmp_path / "b.db")
    assert said.code == 1
    assert 'orders[id=7].status  "new" -> "paid"' in said.out


def test_a_part_that_is_unread_and_no_change_is_exit_3(tmp_path: pathlib.Path, exactchange: Command) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text('{"a": 1')
    said = exactchange("diff", tmp_path / "a.json", tmp_path / "b.json")
    assert said.code == 3
    assert "?" in said.out and "unread" in said.out
    assert exactchange("diff", tmp_path / "a.json", tmp_path / "b.json", "--json").document["complete"] is False


@pytest.mark.parametrize("words", [["before", "gone"], ["gone", "after"]])
def test_a_path_where_nothing_is_is_exit_2(
    words: list[str], two: tuple[pathlib.Path, pathlib.Path], exactchange: Command
) -> None:
    said = exactchange("diff", *words, cwd=two[0].parent)
    assert said.code == 2
    assert "gone: there is no such file or directory" in said.err


def test_a_dialect_decides_where_the_name_does_not(tmp_path: pathlib.Path, exactchange: Command) -> None:
    (tmp_path / "a.conf").write_text("switch: on\n")
    (tmp_path / "b.conf").write_text("switch: true\n")
    old = exactchange("diff", "--dialect", "yaml-1.1", tmp_path / "a.conf", tmp_path / "b.conf")
    new = exactchange("diff", "--dialect", "yaml-1.2", tmp_path / "a.conf", tmp_path / "b.conf")
    assert (old.code, new.code) == (0, 1)


def test_an_unknown_dialect_is_exit_2(two: tuple[pathlib.Path, pathlib.Path], exactchange: Command) -> None:
    said = exactchange("diff", "--dialect", "yml", two[0] / "settings.yaml", two[1] / "settings.yaml")
    assert said.code == 2
    assert "dialect" in said.err


def test_the_compared_files_are_left_as_they_are(two: tuple[pathlib.Path, pathlib.Path], exactchange: Command) -> None:
    file = two[0] / "settings.yaml"
    known = (file.read_bytes(), file.stat().st_mtime_ns, sorted(path.name for path in two[0].iterdir()))
    exactchange("diff", *two)
    assert (file.read_bytes(), file.stat().st_mtime_ns, sorted(path.name for path in two[0].iterdir())) == known
