"""Names of classes and elements that a framework makes up anew with every rendering."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange_adapters.browser.document import Document, Node, parse_document
from exactchange_adapters.browser.keys import looks_generated
from exactchange_adapters.browser.snapshot import StoredDocument

_MOST_NODES: Final = 300_000
_LONGEST: Final = 64 * 1024 * 1024
_LEAST_ALIKE: Final = 0.5
# What a tool adds to a class: digits, or capitals among small letters (`css-1q2w3e`, `sc-a1B2`, `jss47`, `B_x7Yz`).
_MADE_UP = re.compile(r"(?=.*(?:\d|[a-z][A-Z]))[A-Za-z0-9]{2,}")


@dataclass
class MadeAnew:
    """What differs between two documents and is no state: pairs of old and new names, each once."""

    classes: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    ids: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])


# Of many cases that are nearly alike, as in an audit, the same two documents are compared again and again.
@lru_cache(maxsize=64)
def made_anew(before: bytes, after: bytes) -> MadeAnew:
    """What was made up anew between two stored documents; nothing where they are not alike or cannot be read."""
    found = MadeAnew()
    if before == after:
        return found
    old, new = readable(before), readable(after)
    if old is None or new is None:
        return found
    for one, other in _alike(old.nodes, new.nodes):
        if one.tag and one.attributes != other.attributes:
            _compare(one, other, found)
    return found


def readable(packed: bytes) -> Document | None:
    """A stored document; None where it is malformed or larger than any that is captured, so that nothing is noise."""
    budget = CountedBudget(max_bytes=_LONGEST, max_nodes=_MOST_NODES)
    try:
        return parse_document(StoredDocument((), packed).text(), budget=budget)
    except (UsageError, OverBudget, ValueError, zlib.error):
        return None  # whoever asks for the document itself is told


def _alike(old: Sequence[Node], new: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """The nodes that both begin with, and those that both end with, where that is most of them."""
    most = min(len(old), len(new))
    head = next((n for n in range(most) if _kind(old[n]) != _kind(new[n])), most)
    left = most - head
    tail = next((n for n in range(left) if _kind(old[-1 - n]) != _kind(new[-1 - n])), left)
    if head + tail < _LEAST_ALIKE * max(len(old), len(new)):
        return
    yield from zip(old[:head], new[:head], strict=True)
    if tail:
        yield from zip(old[-tail:], new[-tail:], strict=True)


def _kind(node: Node) -> tuple[str, str]:
    return node.tag, node.text


def _compare(old: Node, new: Node, found: MadeAnew) -> None:
    classes = [side.attributes.get("class", "").split() for side in (old, new)]
    if len(classes[0]) == len(classes[1]):
        found.classes |= {pair: None for pair in zip(*classes, strict=True) if _hashed(*pair)}
    pair = old.attributes.get("id", ""), new.attributes.get("id", "")
    if pair[0] != pair[1] and all(map(looks_generated, pair)):
        found.ids[pair] = None


def _hashed(old: str, new: str) -> bool:
    """Whether two classes begin with the same words, and each ends in what a tool has made up."""
    if old == new:
        return False
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    while head and (old[head - 1].isdigit() or not (old[head - 1] in "-_" or old[:head].isalpha())):
        head -= 1
    return all(_MADE_UP.fullmatch(name[head:]) for name in (old, new))
