"""Reads what a task declares: its application, its sources and their parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ValidationError

from exactchange.address import Style, parse_pattern
from exactchange.case import PSEUDO
from exactchange.case.pseudo import VALUES
from exactchange.errors import UsageError
from exactchange.sources import SourceParams, kind_named, kinds
from exactchange.sources.registry import AnyKind
from exactchange.task.braces import NAME, each_text, expand
from exactchange.task.explain import mistakes, shown
from exactchange.task.gather import Gathered
from exactchange.task.model import App, Score, SourceSpec
from exactchange.task.problem import did_you_mean, one_of
from exactchange.values import Path, Value, type_name

DUMMIES: Final = {"workdir": "/workdir", "port": "1", "python": "/python", "here": "/here"}
"""What the names of bring-up stand for while parameters are checked for their types alone."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A source that exists: how it was declared, its kind, and parameters with stand-ins for the names of bring-up.

    `params` is None when they are not valid, `spec` for `answer` and `actions`, which exist undeclared.
    """

    kind: AnyKind
    params: SourceParams | None
    spec: SourceSpec | None

    @property
    def slashed(self) -> bool:
        """Whether its addresses begin with a file's path."""
        return self.kind.style is Style.SLASHED


def validated(model: type[BaseModel], data: Value, path: Path, task: Gathered, *, what: str) -> BaseModel | None:
    """The model of a part of the task, or None after every mistake in it was reported at its place."""
    try:
        # Only the names that task files use: `from`, not the `from_` of Python.
        return model.model_validate(data, by_alias=True, by_name=False)
    except ValidationError as error:
        for item in mistakes(error, data, model, what=what):
            task.say(path + item.path, item.message, item.suggestion, key=item.at_key)
    return None


def read_app(data: Mapping[str, Value], task: Gathered) -> App | None:
    """The application, None where the task has none."""
    if data.get("app") is None:
        return None
    app = validated(App, data["app"], ("app",), task, what="`app`")
    assert app is None or isinstance(app, App)
    return app


def read_score(data: Mapping[str, Value], task: Gathered) -> Score:
    """What a pass is worth, the usual where the task says nothing. Without a bonus that is of no use."""
    if data.get("score") is None:
        return Score()
    score = validated(Score, data["score"], ("score",), task, what="`score`")
    if not data.get("bonus"):
        task.warn(("score",), "score", "without a bonus a pass is worth 100", "leave `score` out")
    return score if isinstance(score, Score) else Score()


def read_sources(data: Mapping[str, Value], task: Gathered) -> dict[str, Declared | None]:
    """The sources by name, `answer` and `actions` included; None for those that are declared wrongly."""
    out: dict[str, Declared | None] = {name: Declared(VALUES, SourceParams(), None) for name in sorted(PSEUDO)}
    sources = data.get("sources")
    for name, body in sources.items() if isinstance(sources, Mapping) else ():
        path: Path = ("sources", name)
        if name in PSEUDO:
            task.say(path, f"every task has a source called {name!r} already", "give this one another name", key=True)
            continue
        if not NAME.fullmatch(name.replace("-", "_")):
            task.say(path, f"a source's name has letters, digits, - and _; {name!r} has others", key=True)
        out[name] = _source(name, body, path, task)
    return out


def _source(name: str, body: Value, path: Path, task: Gathered) -> Declared | None:
    if not isinstance(body, Mapping):
        task.say(path, f"a source is a mapping such as {{adapter: file, path: …}}, not {shown(body)}")
        return None
    adapter = body.get("adapter")
    if adapter is None:
        hint = f"installed are {one_of(list(kinds()))}"
        task.say((*path, "adapter") if "adapter" in body else path, f"the source {name!r} needs an `adapter`", hint)
        return None
    if not isinstance(adapter, str):
        task.say((*path, "adapter"), f"`adapter` takes a text, not a {type_name(adapter)}")
        return None
    kind = _kind(adapter, (*path, "adapter"), task)
    if kind is None:
        return None
    raw = {key: item for key, item in body.items() if key != "adapter"}
    params = validated(kind.params, _with_dummies(raw), path, task, what=f"a {adapter} source")
    assert params is None or isinstance(params, SourceParams)
    declared = Declared(kind, params, SourceSpec(name, adapter, raw, task.where(path)))
    for key in ("only", "except"):
        patterns = raw.get(key)
        for number, text in enumerate(patterns if isinstance(patterns, list) else ()):
            if isinstance(text, str):
                parsed((*path, key, number), text, declared, task)
    return declared


def parsed(path: Path, text: str, source: Declared, task: Gathered) -> None:
    """Report an address pattern that is none."""
    try:
        parse_pattern(text, slashed=source.slashed)
    except UsageError as error:
        message, _, hint = str(error).partition("; ")
        task.say(path, message, hint or None)


def _kind(adapter: str, path: Path, task: Gathered) -> "AnyKind | None":
    if adapter not in kinds():
        hint = did_you_mean(adapter, kinds()) or f"installed are {one_of(list(kinds()))}"
        task.say(path, f"no adapter is called {adapter!r}", hint)
        return None
    try:
        return kind_named(adapter)
    except (UsageError, ImportError, AttributeError) as error:
        task.say(path, f"the adapter {adapter!r} cannot be used: {error}", "see `exactchange doctor`")
        return None


def _with_dummies(node: Value) -> Value:
    def put(text: str) -> str:
        try:
            return expand(text, DUMMIES)
        except UsageError:
            return text  # a name that no one knows was reported when the params were put in

    return each_text(node, put)
