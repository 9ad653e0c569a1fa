import json
import pathlib
import subprocess
import sys

import pytest
from tests.cli.conftest import Command

from exactchange import __version__
from exactchange.cli.catalogue import COMMANDS
from exactchange.cli.main import root

HEAVY = frozenset("playwright apsw sqlite3 sqlglot deepdiff flask waitress rich asyncio yaml pydantic".split())


@pytest.mark.parametrize("words", ["--help", "--version", "judge --help", "demo --help", "diff --help", "run --help"])
def test_help_loads_nothing_heavy(words: str) -> None:
    code = (
        "import sys, json, contextlib, io\n"
        "from exactchange.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main(sys.argv[1:])\n"
        "print(json.dumps([n.partition('.')[0] for n in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code, *words.split()], capture_output=True, timeout=60, check=True)
    loaded = set(json.loads(done.stdout))
    assert loaded & HEAVY == set()
    assert loaded & {"exactchange_adapters", "exactchange_fixtures"} == set()


def test_the_version_is_the_package_s(process: Command) -> None:
    assert process("--version").out == f"exactchange {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example_and_takes_json(name: str, exactchange: Command) -> None:
    said = exactchange(name, "--help")
    assert said.code == 0
    assert f"exactchange {name}" in said.out.split("Options:")[0].partition("\n")[2]
    assert "--json" in said.out


def test_without_arguments_the_help_is_shown_as_an_error(exactchange: Command) -> None:
    said = exactchange()
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Usage: exactchange")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_found_by_its_name(name: str) -> None:
    import click

    command = root.get_command(click.Context(root), name)
    assert command is not None and command.name == name


def test_help_lists_every_command(exactchange: Command) -> None:
    said = exactchange("--help")
    assert all(f"  {name} " in said.out for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["jugde"], "did you mean 'judge'?"),
        (["nothing-like-it"], "there is no command 'nothing-like-it'"),
        (["judge"], "Missing argument"),
        (["judge", "x", "--befor", "y"], "--before"),
        (["judge", "x", "--before", "y"], "exactchange judge TASK --before DIR --after DIR"),
        (["run", "x.yaml"], "--agent"),
        (["diff", "a", "b", "--jobs", "2"], "No such option"),
        (["run", "x.yaml", "--agent", "true", "--param", "save"], "NAME=VALUE"),
        (["check", "x.yaml", "--param", "a=1", "--param", "a=2"], "twice"),
        (["schema", "tusk"], "'task', 'verdict'"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_2(words: list[str], wanted: str, exactchange: Command) -> None:
    said = exactchange(*words)
    assert said.code == 2
    assert said.out == ""
    assert wanted in said.err
    assert "Traceback" not in said.err
    assert all(line.startswith("exactchange: ") for line in said.err.splitlines())


@pytest.mark.parametrize(
    "words", ["judge nowhere", "diff nowhere else", "jugde", "explain nowhere", "run x.yaml", "init .", "check x"]
)
def test_with_json_an_error_is_one_document_on_stdout(words: str, exactchange: Command) -> None:
    exactchange("init", ".")
    said = exactchange(*words.split(), "--json")
    assert said.code == 2
    if words == "check x":  # a broken task is what it was asked for, not an error
        assert said.document["schema"] == "exactchange/check/1"
    elif words == "run x.yaml":  # without --agent
        assert said.document["error"].startswith("Missing option")
    else:
        assert said.document["schema"] == "exactchange/error/1"
        assert said.document["exit_code"] == 2


def test_a_mistake_of_ours_is_exit_4_and_says_how_to_see_more() -> None:
    program = (
        "import sys, exactchange.reports as r\n"
        "def broken(path): raise ZeroDivisionError('a mistake\\x1b[2J')\n"
        "r.read_verdict = broken\n"
        "from exactchange.cli import main\n"
        "main(['explain', 'x'])"
    )
    for debug, traced in (("", False), ("1", True)):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            env={"EXACTCHANGE_DEBUG": debug},
            timeout=60,
            check=False,
        )
        err = done.stderr.decode()
        assert done.returncode == 4
        assert ("Traceback" in err) is traced
        assert "unexpected ZeroDivisionError: a mistake\\x1b[2J" in err
        assert "EXACTCHANGE_DEBUG=1" in err


def test_output_that_is_not_utf_8_is_escaped_and_never_an_error(process: Command, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("name: 東京\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("name: 大阪\n", encoding="utf-8")
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    said = process("diff", tmp_path / "a.yaml", tmp_path / "b.yaml", env=plain)
    assert said.code == 1
    assert said.out.isascii()
    assert "\\u6771" in said.out


def test_a_reader_that_goes_away_is_no_error() -> None:
    program = "import sys; from exactchange.cli import main; main(['schema'])"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        err = process.stderr.read().decode()
    assert "Traceback" not in err and "Exception" not in err


COLOURS: list[tuple[dict[str, str], bool]] = [
    ({}, False),
    ({"FORCE_COLOR": "1"}, True),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ({"NO_COLOR": "1"}, False),
]


@pytest.mark.parametrize(("env", "coloured"), COLOURS)
def test_colour_is_for_terminals_and_for_who_asks(
    env: dict[str, str], coloured: bool, tmp_path: pathlib.Path, process: Command
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(f'{{"v": "{name}"}}')
    said = process("diff", tmp_path / "a.json", tmp_path / "b.json", env=env)
    assert ("\x1b[" in said.out) is coloured
    assert "\x1b[" not in process("diff", tmp_path / "a.json", tmp_path / "b.json", "--json", env=env).out


@pytest.mark.parametrize(("columns", "widest"), [("44", 44), ("1", 44), ("100", 100), ("999", 160), ("x", 100)])
def test_the_width_is_the_terminal_s_within_reason(
    columns: str, widest: int, tmp_path: pathlib.Path, process: Command
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"value": f"{name} " * 200}))
    said = process("diff", tmp_path / "a.json", tmp_path / "b.json", env={"COLUMNS": columns})
    longest = max(len(line) for line in said.out.splitlines() if not line.endswith("modified"))
    assert widest // 2 < longest <= widest
