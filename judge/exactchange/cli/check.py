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

BROKEN = 2


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with one task file, and what it would better say."""

    file: pathlib.Path
    task: str | None = None
    problems: "tuple[Problem, ...]" = ()
    warnings: "tuple[Problem, ...]" = ()


@click.command("check")
@path_argument("tasks", many=True)
@params_option
@trust_option
@click.option("--strict", is_flag=True, help="Exit with 2 for warnings, too.")
@output.json_option
def check(*, tasks: Sequence[pathlib.Path], params: Sequence[str], trust: bool, strict: bool, as_json: bool) -> None:
    """Find every mistake in the files TASKS, each with its line, column and a suggestion. A directory stands for the
    task files in it.

    Warnings name what is more likely a mistake than a wish. Nothing is started or run, and no source is read but the
    databases in the `seed`. Exits 0 when all can be used, 2 when one cannot.

    \b
      exactchange check tasks/
      exactchange check settings-timeout.yaml --param save=fetch
    """
    given = parsed_params(params)
    found = [_checked(file, given, trust=trust) for file in task_files(tasks)]
    if as_json:
        output.say_json({"schema": "exactchange/check/1", "tasks": [_document(item) for item in found]})
    else:
        output.say(_text(found))
    sys.exit(BROKEN if any(item.problems or (strict and item.warnings) for item in found) else 0)


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
    from exactchange.task import TaskError, load_task
    from exactchange.task.problem import Problem

    try:
        task = load_task(file, params=params, trust=trust, seed=True)
    except TaskError as error:
        return Checked(file, problems=error.problems)
    except UsageError as error:
        return Checked(file, problems=(Problem(str(file), str(error)),))
    return Checked(file, task.id, (), task.hints)


def _document(item: Checked) -> "dict[str, Json]":
    return {
        "file": str(item.file),
        "id": item.task,
        "ok": not item.problems,
        "problems": [_record(problem) for problem in item.problems],
        "warnings": [{"kind": problem.kind, **_record(problem)} for problem in item.warnings],
    }


def _record(problem: "Problem") -> "dict[str, Json]":
    """What the text says, for programs; `column` and `width` count characters from 1, where there is a line."""
    place = problem.where.rsplit(":", 2) if problem.line_text is not None else [problem.where]
    return {
        "where": problem.where,
        "file": place[0],
        "line": int(place[1]) if len(place) > 1 else None,
        "column": problem.column if len(place) > 1 else None,
        "width": problem.width if len(place) > 1 else None,
        "message": problem.message,
        "suggestion": problem.suggestion,
        "see": problem.see,
        "line_text": problem.line_text,
    }


def _text(found: Sequence[Checked]) -> str:
    """Every problem once, though several tasks may share the fragment in which it stands; then how each file is."""
    from exactchange.reports.lines import Line, Span, line, render
    from exactchange.reports.problems import listed
    from exactchange.reports.sanitise import shown

    look = output.look()
    lines: list[Line] = []
    known: set[object] = set()
    for item in found:
        own = [*item.problems, *item.warnings]
        lines += listed(own, width=look.width, known=known)
        known |= set(own)
    for item in found:
        counts = _counts([item])
        word = Span(counts, "bad" if item.problems else "warn") if counts else Span("ok", "good")
        named = f" ({shown(item.task)})" if item.task is not None else ""
        lines.append(line(f"{shown(str(item.file))}: ", word, named))
    if len(found) > 1:
        broken = sum(bool(item.problems) for item in found)
        said = f"{len(found)} tasks: " + (
            f"{broken} cannot be used; {_counts(found)}" if broken else _counts(found) or "ok"
        )
        lines.append(line(Span(said, "bold")))
    return render(lines, colour=look.colour)


def _counts(found: Sequence[Checked]) -> str:
    """`2 mistakes, 1 warning`; empty where there is none. What several tasks share counts once."""
    problems = {problem for item in found for problem in item.problems}
    warnings = {problem for item in found for problem in item.warnings}
    numbers = [(len(problems), "mistake"), (len(warnings), "warning")]
    return ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in numbers if number)
