"""Which origins were open: what one keeps is read while a tab or frame of it is there, and only then."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from exactchange.address import lookup
from exactchange.snapshot import Snapshot
from exactchange.values import ABSENT
from exactchange_adapters.browser.snapshot import PageSnapshot

_STORING = ("http", "https", "file")


def left_origins(captures: Sequence[Snapshot]) -> list[tuple[str, int]]:
    """The origins that some capture shows and the last one does not, each with the last position that does.

    Those whose tabs or frames could not be read are no business of this: that is unread.
    """
    last: dict[str, int] = {}
    for position, snapshot in enumerate(captures):
        last |= dict.fromkeys(sorted(_origins(snapshot)), position)
    return [(origin, position) for origin, position in last.items() if position < len(captures) - 1]


def _origins(snapshot: Snapshot) -> set[str]:
    if not isinstance(snapshot, PageSnapshot) or snapshot.tree is ABSENT:
        return set()
    urls = (lookup(snapshot.tree, (*document.path, "@url")) for document in snapshot.documents)
    return {_origin(url) for url in urls if isinstance(url, str)} - {""}


def _origin(url: str) -> str:
    """Scheme, host and port; "" of what keeps nothing, or has no address of its own."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in _STORING else ""
