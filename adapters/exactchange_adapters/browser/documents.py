"""Which document stood where: pages and frames come and leave, and each is judged as it last was."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from exactchange.address import Style, format_path, key_segment, lookup
from exactchange.snapshot import Snapshot, Unread
from exactchange.sources import Span
from exactchange.values import Path, State, Value
from exactchange_adapters.browser.facets import place_of
from exactchange_adapters.browser.snapshot import STRANGE, PageSnapshot, StoredDocument

_NOT_ITS_OWN = frozenset(
    "@frames @tabs @contexts @cookies @storage @permissions @downloads @downloaded @requests @dialogs @console".split()
)
"""What stands beside a document's own things in the tree, and outlives it or is another document's."""
_NAMELESS = "the recording does not tell which document this is"


@dataclass
class _Seen:
    stood: list[tuple[int, StoredDocument]] = field(default_factory=list[tuple[int, StoredDocument]])


def spans(captures: Sequence[Snapshot]) -> list[Span]:
    """The documents of the captures, in the order of first sight; none where no capture stores any."""
    found: dict[tuple[str, Path], _Seen] = {}
    for position, snapshot in enumerate(captures):
        for stored in _documents(snapshot):
            name = (stored.identity, () if stored.identity else stored.path)  # without identity: one for each place
            found.setdefault(name, _Seen()).stood.append((position, stored))
    return [_span(seen.stood, captures) for seen in found.values()]


def alone(snapshot: PageSnapshot, path: Path, *, placed: Path) -> PageSnapshot:
    """The page with nothing in it but what the document at a path holds itself, standing at another path."""
    found = lookup(snapshot.tree, path)
    own = {k: v for k, v in found.items() if k not in _NOT_ITS_OWN} if isinstance(found, Mapping) else {}
    tree: Value = own
    for segment in reversed(placed):
        tree = {str(segment): tree}
    return replace(
        snapshot,
        tree=tree,
        unread=tuple(_moved(snapshot.unread, path, placed)),
        documents=tuple(replace(item, path=placed) for item in snapshot.documents if item.path == path),
    )


def document_of(path: Path, closed: Sequence[str]) -> Path | None:
    """The path of the document that a control is in, where controls are closed; None for anything else."""
    if "controls" not in closed:
        return None
    place = place_of(path)
    return place.frame if place.facet == "controls" else None


def _documents(snapshot: Snapshot) -> Sequence[StoredDocument]:
    return snapshot.documents if isinstance(snapshot, PageSnapshot) else ()


def _span(stood: Sequence[tuple[int, StoredDocument]], captures: Sequence[Snapshot]) -> Span:
    (first, begun), (last, ended) = stood[0], stood[-1]
    title = _url(captures[last], ended)
    places = tuple((position, stored.path) for position, stored in stood)
    if not ended.identity:
        return Span(places, title, None, _unread(ended, _NAMELESS))
    came = _hidden(first - 1, begun, captures, f"{title}: how it was when it came is not known")
    went = _hidden(last + 1, ended, captures, f"{title}: how it last was is not known")
    return Span(places, title, came, went)


def _url(snapshot: Snapshot, stored: StoredDocument) -> str:
    tree: State = snapshot.tree if isinstance(snapshot, PageSnapshot) else {}
    url = lookup(tree, (*stored.path, "@url"))
    return url if isinstance(url, str) else ""


def _hidden(position: int, stored: StoredDocument, captures: Sequence[Snapshot], what: str) -> Unread | None:
    """Why a document may be in a capture that does not show it: what could not be read there may be it."""
    if not 0 <= position < len(captures):
        return None
    snapshot = captures[position]
    places = list(_places(stored))
    step = snapshot.mark.step
    for item in snapshot.unread:
        stranger = item.reason == STRANGE  # a tab that nobody could look into may be any
        if stranger or any(place[: len(item.path)] == item.path for place in places):
            why = f"after step {step} {item.reason}" if step else f"before the first step {item.reason}"
            return replace(_unread(stored, f"{what}: {why}"), cause=item.cause)
    return None


def _places(stored: StoredDocument) -> Iterator[Path]:
    """Where it may stand: a tab is at the top while it is the first one, and else has a place of its own."""
    root = stored.path[:2] if stored.path[:1] == ("@tabs",) else ()
    inside = stored.path[len(root) :]
    yield inside
    yield ("@tabs", key_segment([("n", stored.tab)]), *inside)


def _unread(stored: StoredDocument, reason: str) -> Unread:
    return Unread(stored.path, format_path(stored.path, style=Style.PAGE), reason)


def _moved(unread: Sequence[Unread], path: Path, placed: Path) -> Iterator[Unread]:
    """What is unread of a document's own things, in its new place."""
    for item in unread:
        rest = item.path[len(path) :]
        if item.path[: len(path)] == path and rest and rest[0] not in _NOT_ITS_OWN:
            there = (*placed, *rest)
            yield replace(item, path=there, address=format_path(there, style=Style.PAGE))
