"""CSS selectors on the nodes of a document, by Lexbor, on exactly the tree that the browser had.

The tree is built node by node and not parsed: an HTML parser would move what a script had put where no parser does.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from typing import cast

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from exactchange.errors import UsageError
from exactchange_adapters.browser.defaults import option_value
from exactchange_adapters.browser.document import SHADOW, Document, Node, Sight

_NUMBER = "exactchange-number"  # set last, so that an attribute of the page that is called so means nothing

_QUOTED = re.compile(r"""\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_PSEUDO = re.compile(r":{1,2}([a-zA-Z-]+)")
_ATTRIBUTE = re.compile(r"\[\s*([\w-]+)")
_STATED = re.compile(r":(checked|disabled)(?![\w-])", re.IGNORECASE)
_MARKS: Mapping[str, str] = {"checked": "exactchange-checked", "disabled": "exactchange-disabled"}
"""Attributes of ours that stand for what Lexbor would ask of the markup, and of some elements only."""
# What the walk leaves out of every element; see walk.js.
_NOT_KEPT = re.compile(
    r"on.*|style|srcdoc|nonce|integrity|data-.*(?:passw|secret|token|csrf|xsrf|nonce|api-?key).*", re.IGNORECASE
)
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
    for name in _ATTRIBUTE.findall(bare):
        if (why := why_no_attribute(name)) is not None:
            return why
    try:
        LexborHTMLParser("").css(selector)
    except SelectolaxError as error:
        return str(error) or "not a CSS selector"
    return None


def why_no_attribute(name: str) -> str | None:
    """Why an attribute is in no stored page, None where it may be in one."""
    return f"the attribute {name} is not kept of a page" if _NOT_KEPT.fullmatch(name) else None


def _query(top: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return top.css(_whole(selector))
    except SelectolaxError as error:
        raise UsageError(f"not a CSS selector: {selector!r}: {error}") from error


def _whole(selector: str) -> str:
    """The selector with the attributes of ours for `:checked` and `:disabled`."""
    pieces, quoted = _QUOTED.split(selector), [*_QUOTED.findall(selector), ""]
    meant = (_STATED.sub(lambda match: f"[{_MARKS[match[1].lower()]}]", piece) for piece in pieces)
    return "".join(piece + end for piece, end in zip(meant, quoted, strict=True))


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

    @cached_property
    def _chosen(self) -> Set[int]:
        """Numbers of the entries that are chosen of their lists, as far as their values tell them apart."""
        found: set[int] = set()
        lists = [node for node in self._document.nodes if node.tag == "select" and node.state is not None]
        for node in lists:
            value = (node.state or {}).get("v")
            several = cast("list[object]", value) if isinstance(value, list) else [] if value is None else [value]
            left = Counter(map(str, several))
            for option in self._entries(node.number):
                text = " ".join(self._document.lines(option.number, sight=Sight.ANY))
                worth = option_value(option.attributes, text)
                if left[worth] > 0:
                    left[worth] -= 1
                    found.add(option.number)
        return found

    def _entries(self, number: int) -> Iterator[Node]:
        for child in self._document.children[number]:
            node = self._document.nodes[child]
            if node.tag == "option":
                yield node
            elif node.tag == "optgroup":
                yield from self._entries(child)

    def _describe(self, node: Node, made: LexborNode) -> None:
        for name, value in node.attributes.items():
            made.attrs[name] = value
        made.attrs[_NUMBER] = str(node.number)
        self._live(node, made)

    def _live(self, node: Node, made: LexborNode) -> None:
        """What `:checked`, `:disabled` and `[open]` ask for is the state now, not what the markup said."""
        state = node.state or {}
        if state.get("o") is True:
            made.attrs["open"] = ""
        elif "o" in state and "open" in made.attributes:
            del made.attrs["open"]
        checked = state.get("c") is True or node.number in self._chosen
        disabled = state.get("d") is True or self._is_off(node)
        for name, holds in ((_MARKS["checked"], checked), (_MARKS["disabled"], disabled)):
            if holds:
                made.attrs[name] = ""
            elif name in node.attributes:
                del made.attrs[name]

    def _is_off(self, node: Node) -> bool:
        """Of what is no control: entries of lists, their groups, and groups of fields."""
        if node.tag == "option" and node.parent >= 0:
            above = self._document.nodes[node.parent]
            return "disabled" in node.attributes or (above.tag == "optgroup" and "disabled" in above.attributes)
        return node.tag in ("optgroup", "fieldset") and "disabled" in node.attributes
