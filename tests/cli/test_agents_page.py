import json
import pathlib
import re
import subprocess
import sys

import pytest
from tests.cli.conftest import Command
from tests.end_to_end.play import play

from exactchange.actions.model import KINDS
from exactchange.runner import environment

PAGE = (pathlib.Path(__file__).parents[2] / "docs/agents.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SERVE = "import sys; from exactchange.cli import main; main(['serve-stdio', *sys.argv[1:]])"


@pytest.fixture
def agent(tmp_path: pathlib.Path) -> pathlib.Path:
    """The page's example as a program."""
    (tmp_path / "agent.py").write_text(EXAMPLES[0])
    return tmp_path / "agent.py"


def test_the_page_s_agent_passes_the_first_task(agent: pathlib.Path, first: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("run", first / "first-task.yaml", "--agent", f"{{python}} {agent}", "--json")
    assert said.code == 0, said.out + said.err
    assert said.document["outcome"] == "passed"
    assert said.document["bonus"] == {"met": 1, "of": 1}
    assert said.document["warnings"] == []


def test_the_page_s_five_lines_lead_to_the_page_that_is_judged(tmp_path: pathlib.Path) -> None:
    first, lines = EXAMPLES
    assert first != lines and len(lines.split("\n\n")[1].splitlines()) == 3
    (tmp_path / "agent.py").write_text(lines + "print(page.title())\nplaywright.stop()\n")
    played = play("form", ["{python}", str(tmp_path / "agent.py")], tmp_path / "run")
    assert (played.result.ended, played.result.agent_words.strip()) == ("done", "Register · Harbour Conference")


def test_the_page_names_every_kind_of_action_and_no_other() -> None:
    listed = PAGE.partition("## Kinds of action")[2].partition("`")[2].partition("`")[0]
    assert set(listed.split()) == KINDS


def test_the_page_names_every_variable_that_an_agent_gets() -> None:
    source = pathlib.Path(environment.__file__).with_name("agent.py").read_text()
    given = set(re.findall(r'"(EXACTCHANGE_\w+)"', source)) - {"EXACTCHANGE_RUN"}
    assert given == set(re.findall(r"`(EXACTCHANGE_\w+)` \|", PAGE))


def talk(words: list[str], messages: list[object]) -> tuple[int, list[dict[str, object]], str]:
    """What serve-stdio says to these messages, one after the other."""
    text = "".join(json.dumps(message) + "\n" for message in messages)
    done = subprocess.run(
        [sys.executable, "-c", SERVE, *words], input=text.encode(), capture_output=True, timeout=60, check=False
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_serve_stdio_talks_one_object_a_line_and_ends_with_the_verdict(first: pathlib.Path) -> None:
    action = {"type": "before", "action": {"kind": "observe"}}
    code, said, _ = talk(
        [str(first / "first-task.yaml")], [action, {"type": "after"}, {"type": "finish", "answer": None}]
    )
    assert [line["type"] for line in said] == ["world", "go", "ack", "ack"]
    verdict = said[-1]["verdict"]
    assert isinstance(verdict, dict) and verdict["outcome"] == "unmet"
    assert code == 1


def test_serve_stdio_can_be_told_its_task(first: pathlib.Path) -> None:
    start: dict[str, object] = {"type": "start", "task": str(first / "first-task.yaml"), "params": {}}
    code, said, _ = talk(["--json"], [start, {"type": "finish", "answer": None}])
    assert [line["type"] for line in said] == ["world", "ack"]
    assert code == 1


def test_a_runner_that_hangs_up_gets_no_verdict(first: pathlib.Path) -> None:
    code, said, err = talk([str(first / "first-task.yaml"), "--json"], [])
    assert code == 4
    assert [line["type"] for line in said] == ["world", "error"]
    assert "hung up" in err
