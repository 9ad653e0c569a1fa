"""Which origins were open: what one keeps is read while a tab or frame of it is there, or once afterwards."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from exactchange.address import lookup
from exactchange.snapshot import Snapshot
from exactchange.values import ABSENT
from exactchange_adapters.browser.snapshot import PageSnapshot

_STORING = ("http", "https", "file")
READ_AFTER = "read after it was left: "
"""How a note begins of an origin that no document showed any more; its session storage is not read so."""


def left_origins(captures: Sequence[Snapshot]) -> list[tuple[str, int, bool]]:
    """The origins that some capture shows and the last one does not, each with the last position that does, and whether
    it was read again after that.

    Those whose tabs or frames could not be read are no business of this: that is unread.
    """
    last: dict[str, int] = {}
    after: dict[str, int] = {}
    for position, snapshot in enumerate(captures):
        last |= dict.fromkeys(sorted(_origins(snapshot)), position)
        told = (note.message for note in snapshot.notes if note.kind == "left")
        after |= {said.removeprefix(READ_AFTER): position for said in told if said.startswith(READ_AFTER)}
    left = [(origin, position) for origin, position in last.items() if position < len(captures) - 1]
    return [(origin, position, after.get(origin, -1) > position) for origin, position in left]


def _origins(snapshot: Snapshot) -> set[str]:
    if not isinstance(snapshot, PageSnapshot) or snapshot.tree is ABSENT:
        return set()
    urls = (lookup(snapshot.tree, (*document.path, "@url")) for document in snapshot.documents)
    return {origin_of(url) for url in urls if isinstance(url, str)} - {""}


def origin_of(url: str) -> str:
    """Scheme, host and port; "" of what keeps nothing, or has no address of its own."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in _STORING else ""
