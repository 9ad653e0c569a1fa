"""A stored page as one file of HTML that a person can open: it shows what was there, and runs and asks for nothing.

Nothing of the page's markup is taken over. Every element is one of a few of ours, with a name of ours, and what the
page said stands in it as text: so no parser can find in it what was not put there, whatever the page had in mind.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exactchange.address import lookup
from exactchange.limits import CountedBudget
from exactchange.values import Path
from exactchange_adapters.browser.document import BOXED, CUT, SEEN, SHADOW, Document, Node, parse_document
from exactchange_adapters.browser.drawing import BLOCKS, drawn_control, escaped, is_left_out, marked, roles
from exactchange_adapters.browser.keys import keys_of
from exactchange_adapters.browser.portrait_css import STYLE, policy
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument

DEEPEST_FRAMES: Final = 20
"""What is in frames that are nested deeper stands at the end."""
_FRAMES: Final = frozenset("iframe frame object embed".split())
_ORDERS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def portrait(snapshot: PageSnapshot, *, title: str) -> str:
    """The file. `title`: what it is of, for people. Of other state than pages (cookies, storage) it shows nothing."""
    drawing = _Drawing({(item.tab, item.path): item for item in snapshot.documents})
    body = [f"<header><p><b>{_line(title)}</b></p>", *_about(snapshot), "</header><main>"]
    for stored in snapshot.documents:
        if (stored.tab, stored.path) not in drawing.done:
            body += ["<section><h2>", _line(_name(snapshot, stored)), '</h2><div class="page">']
            body += drawing.document(stored, 0)
            body.append("</div></section>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy())}">'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">'
        f"<title>{_line(title)}</title><style>{STYLE}</style></head><body>{''.join(body)}</main></body></html>\n"
    )


def _about(snapshot: PageSnapshot) -> Iterator[str]:
    yield "<p>A stored page, drawn without its own styles. Nothing here is live: no script, no link, no form.</p>"
    for item in snapshot.unread:
        yield f"<p>Not read: {_line(item.address or 'the whole page')}: {_line(item.reason)}</p>"
    yield '<p><label><input type="checkbox" id="all"> Show what a person could not see, too</label></p>'


def _name(snapshot: PageSnapshot, stored: StoredDocument) -> str:
    url = lookup(snapshot.tree, (*stored.path, "@url"))
    return f"tab {stored.tab}: {url if isinstance(url, str) else 'a page'}"


@dataclass
class _Open:
    """An element that is being drawn: what ends it, and which of its children are still to come."""

    end: str
    todo: list[int]


class _Drawing:
    """Draws documents, each with the frames in it where they stand."""

    def __init__(self, stored: Mapping[tuple[int, Path], StoredDocument]) -> None:
        self._stored = stored
        self.done: set[tuple[int, Path]] = set()

    def document(self, stored: StoredDocument, depth: int) -> Iterator[str]:
        """The pieces of the drawing of a document."""
        self.done.add((stored.tab, stored.path))
        document = parse_document(stored.text(), budget=CountedBudget())
        frames = keys_of(document, [node.number for node in document.nodes if node.tag in _FRAMES], {})
        stack = [_Open("", [0] if document.nodes else [])]
        while stack:
            if not stack[-1].todo:
                yield stack.pop().end
                continue
            node = document.nodes[stack[-1].todo.pop()]
            if not node.tag:
                yield _text(document, node)
            elif not is_left_out(node.tag):
                start, end, goes_in = _element(document, node)
                yield start
                if node.number in frames:
                    yield from self._frame((stored.tab, (*stored.path, "@frames", *frames[node.number])), node, depth)
                stack.append(_Open(end, document.children[node.number][::-1] if goes_in else []))

    def _frame(self, place: tuple[int, Path], owner: Node, depth: int) -> Iterator[str]:
        inner = self._stored.get(place)
        if inner is not None and place not in self.done and depth < DEEPEST_FRAMES:
            yield f'<div class="frame"><h3>frame {_line(owner.attributes.get("src", ""))}</h3><div class="page">'
            yield from self.document(inner, depth + 1)
            yield "</div></div>"


def _element(document: Document, node: Node) -> tuple[str, str, bool]:
    """How an element begins and ends, and whether what is in it is drawn."""
    if node.tag in ("br", "hr"):
        return ("<br>" if node.tag == "br" else "<hr>"), "", False
    control = drawn_control(document, node)
    if control is not None:
        hidden = "" if node.bits & BOXED else ' class="hidden"'
        return f"<span{hidden}>{control}</span>", "", False
    name = "div" if node.tag in BLOCKS else "span"
    classes = [*([] if node.bits & BOXED else ["hidden"]), *_classes(node)]
    attributes = f' class="{" ".join(classes)}"' if classes else ""
    attributes += "".join(f' {key}="{escaped(value)}"' for key, value in roles(node))
    return f"<{name}{attributes}>{marked(node)}", f"</{name}>", node.tag not in _FRAMES


def _classes(node: Node) -> Sequence[str]:
    """A name that the stylesheet knows, of the element's kind: never one of the page's."""
    known = [node.tag] if f".{node.tag}" in _NAMED else []
    return [*known, *(["editor"] if node.state is not None and node.state.get("e") else [])]


_NAMED: Final = frozenset(re.findall(r"\.[a-z]\w*", STYLE)) - {
    ".hidden",
    ".page",
    ".frame",
    ".state",
    ".secret",
    ".image",
}


def _text(document: Document, node: Node) -> str:
    text = escaped(node.text)
    above = document.nodes[node.parent] if node.parent >= 0 else None
    if above is None or (above.bits & BOXED if above.tag == SHADOW else above.bits & SEEN and not above.bits & CUT):
        return text
    return f'<span class="hidden">{text}</span>' if text.strip() else " "


def _line(text: str) -> str:
    """Text of a page's within a line of ours, where it turns nothing round."""
    return escaped(_ORDERS.sub("\ufffd", text))
