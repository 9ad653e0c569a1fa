"""Writes the reference of the command line into docs/cli.md from the commands' own help; `--check` only compares."""

import pathlib
import sys

import click

from exactchange.cli.catalogue import COMMANDS
from exactchange.cli.main import root

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "cli.md"
BEGIN = "<!-- reference: written by scripts/cli_reference.py -->\n"
END = "<!-- end of reference -->\n"
WIDTH = 96


def reference() -> str:
    """Every command with its help, as Markdown."""
    return "".join(f"### {name}\n\n```text\n{_help(name)}\n```\n\n" for name in COMMANDS)


def page(text: str) -> str:
    """The page with its reference made anew. Raises ValueError when a marker is missing."""
    head, _, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        raise ValueError(f"{PAGE} has no place for the reference: {BEGIN.strip()} … {END.strip()}")
    return f"{head}{BEGIN}\n{reference()}{END}{tail}"


def _help(name: str) -> str:
    whole = click.Context(root, info_name="exactchange", terminal_width=WIDTH, help_option_names=["-h", "--help"])
    command = root.get_command(whole, name)
    assert command is not None
    return command.get_help(click.Context(command, parent=whole, info_name=name, terminal_width=WIDTH)).rstrip()


def main() -> int:
    """Write the page; with --check, exit 1 when it is not up to date."""
    text = PAGE.read_text(encoding="utf-8")
    wanted = page(text)
    if "--check" in sys.argv[1:]:
        if text != wanted:
            print("docs/cli.md is not up to date: python scripts/cli_reference.py")
        return int(text != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
