"""`exactchange snapshot`: the state of sources as values, as conditions see it, and of a page as a person sees it."""

import json
import pathlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

import click

from exactchange.cli import output
from exactchange.cli.options import cannot_write, loaded, path_argument, trust_option
from exactchange.errors import UsageError

if TYPE_CHECKING:
    from exactchange.cli.paths import Taken
    from exactchange.snapshot import Snapshot
    from exactchange.values import Value
    from exactchange.values.jsonform import Json

_Path = click.Path(path_type=pathlib.Path)


@click.command("snapshot")
@path_argument("path")
@click.option("--task", type=_Path, help="Read the sources of this task; PATH is its work directory, or an episode.")
@trust_option
@click.option("--dialect", metavar="NAME", help="How a file is written, where its name does not tell.")
@click.option(
    "--adapter", metavar="NAME", help="The kind of source, where the path does not tell: file, tree, sqlite, browser."
)
@click.option("--step", type=click.IntRange(min=0), help="Of an episode: the state after this step; 0: at the start.")
@click.option("--html", "drawing", type=_Path, metavar="FILE", help="Draw the page in this file, for a browser.")
@click.option("--output", "-o", "target", type=_Path, help="Write to this file instead.")
@output.json_option
def snapshot(
    *,
    path: pathlib.Path,
    task: pathlib.Path | None,
    trust: bool,
    dialect: str | None,
    adapter: str | None,
    step: int | None,
    drawing: pathlib.Path | None,
    target: pathlib.Path | None,
    as_json: bool,
) -> None:
    """Print the state of a file, directory, database or saved page: every leaf with the address that tasks name it by.

    PATH may also be an episode: then it is the state of its sources after a step, or at the end.

    \b
      exactchange snapshot settings.yaml
      exactchange snapshot app.db --json -o app.json
      exactchange snapshot work/ --task settings-timeout.yaml
      exactchange snapshot runs/3 --step 2 --html page.html
    """
    if task is not None and (dialect is not None or adapter is not None):
        raise click.UsageError("with --task, the task says the adapters and the dialects of its sources")
    with ExitStack() as stack:
        found = _taken(path, task, step, adapter=adapter, dialect=dialect, trust=trust)
        for item in found:
            stack.callback(item.snapshot.close)
        drawn = None if drawing is None else portrait_of(found, title=_titled(path, step))
        text = json.dumps(document(found), indent=1) if as_json else as_text(found)
    if drawing is not None and drawn is not None:
        _write(drawing, drawn)
    if target is not None:
        _write(target, text + "\n")
    elif drawing is None or as_json:
        output.say(text)


def _taken(
    path: pathlib.Path,
    task: pathlib.Path | None,
    step: int | None,
    *,
    adapter: str | None,
    dialect: str | None,
    trust: bool,
) -> "list[Taken]":
    from exactchange.cli.paths import taken_at, taken_at_step, taken_of

    if (path / "episode.json").is_file() and adapter is None and dialect is None:
        return taken_at_step(path, task_file=task, step=step)
    if step is not None:
        raise click.UsageError("--step goes with an episode: a directory that holds episode.json")
    if task is not None:
        return taken_of(loaded(task, trust=trust), path)
    return [taken_at(path, adapter=adapter, dialect=dialect)]


def portrait_of(found: "Sequence[Taken]", *, title: str) -> str:
    """The one page among the sources as a file of HTML. Raises UsageError where there is none, or more than one."""
    from exactchange.sources import Drawable

    pages = [
        (cast("Drawable[Snapshot]", item.kind), item.snapshot) for item in found if isinstance(item.kind, Drawable)
    ]
    if len(pages) != 1:
        raise UsageError(f"--html draws one page, and here are {len(pages)}; a saved page has a name such as page.html")
    kind, page = pages[0]
    return kind.portrait(page, title=title)


def _titled(path: pathlib.Path, step: int | None) -> str:
    return path.name if step is None else f"{path.name}, after step {step}"


def _write(file: pathlib.Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(file, error) from error


def document(found: "Sequence[Taken]") -> "dict[str, Json]":
    """The snapshots as `exactchange/snapshot/1`: of every source its leaves, with address and value."""
    return {"schema": "exactchange/snapshot/1", "sources": [_source(item) for item in found]}


def as_text(found: "Sequence[Taken]") -> str:
    """A line for each leaf: the source's name where there is one, address and value; never judged text first."""
    from exactchange.reports.sanitise import shown
    from exactchange.reports.show import value_text

    lines: list[str] = []
    for item in found:
        lead = f"= {shown(item.name)}  " if item.name else "= "
        leaves = _leaves(item)
        lines += [
            f"{lead}{shown(address) or '(the whole source)'}  {value_text(value, 60)}" for address, value in leaves
        ]
        lines += [f"? {lead[2:]}{shown(part.address)}  unread: {shown(part.reason)}" for part in item.snapshot.unread]
        if not leaves and not item.snapshot.unread:
            lines.append(f"{lead}(absent)")
    return "\n".join(lines)


def _source(item: "Taken") -> "Json":
    from exactchange.values import to_json
    from exactchange.verdict.document import unread_json

    return {
        "name": item.name,
        "adapter": item.kind.name,
        "digest": item.snapshot.digest.hex(),
        "leaves": [{"address": address, "value": to_json(value)} for address, value in _leaves(item)],
        "unread": [unread_json(part) for part in item.snapshot.unread],
        "notes": [{"kind": note.kind, "message": note.message} for note in item.snapshot.notes],
    }


def _leaves(item: "Taken") -> "list[tuple[str, Value]]":
    from exactchange.address import parse_pattern
    from exactchange.limits import CountedBudget

    found = item.kind.find(item.snapshot, parse_pattern("**"), budget=CountedBudget())
    return [(match.address, match.value) for match in found if not _holds(match.value)]


def _holds(value: "Value") -> bool:
    """Whether it is a container with something in it, whose parts are leaves of their own. A secret has no parts."""
    from exactchange.values import sealed

    return (
        bool(value)
        and isinstance(value, Mapping | Sequence)
        and not isinstance(value, str | bytes)
        and not sealed(value)
    )
