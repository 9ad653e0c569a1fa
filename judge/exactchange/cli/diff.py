"""`exactchange diff`: what changed between two files, directories, databases or saved pages."""

import pathlib
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import all_option, path_argument

if TYPE_CHECKING:
    from exactchange.diff import Diff

CHANGES, INCOMPLETE = 1, 3


@click.command("diff")
@path_argument("before")
@path_argument("after")
@click.option(
    "--dialect", metavar="NAME", help="How a file is written, where its name does not tell: yaml-1.1, jsonc, …"
)
@click.option(
    "--adapter", metavar="NAME", help="The kind of source, where the path does not tell: file, tree, sqlite, browser."
)
@click.option("--stat", is_flag=True, help="Count the changes only.")
@all_option
@output.json_option
def diff(
    *,
    before: pathlib.Path,
    after: pathlib.Path,
    dialect: str | None,
    adapter: str | None,
    stat: bool,
    full: bool,
    as_json: bool,
) -> None:
    """Compare BEFORE with AFTER: two files, directories, databases or saved pages.

    Exits 0 when nothing changed, 1 when something did, 3 when nothing is seen to have changed but a part is unread.

    \b
      exactchange diff settings.yaml.bak settings.yaml
      exactchange diff --stat backup/ work/
      exactchange diff --dialect ini-git old.conf new.conf
      exactchange diff before.html after.html
    """
    from exactchange import reports
    from exactchange.reports.diff_text import stat_json

    found = compare_paths(before, after, adapter=adapter, dialect=dialect)
    look = output.look()
    if as_json:
        output.say_json(stat_json(found) if stat else reports.diff_json(_named(found, after.name)))
    elif stat:
        output.say(reports.render_stat(found, colour=look.colour))
    else:
        output.say(reports.render_diff(found, source="", width=look.width, colour=look.colour, full=full))
    sys.exit(exit_code(found))


def compare_paths(
    before: pathlib.Path, after: pathlib.Path, *, adapter: str | None = None, dialect: str | None = None
) -> "Diff":
    """The diff of two paths that hold the same kind of source. Raises UsageError."""
    from exactchange.cli.paths import chosen_source, snapshot_of
    from exactchange.conditions.noise import noted
    from exactchange.limits import CountedBudget
    from exactchange.sources import diff_snapshots

    source = chosen_source(after if after.exists() else before, adapter=adapter, dialect=dialect)
    # Each side is the whole of its own world: a file that the one side names claims nothing on the other.
    left, right = snapshot_of(source, before), snapshot_of(source, after)
    found = diff_snapshots(source.kind, "", left, right, params=source.params, budget=CountedBudget())
    return replace(found, notes=(*found.notes, *noted(found, source.kind, left, right, params=source.params)))


def _named(found: "Diff", source: str) -> "Diff":
    """The diff with the source's name in every change: a document stands by itself, a screen shows the command."""
    return replace(found, changes=tuple(replace(change, source=source) for change in found.changes))


def exit_code(found: "Diff") -> int:
    """0 no change, 1 changes, 3 no change seen, but a part is unread."""
    if found.changes:
        return CHANGES
    return INCOMPLETE if found.unread else 0
