"""The text that names are made of: of an element what is read out of it, pictures and labels of its parts included."""

from collections.abc import Mapping, Sequence

from exactchange_adapters.browser.document import APART, BOXED, INSET, LINE_TAGS, SEEN, SHADOW, Document, Node

_NO_WIDTH: Mapping[int, None] = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_HOLD_NO_WORDS = frozenset(
    "audio canvas datalist iframe input meter object optgroup option progress select template textarea video".split()
)
"""What these hold is a value, or is shown only where they cannot be: no part of what is around them."""

_LETTERS_A_LOOK = 64
"""A long text is as much work as several nodes."""


def spoken(document: Document, number: int, *, hidden: bool = False, own: bool = False, skip: int = -1) -> str:
    """The text of an element as it is read out, white space as it comes; by https://www.w3.org/TR/accname-1.2/ 2F.

    `hidden`: also what is not laid out. `own`: a label that the element has of its own is its text. `skip`: number of
    an element whose content is left out. What is typed or chosen in a control in it is no part: it is state.
    Raises OverBudget where the names of the document are too much work.
    """
    out: list[str] = []
    todo = [number]
    in_a_tree = document.nodes[number].attributes.get("role") == "treeitem"
    while todo:
        here = todo.pop()
        if here < 0:
            out.append(" ")
            continue
        node = document.nodes[here]
        document.look(1 + len(node.text) // _LETTERS_A_LOOK)
        if not node.tag:
            out.append(_words(document, node, hidden))
        elif here != skip and not (here != number and _is_silent(node, hidden, in_a_tree)):
            said = _said(document, node) if own or here != number else ""
            if node.tag in LINE_TAGS or node.bits & (APART | INSET) or said:
                out.append(" ")
                todo.append(-1)
            if said:
                out.append(said)
            else:
                todo += _flat(document, node)[::-1]
    return "".join(out)


def _flat(document: Document, node: Node) -> Sequence[int]:
    """What stands in an element as the page is laid out: of a host its shadow tree, of a slot what it was given."""
    below = document.children[node.number]
    if below and document.nodes[below[0]].tag == SHADOW:
        return below[:1]
    root = document.scopes[node.number]
    if node.tag != "slot" or root < 0:
        return below
    wanted = node.attributes.get("name", "")
    beside = [document.nodes[number] for number in document.children[document.nodes[root].parent]]
    document.look(len(beside))
    given = [it.number for it in beside if it.tag != SHADOW and it.attributes.get("slot", "") == wanted]
    return given or below


def _words(document: Document, node: Node, hidden: bool) -> str:
    above = document.nodes[node.parent]
    if not hidden and not above.bits & (BOXED if above.tag == SHADOW else SEEN):
        return " " if node.text.isspace() else ""
    return node.text if node.text.isascii() else node.text.translate(_NO_WIDTH)


def _is_silent(node: Node, hidden: bool, in_a_tree: bool) -> bool:
    if in_a_tree and node.attributes.get("role") == "group":
        return True  # the items below one are no part of it
    if node.tag in _HOLD_NO_WORDS or (node.state is not None and node.state.get("e") is True):
        return not node.attributes.get("aria-label")
    return not hidden and node.attributes.get("aria-hidden") == "true"


def _said(document: Document, node: Node) -> str:
    """What is said of a part in place of what it holds; "" where nothing is."""
    if not node.attributes:
        return _title_of(document, node) if node.tag == "svg" else ""
    label = node.attributes.get("aria-label", "").strip()
    if label or node.tag not in ("img", "svg"):
        return label
    return node.attributes.get("alt", "") if node.tag == "img" else _title_of(document, node)


def _title_of(document: Document, drawing: Node) -> str:
    below = (document.nodes[number] for number in document.children[drawing.number])
    title = next((node for node in below if node.tag == "title"), None)
    texts = [] if title is None else [document.nodes[number].text for number in document.children[title.number]]
    return "".join(texts)
