"""Loads tasks: from files with their fragments, or from plain data."""

import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass

from exactchange.conditions import Allowed, Condition, Hole, Pattern
from exactchange.errors import UsageError
from exactchange.task.aimed import check_aims
from exactchange.task.blind import check_coverage
from exactchange.task.checks import check_hole, check_names, check_pattern, check_rule, check_sources
from exactchange.task.conflicts import check_conflicts
from exactchange.task.declared import Declared, read_app, read_score, read_sources
from exactchange.task.document import Document
from exactchange.task.fragments import read_file
from exactchange.task.gather import Gathered, gather, spelt
from exactchange.task.hints import warn_of_slips, warn_of_wide_holes
from exactchange.task.matched import check_matchers
from exactchange.task.model import App, Score, Task
from exactchange.task.overlaps import check_overlaps
from exactchange.task.params import PATTERNS, TIERS, escaped, escaped_value, put_params
from exactchange.task.placed import check_looked_at, check_places
from exactchange.task.problem import NeedsTrust, Problem, TaskError
from exactchange.task.reading import check_keys, read_conditions, read_holes, read_params, read_patterns
from exactchange.task.rules import Rule, Spoken, rules
from exactchange.task.scripts import NEEDS_TRUST, read_scripts
from exactchange.task.seed import check_seed
from exactchange.values import Path, Value
from exactchange.verdict import Warned


def load_task(
    path: pathlib.Path | str, *, params: Mapping[str, Value] | None = None, trust: bool = False, seed: bool = False
) -> Task:
    """The task of a file, with its fragments, and with `params` in place of those that it declares.

    `seed`: look at the databases in its seed, too, for what their columns can never hold. `trust`: its `python:`
    conditions may run. They do when something is judged; nothing is run here.
    Raises TaskError, which names every mistake in all of its files at once (NeedsTrust, where there is no other than
    that code is not trusted), and UsageError for what is no path.
    """
    _check_given(path, params)
    file = pathlib.Path(path)
    document, problems = read_file(file, name=file.name, shown=str(path))
    return _loaded(gather(document, problems, file=file), params or {}, file, trust=trust, seed=seed)


def _check_given(path: object, params: object) -> None:
    if not isinstance(path, str | os.PathLike):
        raise UsageError(
            f"`load_task` takes the path of a task file, and no {type(path).__name__}; "
            "`exactchange.task.task_from_data` takes a task as data"
        )
    if params is not None and not isinstance(params, Mapping):
        raise UsageError(f"`params` is a mapping of names to values, and no {type(params).__name__}")


def task_from_data(data: Mapping[str, Value], *, name: str) -> Task:
    """The task that plain data holds, such as `Task.as_data` gives. `name` stands for the file in messages.

    Raises TaskError, which names every mistake at once by its path in the data.
    """
    return _loaded(gather(Document(name, name, data=_with_lists(data)), [], file=None), {}, None, trust=False)


@dataclass(frozen=True)
class _Read:
    """The parts of a task that were read."""

    app: App | None
    sources: Mapping[str, Declared | None]
    conditions: Mapping[str, list[tuple[Path, Condition]]]
    patterns: Mapping[str, list[tuple[Path, Allowed]]]
    holes: list[tuple[Path, Hole]]
    score: Score

    @property
    def rules(self) -> list[Rule]:
        """Every condition, those inside others included."""
        return [
            rule for tier, items in self.conditions.items() for path, item in items for rule in rules(tier, item, path)
        ]


def _loaded(
    task: Gathered, given: Mapping[str, Value], file: pathlib.Path | None, *, trust: bool, seed: bool = False
) -> Task:
    if not isinstance(task.main.data, Mapping):
        raise TaskError(task.problems)
    params = read_params(task, given)
    data = put_params(
        task.data, params, lambda path, what, hint, part, key: task.say(path, what, hint, part=part, key=key)
    )
    check_keys(data, task)
    read = _Read(
        read_app(data, task),
        read_sources(data, task),
        {tier: read_conditions(tier, data, task) for tier in TIERS},
        {name: read_patterns(name, data, task) for name in PATTERNS},
        read_holes(data, task),
        read_score(data, task),
    )
    check_names(data, read.sources, task)
    _check(read, params, task)
    if seed:
        patterns = [Spoken(path, item) for items in read.patterns.values() for path, item in items]
        check_seed(read.rules, patterns, read.sources, read.app, task)
    scripts = read_scripts(read.rules, task, trust=trust)
    if task.problems:
        trusted = any(problem.message != NEEDS_TRUST for problem in task.problems)
        raise (TaskError if trusted else NeedsTrust)(sorted(task.problems, key=lambda item: _place(item, task)))
    for rule in read.rules:
        if rule.path in scripts:
            rule.condition.trusted(scripts[rule.path])
    return _built(read, data, params, task, file, {spelt(path): item.digest for path, item in scripts.items()})


def _check(read: _Read, params: Mapping[str, Value], task: Gathered) -> None:
    for rule in read.rules:
        check_rule(rule, task)
    for name, items in read.patterns.items():
        for path, pattern in items:
            check_pattern(name, pattern, path, task)
    titles = [condition.title() for items in read.conditions.values() for _, condition in items]
    for path, hole in read.holes:
        check_hole(hole, path, titles, params, task)
    placed: list[tuple[Path, Pattern]] = [item for items in read.patterns.values() for item in items]
    placed += [(path, hole) for path, hole in read.holes if hole.in_]
    patterns = [Spoken(path, item) for path, item in placed]
    check_sources(read.rules, patterns, read.sources, task)
    every = read.rules
    check_places(every, patterns, read.sources, task)
    check_looked_at(read.sources, task)
    check_aims(every, read.sources, task)
    check_overlaps(every, read.patterns["allow"], read.patterns["ignore"], read.sources, task)
    check_conflicts(every, read.patterns["allow"], read.sources, task)
    check_coverage(every, read.patterns["allow"], read.patterns["ignore"], read.sources, task)
    check_matchers(every, placed, read.sources, task)
    warn_of_slips(every, read.sources, task)
    warn_of_wide_holes(read.holes, every, task)


def _built(
    read: _Read,
    data: Mapping[str, Value],
    params: Mapping[str, Value],
    task: Gathered,
    file: pathlib.Path | None,
    code: Mapping[str, str],
) -> Task:
    places = {path: task.where(path) for path in _paths(data, ())}
    tiers = {tier: tuple(item.located(places, path) for path, item in items) for tier, items in read.conditions.items()}
    patterns = {name: tuple(item for _, item in items) for name, items in read.patterns.items()}
    noticed = sorted(dict.fromkeys(task.warnings), key=lambda item: _place(item[1], task))
    written = escaped({name: body for name, body in data.items() if body not in ([], None)})
    if params:
        written["params"] = {name: escaped_value(value) for name, value in params.items()}
    return Task(
        id=str(data["id"]),
        instruction=str(data["instruction"]),
        app=read.app,
        sources={name: s.spec for name, s in read.sources.items() if s is not None and s.spec is not None},
        must=tiers["must"],
        given=tiers["given"],
        veto=tiers["veto"],
        bonus=tiers["bonus"],
        allow=patterns["allow"],
        ignore=patterns["ignore"],
        holes=tuple(hole for _, hole in read.holes),
        score=read.score,
        params=dict(params),
        file=file,
        warnings=tuple(Warned(item.kind, f"{task.where(path)}: {item.said}") for path, item in noticed),
        hints=tuple(item for _, item in noticed),
        code=code,
        data=written,
        places=places,
    )


def _paths(node: Value, path: Path) -> list[Path]:
    """Every mapping and list item of a task: all that a verdict may have to name."""
    if isinstance(node, Mapping):
        return [path, *(inner for key, item in node.items() for inner in _paths(item, (*path, key)))]
    if isinstance(node, list):
        return [inner for number, item in enumerate(node) for inner in _paths(item, (*path, number))]
    return [path] if path and isinstance(path[-1], int) else []


def _place(problem: Problem, task: Gathered) -> tuple[bool, str, int, int]:
    """What puts problems in order: the task's own file first, then its fragments; in each from top to bottom."""
    file, line = problem.where, "0"
    if problem.line_text is not None:
        file, line, _ = problem.where.rsplit(":", 2)
    return file != task.main.shown, file, int(line), problem.column


def _with_lists(node: Value) -> Value:
    if isinstance(node, Mapping):
        return {str(key): _with_lists(item) for key, item in node.items()}
    return [_with_lists(item) for item in node] if isinstance(node, list | tuple) else node
