"""One document as the walk saw it: its nodes, checked, and the text that a person can read of them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import Enum
from functools import cached_property
from itertools import chain
from operator import itemgetter

from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange_adapters.browser.labels import labels_around
from exactchange_adapters.browser.nodes import Node as Node
from exactchange_adapters.browser.nodes import items_of, nodes_of

BOXED = 1
"""Bit of a node: it has a box on the page."""
SEEN = 2
"""Bit of a node: its own text is laid out and not hidden."""
APART = 4
"""Bit of a node: it is a line of its own by its style, though not by its tag."""
CUT = 8
"""Bit of a node: nobody can see its own text all the same, since it is cut off, off the screen, clear or of no size."""
INSET = 16
"""Bit of a node: it is a box of its own within a line; its words are read apart, though they may look like one."""
SHADOW = "#shadow"

_SPACE = re.compile(r"\s+")  # NBSP included, as Unicode has it
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")  # soft hyphen, zero-width space, word joiner, BOM
LINE_TAGS = frozenset(
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section "
    "select summary table tbody td text tfoot th thead tr ul".split()  # `text` stands in drawings (SVG)
)
_NOT_TEXT = frozenset("option select datalist textarea title iframe object audio video canvas template".split())
_BY_PLACE = ("children", "scopes", "exact")
_BY_ATTRIBUTES = ("by_id", "labels_for")
_KEPT = frozenset(["pre", "textarea", "listing"])
_NAMING = 200_000
_NAMING_A_NODE = 10
"""How many nodes are looked at for names: a page may name each of many elements by all that is in it."""


class Sight(Enum):
    """Which text is meant."""

    SEEN = "what a person can see"
    SAID = "what is laid out, seen or not: what names are made of"
    HIDDEN = "what nobody can see"
    ANY = "all of it"


class Document:
    """The nodes of one document in document order; a shadow root's come before its host's other children."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.names: dict[tuple[int, bool], str] = {}
        """Accessible names that were worked out, by number and whether all text counts as seen."""
        self._looks = _NAMING + _NAMING_A_NODE * len(nodes)

    def look(self, count: int = 1) -> None:
        """Count nodes that are looked at for a name. Raises OverBudget when they are more than a page needs."""
        self._looks -= count
        if self._looks < 0:
            raise OverBudget("the names of its elements take more work than a page of its size needs")

    def with_nodes(self, changed: Iterable[Node]) -> "Document":
        """The document with these nodes in the places of those of their numbers."""
        nodes = list(self.nodes)
        for node in changed:
            nodes[node.number] = node
        return Document(nodes)

    def take_over(self, before: "Document", changed: Iterable[int]) -> bool:
        """Whether the same kinds of nodes stand in the same places as before, though some of them changed.

        What only their places tell is then taken over, and need not be worked out again.
        """
        pairs = [(before.nodes[number], self.nodes[number]) for number in changed]
        if any((old.parent, old.tag) != (new.parent, new.tag) for old, new in pairs):
            return False
        told = [*_BY_PLACE, *(() if any(old.attributes != new.attributes for old, new in pairs) else _BY_ATTRIBUTES)]
        vars(self).update({name: value for name, value in vars(before).items() if name in told})
        return True

    @cached_property
    def children(self) -> list[list[int]]:
        """Numbers of the nodes below each node."""
        below: list[list[int]] = [[] for _ in self.nodes]
        for number, parent in enumerate(map(_PARENT, self.nodes)):
            if parent >= 0:
                below[parent].append(number)
        return below

    @cached_property
    def tags(self) -> Set[str]:
        """What kinds of elements there are; "" of texts. Most documents have none of most kinds."""
        return frozenset(map(_TAG, self.nodes))

    def having(self, attribute: str) -> list[int]:
        """Numbers of the elements that have an attribute."""
        if attribute not in self._named:
            return []
        return [number for number, attributes in enumerate(map(_ATTRIBUTES, self.nodes)) if attribute in attributes]

    @cached_property
    def _named(self) -> Set[str]:
        return frozenset(chain.from_iterable(map(_ATTRIBUTES, self.nodes)))

    @cached_property
    def scopes(self) -> list[int]:
        """For each node the number of the shadow root that it is in, -1 for the document itself."""
        if SHADOW not in self.tags:
            return [-1] * len(self.nodes)
        out: list[int] = []
        for node in self.nodes:
            above = node.parent
            out.append(-1 if above < 0 else above if self.nodes[above].tag == SHADOW else out[above])
        return out

    @cached_property
    def by_id(self) -> Mapping[tuple[int, str], list[int]]:
        """Numbers of the elements with an id, by the scope they are in and the id."""
        found: dict[tuple[int, str], list[int]] = {}
        for number in self.having("id"):
            identity = self.nodes[number].attributes["id"]
            if identity:
                found.setdefault((self.scopes[number], identity), []).append(number)
        return found

    @cached_property
    def labels_for(self) -> Mapping[tuple[int, str], list[int]]:
        """Numbers of the `<label for>` elements, by the scope they are in and the id they name."""
        found: dict[tuple[int, str], list[int]] = {}
        for number in self.having("for") if "label" in self.tags else ():
            if self.nodes[number].tag == "label":
                found.setdefault((self.scopes[number], self.nodes[number].attributes["for"]), []).append(number)
        return found

    def labels_of(self, node: Node) -> list[int]:
        """The `<label>` elements of a control, in document order; one names the first of its id, or in it, alone."""
        if "label" not in self.tags:
            return []
        place = (self.scopes[node.number], node.attributes.get("id", ""))
        first = self.by_id.get(place, ())[:1] == [node.number]
        pointing = self.labels_for.get(place, []) if first else []
        around = self._labels_around.get(node.number, [])
        return sorted({*pointing, *around}) if around else pointing

    @cached_property
    def _labels_around(self) -> Mapping[int, list[int]]:
        return labels_around(self.nodes)

    @cached_property
    def exact(self) -> Set[int]:
        """Numbers of the nodes in which every space counts: `<pre>` and what is in it."""
        found: set[int] = set()
        for node in () if _KEPT.isdisjoint(self.tags) else self.nodes:
            if node.tag in _KEPT or node.parent in found:
                found.add(node.number)
        return found

    def ancestors(self, number: int) -> Iterator[Node]:
        """The nodes above one, nearest first, shadow roots and their hosts included."""
        above = self.nodes[number].parent
        while above >= 0:
            yield self.nodes[above]
            above = self.nodes[above].parent

    @cached_property
    def silent(self) -> Set[int]:
        """Numbers of the nodes that are in something that says of itself that it is hidden (`aria-hidden`)."""
        found: set[int] = set()
        for node in self.nodes if self.having("aria-hidden") else ():
            if node.parent in found or node.attributes.get("aria-hidden") == "true":
                found.add(node.number)
        return found

    def lines(self, top: int = 0, *, sight: Sight = Sight.SEEN, skip: frozenset[int] = frozenset()) -> list[str]:
        """The lines of text at and below a node that a person can see, or those of another `sight`.

        White space is one space, and what has no width is dropped; in `<pre>` every space counts. `skip`: numbers of
        nodes whose content is left out.
        """
        return _Lines(self, sight=sight, skip=skip).of(top) if self.nodes else []


class _Lines:
    def __init__(self, document: Document, *, sight: Sight, skip: frozenset[int]) -> None:
        self._document = document
        self._sight = sight
        self._skip = skip
        self._out: list[str] = []
        self._line: list[str] = []
        self._exact: set[int] = set()
        """Which pieces of the line are taken as they are."""

    def of(self, top: int) -> list[str]:
        nodes, children = self._document.nodes, self._document.children
        # Most texts are seen where spaces do not count, and most elements say nothing of themselves: asked here.
        is_usual = self._sight is Sight.SEEN and not self._document.exact
        stack = [top]
        while stack:
            number = stack.pop()
            if number < 0:  # the end of an element that is a line of its own
                self._flush()
                continue
            node = nodes[number]
            _, parent, tag, attributes, _, text, state = node
            if not tag:
                if is_usual and parent >= 0 and nodes[parent].bits & (SEEN | CUT) == SEEN and text.isascii():
                    self._line.append(text)
                else:
                    self._text(node)
                continue
            if (attributes or state is not None or tag in _NOT_TEXT or self._skip) and self._left_out(node, top):
                continue
            if self._is_line(node):
                self._flush()
                stack.append(~number)
            stack += children[number][::-1]
        self._flush()
        return self._out

    def _is_line(self, node: Node) -> bool:
        if node.tag not in LINE_TAGS:
            return node.bits & APART > 0
        return node.bits & BOXED > 0 or self._sight in (Sight.HIDDEN, Sight.ANY)  # what has no box parts no words

    def _left_out(self, node: Node, top: int) -> bool:
        if node.number in self._skip or (node.state is not None and node.number != top and node.state.get("e") is True):
            return True  # what is typed into an editor is its value, as in a text field
        if self._sight is Sight.ANY:
            return False
        if node.tag in _NOT_TEXT and node.number != top:
            return True
        return self._sight is not Sight.HIDDEN and node.attributes.get("aria-hidden") == "true"

    def _is_meant(self, node: Node) -> bool:
        if self._sight is Sight.ANY or node.parent < 0:
            return True
        above = self._document.nodes[node.parent]
        shown = above.bits & (BOXED if above.tag == SHADOW else SEEN) > 0
        if self._sight is Sight.SAID:
            return shown
        seen = shown and not above.bits & CUT
        return seen if self._sight is Sight.SEEN else not seen or node.number in self._document.silent

    def _text(self, node: Node) -> None:
        if not self._is_meant(node):
            if node.text.isspace():
                self._line.append(" ")
        elif node.parent in self._document.exact:
            first, *rest = node.text.split("\n")
            self._keep(first)
            for line in rest:
                self._flush()
                self._keep(line)
        else:
            self._line.append(node.text if node.text.isascii() else _UNSEEN.sub("", node.text))

    def _keep(self, text: str) -> None:
        self._exact.add(len(self._line))
        self._line.append(text)

    def _flush(self) -> None:
        if not self._line:
            return
        if self._exact:
            pieces = enumerate(self._line)
            text = "".join(piece if number in self._exact else _SPACE.sub(" ", piece) for number, piece in pieces)
            self._exact.clear()
        else:
            text = " ".join("".join(self._line).split())
        if text:
            self._out.append(text)
        self._line.clear()


def parse_document(text: str, *, budget: Budget) -> Document:
    """The document of a stored line of nodes. Raises UsageError when malformed, OverBudget when too large."""
    return Document(nodes_of(items_of(text, budget)))


_PARENT, _TAG, _ATTRIBUTES = itemgetter(1), itemgetter(2), itemgetter(3)  # of a node: by name takes twice as long
