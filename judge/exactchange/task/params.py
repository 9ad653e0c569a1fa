"""Puts the params of a task into its texts, each in the way that its place needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from exactchange.task import braces
from exactchange.values import Path, Value

TIERS: Final = ("given", "veto", "must", "bonus")
PATTERNS: Final = ("allow", "ignore")
HOLES: Final = "holes"
_LISTS_OF_CONDITIONS = frozenset({"all", "any", "order"})
_BODIES = frozenset({"change", "value", "action", "request", "sql"})
_NAMED_MATCHERS = frozenset({"row", "where", "has", "args"})  # mappings whose keys are names and whose values matchers

Report: TypeAlias = Callable[[Path, str, str | None, str, bool], None]
"""Told the place, what is wrong, how to mend it, which part of the text is meant, and whether it is the key's text."""
_Texts: TypeAlias = Callable[[str, Path], Value]


def put_params(data: Mapping[str, Value], params: Mapping[str, Value], report: Report) -> dict[str, Value]:
    """A task's data with its params put in; `params` and `use` themselves are left out."""

    def fault(path: Path, *, key: bool = False) -> braces.Fault:
        return lambda message, suggestion, part: report(path, message, suggestion, part, key)

    return _Walk(
        plain=lambda text, path: braces.put_in(text, params, fault(path)),
        later=lambda text, path: braces.put_in(text, params, fault(path), deferred=braces.BRING_UP),
        command=lambda text, path: braces.put_in(text, params, fault(path), deferred=(*braces.BRING_UP, braces.HERE)),
        pattern=lambda text, path: braces.put_in_pattern(text, params, fault(path)),
        address=lambda text, path: braces.put_in_address(text, params, fault(path)),
        query=lambda text, path: braces.bind_in(text, params, fault(path)),
        key=lambda text, path: braces.in_key(text, fault(path, key=True)),
    ).task(data)


def escaped(data: Mapping[str, Value]) -> dict[str, Value]:
    """The data of a task whose params were put in, so that `put_params` gives it again."""
    return _Walk(
        plain=lambda text, path: braces.escape(text),
        later=lambda text, path: text,  # what waits for bring-up was kept as it must be written
        command=lambda text, path: text,
        pattern=lambda text, path: braces.escape_pattern(text),
        address=lambda text, path: braces.escape(text),
        query=lambda text, path: braces.escape(text),
        key=lambda text, path: braces.escape(text),
    ).task(data)


def escaped_value(value: Value) -> Value:
    """A value whose texts are written so that their braces stand for themselves."""
    return _keyed(braces.each_text(value, braces.escape), (), lambda key, path: braces.escape(key))


def unescaped_value(value: Value, fault: Callable[[Path], braces.Fault]) -> Value:
    """The value of a param as a task wrote it: doubled braces made single; it can hold no other param."""
    put = _everywhere(value, (), lambda text, path: braces.put_in(text, {}, fault(path)))
    return _keyed(put, (), lambda key, path: braces.in_key(key, fault(path)))


@dataclass(frozen=True)
class _Walk:
    """Visits every text of a task by the way in which it is read."""

    plain: _Texts
    later: _Texts
    command: _Texts
    pattern: _Texts
    address: _Texts
    query: _Texts
    key: Callable[[str, Path], str]
    """Keys of conditions and patterns, which hold no param."""

    def task(self, data: Mapping[str, Value]) -> dict[str, Value]:
        out: dict[str, Value] = {}
        for name, body in data.items():
            if name in ("params", "use"):
                continue
            if name == "app":
                out[name] = self.app(body)
            elif name == "sources":
                out[name] = _everywhere(body, (name,), self.later)
            elif name in TIERS:
                out[name] = self.each(_keyed(body, (name,), self.key), (name,), self.condition)
            elif name in (*PATTERNS, HOLES):
                out[name] = self.each(_keyed(body, (name,), self.key), (name,), self.matchers)
            else:
                out[name] = _everywhere(body, (name,), self.plain)
        return out

    def app(self, node: Value) -> Value:
        if not isinstance(node, Mapping):
            return node
        # A seed is found before there is a world: nothing of that is known to it.
        texts = {key: self.plain if key == "seed" else self.command for key in node}
        return {key: _everywhere(item, ("app", key), texts[key]) for key, item in node.items()}

    def condition(self, node: Value, path: Path) -> Value:
        if not isinstance(node, Mapping):
            return _everywhere(node, path, self.plain)
        out: dict[str, Value] = {}
        for key, body in node.items():
            here = (*path, key)
            if key in _LISTS_OF_CONDITIONS:
                out[key] = self.each(body, here, self.condition)
            elif key == "not":
                out[key] = self.condition(body, here)
            elif key == "python":
                out[key] = body  # whatever a variant is made with, it runs the code that stands here
            elif key in _BODIES and isinstance(body, Mapping):
                out[key] = {name: self.field(key, name, item, (*here, name)) for name, item in body.items()}
            else:
                out[key] = _everywhere(body, here, self.plain)
        return out

    def field(self, kind: str, name: str, node: Value, path: Path) -> Value:
        if name == "unless_after":
            return self.condition(node, path)
        if kind == "value" and name == "query" and isinstance(node, str):
            return self.query(node, path)
        return self.matcher_field(name, node, path)

    def matchers(self, node: Value, path: Path) -> Value:
        """A node in which `matches:`, `at:` and `exactly:` have their meaning."""
        if isinstance(node, Mapping):
            return {key: self.matcher_field(key, item, (*path, key)) for key, item in node.items()}
        return self.plain(node, path) if isinstance(node, str) else self.each(node, path, self.matchers)

    def matcher_field(self, key: str, node: Value, path: Path) -> Value:
        if isinstance(node, str) and key in ("matches", "at"):
            return self.pattern(node, path) if key == "matches" else self.address(node, path)
        if key == "exactly":
            return _everywhere(node, path, self.plain)
        if isinstance(node, Mapping) and (key in _NAMED_MATCHERS or (key == "query" and "url" in path)):
            return {name: self.matchers(item, (*path, name)) for name, item in node.items()}
        return self.matchers(node, path)

    def each(self, node: Value, path: Path, one: Callable[[Value, Path], Value]) -> Value:
        if not isinstance(node, list | tuple):
            return _everywhere(node, path, self.plain)
        return [one(item, (*path, number)) for number, item in enumerate(node)]


def _keyed(node: Value, path: Path, key: Callable[[str, Path], str]) -> Value:
    """The same with every key below a node as `key` gives it; paths are those before that."""
    if isinstance(node, Mapping):
        return {key(name, (*path, name)): _keyed(item, (*path, name), key) for name, item in node.items()}
    if isinstance(node, list | tuple):
        return [_keyed(item, (*path, number), key) for number, item in enumerate(node)]
    return node


def _everywhere(node: Value, path: Path, text: _Texts) -> Value:
    """Every text below a node, whatever its key."""
    if isinstance(node, str):
        return text(node, path)
    if isinstance(node, Mapping):
        return {key: _everywhere(item, (*path, key), text) for key, item in node.items()}
    if isinstance(node, list | tuple):
        return [_everywhere(item, (*path, number), text) for number, item in enumerate(node)]
    return node
