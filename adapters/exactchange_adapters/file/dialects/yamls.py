"""YAML to a raw tree, from PyYAML's events: nothing is constructed, aliases are counted, two versions are understood.

Events rather than composed nodes: composing recurses in C without a limit, and nodes cost a kilobyte each.
Merge keys (`<<`) are read by meaning in both versions, as readers of 1.2 commonly do.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from exactchange.address import key
from exactchange.limits import Budget
from exactchange.values import Scalar, Value, same
from exactchange_adapters.file.dialects.decimals import with_decimal
from exactchange_adapters.file.dialects.parsed import Also, Parsed, Raw, Unparsable, Unusable
from exactchange_adapters.file.dialects.yaml_scalars import plain_11, plain_12

_STANDARD = "tag:yaml.org,2002:"
_PLAIN_COLLECTIONS = frozenset({None, "!", f"{_STANDARD}map", f"{_STANDARD}seq"})
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Placed: TypeAlias = "tuple[Raw, int]"  # a finished node and how many nodes it stands for, aliases expanded


def parse_yaml(text: str, *, dialect: str | None, budget: Budget) -> Parsed:
    """The documents of a text under `yaml-1.1` or `yaml-1.2`; None: by 1.2, marking what 1.1 reads differently.

    One document is the root; of several the root is a mapping of `@documents`. Raises Unparsable, OverBudget.
    """
    builder = _Builder(dialect, budget)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        raise Unparsable(_said(error)) from error
    facets: dict[str, Value] = {} if builder.version is None else {"@version": builder.version}
    documents = [document for document, _ in builder.documents]
    if len(documents) == 1:
        return Parsed(documents[0], facets)
    return Parsed({"@documents": documents} if documents else None, facets)


@dataclass(slots=True)
class _Frame:
    """A collection that is being read."""

    mapping: bool
    tag: str | None
    anchor: str | None
    items: list[Raw] = field(default_factory=list["Raw"])
    entries: dict[str, Raw] = field(default_factory=dict[str, "Raw"])
    merged: list[Raw] = field(default_factory=list["Raw"])
    pending: "_Key | None" = None
    size: int = 1
    broken: str = ""


@dataclass(frozen=True, slots=True)
class _Key:
    """A mapping key that waits for its value: its segment, and how other versions read it. `merge`: `<<`."""

    segment: str
    others: dict[str, Value]
    merge: bool = False


class _Builder:
    def __init__(self, dialect: str | None, budget: Budget) -> None:
        self._dialect, self._budget = dialect, budget
        self._frames: list[_Frame] = []
        self._anchors: dict[str, _Placed | None] = {}  # None: still being read, so an alias to it is a cycle
        self._known: dict[str, Raw] = {}
        self.documents: list[_Placed] = []
        self.version: str | None = None

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._close()
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()
            if event.version is not None:
                self.version = ".".join(map(str, event.version))

    def _scalar(self, event: "yaml.ScalarEvent") -> None:
        self._budget.spend(nodes=1)
        frame = self._frames[-1] if self._frames else None
        value = self._meaning(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value, 1
        if frame is not None and frame.mapping and frame.pending is None:
            merge = event.value == "<<" and (bool(event.implicit[0]) or event.tag == f"{_STANDARD}merge")
            self._key(frame, value, merge=merge)
        else:
            self._place(value, 1)

    def _meaning(self, event: "yaml.ScalarEvent") -> Raw:
        text: str = event.value
        if event.tag is not None and event.tag != "!":
            return _tagged(event.tag, text, dialect=self._dialect)
        if event.tag == "!" or not event.implicit[0]:  # quoted, literal or folded: always text
            return text
        if text not in self._known:
            self._known[text] = _plain(text, self._dialect)
        return self._known[text]

    def _alias(self, event: "yaml.AliasEvent") -> None:
        name = event.anchor
        if name not in self._anchors:
            raise Unparsable(f"alias *{name} without an anchor")
        found = self._anchors[name]
        value, size = (Unusable(f"alias *{name} stands inside what it stands for"), 1) if found is None else found
        self._budget.spend(nodes=size)
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.mapping and frame.pending is None:
            self._key(frame, value, merge=False)
        else:
            self._place(value, size)

    def _open(self, event: "yaml.MappingStartEvent | yaml.SequenceStartEvent") -> None:
        self._budget.spend(nodes=1, depth=len(self._frames) + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        tag = None if event.tag in _PLAIN_COLLECTIONS else event.tag
        self._frames.append(_Frame(isinstance(event, yaml.MappingStartEvent), tag, event.anchor))

    def _close(self) -> None:
        frame = self._frames.pop()
        value = _finished(frame)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = value, frame.size
        parent = self._frames[-1] if self._frames else None
        if parent is not None and parent.mapping and parent.pending is None:
            self._key(parent, value, merge=False)
        else:
            self._place(value, frame.size)

    def _key(self, frame: _Frame, value: Raw, *, merge: bool) -> None:
        if merge:
            frame.pending = _Key("<<", {}, merge=True)
            return
        others: dict[str, Value] = {}
        if isinstance(value, Also):
            others, value = dict(value.others), value.value
        if isinstance(value, Unusable) or _is_collection(value):
            frame.broken = "a key that is no scalar"
            value = f"\0{len(frame.entries)}"
        frame.pending = _Key(key(_scalar_of(value)), others)

    def _place(self, value: Raw, size: int) -> None:
        if not self._frames:
            self.documents.append((value, size))
            return
        frame = self._frames[-1]
        frame.size += size
        if not frame.mapping:
            frame.items.append(value)
            return
        pending, frame.pending = frame.pending, None
        assert pending is not None
        if pending.merge:
            frame.merged.append(value)
        elif pending.segment in frame.entries:
            frame.entries[pending.segment] = Unusable(
                "the key stands here twice: readers differ in which one they take"
            )
        elif pending.others:
            inner = value if isinstance(value, Also) else Also(value)
            frame.entries[pending.segment] = Also(inner.value, inner.others, pending.others)
        else:
            frame.entries[pending.segment] = value


def _finished(frame: _Frame) -> Raw:
    if frame.broken:
        return Unusable(frame.broken)
    if not frame.mapping:
        return frame.items if frame.tag is None else {"@tag": _shown(frame.tag), "@value": frame.items}
    entries = frame.entries
    if frame.merged:
        inherited: dict[str, Raw] = {}
        for source in _merge_sources(frame.merged):
            if not isinstance(source, dict):
                return Unusable("a merge key (<<) that does not name a mapping")
            inherited = {**source, **inherited}  # the first mapping that has a key gives it
        inherited.pop("@tag", None)
        entries = {**inherited, **entries}
    return entries if frame.tag is None else {"@tag": _shown(frame.tag), **entries}


def _merge_sources(merged: list[Raw]) -> Iterator[Raw]:
    for value in merged:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def _plain(text: str, dialect: str | None) -> Raw:
    if dialect == "yaml-1.1":
        return _exact(plain_11(text), text)
    now, old = plain_12(text), plain_11(text)
    if dialect is not None or isinstance(now, Unusable):
        return _exact(now, text)
    value = _exact(now, text)
    others = dict(value.others) if isinstance(value, Also) else {}
    if isinstance(old, Unusable):  # no date at all: a 1.1 reader would stop here, which is unlike any value
        others["yaml-1.1"] = {"@unusable": text}
    elif not same(now, old):
        others["yaml-1.1"] = old
    return Also(now, others) if others else now


def _exact(value: Scalar | Unusable, text: str) -> Raw:
    """The value, and beside a float the decimal that was written where they differ."""
    return with_decimal(value, text.replace("_", "")) if isinstance(value, float) else value


def _tagged(tag: str, text: str, *, dialect: str | None) -> Raw:
    name = tag.removeprefix(_STANDARD)
    if name == "str":
        return text
    if name == "binary":
        try:
            return base64.b64decode("".join(text.split()), validate=True)
        except binascii.Error as error:
            return Unusable(f"!!binary that is no base64: {error}")
    if name not in ("null", "bool", "int", "float", "timestamp"):
        return {"@tag": _shown(tag), "@value": text}
    value = plain_11(text) if dialect == "yaml-1.1" or name == "timestamp" else plain_12(text)
    if name == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(value, str):
        return Unusable(f"!!{name} in front of {text[:40]!r}")
    return _exact(value, text)


def _shown(tag: str) -> str:
    return f"!!{tag.removeprefix(_STANDARD)}" if tag.startswith(_STANDARD) else tag


def _is_collection(value: Raw) -> bool:
    return isinstance(value, dict | list)


def _scalar_of(value: Raw) -> Scalar:
    assert not isinstance(value, Unusable | Also | dict | list)
    return value  # type: ignore[return-value]


def _said(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem or 'not YAML'}"
    return str(error).splitlines()[0]
