"""Two directory trees reduced to the entries that differ, with directories told by what is in them."""

from collections.abc import Mapping
from typing import Final

from exactchange.address import Style, format_path, unkey
from exactchange.snapshot import Note, Unread
from exactchange.sources import Narrowed
from exactchange.values import ABSENT, State, Value
from exactchange_adapters.file.content import UNPARSED
from exactchange_adapters.file.meanings import with_meanings
from exactchange_adapters.file.notes import notes_on
from exactchange_adapters.file.state import lean, visible

_UNUSUAL_BITS: Final = 0o7002  # set-id, sticky, writable for everybody


def narrow_trees(before: State, after: State, *, owner: bool) -> Narrowed:
    """The entries that differ. Cost: one look at each entry, and the work of comparing where two are not the same.

    A file that could be parsed before and cannot be now is unread: it may be cut in mid-write.
    """
    left, right = _entries(before, beside=after), _entries(after, beside=before)
    full_left, full_right = _parents(left), _parents(right)
    old_side: dict[str, Value] = {}
    new_side: dict[str, Value] = {}
    notes: list[Note] = []
    unread: list[Unread] = []
    for name in left.keys() | right.keys():
        old, new = left.get(name, ABSENT), right.get(name, ABSENT)
        if old is new or (isinstance(old, str) and old == new):  # a text: a facet of the root itself
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            if UNPARSED in new and UNPARSED not in old and old.get("@type") == "file":
                unread.append(Unread((name,), format_path((name,), style=Style.SLASHED), str(new[UNPARSED])))
                continue
            compared = with_meanings(visible(old), visible(new), old, new)
            old_side[name], new_side[name] = compared.before, compared.after
            notes += notes_on(compared, old, new, where=f"{unkey(name)}: ")
            continue
        if old is not ABSENT and not _told_by_content(name, old, full_left):
            old_side[name] = lean(visible(old), owner=owner) if isinstance(old, Mapping) else old
        if new is not ABSENT and not _told_by_content(name, new, full_right):
            new_side[name] = lean(visible(new), owner=owner) if isinstance(new, Mapping) else new
    notes.sort(key=lambda note: (note.message, note.kind))
    unread.sort(key=lambda item: item.address)
    shown = [ABSENT if whole is ABSENT else side for whole, side in ((before, old_side), (after, new_side))]
    return Narrowed(shown[0], shown[1], tuple(unread), tuple(notes))


def _entries(tree: State, *, beside: State) -> Mapping[str, Value]:
    """The entries and facets of a root; of an ordinary directory that came or went as a whole no facets."""
    if not isinstance(tree, Mapping):
        return {}
    if beside is ABSENT and tree.get("@type") == "dir" and _ordinary(tree):
        return {name: item for name, item in tree.items() if name not in ("@type", "@mode")}
    return tree


def _parents(tree: Mapping[str, Value]) -> frozenset[str]:
    """The directories that hold something."""
    return frozenset(str(unkey(name)).rpartition("/")[0] for name in tree)


def _told_by_content(name: str, entry: Value, full: frozenset[str]) -> bool:
    """Whether a directory that came or went goes without saying, since what is in it came or went as well."""
    if not isinstance(entry, Mapping) or entry.get("@type") != "dir" or unkey(name) not in full:
        return False
    return _ordinary(entry)


def _ordinary(directory: Mapping[str, Value]) -> bool:
    mode = int(str(directory.get("@mode", "0")), 8)
    return not mode & _UNUSUAL_BITS and mode & 0o700 == 0o700
