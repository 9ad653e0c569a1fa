"""What two saved pages do not tell, and what differs in their markup without standing in any place."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from exactchange.limits import CountedBudget
from exactchange.snapshot import Note
from exactchange.sources import Narrowed
from exactchange_adapters.browser.document import SEEN, Document, Node, parse_document
from exactchange_adapters.browser.snapshot import PageSnapshot

_LEADS: Final = ("href", "src", "srcset", "action", "method", "formaction", "poster", "data", "target")

_STATE: Final = ("value", "checked", "selected", "open", "disabled")
"""What of a control's markup is told as its state."""


@dataclass(frozen=True)
class SavedPage(PageSnapshot):
    """What a file of markup tells of a page. `written`: hash of the file, beside what is understood of it."""

    written: str = ""


def saved_notes(narrowed: Narrowed, before: PageSnapshot, after: PageSnapshot) -> Narrowed:
    """With what the comparison of two saved pages does not tell; of other pages as it was."""
    if not isinstance(before, SavedPage) or not isinstance(after, SavedPage) or before.written == after.written:
        return narrowed
    both = tuple(note for note in after.notes if note in before.notes)  # those of one side are told anyway
    return replace(narrowed, notes=(*narrowed.notes, *both, *_beside(before, after)))


def documents_of(page: PageSnapshot) -> Iterator[Document]:
    """The documents that were kept of a page."""
    for stored in page.documents:
        yield parse_document(stored.text(), budget=CountedBudget())


def leads_of(document: Document, *, hide: Callable[[str], str]) -> Iterator[str]:
    """Of every element that leads somewhere, or shows what stands elsewhere, a line that says where."""
    for node in document.nodes:
        told = [f"{name}={hide(node.attributes[name])}" for name in _LEADS if node.attributes.get(name)]
        if told and node.tag not in ("link", "script", "iframe", "frame"):
            yield " ".join([node.tag, *told])


def _beside(before: SavedPage, after: SavedPage) -> Iterator[Note]:
    """What differs in the markup of two pages and shows in none of their places."""
    old, new = (Counter(_marks(page)) for page in (before, after))
    names = Counter(name for name, _ in ((old - new) + (new - old)).elements())
    if names:
        most = ", ".join(f"{name} ({count})" for name, count in names.most_common(6))
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        yield Note("markup", f"what is neither a control nor text that is seen differs in: {most}{more}")
    else:
        yield Note("markup", "the files differ; beyond the changes named here, in scripts, styles, comments or layout")


def _marks(page: SavedPage) -> Iterator[tuple[str, str]]:
    """Whatever a document holds beyond its controls and the text that is seen, each by what it is."""
    for document in documents_of(page):
        for node in document.nodes:
            if node.tag:
                yield f"<{node.tag}>", str(node.bits)
                yield from ((f"{node.tag}[{name}]", value) for name, value in _attributes(node))
            elif not _is_seen(document, node) and node.text.strip():
                yield "hidden text", node.text


def _attributes(node: Node) -> Iterator[tuple[str, str]]:
    told = () if node.tag in ("link", "script") else _LEADS
    if node.state is not None or node.tag == "option":
        told = (*told, *_STATE)
    return ((name, value) for name, value in node.attributes.items() if name not in told)


def _is_seen(document: Document, node: Node) -> bool:
    return node.parent >= 0 and bool(document.nodes[node.parent].bits & SEEN)
