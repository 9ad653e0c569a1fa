"""The facets of a page: which of them a place belongs to, and which of them the closed world covers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exactchange.values import Path
from exactchange_adapters.browser.keys import STATES

ALWAYS = ("cookies", "storage", "downloads")
"""What is closed without saying so: state that outlives the page."""
OPTIONAL = ("controls", "text", "url", "title", "tabs", "requests", "dialogs", "console", "permissions", "canvas")
"""What `closed:` may add."""
NO_ELEMENTS = frozenset({*ALWAYS, "content", "requests", "dialogs", "console", "permissions", "canvas"})
"""In what no selector finds anything."""

OLDER_STORES: Sequence[Path] = tuple(("@storage", kind) for kind in ("indexeddb", "caches", "files", "workers"))
"""What is unread as a whole in recordings that were made before it was read."""
_FACETS: Mapping[str, str] = {
    "@url": "url",
    "@loaded": "structure",
    "@title": "title",
    "@text": "text",
    "@rows": "text",
    "@name": "structure",  # the name that can be seen is part of the text already; one change must not count twice
    "@label": "structure",
    "@description": "structure",
    "@disabled": "structure",
    "@structure": "structure",  # of saved pages: where their elements lead
    "@type": "structure",
    "@cookies": "cookies",
    "@storage": "storage",
    "@downloads": "downloads",
    "@downloaded": "content",  # comes with a download, which is closed; that it is not known does no harm of itself
    "@requests": "requests",
    "@dialogs": "dialogs",
    "@console": "console",
    "@permissions": "permissions",
    "@canvas": "canvas",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A path taken apart: the tab and frame it is in, the element or facet, the field of it."""

    facet: str
    frame: Path
    element: Path
    field: str


def place_of(path: Path) -> Place:
    """Which facet a path belongs to: one of ALWAYS or OPTIONAL ("controls" for an element as a whole), "whole" for a
    tab or frame as a whole, "structure" for what nothing closes, "content" for what a downloaded file holds.
    """
    at = next((n for n, segment in enumerate(path) if str(segment) in _FACETS), len(path))
    inside = path[:at]
    frames = [n for n, segment in enumerate(inside) if segment in ("@frames", "@tabs", "@contexts")]
    start = _end_of_frame(inside, frames[-1]) if frames else 0
    frame, element = inside[:start], inside[start:]
    if at < len(path):
        facet = _FACETS[str(path[at])]
        if facet == "url" and path[:1] == ("@tabs",) and len(path) == 3:
            facet = "tabs"  # which tabs are open, and what they show
        return Place(facet, frame, element, _join(path[at:]))
    if not element:
        return Place("whole", frame, (), "")
    if str(element[-1]) in STATES:
        return Place("controls", frame, element[:-1], str(element[-1]))
    return Place("controls", frame, element, "")


def _end_of_frame(path: Path, start: int) -> int:
    """Where the key of a tab or frame ends: one segment with a key or an id, or a tag and one such segment."""
    for number in range(start + 1, len(path)):
        segment = str(path[number])
        if "=" in segment or segment.startswith("#"):
            return number + 1
    return len(path)


def _join(segments: Sequence[str | int]) -> str:
    return ".".join(str(segment) for segment in segments)


def in_closed_world(path: Path, closed: Sequence[str]) -> bool:
    """Whether nothing else may change at this place.

    The whole source is always in, and a tab or frame as a whole: what could not be read of it includes its storage.
    All databases, caches or workers of all origins are no place where anything changes, but one that an older recording
    did not read; in it nothing else than stored items was closed.
    """
    if path in OLDER_STORES:
        return False
    facet = place_of(path).facet
    return facet == "whole" or facet in ALWAYS or facet in closed


def scope_text(closed: Sequence[str]) -> str:
    """The closed facets for people: `cookies, storage, downloads`."""
    return ", ".join([*ALWAYS, *(facet for facet in OPTIONAL if facet in closed)])
