"""What the document of a frame says of its controls, pictures and lists, worked out before any of it is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from exactchange.values import Path, Value
from exactchange_adapters.browser.canvas import pictures
from exactchange_adapters.browser.document import Document
from exactchange_adapters.browser.keys import keys_of
from exactchange_adapters.browser.known import Known

_FRAMES: Final = frozenset("iframe frame object embed".split())


@dataclass(slots=True)
class Filling:
    """`tree`: what stands at the frame's place. `missing`: paths below it that are unread, with the reason.

    `frames`: keys of the elements that hold frames, by number.
    """

    tree: dict[str, Value]
    missing: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    frames: Mapping[int, Path] = field(default_factory=dict[int, Path])


def filling_of(known: Known, line: str) -> Filling:
    """All of a document that takes names to tell. `line`: its nodes as text.

    Raises OverBudget where the names take more work than a page of its size needs, UsageError where it is malformed.
    """
    document = known.fresh.document
    filling = Filling(dict(known.controls.tree), frames=_frames(document))
    _drawn(known, line, filling)
    _windows(known, filling)
    filling.tree["@text"] = known.lines
    return filling


def _frames(document: Document) -> Mapping[int, Path]:
    if _FRAMES.isdisjoint(document.tags):
        return {}
    return keys_of(document, [node.number for node in document.nodes if node.tag in _FRAMES], {})


def _drawn(known: Known, line: str, filling: Filling) -> None:
    """What is drawn: canvases, and editors of which the page holds the lines in view only."""
    canvases, undrawn = pictures(known.fresh.document, line)
    if canvases:
        filling.tree["@canvas"] = canvases
    filling.missing += [(("@canvas", *place), reason) for place, reason in undrawn]
    filling.missing += known.controls.undrawn


def _windows(known: Known, filling: Filling) -> None:
    """The rows that are there of lists that claim more: which others there are, and what they hold, is unread."""
    document = known.fresh.document
    labels = {window.number: document.nodes[window.number].attributes.get("aria-label", "") for window in known.windows}
    keys = keys_of(document, list(labels), labels)
    for window in known.windows:
        below = filling.tree
        for segment in ("@rows", *keys[window.number]):
            inner = below.get(str(segment))
            below[str(segment)] = inner = inner if isinstance(inner, dict) else {}
            below = inner
        below |= {row: "\n".join(document.lines(number)) for row, number in window.rows.items()}
        filling.missing.append((("@rows", *keys[window.number]), window.reason))
