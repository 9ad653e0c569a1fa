"""Looks into the databases that a task's application starts from, for what a task asks of them in vain."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exactchange.conditions import Place
from exactchange.errors import ExactChangeError
from exactchange.limits import CountedBudget
from exactchange.sources import Holding, SourceParams
from exactchange.task.declared import DUMMIES, Declared
from exactchange.task.gather import Gathered
from exactchange.task.model import App
from exactchange.task.rules import Rule, Spoken, spoken
from exactchange.task.stored import misspelt, unholdable, unmodifiable

_LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Folder:
    """A world in which nothing was brought up: the folder that a run would begin with a copy of."""

    workdir: pathlib.Path
    cdp_url: str | None = None
    claimed: frozenset[pathlib.Path] = frozenset()
    own_browser: bool = False


def check_seed(
    rules: Sequence[Rule],
    patterns: Sequence[Spoken],
    declared: Mapping[str, Declared | None],
    app: App | None,
    task: Gathered,
) -> None:
    """Report values that can never be in a column as the seed declares it. What is not there, or cannot be read, tells
    nothing.
    """
    home = None if task.main.file is None else task.main.file.parent
    if app is None or app.seed is None or home is None:
        return
    parts = [*(item for rule in rules for item in spoken(rule)), *patterns]
    for name, source in declared.items():
        spoken_of = [item for item in parts if item.part.in_ == name]
        if source is not None and source.params is not None and isinstance(source.kind, Holding) and spoken_of:
            _check(source, source.params, home / app.seed, spoken_of, task)


def _check(
    source: Declared, params: SourceParams, folder: pathlib.Path, parts: Sequence[Spoken], task: Gathered
) -> None:
    path = getattr(params, "path", None)
    root = DUMMIES["workdir"] + "/"
    file = folder / path.removeprefix(root) if isinstance(path, str) and path.startswith(root) else None
    if file is None or not file.is_file() or file.stat().st_size > _LARGEST:
        return
    try:
        snapshot = source.kind.from_path(file, params, world=_Folder(folder), budget=CountedBudget())
    except ExactChangeError:
        return
    try:
        for item in parts:
            if not isinstance(item.part, Place):
                continue
            for each in unholdable(item.part, source.kind, snapshot):
                task.say(item.path + each.path, each.why, "ask for what the column holds, with its type")
            for each in unmodifiable(item.part, source.kind, snapshot):
                task.say(item.path + each.path, each.why, "name the `key:` of the source, or the `row` that comes")
            for each in misspelt(item.part, source.kind, snapshot):
                task.warn(item.path + each.path, "misspelt", f"{each.why} in the seed", each.hint)
    finally:
        close = getattr(snapshot, "close", None)
        if close is not None:
            close()
