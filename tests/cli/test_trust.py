"""`--trust`: without it no command runs a task's own code; with it the verdict is the same live, recorded and again."""

import json
import pathlib
import shlex

import pytest
from tests.cli.conftest import Command

TASK = """\
id: sums
instruction: Add the line that is missing.
sources:
  sums: {adapter: file, path: "{workdir}/sums.json"}
must:
  - {change: {in: sums, at: "lines[*]", op: added}}
  - {name: the total fits, python: "checks.py:total_fits"}
"""
CODE = """\
import pathlib
pathlib.Path(__file__ + ".ran").touch()

def total_fits(case):
    print("looking")
    return sum(case.value("sums", "lines")) == case.value("sums", "total")
"""


@pytest.fixture
def folder(tmp_path: pathlib.Path, home: pathlib.Path) -> pathlib.Path:
    """A task with code beside it, and two copies of its work directory; `home` is where commands run."""
    (tmp_path / "sums.yaml").write_text(TASK, encoding="utf-8")
    (tmp_path / "checks.py").write_text(CODE, encoding="utf-8")
    for name, lines in (("before", [1, 2]), ("after", [1, 2, 3])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sums.json").write_text(json.dumps({"lines": lines, "total": 6}), encoding="utf-8")
    return tmp_path


def ran(home: pathlib.Path) -> bool:
    return bool(list(home.glob("*.ran")))


COMMANDS = [
    ("check", "{0}/sums.yaml"),
    ("judge", "{0}/sums.yaml", "--before", "{0}/before", "--after", "{0}/after"),
    ("run", "{0}/sums.yaml", "--agent", "true"),
    ("calibrate", "{0}/sums.yaml", "--agent", "true"),
    ("snapshot", "{0}/before", "--task", "{0}/sums.yaml"),
    ("serve-stdio", "{0}/sums.yaml"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_without_trust_no_command_runs_the_tasks_code_and_each_says_what_to_do(
    words: tuple[str, ...], folder: pathlib.Path, home: pathlib.Path, exactchange: Command
) -> None:
    done = exactchange(*(word.format(folder) for word in words))
    assert done.code == 2
    said = done.out + done.err
    assert "sums.yaml:7:36: " in said and "`python` runs code" in said and "--trust" in said
    assert not ran(home)


@pytest.mark.parametrize("words", COMMANDS[:1] + COMMANDS[4:5], ids=lambda words: words[0])
def test_with_trust_what_judges_nothing_runs_nothing(
    words: tuple[str, ...], folder: pathlib.Path, home: pathlib.Path, exactchange: Command
) -> None:
    assert exactchange(*(word.format(folder) for word in words), "--trust").code == 0
    assert not ran(home)


def test_with_trust_it_judges_and_stdout_holds_one_document(
    folder: pathlib.Path, home: pathlib.Path, process: Command
) -> None:
    words = [word.format(folder) for word in COMMANDS[1]]
    done = process(*words, "--trust", "--json")
    assert (done.code, done.document["outcome"]) == (0, "passed"), done
    assert ran(home)
    found = done.document["findings"][1]
    assert (found["name"], found["evidence"]) == ("the total fits", [{"kind": "printed", "text": "looking\n"}])


def test_a_recorded_episode_is_judged_again_with_the_same_code_in_workers_of_its_own(
    folder: pathlib.Path, tmp_path: pathlib.Path, process: Command
) -> None:
    (folder / "sums.yaml").write_text(TASK.replace("id: sums\n", "id: sums\napp: {seed: before}\n"), encoding="utf-8")
    work = "import json,os,pathlib; f=pathlib.Path(os.environ['EXACTCHANGE_WORKDIR'])/'sums.json'; "
    work += "f.write_text(json.dumps({'lines': [1,2,3], 'total': 6}))"
    agent = tmp_path / "agent.py"
    agent.write_text(work, encoding="utf-8")
    words = ("run", folder / "sums.yaml", "--agent", f"{{python}} {agent}", "--record", tmp_path / "episode")
    live = process(*words, "--trust", "--json")
    assert (live.code, live.document["outcome"]) == (0, "passed"), live

    refused = process("judge", tmp_path / "episode", "--tasks", folder)
    assert refused.code == 2 and "--trust" in refused.out + refused.err, refused
    assert "there is no" not in refused.err
    for named in (("--tasks", folder), ("--task", folder / "sums.yaml")):
        again = process("judge", tmp_path / "episode", *named, "--trust", "--json", "-j", "2")
        assert (again.code, again.document["outcome"]) == (0, "passed"), again
        assert {**again.document, "mode": "online"} == live.document

    (folder / "checks.py").write_text(CODE.replace("==", "!="), encoding="utf-8")
    other = process("judge", tmp_path / "episode", "--tasks", folder, "--trust")
    assert other.code == 2 and "has changed since" in other.out + other.err, other
    changed = process("judge", tmp_path / "episode", "--task", folder / "sums.yaml", "--trust", "--json")
    assert changed.document["outcome"] == "unmet"
    assert changed.document["hashes"]["task"] != live.document["hashes"]["task"]


def test_the_commands_of_the_page_do_as_it_says(folder: pathlib.Path, exactchange: Command) -> None:
    page = (pathlib.Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    block = page.partition("## Code of a task's own")[2].partition("```sh\n")[2].partition("```")[0]
    words = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    assert [exactchange(*line, cwd=folder).code for line in words] == [2, 0, 0]


def test_code_that_ends_the_process_or_writes_past_everything_is_no_pass(
    folder: pathlib.Path, process: Command
) -> None:
    words = [word.format(folder) for word in COMMANDS[1]]
    for code in ("import sys; sys.exit(0)", "raise KeyboardInterrupt", "raise SystemExit(0)"):
        (folder / "checks.py").write_text(f"def total_fits(case):\n    {code}\n", encoding="utf-8")
        done = process(*words, "--trust", "--json")
        assert (done.code, done.document["outcome"]) == (3, "undecided"), (code, done)
