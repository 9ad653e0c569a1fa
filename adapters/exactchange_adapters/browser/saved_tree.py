"""The tree of a saved page: its documents in the places that they have in a live page, without secrets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, cast

from exactchange.address import Style, format_path
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark, Unread
from exactchange.values import Path, Value
from exactchange_adapters.browser.hiding import Hiding
from exactchange_adapters.browser.keys import keys_of
from exactchange_adapters.browser.known import Known, know
from exactchange_adapters.browser.markup import FRAMES
from exactchange_adapters.browser.saved_frames import SavedFrame
from exactchange_adapters.browser.saved_notes import leads_of
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack


class SavedTree(TypedDict):
    """What was made of a page: its tree, the paths and nodes of its documents, what is unread of it and why.

    `styled`: whether stylesheets may hide what counts as seen. It is told from one process to another as JSON.
    """

    tree: dict[str, Value]
    documents: list[tuple[Path, str]]
    unread: list[tuple[Path, str]]
    styled: bool


def tree_of(frames: Sequence[SavedFrame], secrecy: Secrecy) -> SavedTree:
    """The page that these documents make. Raises OverBudget where it is too much."""
    if frames[0].why:
        return {"tree": {}, "documents": [], "unread": [((), frames[0].why)], "styled": False}
    made = _Made(secrecy)
    for frame in frames:
        made.add(frame)
    if not frames[0].url:
        made.tree.pop("@url", None)
    made.tree["@structure"] = made.leads
    page = _veiled(made)
    return {
        "tree": dict(cast("Mapping[str, Value]", page.tree)),
        "documents": [(document.path, document.text()) for document in page.documents],
        "unread": [(part.path, part.reason) for part in page.unread],
        "styled": any(frame.styled for frame in frames),
    }


def _veiled(made: "_Made") -> PageSnapshot:
    """The page without its secrets wherever else they stand in it, as of a live one."""
    unread = [Unread(place, format_path(place, style=Style.PAGE), why, "content") for place, why in made.unread]
    documents = [StoredDocument(place, pack(nodes)) for place, nodes in made.documents]
    page = PageSnapshot("browser", made.tree, Mark(), tuple(unread), documents=tuple(documents))
    return Hiding(made.secrecy.veil).over(page)


@dataclass
class _Made:
    """Puts the documents of a page in their places, which are those that they have in a live page."""

    secrecy: Secrecy
    tree: dict[str, Value] = field(default_factory=dict[str, Value])
    leads: list[Value] = field(default_factory=list[Value])
    places: list[tuple[dict[str, Value], Path, Mapping[int, Path]]] = field(
        default_factory=list[tuple[dict[str, Value], Path, Mapping[int, Path]]]
    )
    documents: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    unread: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])

    def add(self, frame: SavedFrame) -> None:
        """A document, after the one that it stands in."""
        here, path = self._place(frame)
        here["@url"] = self.secrecy.url(frame.url)
        keys: Mapping[int, Path] = {}
        if frame.why:
            self.unread.append((path, frame.why))
        else:
            known = know(
                frame.nodes,
                hide=self.secrecy.hide,
                budget=CountedBudget(),
                before=None,
                typed=self.secrecy.veil.typed,
            )
            self.secrecy.names |= known.fresh.secret_names
            document = known.fresh.document
            keys = keys_of(document, [node.number for node in document.nodes if node.tag in FRAMES], {})
            here |= {**known.controls.tree, "@text": known.lines}
            if not path:
                here["@title"] = frame.title
            self._lists(known, here, path)
            self.leads += leads_of(document, hide=self.secrecy.url)
            self.documents.append((path, known.fresh.text))
        self.places.append((here, path, keys))

    def _place(self, frame: SavedFrame) -> tuple[dict[str, Value], Path]:
        if frame.parent < 0:
            return self.tree, ()
        here, path, keys = self.places[frame.parent]
        place = ("@frames", *keys[frame.owner])
        for segment in place:
            below = here.setdefault(str(segment), {})
            assert isinstance(below, dict)
            here = below
        return here, (*path, *place)

    def _lists(self, known: Known, here: dict[str, Value], path: Path) -> None:
        """Lists that claim more rows than there are: which others there are is unread, as in a live page."""
        document = known.fresh.document
        labels = {
            window.number: document.nodes[window.number].attributes.get("aria-label", "") for window in known.windows
        }
        keys = keys_of(document, list(labels), labels)
        for window in known.windows:
            place = ("@rows", *keys[window.number])
            below = here
            for segment in place:
                inner = below.setdefault(str(segment), {})
                assert isinstance(inner, dict)
                below = inner
            below |= {row: "\n".join(document.lines(number)) for row, number in window.rows.items()}
            self.unread.append(((*path, *place), window.reason))
