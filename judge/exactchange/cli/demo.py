"""`exactchange demo`: the three tasks of the article that started this, on a real browser, database and file."""

import pathlib
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, cast

import click

from exactchange.cli import output
from exactchange.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from exactchange.reports import Entry
    from exactchange.task import Task
    from exactchange.values.jsonform import Json

GROUP: Final = "exactchange.demo"
AS_EXPECTED, OTHERWISE = 0, 1


@dataclass(frozen=True, slots=True)
class Part:
    """One task of a demonstration: its file, the command of its agent, and the outcome that it must have."""

    task: pathlib.Path
    agent: tuple[str, ...]
    expected: str


@click.command("demo")
@click.option("--record", type=click.Path(path_type=pathlib.Path), help="Record the three episodes below this folder.")
@click.option("--headed", is_flag=True, help="Show the browser.")
@output.json_option
def demo(*, record: pathlib.Path | None, headed: bool, as_json: bool) -> None:
    """Run three tasks with three agents on a real browser, and judge them: one passes, one changes something else as
    well, one crosses a red line.

    Exits 0 when the verdicts are the expected ones, 1 when they are not, 4 when there is no browser.

    \b
      exactchange demo
      exactchange demo --record runs && exactchange explain runs/settings-timeout
    """
    from exactchange.cli.options import loaded
    from exactchange.cli.run import ran
    from exactchange.cli.together import Job, News, together
    from exactchange.runner import run_to_end

    parts = demo_parts()
    tasks = [loaded(part.task) for part in parts]
    folders = [None if record is None else record / task.id for task in tasks]

    def job(part: Part, task: "Task", folder: pathlib.Path | None) -> Job:
        def begin(news: News) -> "Awaitable[Entry]":
            return ran(task, agent=part.agent, record=folder, headless=not headed, news=news)

        return Job(task.id, begin)

    entries: list[Entry] = []

    def take(number: int, entry: "Entry") -> None:
        entries.append(entry)
        if not as_json:
            _print(entry, folders[number], instruction=tasks[number].instruction)

    run_to_end(together([job(*each) for each in zip(parts, tasks, folders, strict=True)], take))
    sys.exit(_finish(entries, parts, as_json=as_json))


def demo_parts(name: str = "article") -> list[Part]:
    """The parts of an installed demonstration. Raises UsageError when it is not installed."""
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        raise UsageError(f"no demonstration {name!r} is installed; pip install --force-reinstall exactchange")
    return [_part(item) for item in found[0].load()()]


def _part(item: Mapping[str, object]) -> Part:
    agent = cast("Sequence[object]", item["agent"])
    return Part(pathlib.Path(str(item["task"])), tuple(map(str, agent)), str(item["expected"]))


def _print(entry: "Entry", folder: pathlib.Path | None, *, instruction: str) -> None:
    from exactchange import reports
    from exactchange.cli.showing import say_verdict
    from exactchange.reports.lines import folded

    if entry.verdict is None:
        return
    told = folded(reports.quoted(instruction), cells=output.look().width, lead="told: ", more="    | ")
    output.say("\n".join(told))
    say_verdict(entry.verdict, entry, folder)
    output.say("")


def _finish(entries: "Sequence[Entry]", parts: Sequence[Part], *, as_json: bool) -> int:
    from exactchange import reports

    failed = [entry for entry in entries if entry.verdict is None]
    right = all(entry.outcome == part.expected for entry, part in zip(entries, parts, strict=True))
    if as_json:
        expected: list[Json] = [part.expected for part in parts]
        output.say_json({**reports.report_json(entries), "expected": expected, "as_expected": right})
    else:
        look = output.look()
        output.say(reports.render_table(entries, width=look.width, colour=look.colour))
    for entry in failed:
        output.hint(f"{entry.name}: {entry.failed}")
    if failed:
        return InfrastructureError.exit_code
    if not right:
        output.hint("the verdicts are not the expected ones: " + ", ".join(part.expected for part in parts))
    return AS_EXPECTED if right else OTHERWISE
