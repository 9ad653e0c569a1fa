"""`exactchange audit`: tests tasks with recorded good runs, without any live world."""

import pathlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import all_option, params_option, parsed_params, path_argument, trust_option

if TYPE_CHECKING:
    from exactchange.authoring.audit import Audit

SOUND, HOLES = 0, 1
_Path = click.Path(path_type=pathlib.Path)


@click.command("audit")
@path_argument("tasks", many=True)
@click.option("--episode", "directories", type=_Path, multiple=True, help="A good episode; may be repeated.")
@click.option("--episodes", "folders", type=_Path, multiple=True, help="A folder with good episodes of the tasks.")
@params_option
@trust_option
@all_option
@output.json_option
def audit(
    *,
    tasks: Sequence[pathlib.Path],
    directories: Sequence[pathlib.Path],
    folders: Sequence[pathlib.Path],
    params: Sequence[str],
    trust: bool,
    full: bool,
    as_json: bool,
) -> None:
    """Test the tasks in TASKS with recorded good runs: which wrong runs would they let pass? A directory stands for the
    task files in it. Nothing is started; each task takes the episodes that name its id.

    Agents that do nothing, or only say that they are done, must not pass. From the good run wrong ones are made, each
    with one thing altered: a wanted change undone, a value that is nearly right, something else changed in a source, a
    red line crossed. What passes is a hole: shown with the rule that lets it through. A hole is explained by `why:` in
    that `allow` or `ignore`, or by an entry of `holes:` in the task.

    A veto for which no wrong run can be made is told as not tried. Runs as good as the good one, such as with keys in
    another order, must pass.

    Exits 0 when no such agent passes, no right run fails and every hole is explained, 1 when not, 2 when a good run is
    missing or does not pass.

    \b
      exactchange run tasks/close.yaml --agent "python good.py" --record episodes/close
      exactchange audit tasks/close.yaml --episode episodes/close
      exactchange audit tasks/ --episodes episodes/
    """
    from exactchange.cli.auditing import Job, audit_all
    from exactchange.cli.check import task_files

    given = parsed_params(params)
    jobs = [Job(file, tuple(directories), tuple(folders), given, trust) for file in task_files(tasks)]
    with output.progress("auditing") as news:
        found = audit_all(jobs, news=news)
    _show(found, full=full, as_json=as_json)
    sys.exit(SOUND if all(item.sound for item in found) else HOLES)


def _show(found: "Sequence[Audit]", *, full: bool, as_json: bool) -> None:
    from exactchange.authoring.audit.report import audit_json, render_audit, render_summary

    if as_json:
        output.say_json(audit_json(found))
        return
    look = output.look()
    for item in found:
        output.say(render_audit(item, width=look.width, colour=look.colour, full=full))
    output.say(render_summary(found, colour=look.colour))
