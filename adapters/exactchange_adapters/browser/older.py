"""Recordings made before a facet was read: of them it is unread, and never as if nothing had been there."""

from collections.abc import Mapping
from dataclasses import replace

from exactchange.address import Style, format_path
from exactchange.snapshot import Unread
from exactchange_adapters.browser.snapshot import PageSnapshot

OLDER = "the recording was made before this was read; record it again"
_ALWAYS_THERE = ("@dialogs", "@console", "@permissions")
"""What every snapshot has, with something in it or not."""


def told(snapshot: PageSnapshot) -> PageSnapshot:
    """A loaded snapshot, saying what an older version did not read."""
    tree = snapshot.tree
    if not isinstance(tree, Mapping) or not tree or "@requests" not in tree:
        return snapshot  # nothing was read
    lacking = [facet for facet in _ALWAYS_THERE if facet not in tree]
    lacking += ["@canvas"] if lacking else []
    unread = [Unread((facet,), format_path((facet,), style=Style.PAGE), OLDER) for facet in lacking]
    return replace(snapshot, unread=(*snapshot.unread, *unread)) if unread else snapshot


def is_older(snapshot: PageSnapshot) -> bool:
    """Whether a snapshot was recorded by a version that read less, and may call elements by other addresses."""
    return any(item.reason == OLDER for item in snapshot.unread)


def as_recorded(snapshot: PageSnapshot) -> PageSnapshot:
    """The snapshot as it was before `told`: what is stored is what was read."""
    unread = tuple(item for item in snapshot.unread if item.reason != OLDER)
    return snapshot if len(unread) == len(snapshot.unread) else replace(snapshot, unread=unread)
