"""How a walk's text comes out of a page: whole, or as what differs from the text that came before it.

The walk itself is always whole. The world in the page compares its text with the last one that it said, and a number
that no other world has says which one that was: where the two do not mean the same text, the whole one comes.
"""

import importlib.resources
import json
from dataclasses import dataclass
from functools import cache

MOST_NODES = 300_000
MOST_BYTES = 48 * 1024 * 1024
MOST_PIXELS = 4 * 1024 * 1024
"""Of all canvases of a document."""
LONGEST_TEXT = 64 * 1024
LONGEST_ATTRIBUTE = 2048
MOST_ATTRIBUTES = 1000
"""Of one element: the browser takes time that grows with the square of them."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a world said last. `serial` is its own name for it."""

    serial: str
    text: str


def asking(last: Said | None) -> str:
    """The expression that walks a frame. `last`: what was understood of its last answer."""
    return f"{_function()}({_limits()}, {json.dumps(last.serial if last is not None else '')})"


def understood(answer: str, last: Said | None) -> tuple[int, Said]:
    """How many elements may have closed shadow trees, and what was said. Raises ValueError when it makes no sense.

    An answer is a line of two or four words and the text: the count, the serial, and of a text that differs from the
    last one, how many characters they share at the head and at the tail.
    """
    line, _, text = answer.partition("\n")
    count, serial, *shared = line.split(" ")
    if not shared:
        return int(count), Said(serial, text)
    head, tail = map(int, shared)
    if last is None or not 0 <= head <= len(last.text) - tail <= len(last.text):
        raise ValueError("the answer refers to a text that was never said")
    if not text and head + tail == len(last.text):
        return int(count), Said(serial, last.text)
    return int(count), Said(serial, last.text[:head] + text + last.text[len(last.text) - tail :])


@cache
def _limits() -> str:
    return json.dumps(
        {
            "nodes": MOST_NODES,
            "bytes": MOST_BYTES,
            "text": LONGEST_TEXT,
            "attribute": LONGEST_ATTRIBUTE,
            "attributes": MOST_ATTRIBUTES,
            "pixels": MOST_PIXELS,
        }
    )


@cache
def _function() -> str:
    walk, sight, canvas = (_script(name) for name in ("walk.js", "sight.js", "canvas.js"))
    kept = 'Object.hasOwn(globalThis, "exactChangeWalk")'  # ids of elements are names in this world, too, but not own
    return f"({kept} ? globalThis.exactChangeWalk : ({walk})({sight}, {canvas}))"


def _script(name: str) -> str:
    """The function that a script is, without the words above it."""
    text = importlib.resources.files("exactchange_adapters.browser").joinpath(name).read_text(encoding="utf-8")
    return text[text.index("\n(") :].strip()
