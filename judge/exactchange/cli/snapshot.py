"""`exactchange snapshot`: the state of a source as a value, as conditions see it."""

import json
import pathlib
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import path_argument

if TYPE_CHECKING:
    from exactchange.cli.paths import Source
    from exactchange.snapshot import Snapshot
    from exactchange.values import Value
    from exactchange.values.jsonform import Json


@click.command("snapshot")
@path_argument("path")
@click.option("--dialect", metavar="NAME", help="How a file is written, where its name does not tell.")
@click.option("--adapter", metavar="NAME", help="The kind of source, where the path does not tell: file, tree, sqlite.")
@click.option("--output", "-o", "target", type=click.Path(path_type=pathlib.Path), help="Write to this file instead.")
@output.json_option
def snapshot(
    *, path: pathlib.Path, dialect: str | None, adapter: str | None, target: pathlib.Path | None, as_json: bool
) -> None:
    """Print the state of the file, directory or database at PATH, every node with the address that a task names it by.

    \b
      exactchange snapshot settings.yaml
      exactchange snapshot app.db --json -o app.json
    """
    from exactchange.cli.paths import chosen_source, snapshot_of

    source = chosen_source(path, adapter=adapter, dialect=dialect)
    taken = snapshot_of(source, path)
    try:
        text = json.dumps(document(source, taken), indent=1) if as_json else as_text(source, taken)
    finally:
        taken.close()
    if target is None:
        output.say(text)
    else:
        target.write_text(text + "\n", encoding="utf-8")


def document(source: "Source", taken: "Snapshot") -> "dict[str, Json]":
    """The snapshot as `exactchange/snapshot/1`: every node with its address and its value."""
    from exactchange.values import to_json
    from exactchange.verdict.document import unread_json

    return {
        "schema": "exactchange/snapshot/1",
        "adapter": source.kind.name,
        "digest": taken.digest.hex(),
        "nodes": [{"address": address, "value": to_json(value)} for address, value in _leaves(source, taken)],
        "unread": [unread_json(item) for item in taken.unread],
        "notes": [{"kind": note.kind, "message": note.message} for note in taken.notes],
    }


def as_text(source: "Source", taken: "Snapshot") -> str:
    """A line for each leaf: its address and its value."""
    from exactchange.reports.sanitise import shown
    from exactchange.reports.show import value_text

    lines = [
        f"{shown(address) or '(the whole source)'}  {value_text(value, 60)}"
        for address, value in _leaves(source, taken)
    ]
    lines += [f"? {shown(item.address)}  unread: {shown(item.reason)}" for item in taken.unread]
    return "\n".join(lines) or "(absent)"


def _leaves(source: "Source", taken: "Snapshot") -> "list[tuple[str, Value]]":
    from collections.abc import Mapping

    from exactchange.address import parse_pattern
    from exactchange.limits import CountedBudget

    found = source.kind.find(taken, parse_pattern("**", slashed=False), budget=CountedBudget())
    return [
        (match.address, match.value)
        for match in found
        if not match.value or not isinstance(match.value, Mapping | list | tuple)
    ]
