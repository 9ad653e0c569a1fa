"""`exactchange init`: a first task to start from, with what it needs beside it."""

import pathlib
import shlex

import click

from exactchange.cli import output
from exactchange.cli.options import cannot_write
from exactchange.errors import UsageError


@click.command("init")
@click.argument("folder", type=click.Path(path_type=pathlib.Path), default=".")
@output.json_option
def init(*, folder: pathlib.Path, as_json: bool) -> None:
    """Write a commented first task and its seed into FOLDER (here, if none is named). Nothing that is there is
    overwritten.

    \b
      exactchange init my-tasks
      exactchange check my-tasks/first-task.yaml
    """
    from exactchange.authoring import first_task

    files = first_task()
    there = [name for name in files if (folder / name).exists() or (folder / name).is_symlink()]
    if there:
        raise UsageError(f"{folder / there[0]} is there already; name another folder")
    try:
        for name, text in files.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise cannot_write(error.filename, error) from error
    written = [str(folder / name) for name in files]
    if as_json:
        output.say_json({"schema": "exactchange/init/1", "files": list(written)})
        return
    for name in written:
        output.say(f"wrote {name}")
    task = shlex.quote(written[0])
    output.say(f"next: exactchange check {task}")
    output.say(f"then: exactchange run {task} --agent {shlex.quote(_AGENT)}")


_AGENT = 'sed -i "s/timeout: 20/timeout: 30/" {workdir}/settings.yaml'
