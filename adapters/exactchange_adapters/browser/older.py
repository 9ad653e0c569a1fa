"""Recordings made when less was read, or elements had other addresses: of them it is unread, never as if it was not."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from exactchange.address import Style, format_path, lookup
from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Unread
from exactchange.values import ABSENT, Path, Value
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import parse_document
from exactchange_adapters.browser.facets import OLDER_STORES
from exactchange_adapters.browser.keys import STATES
from exactchange_adapters.browser.snapshot import READS, PageSnapshot, StoredDocument

OLDER = "the recording was made before this was read; record it again"
RENAMED = "the recording was made when this had another address; record it again"
_ALWAYS_THERE = ("@dialogs", "@console", "@permissions")
"""What every snapshot has, with something in it or not."""


def told(snapshot: PageSnapshot, *, budget: Budget) -> PageSnapshot:
    """A loaded snapshot, saying what an older version did not read, and what of it had other addresses."""
    tree = snapshot.tree
    if not isinstance(tree, Mapping) or not tree or "@requests" not in tree:
        return snapshot  # nothing was read
    lacking: list[Path] = [(facet,) for facet in _ALWAYS_THERE if facet not in tree]
    lacking += [("@canvas",), *OLDER_STORES] if lacking else [("@storage", "files")] if is_older(snapshot) else []
    lacking += [("@downloaded",)] if tree.get("@downloads") and "@downloaded" not in tree else []
    unread = [_unread(path, OLDER) for path in lacking]
    if is_older(snapshot):
        unread += [item for document in snapshot.documents for item in _otherwise(tree, document, budget)]
    return replace(snapshot, unread=(*snapshot.unread, *unread)) if unread else snapshot


def is_older(snapshot: PageSnapshot) -> bool:
    """Whether a snapshot was recorded by a version that read less, or may have called elements by other addresses."""
    return snapshot.reads < READS


def as_recorded(snapshot: PageSnapshot) -> PageSnapshot:
    """The snapshot as it was before `told`: what is stored is what was read."""
    unread = tuple(item for item in snapshot.unread if not item.reason.endswith((OLDER, RENAMED)))
    return snapshot if len(unread) == len(snapshot.unread) else replace(snapshot, unread=unread)


def _otherwise(tree: Mapping[str, Value], stored: StoredDocument, budget: Budget) -> Iterator[Unread]:
    """The controls of a document that stand elsewhere in the tree or otherwise than they would today: by today's
    addresses. Raises UsageError when the document is malformed.
    """
    try:
        controls = Controls(parse_document(stored.text(), budget=budget))
    except ValueError as error:
        raise UsageError(f"a stored document cannot be read: {error}") from error
    here = lookup(tree, stored.path)
    if isinstance(here, Mapping) and "@url" in here and "@loaded" not in here:
        yield _unread((*stored.path, "@loaded"), OLDER)
    for path, why in controls.undrawn:
        yield _unread((*stored.path, *path), f"{why}; {OLDER}")
    for control in controls.all:
        path = (*stored.path, *control.path)
        there = lookup(tree, path)
        if not isinstance(there, Mapping):
            yield _unread(path, RENAMED)
            continue
        for name, value in control.leaves.items():
            if name in STATES and there.get(name, ABSENT) != value:
                yield _unread((*path, name), RENAMED)


def _unread(path: Path, reason: str) -> Unread:
    return Unread(path, format_path(path, style=Style.PAGE), reason)
