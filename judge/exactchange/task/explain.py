"""Turns a model's complaints into one sentence for each mistake, at the place where the mistake is."""

import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from exactchange.task.mistakes import Mistake, matcher_mistakes
from exactchange.task.problem import did_you_mean, nearest, one_of
from exactchange.values import Path, Value, dumps

_TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "none_required": "nothing",
}
"""What a field takes, by the type of pydantic's complaint that it did not get it."""
_NAMED_KEY = re.compile(r"`(\w+)`")  # a message that begins with a key blames that key
_ADVICE = frozenset({"did", "write", "say", "use", "quote"})
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


@dataclass(frozen=True, slots=True)
class _Complaint:
    kind: str
    path: Path
    context: Mapping[str, object]
    message: str


def mistakes(error: ValidationError, data: Value, model: type[BaseModel], *, what: str) -> list[Mistake]:
    """The mistakes that a failed validation of `data` stands for; their paths lead into `data`.

    Of a union that matched none of its forms, one mistake is left: the most specific, or what the field takes.
    `what`: how the whole is called, such as `a condition`.
    """
    found = _without_echoes([_complaint(details, data) for details in error.errors(include_url=False)], model)
    groups: dict[Path, list[_Complaint]] = {}
    for item in found:
        groups.setdefault(item.path, []).append(item)
    out: list[Mistake] = []
    for path, group in groups.items():
        wrong_types = [item for item in group if _expected(item) is not None]
        others = [item for item in group if _expected(item) is None]
        deeper = any(len(other) > len(path) and other[: len(path)] == path for other in groups)
        if others:
            for item in others:
                out.extend(_said(item, data, model, what))
        elif not deeper:
            out.append(_wrong_type(path, wrong_types, data, model))
    return list(dict.fromkeys(out))


def known_keys(model: object, path: Path) -> tuple[str, ...]:
    """The keys that a task file may write in the mapping at a path below a model; () where any may stand."""
    models = list(_models(model))
    for part in path:
        models = [inner for item in models for inner in _below(item, part)]
    names = [info.alias or name for item in models for name, info in item.model_fields.items()]
    return tuple(dict.fromkeys(names))


def shown(value: Value) -> str:
    """A value for a sentence: `30`, `the text "30"`, `a list`."""
    if isinstance(value, str):
        text = dumps(value)
        return f"the text {text if len(text) <= 60 else text[:57] + '…'}"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    return "nothing" if value is None else dumps(value)


def _complaint(details: ErrorDetails, data: Value) -> _Complaint:
    kind = details["type"]
    path = _in_data(details["loc"], data, keep_last=kind in ("missing", "extra_forbidden"))
    return _Complaint(kind, path, details.get("ctx", {}), details["msg"])


def _without_echoes(found: list[_Complaint], model: type[BaseModel]) -> list[_Complaint]:
    """Without the complaints that a key is missing which stands there misspelt: that is one mistake, not two."""
    meant = {
        (*item.path[:-1], nearest(str(item.path[-1]), known_keys(model, item.path[:-1])))
        for item in found
        if item.kind == "extra_forbidden"
    }
    return [item for item in found if item.kind != "missing" or item.path not in meant]


def _in_data(loc: Sequence[str | int], data: Value, *, keep_last: bool) -> Path:
    """A complaint's location without the names of union members and validators, which are no nodes."""
    path: list[str | int] = []
    node = data
    for number, part in enumerate(loc):
        if isinstance(node, Mapping) and isinstance(part, str) and part in node:
            node = node[part]
        elif isinstance(node, list | tuple) and isinstance(part, int) and part < len(node):
            node = node[part]
        elif not (keep_last and number == len(loc) - 1):
            continue
        path.append(part)
    return tuple(path)


def _expected(item: _Complaint) -> str | None:
    """What a field takes, when the complaint is that it got something else altogether."""
    if item.kind == "literal_error":
        return str(item.context.get("expected", "")).replace("'", "`")
    return _TYPES.get(item.kind)


def _wrong_type(path: Path, group: Sequence[_Complaint], data: Value, model: type[BaseModel]) -> Mistake:
    takes = list(dict.fromkeys(text for item in group if (text := _expected(item)) is not None))
    got = node_at(data, path)
    words = [str(word) for word in _literals(model, path)]
    hint = did_you_mean(got, words) if isinstance(got, str) else None
    if isinstance(got, str) and hint is None and "a whole number" in takes and got.lstrip("-").isdigit():
        hint = f"write {got} without quotes"
    if takes == ["a text"] and got is not None and not isinstance(got, Mapping | list | tuple):
        hint = f'write "{dumps(got)}"'
    return Mistake(path, f"{_named(path)} takes {one_of(takes)}, not {shown(got)}", hint)


def _said(item: _Complaint, data: Value, model: type[BaseModel], what: str) -> list[Mistake]:
    if item.kind == "matcher":  # a matcher complains as a whole; look inside for the very places
        return matcher_mistakes(node_at(data, item.path), item.path)
    return [_mistake(item, data, model, what)]


def _mistake(item: _Complaint, data: Value, model: type[BaseModel], what: str) -> Mistake:
    name = str(item.path[-1]) if item.path else ""
    inside = _inside(item.path[:-1], what)
    if item.kind == "extra_forbidden":
        known = known_keys(model, item.path[:-1])
        hint = did_you_mean(name, known) or (f"it takes {one_of(known)}" if known else "it takes no keys")
        return Mistake(item.path, f"unknown key {name!r} in {inside}", hint, at_key=True)
    if item.kind == "missing":
        return Mistake(item.path[:-1], f"{inside} needs `{name}`", at_key=True)
    if item.kind in _BOUNDS:
        word, bound = _BOUNDS[item.kind]
        got = shown(node_at(data, item.path))
        return Mistake(item.path, f"{_named(item.path)} is {word} {item.context.get(bound)}, not {got}")
    if item.kind == "unknown_word":  # of a model whose words are too many for a Literal
        listed = item.context.get("known")
        words = [str(word) for word in cast("Sequence[object]", listed)] if isinstance(listed, tuple | list) else []
        return Mistake(item.path, item.message, did_you_mean(str(item.context.get("word")), words) or one_of(words))
    if item.kind == "too_short":
        fewest = item.context.get("min_length", 1)
        return Mistake(item.path, f"{_named(item.path)} needs at least {fewest} item{'s' if fewest != 1 else ''}")
    message = item.message.removeprefix("Value error, ")
    node = node_at(data, item.path)
    named = _NAMED_KEY.findall(message) if message.startswith("`") and isinstance(node, Mapping) else ()
    blamed = [name for name in named if isinstance(node, Mapping) and name in node][:1]
    return _unknown_word(item.path, message, node) or Mistake((*item.path, *blamed), *split_hint(message))


def _unknown_word(path: Path, message: str, node: Value) -> Mistake | None:
    """A complaint of a model's own such as `no facet is called 'contols'; there are controls, text`, at that word."""
    head, listed, words = message.partition("; there are ")
    if not listed:
        return None
    places = [((*path, n), item) for n, item in enumerate(node)] if isinstance(node, list | tuple) else [(path, node)]
    for place, item in places:
        if isinstance(item, str) and repr(item) in head:
            return Mistake(place, head, did_you_mean(item, words.split(", ")) or f"there are {words}")
    return None


def split_hint(message: str) -> tuple[str, str | None]:
    """What is wrong, and the remedy where the message names one."""
    head, _, tail = message.rpartition("; ")
    return (head, tail) if head and tail.split()[0] in _ADVICE else (message, None)


def _named(path: Path) -> str:
    names = [part for part in path if isinstance(part, str)]
    if path and isinstance(path[-1], int):
        return f"each item of `{names[-1]}`" if names else "each item"
    return f"`{names[-1]}`" if names else "this"


def _inside(path: Path, what: str) -> str:
    names = [part for part in path if isinstance(part, str)]
    if not names:
        return what
    return "a condition" if names[-1] in ("all", "any", "order", "not", "unless_after") else f"`{names[-1]}`"


def node_at(data: Value, path: Path) -> Value:
    """What stands at a path that the data has."""
    for part in path:
        if isinstance(data, Mapping) and isinstance(part, str):
            data = data[part]
        elif isinstance(data, list | tuple) and isinstance(part, int):
            data = data[part]
    return data


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """The models that a value of an annotation may be."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) is Annotated:
        yield from _models(get_args(annotation)[0])
    elif get_origin(annotation) in (typing.Union, types.UnionType, tuple, list):
        for part in get_args(annotation):
            yield from _models(part)
    elif get_origin(annotation) in (dict, Mapping):
        yield from _models(get_args(annotation)[1])


def _below(model: type[BaseModel], part: str | int) -> Iterator[type[BaseModel]]:
    if isinstance(part, int):
        yield model  # an item of the list that led here
        return
    for name, info in model.model_fields.items():
        if part in (name, info.alias):
            yield from _models(info.annotation)


def _literals(model: type[BaseModel], path: Path) -> Iterator[object]:
    """The fixed words that a field takes."""
    if not path or not isinstance(path[-1], str):
        path = path[:-1]
    models = list(_models(model))
    for part in path[:-1]:
        models = [inner for item in models for inner in _below(item, part)]
    for item in models:
        for name, info in item.model_fields.items():
            if path and path[-1] in (name, info.alias):
                yield from _words(info.annotation)


def _words(annotation: object) -> Iterator[object]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif get_args(annotation):
        for part in get_args(annotation):
            yield from _words(part)
