import pathlib
import subprocess
import sys

import click
import pytest

from exactchange.cli.catalogue import COMMANDS
from exactchange.cli.main import root

HOME = pathlib.Path(__file__).parents[2]


def test_the_reference_is_made_from_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, HOME / "scripts/cli_reference.py", "--check"], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_is_documented_with_what_it_does(name: str) -> None:
    section = (HOME / "docs/cli.md").read_text(encoding="utf-8").partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    command = root.get_command(click.Context(root), name)
    assert command is not None
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help
            assert all(word in section for word in option.opts), option.opts


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_list_of_commands_is_short_and_a_sentence(name: str) -> None:
    line = COMMANDS[name][1]
    assert line.endswith(".") and len(line) < 72
