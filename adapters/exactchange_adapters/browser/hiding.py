"""A snapshot with the secrets hidden that stand where nobody expects them, and unread where a rule may look there."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Final, cast

from exactchange.address import Style, format_path
from exactchange.snapshot import Note, Unread
from exactchange.values import Path, Value, sealed
from exactchange_adapters.browser.saying import LONGEST_ATTRIBUTE, LONGEST_TEXT
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack
from exactchange_adapters.browser.veil import MARK, Veil

SHOWN: Final = "it shows what was seen as a secret, such as a password, and that is not kept"
TORN: Final = "more secrets were typed than can be looked for, so nothing of it is kept"
_TEXT: Final = "@text"


@dataclass(frozen=True, slots=True)
class _Checked:
    """The nodes of a document as they may be stored. `misleads`: what a rule looks for by a selector may be hidden."""

    packed: bytes
    misleads: bool


@dataclass
class Hiding:
    """Hides in one snapshot after the other what the veil knows; what was found clean is not looked through again."""

    veil: Veil
    _checked: dict[bytes, _Checked] = field(default_factory=dict[bytes, _Checked])
    _version: int = -1

    def over(self, snapshot: PageSnapshot) -> PageSnapshot:
        """The snapshot without what the veil hides. What stands openly in it is no secret from then on."""
        out = self._over(snapshot)
        self.veil.stored = cache(partial(_stored, out))
        return out

    def _over(self, snapshot: PageSnapshot) -> PageSnapshot:
        if self.veil.torn:
            return PageSnapshot("browser", {}, snapshot.mark, (Unread((), "", TORN, "content"),))
        if not self.veil or not isinstance(snapshot.tree, Mapping):
            return snapshot
        checked = self._check(snapshot.documents)
        dirty = any(new.packed is not old.packed for new, old in zip(checked, snapshot.documents, strict=True))
        tree = _Tree(self.veil)
        top = tree.top(snapshot.tree, dirty)
        pairs = list(zip(snapshot.documents, checked, strict=True))
        lost = [*tree.lost, *((*self._path(old.path), _TEXT) for old, new in pairs if new.misleads)]
        documents = tuple(replace(old, path=self._path(old.path), packed=new.packed) for old, new in pairs)
        unread = [*map(self._said, snapshot.unread)]
        known = {item.path for item in unread}
        unread += [
            Unread(path, format_path(path, style=Style.PAGE), SHOWN, "content")
            for path in dict.fromkeys(lost)
            if path not in known
        ]
        notes = tuple(Note(note.kind, self.veil.said(note.message)) for note in snapshot.notes)
        return replace(snapshot, tree=top, unread=tuple(unread), notes=notes, documents=documents)

    def _check(self, documents: Sequence[StoredDocument]) -> list[_Checked]:
        before = self._checked if self._version == self.veil.version else {}
        self._version = self.veil.version
        out = [before.get(item.packed) or _document(item, self.veil) for item in documents]
        self._checked = {item.packed: new for item, new in zip(documents, out, strict=True)}
        return out

    def _said(self, item: Unread) -> Unread:
        path, reason = self._path(item.path), self.veil.said(item.reason)
        return Unread(path, format_path(path, style=Style.PAGE), reason, item.cause)

    def _path(self, path: Path) -> Path:
        return tuple(self.veil.key(segment) if isinstance(segment, str) else segment for segment in path)


class _Tree:
    """`lost`: places below which something is called by a secret, so that nobody can tell which of its like it is."""

    def __init__(self, veil: Veil) -> None:
        self._veil = veil
        self.lost: list[Path] = []

    def top(self, tree: Mapping[str, Value], dirty: bool) -> Mapping[str, Value]:
        """The whole tree. Controls come from documents: where these are clean, so are they."""
        return {
            name if name.startswith("@") else self._key(name, ()): self._value(value, (name,))
            if dirty or name.startswith("@")
            else value
            for name, value in tree.items()
        }

    def _value(self, value: Value, path: Path) -> Value:
        if isinstance(value, str):
            return {MARK: self._veil.digest(value)} if self._veil.hides(value, cut_at=LONGEST_TEXT) else value
        if isinstance(value, Mapping):
            return value if sealed(value) else self._items(value, path)
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            items = [self._value(item, (*path, number)) for number, item in enumerate(value)]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            if path[-1] == _TEXT:
                self.lost.append(path)
            return items
        return value

    def _items(self, value: Mapping[str, Value], path: Path) -> Mapping[str, Value]:
        out = {self._key(name, path): self._value(item, (*path, name)) for name, item in value.items()}
        return value if all(out.get(name) is item for name, item in value.items()) else out

    def _key(self, name: str, path: Path) -> str:
        new = self._veil.key(name)
        if new != name:
            self.lost.append(tuple(self._veil.key(part) if isinstance(part, str) else part for part in path))
        return new


def _stored(snapshot: PageSnapshot) -> str:
    return "\n".join([json.dumps(snapshot.tree, default=str), *(item.text() for item in snapshot.documents)])


def _document(stored: StoredDocument, veil: Veil) -> _Checked:
    text = stored.text()
    if not veil.near(text):
        return _Checked(stored.packed, False)
    items = cast("list[list[object]]", json.loads(text))
    done = [_node(item, veil) for item in items]
    if all(new is old for (new, _), old in zip(done, items, strict=True)):
        return _Checked(stored.packed, False)
    packed = pack(json.dumps([new for new, _ in done], separators=(",", ":")))
    return _Checked(packed, any(misleads for _, misleads in done))


def _node(item: list[object], veil: Veil) -> tuple[list[object], bool]:
    """A node with what is secret in it hidden, and whether a selector may be misled by it: by every text, and by what
    was typed. That a token stands in an attribute, such as that of a link, misleads nobody.
    """
    if len(item) == 2:
        text = str(item[1])
        return ([item[0], _mark(text, veil)], True) if veil.hides(text) else (item, False)
    attributes = cast("Mapping[str, str]", item[2])
    found = [name for name, value in attributes.items() if veil.hides(value, cut_at=LONGEST_ATTRIBUTE)]
    named = [name for name in attributes if veil.hides(name)]
    nothing: Mapping[str, object] = {}
    state = cast("Mapping[str, object]", item[4]) if len(item) == 5 else nothing
    new = {**state, **dict(_states(state, veil))}
    tag = veil.key(str(item[1]))
    if not found and not named and new == state and tag == item[1]:
        return item, False
    typed = any(veil.typed_in(attributes[name], cut_at=LONGEST_ATTRIBUTE) for name in found)
    listed = new != state and not isinstance(new.get("v"), Mapping)
    kept = {veil.key(name): _mark(text, veil) if name in found else text for name, text in attributes.items()}
    told = [item[0], tag, kept, *item[3:4], *([new] if len(item) == 5 else [])]
    return told, bool(named) or typed or listed or tag != item[1]


def _states(state: Mapping[str, object], veil: Veil) -> Iterator[tuple[str, object]]:
    """What a field holds that is none for secrets; of a box to tick the value is a name."""
    for name in ("v", "f"):
        value = state.get(name)
        if isinstance(value, str) and veil.hides(value):
            yield name, _mark(value, veil) if "c" in state else {MARK: veil.digest(value)}
        elif isinstance(value, list):
            texts = [str(item) for item in cast("list[object]", value)]
            yield name, [_mark(text, veil) if veil.hides(text) else text for text in texts]


def _mark(text: str, veil: Veil) -> str:
    """What stands for a text in a stored document, which holds texts only."""
    return f"{MARK}:{veil.digest(text)}"
