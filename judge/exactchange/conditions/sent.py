"""The requests that a page's recorder heard of, as its captures show them."""

from collections.abc import Mapping, Sequence
from typing import Final

from exactchange.case import Evidence
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.values import Value

REQUESTS: Final = "@requests"


def requests(evidence: Evidence, snapshot: Snapshot) -> list[Mapping[str, Value]]:
    """All requests up to a capture, in the order in which they began; none of a source that is no page."""
    tree = None if unread_whole(snapshot) else evidence.kind.row_at(snapshot, ())
    items = (tree or {}).get(REQUESTS)
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, Sequence) else []


def requests_unread(source: str, snapshot: Snapshot) -> str:
    """Why the requests up to a capture are not known, for people; empty when they are."""
    found = (item for item in snapshot.unread if not item.path or item.path[0] == REQUESTS)
    return next((f"{source}: requests are unread: {item.reason}" for item in found), "")
