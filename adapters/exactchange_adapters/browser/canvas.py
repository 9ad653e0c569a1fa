"""What is drawn on the canvases of a document, by hash."""

import re
from collections.abc import Callable
from typing import Final

from exactchange.values import Path, Value
from exactchange_adapters.browser.document import BOXED, Document
from exactchange_adapters.browser.keys import keys_of

PIXELS: Final = "@pixels"
BLANK: Final = "blank"
DOUBTFUL: Final = "it is blank, or drawn by WebGL, whose picture the browser does not keep"
_PICTURE: Final = re.compile(r'"x":"(data:image/png;base64,[A-Za-z0-9+/=]*)"')
_BEGINS: Final = '"x":"data:image/png;base64,'


def hashed(line: str, digest: Callable[[str], str]) -> str:
    """A line of nodes with the hash of every picture in its place. `digest` is keyed: few pictures are easily tried."""
    return _PICTURE.sub(lambda found: f'"x":"{digest(found[1])[:32]}"', line) if _BEGINS in line else line


def pictures(document: Document, line: str) -> tuple[dict[str, Value], list[tuple[Path, str]]]:
    """What stands below `@canvas` of a document, and what is unread of it, as paths there, with the reason.

    `line`: the document's nodes as text, since most have no canvas. What a blank one shows is unread beside it:
    so that it was blank and is no more can be told, and that nothing changed cannot.
    """
    tree: dict[str, Value] = {}
    missing: list[tuple[Path, str]] = []
    if '"canvas"' not in line:
        return tree, missing
    drawn = {node.number: node.state for node in document.nodes if node.tag == "canvas" and node.state is not None}
    labels = {number: document.nodes[number].attributes.get("aria-label", "") for number in drawn}
    for number, path in keys_of(document, list(drawn), labels).items():
        state = drawn[number]
        if "y" in state:
            missing.append(((*path, PIXELS), str(state["y"])))
        elif "x" in state:
            _put(tree, path, str(state["x"]))
            if state["x"] == BLANK and document.nodes[number].bits & BOXED:
                missing.append(((*path, "@drawn"), DOUBTFUL))
    return tree, missing


def _put(tree: dict[str, Value], path: Path, picture: str) -> None:
    for segment in path:
        below = tree.setdefault(str(segment), {})
        assert isinstance(below, dict)
        tree = below
    tree[PIXELS] = picture
