"""Writes small task files, and reads back what is wrong with them."""

import pathlib
from collections.abc import Mapping

from exactchange.task import Problem, Task, TaskError, load_task
from exactchange.values import Value

HEAD = """\
id: t
instruction: Do it.
sources:
  db:    {adapter: sqlite, path: "{workdir}/a.db"}
  cfg:   {adapter: file, path: "{workdir}/a.yaml"}
  ini:   {adapter: file, path: "{workdir}/a.ini", dialect: ini-git}
  page:  {adapter: browser, start: "http://127.0.0.1:{port}/"}
  files: {adapter: tree, path: "{workdir}"}
"""
MUST = "must:\n  - {change: {in: cfg, at: a.b, to: 30}}\n"


def load(folder: pathlib.Path, text: str, *, params: Mapping[str, Value] | None = None) -> Task:
    """The task of a text, in a file called task.yaml."""
    file = folder / "task.yaml"
    file.write_text(text, encoding="utf-8")
    return load_task(file, params=params)


def problems(folder: pathlib.Path, text: str, *, params: Mapping[str, Value] | None = None) -> tuple[Problem, ...]:
    """What is wrong with the task of a text; () when nothing is."""
    try:
        load(folder, text, params=params)
    except TaskError as error:
        return error.problems
    return ()


def one(folder: pathlib.Path, text: str, *, params: Mapping[str, Value] | None = None) -> str:
    """The one problem of a text, as `LINE:COLUMN: message; suggestion`."""
    found = problems(folder, text, params=params)
    assert len(found) == 1, [str(item) for item in found]
    return said(found[0])


def said(problem: Problem) -> str:
    """`LINE:COLUMN: message; suggestion`, without the file."""
    where = ":".join(problem.where.rsplit(":", 2)[1:])
    return f"{where}: {problem.message}" + (f"; {problem.suggestion}" if problem.suggestion else "")


def marked(problem: Problem) -> str:
    """The part of the line that the carets stand under."""
    assert problem.line_text is not None
    return problem.line_text[problem.column - 1 : problem.column - 1 + problem.width]
