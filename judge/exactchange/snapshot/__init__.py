"""Snapshots: a source's state at one mark, normalised and immutable."""

from exactchange.snapshot.model import (
    CLAIMED,
    START,
    Cause,
    Mark,
    Note,
    Snapshot,
    TreeSnapshot,
    Unread,
    lost,
    unread_whole,
)

__all__ = ["CLAIMED", "START", "Cause", "Mark", "Note", "Snapshot", "TreeSnapshot", "Unread", "lost", "unread_whole"]
