import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import unicodedata

import pytest
import yaml
from scripts.terminal_picture import all_of
from tests.cli.conftest import Command

from exactchange.address import key

ATTACK = pathlib.Path(__file__).parents[2] / "fixtures/attacks/23-terminal-and-ci-commands/strings.json"
STRINGS: dict[str, str] = json.loads(ATTACK.read_text(encoding="utf-8"))
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TASK = """\
id: hostile
instruction: Set the timeout to 30.
sources:
  config: {adapter: file, path: "{workdir}/settings.yaml"}
  files: {adapter: tree, path: "{workdir}"}
must:
  - {name: the timeout is 30, change: {in: config, at: timeout, from: 20, to: 30}}
  - {name: it says so, value: {in: answer, at: "", is: done}}
veto:
  - {name: nothing is restarted, action: {tool: restart}}
"""


@pytest.fixture
def world(tmp_path: pathlib.Path) -> pathlib.Path:
    """A task and two copies; in the second, every string of the attack is a key, a value and a file's name."""
    (tmp_path / "task.yaml").write_text(TASK)
    for name, timeout in (("before", 20), ("after", 30)):
        folder = tmp_path / name
        folder.mkdir()
        content: dict[str, object] = {"timeout": timeout}
        if name == "after":
            content |= {text: text for text in STRINGS.values()}
            for text in STRINGS.values():
                (folder / text.replace("/", "_")).write_text(text, encoding="utf-8")
        (folder / "settings.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    lines = [json.dumps({"kind": "tool", "tool": text, "args": {text: text}}) for text in STRINGS.values()]
    (tmp_path / "actions.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def words(world: pathlib.Path, answer: str) -> list[str]:
    places = ["--before", world / "before", "--after", world / "after", "--actions", world / "actions.jsonl"]
    return ["judge", str(world / "task.yaml"), *map(str, places), "--answer", answer, "--all"]


def check_bytes(text: str) -> None:
    for line in text.split("\n"):
        assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cf", "Cs")], line
        assert not line.lstrip().startswith(("::", "##"))
    assert "##vso[" not in text


@pytest.mark.parametrize("name", STRINGS)
def test_judged_text_is_harmless_in_a_pipe(name: str, world: pathlib.Path, exactchange: Command) -> None:
    said = exactchange(*words(world, STRINGS[name]))
    assert said.code == 1
    check_bytes(said.out)
    check_bytes(said.err)
    outcome = [line for line in said.out.splitlines() if line.startswith(("PASSED", "UNMET", "VETOED", "UNDECIDED"))]
    assert outcome == [said.out.splitlines()[-1]]


def test_judged_text_is_harmless_on_a_terminal(world: pathlib.Path) -> None:
    leader, follower = pty.openpty()
    code = "import sys; from exactchange.cli import main; main(sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", code, *words(world, STRINGS["hide"])],
        stdout=follower,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": "90"},
    ) as process:
        os.close(follower)
        seen = all_of(leader)
        assert process.stderr is not None
        check_bytes(process.stderr.read().decode())
    text = seen.decode().replace("\r\n", "\n")
    assert "\x1b[" in text  # it is a terminal, so there is colour
    check_bytes(COLOUR.sub("", text))


def test_json_is_plain_ascii_whatever_is_in_it(world: pathlib.Path, exactchange: Command) -> None:
    said = exactchange(*words(world, STRINGS["bidi"]), "--json")
    assert said.out.isascii() and "\x1b" not in said.out
    changed = [change for change in said.document["unexplained"] if change["source"] == "config"]
    assert {change["path"][0] for change in changed} == {key(text) for text in STRINGS.values()}


def test_other_commands_are_harmless_too(world: pathlib.Path, exactchange: Command) -> None:
    for command in (
        ["diff", world / "before", world / "after", "--all"],
        ["diff", world / "before", world / "after", "--stat"],
        ["snapshot", world / "after"],
        ["snapshot", world / "after" / "settings.yaml"],
        ["diff", STRINGS["hide"], STRINGS["azure"]],
        ["judge", STRINGS["gha_error"], "--task", STRINGS["bidi"]],
        ["explain", STRINGS["title"], STRINGS["clear"]],
        [STRINGS["carriage"]],
    ):
        said = exactchange(*command)
        check_bytes(said.out)
        check_bytes(said.err)
