"""One document as the walk saw it: its nodes, checked, and the text that a person can read of them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from exactchange.errors import UsageError
from exactchange.limits import Budget

BOXED = 1
"""Bit of a node: it has a box on the page."""
SEEN = 2
"""Bit of a node: its own text can be seen."""
SHADOW = "#shadow"

_SPACE = re.compile(r"\s+")  # NBSP included, as Unicode has it
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")  # soft hyphen, zero-width space, word joiner, BOM
_LINE = frozenset(
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section "
    "select summary table tbody td tfoot th thead tr ul".split()
)
_NOT_TEXT = frozenset("option select datalist textarea title iframe object audio video canvas template".split())
_KEPT = frozenset(["pre", "textarea", "listing"])


@dataclass(frozen=True, slots=True)
class Node:
    """An element or shadow root (with a `tag`), or a text (without); `parent` is the number of the node above or -1."""

    number: int
    parent: int
    tag: str
    attributes: Mapping[str, str]
    bits: int
    text: str
    state: Mapping[str, object] | None


class Document:
    """The nodes of one document in document order; a shadow root's come before its host's other children."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes

    @cached_property
    def children(self) -> list[list[int]]:
        """Numbers of the nodes below each node."""
        below: list[list[int]] = [[] for _ in self.nodes]
        for node in self.nodes:
            if node.parent >= 0:
                below[node.parent].append(node.number)
        return below

    @cached_property
    def scopes(self) -> list[int]:
        """For each node the number of the shadow root that it is in, -1 for the document itself."""
        out: list[int] = []
        for node in self.nodes:
            above = node.parent
            out.append(-1 if above < 0 else above if self.nodes[above].tag == SHADOW else out[above])
        return out

    @cached_property
    def by_id(self) -> Mapping[tuple[int, str], list[int]]:
        """Numbers of the elements with an id, by the scope they are in and the id."""
        found: dict[tuple[int, str], list[int]] = {}
        for node in self.nodes:
            identity = node.attributes.get("id")
            if identity:
                found.setdefault((self.scopes[node.number], identity), []).append(node.number)
        return found

    @cached_property
    def labels_for(self) -> Mapping[tuple[int, str], list[int]]:
        """Numbers of the `<label for>` elements, by the scope they are in and the id they name."""
        found: dict[tuple[int, str], list[int]] = {}
        for node in self.nodes:
            if node.tag == "label" and "for" in node.attributes:
                found.setdefault((self.scopes[node.number], node.attributes["for"]), []).append(node.number)
        return found

    def ancestors(self, number: int) -> Iterator[Node]:
        """The nodes above one, nearest first, shadow roots and their hosts included."""
        above = self.nodes[number].parent
        while above >= 0:
            yield self.nodes[above]
            above = self.nodes[above].parent

    def lines(self, top: int = 0, *, unseen: bool = False, skip: frozenset[int] = frozenset()) -> list[str]:
        """The lines of text at and below a node that a person can see; with `unseen` the hidden ones too.

        White space is one space, and what has no width is dropped; in `<pre>` every space counts. `skip`: numbers of
        nodes whose content is left out.
        """
        return _Lines(self, unseen=unseen, skip=skip).of(top) if self.nodes else []


class _Lines:
    def __init__(self, document: Document, *, unseen: bool, skip: frozenset[int]) -> None:
        self._document = document
        self._unseen = unseen
        self._skip = skip
        self._out: list[str] = []
        self._line: list[str] = []
        self._exact = False

    def of(self, top: int) -> list[str]:
        nodes, children = self._document.nodes, self._document.children
        stack: list[tuple[int, bool]] = [(top, False)]
        while stack:
            number, leaving = stack.pop()
            node = nodes[number]
            if leaving:
                self._flush()
            elif not node.tag:
                self._text(node)
            elif not self._left_out(node, top):
                if node.tag in _LINE:
                    self._flush()
                    stack.append((number, True))
                stack.extend((child, False) for child in reversed(children[number]))
        self._flush()
        return self._out

    def _left_out(self, node: Node, top: int) -> bool:
        if node.number in self._skip:
            return True
        if self._unseen:
            return False
        return node.attributes.get("aria-hidden") == "true" or (node.tag in _NOT_TEXT and node.number != top)

    def _text(self, node: Node) -> None:
        above = self._document.nodes[node.parent] if node.parent >= 0 else None
        if above is not None and not self._unseen and not above.bits & (BOXED if above.tag == SHADOW else SEEN):
            if node.text.isspace():
                self._line.append(" ")
        elif above is not None and self._is_kept(above):
            first, *rest = node.text.split("\n")
            self._keep(first)
            for line in rest:
                self._flush()
                self._keep(line)
        else:
            self._line.append(_SPACE.sub(" ", _UNSEEN.sub("", node.text)))

    def _keep(self, text: str) -> None:
        self._line.append(text)
        self._exact = True

    def _is_kept(self, above: Node) -> bool:
        return above.tag in _KEPT or any(node.tag in _KEPT for node in self._document.ancestors(above.number))

    def _flush(self) -> None:
        text = "".join(self._line)
        if not self._exact:
            text = _SPACE.sub(" ", text).strip()
        if text:
            self._out.append(text)
        self._line.clear()
        self._exact = False


def parse_document(text: str, *, budget: Budget) -> Document:
    """The document of a stored or fresh line of nodes. Raises UsageError when malformed, OverBudget when too large."""
    budget.spend(bytes=len(text))
    raw = _items(text)
    budget.spend(nodes=len(raw))
    return Document([_node(number, item) for number, item in enumerate(raw)])


def redact(text: str, hide: Callable[[str], object]) -> str:
    """The line of nodes with the value of every secret field replaced by what `hide` makes of it."""
    if '"s":1' not in text:  # a quote within a text would be escaped
        return text
    raw = _items(text)
    for item in raw:
        state = cast("list[object]", item)[-1] if isinstance(item, list) else None
        if isinstance(state, dict):
            fields = cast("dict[str, object]", state)
            if fields.get("s") == 1:
                fields["v"] = hide(str(fields.get("v", "")))
    return json.dumps(raw, separators=(",", ":"))


def _items(text: str) -> list[object]:
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"a document's nodes are no strict JSON: {error}") from error
    if not isinstance(raw, list):
        raise UsageError("a document's nodes are no list")
    return cast("list[object]", raw)


def _node(number: int, item: object) -> Node:
    parts = cast("list[object]", item) if isinstance(item, list) else []
    if len(parts) >= 2 and _is_number(parts[0]) and isinstance(parts[1], str) and -1 <= cast("int", parts[0]) < number:
        parent, word = cast("int", parts[0]), parts[1]
        if len(parts) == 2:
            return Node(number, parent, "", _NOTHING, 0, word, None)
        attributes, state = parts[2], parts[4] if len(parts) == 5 else None
        well = word and len(parts) <= 5 and isinstance(attributes, dict) and _is_number(parts[3])
        if well and (state is None or isinstance(state, dict)):
            named = cast("dict[str, str]", attributes)
            if all(map(_is_text, named.values())):
                bits = cast("int", parts[3])
                return Node(number, parent, word, named, bits, "", cast("dict[str, object] | None", state))
    raise UsageError(f"node {number} of a document is malformed")


def _is_number(value: object) -> bool:
    return type(value) is int


def _is_text(value: object) -> bool:
    return type(value) is str


_NOTHING: Mapping[str, str] = {}
