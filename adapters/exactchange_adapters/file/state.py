"""One directory entry as a value tree: `@type`, `@mode`, `@owner`, `@link`, and below them its content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from exactchange.values import Path, Value
from exactchange_adapters.file.content import HIDDEN, Reading, as_text, understand, wants_text
from exactchange_adapters.file.dialects.parsed import LARGEST_TEXT
from exactchange_adapters.file.dialects.plain import hash_facets
from exactchange_adapters.file.disk import Entry

_SPECIAL_BITS: Final = 0o7113  # set-id, sticky, executable, writable for everybody: worth telling of a new file


@dataclass(frozen=True, slots=True)
class EntryState:
    """The tree of one entry, and what of it could not be read, as paths in it (() is all of it) and reasons."""

    tree: Mapping[str, Value]
    unread: tuple[tuple[Path, str], ...] = ()


def entry_state(
    entry: Entry,
    name: str,
    reading: Reading,
    *,
    text_limit: int = LARGEST_TEXT,
    keys_needed: bool = True,
    via: str | None = None,
) -> EntryState:
    """The state of an entry called `name`. Of a file too large to be kept, hash and size.

    `keys_needed`: a file that has a format and cannot be parsed is unread, so that no key of it seems absent. Else it
    is told by its lines or its hash: no change of it is missed either, and a directory may well hold such files.
    `via`: the directory that links on the way led to, of a file that is named by its path.
    """
    facets: dict[str, Value] = {"@type": entry.type}
    if via is not None:
        facets["@via"] = via
    if entry.type == "link":
        return EntryState({**facets, "@link": entry.link})
    facets["@mode"] = f"{entry.mode:04o}"
    facets["@owner"] = f"{entry.owner[0]}:{entry.owner[1]}"
    if entry.trouble:
        return EntryState(facets, (((), entry.trouble),))
    if entry.type != "file":
        return EntryState(facets)
    if entry.data is None:
        if keys_needed and reading.compare != "bytes" and wants_text(name, reading):
            return EntryState(facets, (((), f"{entry.size} bytes are too many to be parsed"),))
        return EntryState({**facets, **hash_facets(entry.hash, entry.size)})
    content = understand(entry.data, name, reading, text_limit=text_limit)
    if content.unread and not keys_needed:
        content = as_text(entry.data, content.unread[0][1], reading, text_limit=text_limit)
    return EntryState({**facets, **content.keys}, content.unread)


def visible(tree: Mapping[str, Value]) -> dict[str, Value]:
    """A state's tree without its hidden facets."""
    return {name: value for name, value in tree.items() if name not in HIDDEN}


def lean(tree: Mapping[str, Value], *, owner: bool) -> Mapping[str, Value]:
    """The state of an entry that came or went, less what goes without saying of an ordinary file.

    So a new file is its content, and a condition that expects a key holds for a new file as for an old one.
    Owners are told where `owner` says that they count.
    """
    left_out: set[str] = set() if owner else {"@owner"}
    mode = tree.get("@mode")
    if tree.get("@type") == "file" and isinstance(mode, str) and not int(mode, 8) & _SPECIAL_BITS:
        left_out |= {"@type", "@mode"}
    return {name: value for name, value in tree.items() if name not in left_out}
