"""What `exactchange check` prints: each mistake once, with its words, a remedy and the page that explains it."""

import pathlib
import re
import shutil

import pytest
from tests.cli.conftest import Command
from tests.task.golden import HERE, check_golden

from exactchange.task.pages import PAGE, see
from exactchange.values import Path

HOME = pathlib.Path(__file__).parents[2]
WARNED = """\
id: warned
instruction: Set the timeout to 30. Change nothing else.
sources:
  config: {adapter: file, path: "{workdir}/settings.yaml"}
  db: {adapter: sqlite, path: "{workdir}/app.db"}
veto:
  - {name: production is not restarted, action: {tool: restart_prod}}
must:
  - {change: {in: config, at: server.timeout, to: 30}}
  - {value: {in: answer, at: "", is: {contains: "30"}}}
ignore:
  - {in: db, at: "*[*]"}
bonus:
  - {name: backed up, change: {in: db, at: "backups[*]", op: added}}
  - {name: told so, value: {in: answer, at: "", is: on}}
  - {name: backed up first, change: {in: config, at: backup.made, to: true}}
"""
CONTRARY = """\
id: contrary
instruction: Close order 7 of 2019 and tell me.
params: {year: 2019}
sources:
  page: {adapter: browser, start: "http://127.0.0.1:{port}/"}
  db: {adapter: sqlite, path: "{workdir}/shop.db"}
given:
  - {value: {in: db, at: "orders[id=7].state", is: open}}
veto:
  - {name: no order is touched, change: {in: db, at: "orders[*]"}}
must:
  - {name: closed, change: {in: db, at: "orders[id=7].state", from: new, to: closed}}
  - {name: still open, value: {in: db, at: "orders[id=7].state", is: open, when: always}}
  - {name: counted, value: {in: db, at: "stats[id=1].closed", is: {gt: 5, lt: 3}}}
  - {name: flagged, change: {in: db, at: "orders[id=7].flag", to: true}}
  - {name: shown, value: {in: page, label: Orders, field: value, is: {ge: 1}}}
"""


@pytest.fixture
def here(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "warned.yaml").write_text(WARNED, encoding="utf-8")
    (tmp_path / "contrary.yaml").write_text(CONTRARY, encoding="utf-8")
    for name in ("five.yaml", "many.yaml"):
        shutil.copy(HERE / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", ["five", "many", "warned", "contrary"])
def test_what_is_printed_reads_as_its_golden_file(here: pathlib.Path, exactchange: Command, name: str) -> None:
    said = exactchange("check", f"{name}.yaml", cwd=here)
    assert said.code == (0 if name == "warned" else 2)
    check_golden(f"check-{name}.txt", said.out)


def test_colour_says_nothing_that_the_words_do_not_say(
    here: pathlib.Path, exactchange: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = exactchange("check", "contrary.yaml", "warned.yaml", cwd=here)
    assert "\x1b" not in plain.out
    monkeypatch.setattr("exactchange.cli.output.look", lambda: _look(colour=True))
    painted = exactchange("check", "contrary.yaml", "warned.yaml", cwd=here)
    assert "\x1b[31merror:\x1b[0m" in painted.out and "\x1b[33mwarning:\x1b[0m" in painted.out
    bare = re.sub(r"\x1b\[[0-9;]*m", "", painted.out)
    assert [line.rstrip() for line in bare.splitlines()] == plain.out.splitlines()


def _look(*, colour: bool) -> object:
    from exactchange.cli.output import Look

    return Look(100, colour)


def test_a_narrow_terminal_gets_the_remedy_on_lines_of_its_own(
    here: pathlib.Path, exactchange: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from exactchange.cli.output import Look

    monkeypatch.setattr("exactchange.cli.output.look", lambda: Look(50, False))
    lines = exactchange("check", "warned.yaml", cwd=here).out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith("^") or line.endswith("^^"))
    assert lines[at + 1].lstrip().startswith("= ")
    remedies = [line for line in lines if line.lstrip().startswith("= ") and " see " not in line]
    assert remedies and all(len(line) <= 50 for line in remedies)


def test_warnings_alone_leave_with_0_and_under_strict_with_2(here: pathlib.Path, exactchange: Command) -> None:
    assert exactchange("check", "warned.yaml", cwd=here).code == 0
    assert exactchange("check", "--strict", "warned.yaml", cwd=here).code == 2
    assert exactchange("check", "--strict", HOME / "tasks" / "article").code == 0
    assert exactchange("check", "contrary.yaml", cwd=here).code == 2


@pytest.mark.parametrize("name", ["five", "many", "warned", "contrary"])
def test_the_document_says_what_the_text_says(here: pathlib.Path, exactchange: Command, name: str) -> None:
    text = exactchange("check", f"{name}.yaml", cwd=here).out
    (task,) = exactchange("check", f"{name}.yaml", "--json", cwd=here).document["tasks"]
    found = [*task["problems"], *task["warnings"]]
    assert task["ok"] is (not task["problems"])
    assert text.count(": error: ") == len(task["problems"]) and text.count(": warning: ") == len(task["warnings"])
    for item in found:
        head = f"{item['where']}: {'warning' if 'kind' in item else 'error'}: {item['message']}"
        assert head in text.splitlines()
        assert item["where"] == f"{item['file']}:{item['line']}:{item['column']}"
        assert item["suggestion"] is None or item["suggestion"] in text
        assert f"see {item['see']}" in text
        line = (here / item["file"]).read_text(encoding="utf-8").splitlines()[item["line"] - 1]
        assert line == item["line_text"] and 0 < item["width"] <= max(1, len(line) - item["column"] + 1)


def test_what_several_tasks_share_is_shown_once_and_counted_once(tmp_path: pathlib.Path, exactchange: Command) -> None:
    fragment = 'sources:\n  db: {adapter: sqlit, path: "{workdir}/a.db"}\nveto:\n  - {effort: {steps: 3}}\n'
    (tmp_path / "shop.yaml").write_text(fragment)
    for name in ("one", "two"):
        task = f"id: {name}\ninstruction: Do it.\nuse: [shop.yaml]\nmust:\n  - {{action: {{tool: x}}}}\n"
        (tmp_path / f"{name}.yaml").write_text(task)
    said = exactchange("check", ".", cwd=tmp_path)
    assert said.out.count("shop.yaml:2:17: error: no adapter is called 'sqlit'") == 1
    assert said.out.splitlines()[-3:] == [
        "one.yaml: 1 mistake",
        "two.yaml: 1 mistake",
        "2 tasks: 2 cannot be used; 1 mistake",
    ]
    tasks = exactchange("check", ".", "--json", cwd=tmp_path).document["tasks"]
    assert [len(task["problems"]) for task in tasks] == [1, 1]


def test_a_file_that_is_not_there_is_a_mistake_without_a_line(tmp_path: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("check", "gone.yaml", cwd=tmp_path)
    assert said.out.splitlines()[0] == "gone.yaml: error: there is no such file"
    (task,) = exactchange("check", "gone.yaml", "--json", cwd=tmp_path).document["tasks"]
    (problem,) = task["problems"]
    assert [problem[name] for name in ("file", "line", "column", "width")] == ["gone.yaml", None, None, None]


@pytest.mark.parametrize(
    ("path", "anchor"),
    [
        ((), "a-first-task"),
        (("id",), "a-first-task"),
        (("app", "start"), "a-first-task"),
        (("sources", "db", "adapter"), "sources-and-places-in-them"),
        (("must", 0), "conditions"),
        (("must", 0, "chnage"), "conditions"),
        (("must", 0, "name"), "conditions"),
        (("must", 0, "change", "op"), "conditions"),
        (("must", 0, "change", "at"), "sources-and-places-in-them"),
        (("veto", 0, "any", 1, "change", "css"), "sources-and-places-in-them"),
        (("must", 0, "change", "to"), "matchers"),
        (("must", 0, "change", "row", "id", "mathces"), "matchers"),
        (("must", 0, "value", "is", "has", "in"), "matchers"),
        (("allow", 0), "allow-and-ignore"),
        (("ignore", 0, "at"), "sources-and-places-in-them"),
        (("params", "x"), "params"),
        (("use", 0), "fragments"),
    ],
)
def test_a_mistake_is_explained_where_its_place_is(path: Path, anchor: str) -> None:
    assert see(path) == f"{PAGE}#{anchor}"
