"""What one may alter in files: keys and lines, modes, links, and files that came or went."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from exactchange.address import key, lookup, unkey
from exactchange.sources.edits import Put, Remove, Suggestion
from exactchange.sources.variations import in_turn, other, spaced_by, tree_suggestions
from exactchange.values import ABSENT, Path, State, Value
from exactchange_adapters.file.content import HIDDEN, LAYOUT, UNPARSED

_HIDDEN: Final = HIDDEN | {UNPARSED, "@owner", "@type", "@mode", "@link", "@encoding", "@size"}
"""Facets that never differ alone, that the closed world leaves out, or of which more is said below."""
_KEPT: Final = ("@type", "@mode", "@owner")
_OTHER_BYTES: Final = "hmac:" + "0" * 64
_NAME: Final = "audit"
_FILE: Final[Mapping[str, Value]] = {"@type": "file", "@mode": "0644", "@text": ["audit"]}
_PROGRAM: Final[Mapping[str, Value]] = {"@type": "file", "@mode": "0755", "@text": ["#!/bin/sh"]}
_FOLDER: Final[Mapping[str, Value]] = {"@type": "dir", "@mode": "0755"}
_LINK: Final[Mapping[str, Value]] = {"@type": "link", "@link": "/audit"}


def file_suggestions(tree: State, *, near: Sequence[Path], most: int) -> list[Suggestion]:
    """Of one file, which may also be no file yet."""
    if tree is ABSENT:
        return [Suggestion("a file added", (Put((), _FILE),)), Suggestion("a link added", (Put((), _LINK),))][:most]
    whole = [*_mode(tree, ()), Suggestion("a link in the file's place", (Put((), _link(tree)),))]
    whole.append(Suggestion("a file removed", (Remove(()),)))
    if not _empty(tree):
        whole.append(Suggestion("a file emptied", (Put((), _emptied(tree)),)))
    keys = tree_suggestions(tree, near=near, most=most, hidden=_HIDDEN, grows=lambda path: True)
    return in_turn([keys, whole], most)


def directory_suggestions(tree: State, *, near: Sequence[Path], most: int) -> list[Suggestion]:
    """Of a directory: what is in its files, and the files themselves."""
    if not isinstance(tree, Mapping):
        return [Suggestion("a directory added", (Put((), _FOLDER),))][:most]
    names = [(name,) for name in tree if not name.startswith("@") or name.startswith("@@")]
    folders = [name for (name,) in names if isinstance(entry := tree[name], Mapping) and entry.get("@type") == "dir"]
    inside = [f"{unkey(name)}/" for name in folders[:1] + folders[-1:]]
    entries = [
        Suggestion(what, (Put((key(f"{folder}{_NAME}"),), entry),))
        for folder in dict.fromkeys(["", *inside])
        for what, entry in (
            ("a file added", _FILE),
            ("a program added", _PROGRAM),
            ("a link added", _LINK),
            ("a folder added", _FOLDER),
        )
    ]
    chosen = spaced_by([path for path in names if path[0] not in folders], first=lambda path: str(path[0]))
    changed = [
        Suggestion(what, edits)
        for path in chosen
        for what, edits in (
            ("a file removed", (Remove(path),)),
            ("a file renamed", (Remove(path), Put((_renamed(path),), tree[str(path[0])]))),
            ("a link in the file's place", (Put(path, _link(tree[str(path[0])])),)),
            ("a file emptied", (Put(path, _emptied(tree[str(path[0])])),)),
        )
        if what != "a file emptied" or not _empty(tree[str(path[0])])
    ]
    modes = [item for path in chosen for item in _mode(tree[str(path[0])], path)]
    keyed = {name for (name,) in names if _has_keys(tree[name])}
    keys = tree_suggestions(
        tree, near=near, most=most, hidden=_HIDDEN, grows=lambda path: len(path) > 1 or not keyed.isdisjoint(path)
    )
    return in_turn([keys, entries, modes, changed], most)


def rewritten(tree: State, path: Path = ()) -> list[Suggestion]:
    """The file at a path as another editor may write it: all that is read of it by its keys says the same."""
    entry = lookup(tree, path)
    layout = entry.get(LAYOUT) if isinstance(entry, Mapping) else None
    if not isinstance(layout, Mapping):
        return []
    others: list[tuple[str, Mapping[str, Value]]] = [
        ("a comment and a line end more", {"bytes": _OTHER_BYTES}),
        ("its line ends", {"bytes": _OTHER_BYTES, "newlines": "LF" if layout.get("newlines") == "CRLF" else "CRLF"}),
        ("a byte order mark", {"bytes": _OTHER_BYTES, "encoding": "UTF-8 with a byte order mark"}),
    ]
    return [Suggestion(what, (Put((*path, LAYOUT), {**layout, **other}),)) for what, other in others]


def _renamed(path: Path) -> str:
    """The name of a file in the same folder."""
    folder, slash, name = str(unkey(str(path[0]))).rpartition("/")
    return key(f"{folder}{slash}{_NAME}-{name}")


def _emptied(entry: State) -> Mapping[str, Value]:
    """The file with nothing in it."""
    facets = {name: item for name, item in entry.items() if name in _KEPT} if isinstance(entry, Mapping) else {}
    return {**facets, "@text": []}


def _empty(entry: State) -> bool:
    return isinstance(entry, Mapping) and entry.get("@text") == []


def _mode(entry: Value, path: Path) -> Iterator[Suggestion]:
    """A file that can be executed, or no longer."""
    mode = entry.get("@mode") if isinstance(entry, Mapping) else None
    if isinstance(mode, str):
        yield Suggestion("a mode changed", (Put((*path, "@mode"), other(mode, ("@mode",))),))


def _link(entry: State) -> Mapping[str, Value]:
    """A link that belongs to the same owner, so that nothing but the link is told."""
    owner = entry.get("@owner") if isinstance(entry, Mapping) else None
    return {**_LINK, "@owner": owner} if isinstance(owner, str) else _LINK


def _has_keys(entry: Value) -> bool:
    """Whether it is a file that was read by its keys."""
    return isinstance(entry, Mapping) and any(not name.startswith("@") or name[1:2] in ("@", "!") for name in entry)
