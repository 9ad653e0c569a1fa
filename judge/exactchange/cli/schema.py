"""`exactchange schema`: JSON Schema of what people and programs write and read."""

import json

import click

from exactchange.cli import output


@click.command("schema")
@click.argument("what", type=click.Choice(["task", "verdict"]), default="task")
@output.json_option
def schema(*, what: str, as_json: bool) -> None:
    """Print the JSON Schema of task files, or of verdict documents.

    An editor that knows it completes and checks task files while they are written.

    \b
      exactchange schema > task.schema.json
      # first line of a task file: # yaml-language-server: $schema=task.schema.json
    """
    del as_json  # it is one JSON document in any case
    output.say(json.dumps(_schema(what), indent=1))


def _schema(what: str) -> dict[str, object]:
    if what == "task":
        from exactchange.task import task_schema

        return dict(task_schema())
    from exactchange.reports import verdict_schema

    return dict(verdict_schema())
