"""`exactchange check`: every mistake in task files at once, without touching any system."""

import pathlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import params_option, parsed_params, path_argument, trust_option
from exactchange.errors import UsageError

if TYPE_CHECKING:
    from exactchange.task.problem import Problem
    from exactchange.values import Value
    from exactchange.values.jsonform import Json
    from exactchange.verdict import Warned

BROKEN = 2


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with one task file, and what it would better say."""

    file: pathlib.Path
    task: str | None = None
    problems: "tuple[Problem, ...]" = ()
    warnings: "tuple[Warned, ...]" = ()


@click.command("check")
@path_argument("tasks", many=True)
@params_option
@trust_option
@output.json_option
def check(*, tasks: Sequence[pathlib.Path], params: Sequence[str], trust: bool, as_json: bool) -> None:
    """Find every mistake in the files TASKS, each with its line, column and a suggestion. A directory stands for the
    task files in it.

    Nothing is started or run, and no source is read. Exits 0 when all can be used, 2 when one cannot.

    \b
      exactchange check tasks/
      exactchange check settings-timeout.yaml --param save=fetch
    """
    given = parsed_params(params)
    found = [_checked(file, given, trust=trust) for file in task_files(tasks)]
    if as_json:
        output.say_json({"schema": "exactchange/check/1", "tasks": [_document(item) for item in found]})
    else:
        for item in found:
            output.say(_text(item))
    sys.exit(BROKEN if any(item.problems for item in found) else 0)


def task_files(paths: Sequence[pathlib.Path]) -> list[pathlib.Path]:
    """The files named, and the task files below the directories named. Raises UsageError when there is none.

    A YAML file without an `id` is a fragment that tasks use, and is checked with them.
    """
    out: list[pathlib.Path] = []
    for path in paths:
        if not path.is_dir():
            out.append(path)
            continue
        below = sorted(item for item in path.rglob("*.y*ml") if item.suffix in (".yaml", ".yml") and _has_id(item))
        if not below:
            raise UsageError(f"{path}: no task file in this directory; a task is a YAML file with an id")
        out += below
    return out


def _has_id(file: pathlib.Path) -> bool:
    try:
        return any(text.startswith(b"id:") for text in file.read_bytes().splitlines())
    except OSError:
        return True  # loading it says what is wrong


def _checked(file: pathlib.Path, params: "dict[str, Value]", *, trust: bool) -> Checked:
    from exactchange.cli.options import loaded
    from exactchange.task import TaskError
    from exactchange.task.problem import Problem

    try:
        task = loaded(file, params, trust=trust)
    except TaskError as error:
        return Checked(file, problems=error.problems)
    except UsageError as error:
        return Checked(file, problems=(Problem(str(file), str(error)),))
    return Checked(file, task.id, (), task.warnings)


def _document(item: Checked) -> "dict[str, Json]":
    return {
        "file": str(item.file),
        "id": item.task,
        "ok": not item.problems,
        "problems": [
            {"where": p.where, "message": p.message, "suggestion": p.suggestion, "line_text": p.line_text}
            for p in item.problems
        ],
        "warnings": [{"kind": w.kind, "message": w.message} for w in item.warnings],
    }


def _text(item: Checked) -> str:
    from exactchange.reports.sanitise import shown

    lines = [shown(part) for problem in item.problems for part in str(problem).split("\n")]
    lines += [f"{shown(str(item.file))}: warning: {shown(w.message)}" for w in item.warnings]
    count = len(item.problems)
    if count:
        lines.append(f"{shown(str(item.file))}: {count} mistake{'' if count == 1 else 's'}")
    else:
        lines.append(f"{shown(str(item.file))}: ok ({shown(str(item.task))})")
    return "\n".join(lines)
