"""`exactchange calibrate`: finds the noise of an application by tours that change nothing, and rules to ignore it."""

import pathlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import (
    agent_option,
    loaded,
    params_option,
    parsed_params,
    path_argument,
    timeout_option,
    trust_option,
)

if TYPE_CHECKING:
    from exactchange.authoring.calibration import Calibration
    from exactchange.task import Task
    from exactchange.verdict import Verdict

QUIET, NOISE, INCOMPLETE = 0, 1, 3
_FEWEST, _MOST = 2, 20  # one run does not tell what is made up anew in every run


@click.command("calibrate")
@path_argument("task")
@agent_option
@click.option(
    "--runs",
    type=click.IntRange(_FEWEST, _MOST),
    default=_FEWEST,
    show_default=True,
    metavar="N",
    help="How many tours, each in a fresh world: what differs between them is left open in the rules.",
)
@click.option("--headed", is_flag=True, help="Show the browser.")
@params_option
@trust_option
@timeout_option
@output.json_option
def calibrate(
    *,
    task: pathlib.Path,
    agent: str,
    runs: int,
    headed: bool,
    params: Sequence[str],
    trust: bool,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Find what changes although nobody does anything. The world of TASK is brought up fresh several times; the agent
    that CMD starts makes a tour of it: it logs in and looks at pages, as a good run would, and changes nothing. (It is
    told the task's instruction, and that it is not to do it.)

    Prints the `ignore` rules that make the tour quiet, as YAML to paste or to save as a fragment, each with what it was
    found by and what else it hides. An address is exact where something was there at the start; of what was added, only
    what is made up anew in every run is left open. Rules that the task has are applied first; its musts and vetoes
    judge nothing here, but a place that a `change` or `value` of theirs names by `at` or `table` is never taken for
    noise, nor is a whole source or a move. No look is had at what their queries, selectors and scripts read.

    Of more rules than a hundred only the number is told: such a tour changes data.

    Exits 0 when nothing is left, 1 when something is, 3 when nothing is seen to have changed but a part is unread.

    \b
      exactchange calibrate settings-timeout.yaml --agent "python my_tour.py"
      exactchange calibrate settings-timeout.yaml --agent "python my_tour.py" > noise.yaml   # then: use: [noise.yaml]
    """
    from exactchange.authoring.calibration import calibration_json, render_calibration

    found = _calibrated(
        loaded(task, parsed_params(params), trust=trust), agent, runs, headless=not headed, timeout_s=timeout_s
    )
    look = output.look()
    if as_json:
        output.say_json(calibration_json(found))
    else:
        output.say(render_calibration(found, width=look.width, colour=look.colour))
    sys.exit(NOISE if not found.quiet else QUIET if found.complete else INCOMPLETE)


def _calibrated(task: "Task", agent: str, runs: int, *, headless: bool, timeout_s: float) -> "Calibration":
    from exactchange.authoring.calibration import Calibration
    from exactchange.authoring.tour import calibrated, tour
    from exactchange.runner import run_to_end

    tours: list[Verdict] = []
    for number in range(1, runs + 1):
        with output.progress(f"{task.id}, tour {number} of {runs}") as news:
            tours.append(run_to_end(tour(task, agent=agent, headless=headless, timeout_s=timeout_s, progress=news)))
    return Calibration(task.id, tours, calibrated(task, tours), _where_to_paste(task))


def _where_to_paste(task: "Task") -> str:
    """The file that declares the sources: what is noise there is noise for every task that uses it."""
    files = dict.fromkeys(spec.where.rsplit(":", 2)[0] for spec in task.sources.values())
    return next(iter(files), "") if len(files) == 1 else "the file that declares the source"
