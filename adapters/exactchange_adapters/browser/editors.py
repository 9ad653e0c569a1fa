"""Editors that draw their text themselves, or only the lines in view: what they hold, as far as their markup tells.

They are known by the names of classes that their makers document for themes: CodeMirror 5 and 6, Ace, Monaco. A class
that somebody else gives such a name adds a place that is read or unread, and takes none away.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from exactchange_adapters.browser.document import BOXED, Document
from exactchange_adapters.browser.nodes import Node

IN_VIEW: Final = "only the lines in view are drawn"
HIDDEN: Final = "it draws its text only where it is seen"
FOLDED: Final = "something stands in place of a part of its text"

_Below = Mapping[str, Sequence[Node]]
"""The elements below an editor, by the names of their classes."""
_BARS = ("CodeMirror-vscrollbar", "ace_scrollbar-v")
"""Shown where there is more than what is in view."""
_FOLDS = ("CodeMirror-foldmarker", "CodeMirror-widget", "ace_fold", "cm-foldPlaceholder", "cm-specialChar")
_LINES = ("cm-line", "CodeMirror-line", "ace_line_group", "ace_line")
"""Of those that are there, the first are the lines."""
_DRAWING = frozenset(["CodeMirror", "ace_editor", "monaco-editor"])
_NAMES = _DRAWING.union(_BARS, _FOLDS, _LINES, ["cm-gap"])
_DRAWN = str.maketrans({"\u200b": None, "\xa0": " "})
"""An empty line is drawn with a space of no width, and spaces as such that do not break."""


class Editors:
    """The editors of one document by the number of their element: the text of each, or why it cannot be told."""

    def __init__(self, document: Document) -> None:
        self.texts: dict[int, str] = {}
        self.unread: dict[int, str] = {}
        for number, below in _found(document):
            editor = document.nodes[number]
            typed_into = _is_editable(editor)
            reason = _typed_into(below) if typed_into else _drawn(editor, below)
            if reason:
                self.unread[number] = reason
            elif lines := next((below[name] for name in _LINES if name in below), ()):
                text = "\n".join(_raw(document, line, drawn=not typed_into) for line in lines)
                # What is typed stands in its value alone: nothing that somebody puts beside the lines may be lost.
                if not typed_into or text.split() == "".join(_pieces(document, editor, lines)).split():
                    self.texts[number] = text

    def __contains__(self, number: int) -> bool:
        return number in self.texts or number in self.unread


def _found(document: Document) -> Iterator[tuple[int, _Below]]:
    """Each editor of these kinds with the parts that it is made of."""
    classes = {node.attributes["class"] for node in document.nodes if "class" in node.attributes}
    if _NAMES.isdisjoint(name for text in classes for name in text.split()):
        return
    parts: dict[int, dict[str, list[Node]]] = {}
    for node in document.nodes:
        for name in _NAMES.intersection(_classes(node)):
            for above in (node, *document.ancestors(node.number)):
                if _is_editable(above) or not _DRAWING.isdisjoint(_classes(above)):
                    parts.setdefault(above.number, {}).setdefault(name, []).append(node)
    yield from parts.items()


def _classes(node: Node) -> Sequence[str]:
    return node.attributes.get("class", "").split()


def _is_editable(node: Node) -> bool:
    return node.state is not None and node.state.get("e") is True


def _typed_into(below: _Below) -> str:
    """Why the text of an element that can be edited is not all there."""
    if any(name in below for name in _FOLDS):
        return FOLDED
    return IN_VIEW if "cm-gap" in below or "CodeMirror-line" in below else ""


def _drawn(editor: Node, below: _Below) -> str:
    """Why the text of an editor that draws it is not all there: it is where it says that there is nothing to scroll."""
    if not editor.bits & BOXED:
        return HIDDEN
    if any(name in below for name in _FOLDS):
        return FOLDED
    bars = [node for name in _BARS for node in below.get(name, ())]
    return "" if bars and not any(node.bits & BOXED for node in bars) else IN_VIEW


def _raw(document: Document, line: Node, *, drawn: bool) -> str:
    """The text of one line as it was typed. `drawn`: by an editor that says what it draws a picture of."""
    out: list[str] = []
    stack = [line.number]
    while stack:
        node = document.nodes[stack.pop()]
        if drawn and "cm-text" in node.attributes:  # a tab, or a character that has no picture
            out.append(node.attributes["cm-text"])
        elif node.tag:
            stack += reversed(document.children[node.number])
        else:
            out.append(node.text.translate(_DRAWN))
    return "".join(out)


def _pieces(document: Document, editor: Node, lines: Sequence[Node]) -> Iterator[str]:
    """All text of an editor in its order, with what is in none of its lines."""
    begins = {line.number for line in lines}
    stack = [editor.number]
    while stack:
        node = document.nodes[stack.pop()]
        if node.number in begins:
            yield "\n"
        if node.tag:
            stack += reversed(document.children[node.number])
        else:
            yield node.text.translate(_DRAWN)
