"""What rows of tables, lists and grids are called, so that what is in one keeps its address when others come and go."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from exactchange_adapters.browser.document import SHADOW, Document, Node, Sight
from exactchange_adapters.browser.wording import is_passing, looks_generated, stem

LONGEST_LABEL = 80
_ROW_TAGS = frozenset(["article", "li", "tr"])
_ROW_ROLES = frozenset("article listitem menuitem option row treeitem".split())
_CELL_TAGS = frozenset(["td", "th"])
_CELL_ROLES = frozenset("cell columnheader gridcell rowheader".split())
_HEADINGS = frozenset("caption figcaption h1 h2 h3 h4 h5 h6 legend".split())
_CONTROLS = frozenset("button input select summary textarea".split())
_OWN_IDS = ("data-id", "data-key", "data-row-id", "data-row-key", "data-item-id")
_Words: TypeAlias = Callable[[Node], str]


class Row(NamedTuple):
    """The element of a row, and what it is called: the text of a `field` of it."""

    number: int
    field: str
    text: str


class Rows:
    """The rows of one document, each called by what it says of itself, unless another of its list says the same.

    Asked for in turn: an id for scripts (`data-id`), `aria-label`, the header of the row or else its first cell with
    text, its heading or first line, and the address of its first link. What tells a time is no name; a count is left
    out of one.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._lists: dict[tuple[int, str], dict[int, Row]] = {}
        self._ways: Sequence[tuple[str, _Words]] = (
            ("id", _own_id),
            ("label", _own_label),
            ("label", self._first_words),
            ("label", self._first_line),
            ("href", self._link),
        )

    def around(self, number: int, like: Sequence[int], *, below: int) -> Row | None:
        """The row that an element is in; None where it is in none, or in one that nothing tells from the others.

        `like`: numbers of the elements that share its key, in order, itself among them. `below`: number of an element
        that the row is in, -1 for none.
        """
        row = self._row(number, like, below)
        return None if row is None else self._list(row).get(row.number)

    def _row(self, number: int, like: Sequence[int], below: int) -> Node | None:
        """The nearest row around an element; where none is marked as one, the most that holds no other of its like."""
        widest: Node | None = None
        for node in self._document.ancestors(number):
            self._document.look()
            if node.number <= below or node.tag == SHADOW:
                break
            if node.tag in _ROW_TAGS or _role(node) in _ROW_ROLES:
                return node
            if self._holds(node.number, like) > 1:
                break
            widest = node
        return widest

    def _holds(self, number: int, like: Sequence[int]) -> int:
        return bisect_right(like, self._ends[number]) - bisect_right(like, number)

    @cached_property
    def _ends(self) -> Sequence[int]:
        """For each node the number of the last node in it."""
        out = list(range(len(self._document.nodes)))
        for node in reversed(self._document.nodes):
            if node.parent >= 0:
                out[node.parent] = max(out[node.parent], out[node.number])
        return out

    def _list(self, row: Node) -> dict[int, Row]:
        """What each row of the list is called that a row is of: the elements of its kind beside it."""
        place = row.parent, row.tag
        if place not in self._lists:
            beside = self._document.children[row.parent] if row.parent >= 0 else [row.number]
            self._document.look(len(beside))
            self._lists[place] = self._called([self._document.nodes[n] for n in beside if self._tag(n) == row.tag])
        return self._lists[place]

    def _tag(self, number: int) -> str:
        return self._document.nodes[number].tag

    def _called(self, rows: Sequence[Node]) -> dict[int, Row]:
        out: dict[int, Row] = {}
        for field, words in self._ways:
            if len(out) == len(rows):
                break
            texts = {row.number: words(row)[:LONGEST_LABEL] for row in rows}
            shared = Counter(texts.values())
            for number, text in texts.items():
                if text and shared[text] == 1:
                    out.setdefault(number, Row(number, field, text))
        return out

    def _first_words(self, row: Node) -> str:
        """The first text in it: what follows on the same line is often how it is with it, and changes."""
        return self._named(row, lambda number: self._texts(number)[:1])

    def _first_line(self, row: Node) -> str:
        return self._named(row, lambda number: self._lines(number)[:1])

    def _named(self, row: Node, read: Callable[[int], Sequence[str]]) -> str:
        below = self._document.children[row.number]
        cells = [node for node in map(self._document.nodes.__getitem__, below) if _is_cell(node)]
        headers = [cell for cell in cells if cell.tag == "th" or _role(cell) == "rowheader"]
        inside = range(row.number + 1, self._ends[row.number] + 1)
        headings = () if cells else [n for n in inside if self._tag(n) in _HEADINGS][:1]
        for number in [*(cell.number for cell in (*headers, *cells)), *headings, *(() if cells else [row.number])]:
            for text in read(number):
                if _is_name(text) or (cells and text.isdigit()):
                    return stem(text)
        return ""

    def _texts(self, number: int) -> Sequence[str]:
        skip = self._controls(number)
        inside = (n for n in range(number + 1, self._ends[number] + 1) if not self._tag(n))
        for text in inside:
            words = " ".join(self._document.nodes[text].text.split())
            if words and not self._is_in(text, skip, below=number):
                return [words]
        return []

    def _is_in(self, number: int, those: frozenset[int], *, below: int) -> bool:
        for above in self._document.ancestors(number):
            self._document.look()
            if above.number in those:
                return True
            if above.number <= below:
                break
        return False

    def _controls(self, number: int) -> frozenset[int]:
        self._document.look(self._ends[number] + 1 - number)
        return frozenset(n for n in range(number, self._ends[number] + 1) if self._tag(n) in _CONTROLS)

    def _lines(self, number: int) -> Sequence[str]:
        return self._document.lines(number, sight=Sight.ANY, skip=self._controls(number))

    def _link(self, row: Node) -> str:
        for number in range(row.number + 1, self._ends[row.number] + 1):
            href = self._document.nodes[number].attributes.get("href", "") if self._tag(number) == "a" else ""
            if href:
                return "" if href.startswith(("#", "javascript:")) or "?" in href else href
        return ""


def _own_id(row: Node) -> str:
    found = (row.attributes.get(name, "") for name in _OWN_IDS)
    return next((text for text in found if text and not looks_generated(text)), "")


def _own_label(row: Node) -> str:
    label = " ".join(row.attributes.get("aria-label", "").split())
    return stem(label) if _is_name(label) else ""


def _is_name(text: str) -> bool:
    """Whether a text may be what something is called: there are words in it, and it tells no time."""
    return any(map(str.isalpha, text)) and not is_passing(text)


def _is_cell(node: Node) -> bool:
    return node.tag in _CELL_TAGS or _role(node) in _CELL_ROLES


def _role(node: Node) -> str:
    return node.attributes.get("role", "").strip().lower()
