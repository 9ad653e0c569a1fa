"""CSS selectors on the nodes of a document, by Lexbor, on exactly the tree that the browser had.

The tree is built node by node and not parsed: an HTML parser would move what a script had put where no parser does.
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from exactchange.errors import UsageError
from exactchange_adapters.browser.document import SHADOW, Document, Node

_NUMBER = "exactchange-number"  # set last, so that an attribute of the page that is called so means nothing

_QUOTED = re.compile(r"""\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_PSEUDO = re.compile(r":{1,2}([a-zA-Z-]+)")
# Of these, Lexbor's answer is a browser's, which a test compares; it answers wrongly or not at all to some others.
_KNOWN = frozenset(
    "has is not where first-child last-child only-child nth-child nth-last-child first-of-type last-of-type "
    "only-of-type nth-of-type nth-last-of-type root checked disabled".split()
)


def css_numbers(document: Document, selector: str) -> list[int]:
    """Numbers of the elements that a selector stands for, in document order; in the document and in each shadow tree.

    As in a browser, a selector does not reach into a shadow tree from outside. Raises UsageError when it is none.
    """
    found: set[int] = set()
    for top in _Trees(document).tops():
        for node in _query(top, selector):
            number = node.attributes.get(_NUMBER)
            if number is not None:
                found.add(int(number))
    return sorted(found)


def why_no_selector(selector: str) -> str | None:
    """Why a text is no CSS selector that can be answered here, None when it is one."""
    bare = _QUOTED.sub("", selector)
    for name in _PSEUDO.findall(bare):
        if name.lower() not in _KNOWN:
            instead = "; write :not(:disabled)" if name.lower() == "enabled" else ""
            return f":{name} cannot be told of a stored page{instead}"
    try:
        LexborHTMLParser("").css(selector)
    except SelectolaxError as error:
        return str(error) or "not a CSS selector"
    return None


def _query(top: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return top.css(selector)
    except SelectolaxError as error:
        raise UsageError(f"not a CSS selector: {selector!r}: {error}") from error


class _Trees:
    def __init__(self, document: Document) -> None:
        self._document = document

    def tops(self) -> Iterator[LexborHTMLParser]:
        """One tree for the document and one for each shadow tree."""
        nodes = self._document.nodes
        if nodes and nodes[0].tag == "html":
            yield self._tree(0, document=True)
        for node in nodes:
            if node.tag == SHADOW:
                yield self._tree(node.number, document=False)

    def _tree(self, top: int, *, document: bool) -> LexborHTMLParser:
        tree = LexborHTMLParser("<!doctype html><html></html>")
        root = tree.root
        assert root is not None
        for child in list(root.iter(include_text=True)):
            child.decompose()
        if document:
            self._describe(self._document.nodes[top], root)
        todo = [(number, root) for number in reversed(self._document.children[top])]
        while todo:
            number, above = todo.pop()
            node = self._document.nodes[number]
            if not node.tag or node.tag == SHADOW:
                continue
            made = tree.create_node(node.tag)
            self._describe(node, made)
            above.insert_child(made)
            inserted = above.last_child  # what was inserted is a copy
            assert inserted is not None
            todo += [(child, inserted) for child in reversed(self._document.children[number])]
        return tree

    def _describe(self, node: Node, made: LexborNode) -> None:
        for name, value in node.attributes.items():
            made.attrs[name] = value
        made.attrs[_NUMBER] = str(node.number)
        self._live(node, made)

    def _live(self, node: Node, made: LexborNode) -> None:
        """What `:checked`, `:disabled` and `[open]` ask for is the state now, not what the markup said."""
        state = node.state or {}
        for field, attribute in (("c", "checked"), ("o", "open")):
            if state.get(field) is True:
                made.attrs[attribute] = ""
            elif field in state and attribute in made.attributes:
                del made.attrs[attribute]
        if state.get("d") is True:
            made.attrs["disabled"] = ""
