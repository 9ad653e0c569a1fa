"""`exactchange schema`: JSON Schema of what people and programs write and read."""

import json

import click

from exactchange.cli import output

_DOCUMENTS = (
    *("verdict", "report", "diff", "diff-stat", "explain", "check", "snapshot", "calibrate", "doctor", "adapters"),
    *("audit", "init", "docs", "sql", "error"),
)


@click.command("schema")
@click.argument("what", type=click.Choice(["task", *_DOCUMENTS]), default="task", metavar="[WHAT]")
@output.json_option
def schema(*, what: str, as_json: bool) -> None:
    """Print the JSON Schema of task files, or of a document that a command prints with --json.

    WHAT is `task`, or verdict, report, diff, diff-stat, explain, check, snapshot, calibrate, doctor, adapters, audit,
    init, docs, sql or error: a document says it in its `schema`, as exactchange/report/1 does. An editor that knows the
    schema of tasks completes and checks them while they are written.

    \b
      exactchange schema > task.schema.json
      # first line of a task file: # yaml-language-server: $schema=task.schema.json
      exactchange schema report
    """
    del as_json  # it is one JSON document in any case
    output.say(json.dumps(_schema(what), indent=1))


def _schema(what: str) -> dict[str, object]:
    if what == "task":
        from exactchange.task import task_schema

        return dict(task_schema())
    from exactchange.cli.shapes import DOCUMENTS

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **DOCUMENTS[what].model_json_schema(by_alias=True),
    }
