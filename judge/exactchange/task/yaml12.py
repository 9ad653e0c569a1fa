"""Reads a task file as YAML 1.2 core, with the place of every key and value."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, cast

import yaml
from yaml import events

from exactchange.task.document import Document, Mark, Spot
from exactchange.task.problem import Problem
from exactchange.task.scalars import NotAScalar, resolve
from exactchange.task.syntax import syntax_problem
from exactchange.values import Path, Value

LARGEST_FILE: Final = 1024 * 1024
_MOST_NODES = 50_000  # after aliases are followed: nine anchors of nine aliases each make 387 million
_DEEPEST = 60
_LINE_ENDS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # as the parser counts lines
# What YAML forbids, and the three that its 1.1 parsers take for ends of lines and 1.2 for text.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_LOOKS_BOOLEAN = frozenset({"yes", "no", "on", "off"})


@dataclass(slots=True)
class _Node:
    spot: Spot
    value: Value = None
    """Of a scalar."""
    pairs: list[tuple[str, Spot, "_Node"]] | None = None
    """Of a mapping."""
    items: list["_Node"] | None = None
    """Of a list."""
    open: bool = True
    doubtful: bool = False


class _Stop(Exception):
    """Reading cannot go on: the problem that ends it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_document(raw: bytes, *, name: str, shown: str) -> tuple[Document, list[Problem]]:
    """The data of a task file, and what is wrong with it as YAML. With problems, the data is what could be read."""
    blank = Document(name, shown)
    if len(raw) > LARGEST_FILE:
        return blank, [Problem(shown, f"larger than a task file may be ({LARGEST_FILE // 1024} KiB)")]
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return blank, [Problem(f"{shown}:{line}", f"not UTF-8: byte 0x{raw[error.start]:02x}", "save it as UTF-8")]
    blank = Document(name, shown, _LINE_ENDS.split(text))
    found = _FORBIDDEN.search(text)
    if found:
        spot = _spot_at(text, found.start())
        what = f"a character that may not stand in a task file: U+{ord(found[0]):04X}"
        return blank, [blank.problem(spot, what, 'write it as an escape in double quotes, such as "\\u0007"')]
    return _Reader(blank).read(text)


class _Reader:
    """Builds nodes from the parser's events; PyYAML's own composer would drop places, duplicates and raw text."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.anchors: dict[str, _Node] = {}
        self.nodes = 0

    def read(self, text: str) -> tuple[Document, list[Problem]]:
        blank = self.document
        try:
            root = self._root(_events(text))
            marks: dict[Path, Mark] = {}
            doubtful: list[Path] = []
            data = None if root is None else self._plain(root, (), Mark(None, root.spot), marks, doubtful)
        except yaml.YAMLError as error:
            return blank, [*self.problems, syntax_problem(blank, error)]
        except _Stop as stop:
            return blank, [*self.problems, stop.problem]
        return Document(blank.name, blank.shown, blank.lines, data, marks, tuple(doubtful)), self.problems

    def _root(self, stream: Iterator[events.Event]) -> _Node | None:
        root: _Node | None = None
        for event in stream:
            if isinstance(event, events.DocumentStartEvent):
                if root is not None:
                    self._stop(event, "a second document begins here", "one file holds one task: remove the '---'")
                if event.version and tuple(event.version) != (1, 2):
                    self._say(event, "task files are YAML 1.2", "remove this line")
            elif isinstance(event, events.NodeEvent):
                root = self._node(event, stream, 0)
        return root

    def _node(self, event: events.NodeEvent, stream: Iterator[events.Event], depth: int) -> _Node:
        if depth > _DEEPEST:
            self._stop(event, f"nested deeper than {_DEEPEST} levels")
        if isinstance(event, events.AliasEvent):
            return self._alias(event)
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._say(event, "a tag such as !!str has no place in a task file", "quote text, and write numbers bare")
        node = _Node(_spot(event))
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        if isinstance(event, events.ScalarEvent):
            self._scalar(node, event)
        elif isinstance(event, events.MappingStartEvent):
            self._mapping(node, stream, depth)
        else:
            node.items = []
            while not isinstance(inner := next(stream), events.SequenceEndEvent):
                node.items.append(self._node(cast("events.NodeEvent", inner), stream, depth + 1))
        node.open = False
        return node

    def _mapping(self, node: _Node, stream: Iterator[events.Event], depth: int) -> None:
        node.pairs = []
        seen: dict[str, Spot] = {}
        while not isinstance(inner := next(stream), events.MappingEndEvent):
            event = cast("events.NodeEvent", inner)
            key = self._node(event, stream, depth + 1)
            value = self._node(cast("events.NodeEvent", next(stream)), stream, depth + 1)
            if not self._key_is_good(key, event, seen):
                continue
            assert isinstance(key.value, str)
            seen[key.value] = key.spot
            node.pairs.append((key.value, key.spot, value))

    def _key_is_good(self, key: _Node, event: events.NodeEvent, seen: Mapping[str, Spot]) -> bool:
        if key.pairs is not None or key.items is not None:
            self._say(event, "a key must be text, not a list or a mapping")
        elif not isinstance(key.value, str):
            raw = event.value if isinstance(event, events.ScalarEvent) else str(key.value)
            self._say(event, f"a key must be text, and {raw or 'an empty one'} is not", f'write "{raw}":')
        elif key.value == "<<" and isinstance(event, events.ScalarEvent) and not event.style:
            self._say(event, "merge keys (<<) are not part of YAML 1.2", "write the keys out, or share them by `use:`")
        elif key.value in seen:
            first = seen[key.value]
            what = f"the key {key.value!r} stands here a second time (first in line {first.line})"
            self._say(event, what, "remove one of the two")
        else:
            return True
        return False

    def _scalar(self, node: _Node, event: events.ScalarEvent) -> None:
        if event.style:
            # JSON writes characters beyond U+FFFF as two escapes, which the parser leaves apart.
            joined = event.value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            if "\ufffd" in joined and "\ufffd" not in event.value:
                self._say(event, "half of a surrogate pair is no character")
            node.value = joined
            return
        try:
            node.value = resolve(event.value)
        except NotAScalar as error:
            self._say(event, str(error), "quote it if text is meant")
            return
        node.doubtful = event.value.casefold() in _LOOKS_BOOLEAN

    def _alias(self, event: events.AliasEvent) -> _Node:
        target = self.anchors.get(event.anchor or "")
        if target is None:
            self._stop(event, f"no anchor is called {event.anchor!r}", f"write &{event.anchor} where it is defined")
        if target.open:
            self._stop(event, f"the alias *{event.anchor} stands inside its own anchor")
        return _Node(_spot(event), target.value, target.pairs, target.items, open=False)

    def _plain(self, node: _Node, path: Path, mark: Mark, marks: dict[Path, Mark], doubtful: list[Path]) -> Value:
        """Plain data of a node, aliases written out; records places."""
        self.nodes += 1
        if self.nodes > _MOST_NODES or len(path) > _DEEPEST:
            what = f"aliases make more than {_MOST_NODES} nodes, or more than {_DEEPEST} levels, of this"
            raise _Stop(self.document.problem(node.spot, what))
        marks[path] = mark
        if node.doubtful:
            doubtful.append(path)
        if node.pairs is not None:
            return {
                key: self._plain(inner, (*path, key), Mark(spot, inner.spot), marks, doubtful)
                for key, spot, inner in node.pairs
            }
        if node.items is not None:
            return [
                self._plain(inner, (*path, number), Mark(None, inner.spot), marks, doubtful)
                for number, inner in enumerate(node.items)
            ]
        return node.value

    def _say(self, event: events.Event, message: str, suggestion: str | None = None) -> None:
        self.problems.append(self.document.problem(_spot(event), message, suggestion))

    def _stop(self, event: events.Event, message: str, suggestion: str | None = None) -> NoReturn:
        raise _Stop(self.document.problem(_spot(event), message, suggestion))


def _events(text: str) -> Iterator[events.Event]:
    """The parser's events. The slower parser speaks where the fast one refuses, so that messages never depend on it."""
    if getattr(yaml, "__with_libyaml__", False):
        try:
            return iter(list(yaml.parse(text, Loader=yaml.CSafeLoader)))
        except yaml.YAMLError:
            pass  # said again, and better, by the parser below
    return iter(yaml.parse(text, Loader=yaml.SafeLoader))


def _spot(event: events.Event) -> Spot:
    start, end = event.start_mark, event.end_mark
    assert start is not None and end is not None  # events of the parser always have them
    whole = isinstance(event, events.ScalarEvent | events.AliasEvent) and start.line == end.line
    return Spot(start.line + 1, start.column + 1, max(1, end.column - start.column) if whole else 1)


def _spot_at(text: str, index: int) -> Spot:
    before = _LINE_ENDS.split(text[:index])
    return Spot(len(before), len(before[-1]) + 1)
