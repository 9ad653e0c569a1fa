"""A task as the judge works on it: checked, with its params put in and its fragments merged."""

import copy
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exactchange.conditions import Allowed, Condition, Hole
from exactchange.errors import UsageError
from exactchange.sources import SourceParams, kind_named
from exactchange.sources.registry import AnyKind
from exactchange.task.braces import each_text
from exactchange.task.explain import mistakes
from exactchange.task.problem import Problem
from exactchange.values import Path, Value, canonical_bytes, digest
from exactchange.verdict import Warned

_EXPLAINED: Final = ("allow", "ignore")
"""Sections of patterns that may say why they are there."""


class App(BaseModel):
    """The application under test. Its texts hold `{workdir} {port} {python} {here}` until it is started."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    seed: str | None = Field(
        default=None, description="Folder copied into the work directory, from the task file's own."
    )
    start: list[str] | None = Field(default=None, description="The command that starts it, word by word.", min_length=1)
    ready: str | None = Field(default=None, description="URL that answers as soon as it is ready.")
    finish: list[str] | None = Field(
        default=None, description="A command that closes it after the last action, word by word.", min_length=1
    )


class Score(BaseModel):
    """What a pass is worth. It alters no outcome."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    passed: int = Field(
        default=60, ge=0, le=100, description="Points of a pass without any bonus; bonus fills up to 100."
    )


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """A source as the task declares it.

    `raw`: its own fields without `adapter`; the task's params are put in, `{workdir} {port} {python}` are not.
    `where`: `file:line:column`.
    """

    name: str
    adapter: str
    raw: Mapping[str, Value]
    where: str

    @property
    def kind(self) -> AnyKind:
        """The adapter, imported on use. Raises UsageError when it is not installed."""
        return kind_named(self.adapter)

    def params(self, expand: Callable[[str], str]) -> SourceParams:
        """The parameters with every text expanded. Raises UsageError that names the place in the task file."""
        model = self.kind.params
        data = each_text(self.raw, expand)
        try:
            params = model.model_validate(data, by_alias=True, by_name=False)
        except ValidationError as error:
            said = "; ".join(item.message for item in mistakes(error, data, model, what=f"a {self.adapter} source"))
            raise UsageError(f"{self.where}: source {self.name!r}: {said}") from error
        assert isinstance(params, SourceParams)
        return params


def hash_of(data: Mapping[str, Value], code: Mapping[str, str] | None = None) -> str:
    """BLAKE2b-256, in hexadecimal, of the canonical bytes of what a task says, and of the code that it names.

    Not of its `holes`, nor of the `why` of an `allow` or `ignore`: they judge nothing, and to explain a hole must not
    make the recorded runs runs of another task.
    """
    judging = {name: _without_why(item) if name in _EXPLAINED else item for name, item in data.items()}
    judging.pop("holes", None)
    return digest([judging, dict(code)] if code else judging).hex()


def _without_why(patterns: Value) -> Value:
    """The patterns of a section without why each is there; a column of that name, deeper, stays."""
    if not isinstance(patterns, Sequence) or isinstance(patterns, str | bytes):
        return patterns
    return [
        {name: value for name, value in item.items() if name != "why"} if isinstance(item, Mapping) else item
        for item in patterns
    ]


@dataclass(frozen=True, eq=False)
class Task:
    """One task. Two tasks are equal when they say the same, wherever they were written.

    `allow`, `ignore`: patterns in the order of the file. `holes`: what it lets through on purpose: nothing that is
    judged depends on them. `params`: their values in this variant. `places`: `file:line:
    column` of every part, by its path in the data, such as `("must", 0)`.
    """

    id: str
    instruction: str
    app: App | None
    sources: Mapping[str, SourceSpec]
    must: tuple[Condition, ...]
    given: tuple[Condition, ...] = ()
    veto: tuple[Condition, ...] = ()
    bonus: tuple[Condition, ...] = ()
    allow: tuple[Allowed, ...] = ()
    ignore: tuple[Allowed, ...] = ()
    holes: tuple[Hole, ...] = ()
    score: Score = Score()
    params: Mapping[str, Value] = field(default_factory=dict[str, Value])
    file: pathlib.Path | None = None
    warnings: tuple[Warned, ...] = ()
    hints: tuple[Problem, ...] = field(default=(), repr=False)
    """The same warnings, each with its line, its remedy and the page that explains it."""
    code: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """BLAKE2b-256 of the code that each `python:` condition names, by its place: `must[0]`."""
    data: Mapping[str, Value] = field(default_factory=dict[str, Value], repr=False)
    places: Mapping[Path, str] = field(default_factory=dict[Path, str], repr=False)

    @cached_property
    def hash(self) -> str:
        """What tells it from any task that judges otherwise; see `hash_of`."""
        return hash_of(self.data, self.code)

    def as_data(self) -> dict[str, Value]:
        """The task as plain data that YAML and JSON hold: fragments merged, params put in and listed.

        Braces that stand for themselves are doubled, so that `task_from_data` gives an equal task; not of a task with
        `python:` conditions, whose code stands in files beside it.
        """
        return copy.deepcopy(dict(self.data))

    def where(self, *path: str | int) -> str:
        """`file:line:column` of a part, such as `where("allow", 0)`; "" where it is not known."""
        return self.places.get(path, "")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Task):
            return NotImplemented
        return canonical_bytes(self.data) == canonical_bytes(other.data) and self.code == other.code

    def __hash__(self) -> int:
        return int(self.hash[:15], 16)
