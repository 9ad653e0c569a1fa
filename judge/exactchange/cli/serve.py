"""`exactchange serve-stdio`: judges for a runner that speaks on stdin and stdout."""

import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import loaded, params_option, parsed_params, path_argument, trust_option

if TYPE_CHECKING:
    from exactchange.task import Task
    from exactchange.values import Value


@click.command("serve-stdio")
@path_argument("task", required=False)
@params_option
@trust_option
@click.option("--record", type=click.Path(path_type=pathlib.Path), help="Record the episode here.")
@click.option("--headed", is_flag=True, help="Show the browser.")
@output.json_option
def serve_stdio(
    *,
    task: pathlib.Path | None,
    params: Sequence[str],
    trust: bool,
    record: pathlib.Path | None,
    headed: bool,
    as_json: bool,
) -> None:
    """Bring the world of TASK up and speak the agent protocol on stdin and stdout, one JSON object a line: for runners
    in any language. Without TASK the first line read names it: {"type": "start", "task": FILE, "params": {...}}.

    The first line written is the world; then each `before` is answered by `go` or `stop`, each `after` by `ack`, and
    `finish` by the verdict. See `exactchange docs agents`.

    \b
      exactchange serve-stdio settings-timeout.yaml --record runs/1
    """
    from exactchange.reports import Entry, exit_code
    from exactchange.runner import run_to_end
    from exactchange.runner import serve_stdio as serve

    del as_json  # every line on stdout is JSON in any case
    given = parsed_params(params)
    if task is None and given:
        raise click.UsageError("without TASK, the parameters stand in the first message")
    known = None if task is None else loaded(task, given, trust=trust)

    def load(file: str, values: "Mapping[str, Value]") -> "Task":
        return loaded(pathlib.Path(file), values, trust=trust)

    verdict = run_to_end(serve(known, load=load, record=record, headless=not headed))
    sys.exit(exit_code([Entry(verdict.task, verdict)]))
