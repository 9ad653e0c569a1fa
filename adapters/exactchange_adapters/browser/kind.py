"""The source kind `browser`: what the pages of a browser show and store."""

import pathlib
import zlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from exactchange.address import Style, format_path
from exactchange.diff import Change
from exactchange.errors import InfrastructureError, UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Snapshot, TreeSnapshot, Unread
from exactchange.sources import (
    BlobStore,
    Edit,
    Match,
    Narrowed,
    Reader,
    Recognised,
    Span,
    Standing,
    Suggestion,
    TreeKind,
    World,
)
from exactchange.sources.looked import Looked
from exactchange.values import ABSENT, Path, Value
from exactchange_adapters.browser.documents import alone, document_of, spans
from exactchange_adapters.browser.facets import ALWAYS, NO_ELEMENTS, in_closed_world, place_of, scope_text
from exactchange_adapters.browser.noise_params import RULES, noise_of
from exactchange_adapters.browser.older import as_recorded, told
from exactchange_adapters.browser.origins import left_origins
from exactchange_adapters.browser.params import BrowserParams, ElementSelector
from exactchange_adapters.browser.saved_notes import saved_notes
from exactchange_adapters.browser.snapshot import LARGEST_DOCUMENT, READS, PageSnapshot, StoredDocument
from exactchange_adapters.browser.standings import DERIVES_HINT, STANDINGS, derives, finds, is_derived
from exactchange_adapters.browser.texts import by_lines
from exactchange_adapters.browser.variations import page_suggestions


class _Plain(TreeKind[BrowserParams, ElementSelector, TreeSnapshot]):
    """The part of a snapshot that is a plain tree, for saving and loading."""

    name = "browser"


_PLAIN = _Plain()


class BrowserKind(TreeKind[BrowserParams, ElementSelector, PageSnapshot]):
    """See `exactchange.sources.SourceKind`."""

    name = "browser"
    style = Style.PAGE
    needs_browser = True
    params = BrowserParams
    selector = ElementSelector
    noise_rules = RULES
    derives_hint = DERIVES_HINT

    def open(self, params: BrowserParams, *, world: World) -> AbstractAsyncContextManager[Reader[PageSnapshot]]:
        from exactchange_adapters.browser.reader import open_reader

        cdp_url = params.cdp or world.cdp_url
        if cdp_url is None:
            raise InfrastructureError("there is no browser: the run brought none up, and the source names no `cdp:`")
        own = params.cdp is None and world.own_browser
        return open_reader(cdp_url, own=own, witness=params.witness)

    def from_path(
        self, path: pathlib.Path | None, params: BrowserParams, *, world: World, budget: Budget
    ) -> PageSnapshot:
        """The saved page in a file of markup. Without a path unread as a whole: a live page is no file."""
        if path is not None:
            from exactchange_adapters.browser.saved import read_saved

            return read_saved(path)
        return PageSnapshot("browser", ABSENT, unread=(Unread((), "", "no recorded page", "infrastructure"),))

    def claims(self, params: BrowserParams) -> tuple[pathlib.Path, ...]:
        return ()

    def narrow(self, before: PageSnapshot, after: PageSnapshot, *, params: BrowserParams, budget: Budget) -> Narrowed:
        """Both trees, with the texts of pages as what they are: one line more is one change."""
        return saved_notes(Narrowed(*by_lines(before.tree, after.tree)), before, after)

    def describe(self, path: Path, *, before: PageSnapshot, after: PageSnapshot) -> tuple[str, Mapping[str, Value]]:
        """`at` is {"frame", "selector", "field"}: of elements the address of frame and element, of facets the facet."""
        place = place_of(path)
        return format_path(path, style=self.style), {
            "frame": format_path(place.frame, style=self.style),
            "selector": format_path(place.element, style=self.style),
            "field": place.field,
        }

    def select(self, snapshot: PageSnapshot, selector: ElementSelector, *, budget: Budget) -> Sequence[Match]:
        from exactchange_adapters.browser.select import select

        return select(snapshot, selector, budget=budget)

    def is_element(
        self,
        element: Mapping[str, Value],
        fields: Mapping[str, Value],
        *,
        pages: Sequence[Snapshot] = (),
        around: bool = False,
        budget: Budget,
    ) -> bool | None:
        """See `exactchange.sources.witnessing.Recognising`."""
        from exactchange_adapters.browser.recognising import is_element

        return is_element(element, fields, pages=pages, around=around, budget=budget)

    def beyond_selectors(self, path: Path) -> bool:
        """Elements are in documents only: not in stores, nor in what was heard."""
        return place_of(path).facet in NO_ELEMENTS

    def standings(self, params: BrowserParams) -> Mapping[str, Standing]:
        """See `exactchange.sources.Placing`."""
        return STANDINGS

    def derives(self, selector: ElementSelector) -> bool | None:
        """See `exactchange.sources.Deriving`."""
        return derives(selector)

    def finds(self, selector: ElementSelector) -> Standing | None:
        return finds(selector)

    def is_derived(self, path: Path) -> bool:
        return is_derived(path)

    def in_scope(self, path: Path, params: BrowserParams) -> bool:
        return in_closed_world(path, params.closed)

    def scope(self, params: BrowserParams) -> str:
        return scope_text(params.closed)

    def documents(self, captures: Sequence[Snapshot]) -> Sequence[Span]:
        """Pages and frames as they came and left; see `exactchange.sources.Documented`."""
        return spans(captures)

    def alone(self, snapshot: PageSnapshot, path: Path, *, placed: Path) -> PageSnapshot:
        return alone(snapshot, path, placed=placed)

    def document_of(self, path: Path, params: BrowserParams) -> Path | None:
        return document_of(path, params.closed)

    def closes_documents(self, params: BrowserParams) -> bool:
        return "controls" in params.closed

    def left_behind(self, captures: Sequence[Snapshot], params: BrowserParams) -> Sequence[tuple[str, int]]:
        """The stores of origins that no tab or frame shows any more; see `exactchange.sources.Leaving`."""
        storage = Looked(params, slashed=False)
        return [
            (f"the session storage of {origin}" if read else origin, position)
            for origin, position, read in left_origins(captures)
            if storage.at(("@storage", "session" if read else "local", origin))
        ]

    def closed_places(self, params: BrowserParams) -> Sequence[str]:
        """Address patterns of all that is closed; () where the task closes more than what outlives a page."""
        return () if params.closed else tuple(f"@{facet}.*" for facet in ALWAYS)

    def noise(
        self, changes: Sequence[Change], *, before: PageSnapshot, after: PageSnapshot, params: BrowserParams
    ) -> Sequence[str | None]:
        """What changes by itself on a page; see `exactchange.sources.Noisy`."""
        from exactchange_adapters.browser.noise import page_noise

        said = noise_of(params.noise)
        return [None] * len(changes) if said is None else page_noise(changes, before=before, after=after, said=said)

    def made_anew(
        self, source: str, *, before: Snapshot, after: Snapshot, params: BrowserParams
    ) -> Sequence[Recognised]:
        from exactchange_adapters.browser.noise import page_made_anew

        said = noise_of(params.noise)
        if said is None or not isinstance(before, PageSnapshot) or not isinstance(after, PageSnapshot):
            return ()
        return page_made_anew(source, before=before, after=after, said=said)

    def value_types(self, params: BrowserParams) -> frozenset[str] | None:
        """What a page shows and takes is text; whether a box is ticked is true or false; no radio chosen is null."""
        return frozenset({"str", "bool", "null"})

    def untyped_places(self, params: BrowserParams) -> Sequence[str]:
        """Records of databases have types, as have the fields of requests, downloads and dialogs."""
        stores = [f"{above}@storage.{kind}" for above in ("", "@contexts.*.") for kind in ("indexeddb", "files")]
        return (*stores, "@requests", "@downloads", "@dialogs")

    def edited(self, snapshot: PageSnapshot, edits: Sequence[Edit]) -> PageSnapshot:
        from exactchange_adapters.browser.editing import edited_page

        return edited_page(snapshot, edits)

    def portrait(self, snapshot: PageSnapshot, *, title: str) -> str:
        """See `exactchange.sources.Drawable`."""
        from exactchange_adapters.browser.portrait import portrait

        return portrait(snapshot, title=title)

    def suggestions(self, snapshot: PageSnapshot, *, near: Sequence[Path], most: int) -> Sequence[Suggestion]:
        return page_suggestions(snapshot.tree, near=near, most=most)

    def save(self, snapshot: PageSnapshot, *, base: PageSnapshot | None, store: BlobStore) -> Mapping[str, Value]:
        """The tree, or the changes of it, and each document's nodes as a blob."""
        snapshot = as_recorded(snapshot)
        plain = _PLAIN.save(_plain(snapshot), base=None if base is None else _plain(base), store=store)
        documents: list[Value] = [
            [list(item.path), store.put(item.packed), item.tab, *([item.identity] if item.identity else [])]
            for item in snapshot.documents
        ]
        return {**plain, "documents": documents, "whole": snapshot.digest.hex(), "reads": snapshot.reads}

    def load(
        self, record: Mapping[str, Value], *, base: PageSnapshot | None, store: BlobStore, budget: Budget
    ) -> PageSnapshot:
        tree = _PLAIN.load(record, base=None if base is None else _plain(base), store=store, budget=budget)
        try:
            documents = [_document(item, store, budget) for item in _list(record["documents"])]
            whole = PageSnapshot(
                tree.kind, tree.tree, tree.mark, tree.unread, tree.notes, tuple(documents), _reads(record)
            )
            same = whole.digest.hex() == record["whole"]
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise UsageError(f"a browser snapshot's record is malformed: {error!r}") from error
        if not same:
            raise UsageError("a browser snapshot does not have the digest that its record names")
        return told(whole, budget=budget)


def _plain(snapshot: PageSnapshot) -> TreeSnapshot:
    snapshot = as_recorded(snapshot)
    return TreeSnapshot(snapshot.kind, snapshot.tree, snapshot.mark, snapshot.unread, snapshot.notes)


def _reads(record: Mapping[str, Value]) -> int:
    reads = record.get("reads", 0)
    if not isinstance(reads, int) or isinstance(reads, bool) or not 0 <= reads <= READS:
        raise ValueError(f"what reads {reads!r} is no version that is known")
    return reads


def _document(item: Value, store: BlobStore, budget: Budget) -> StoredDocument:
    path, name, tab, *rest = _list(item)
    identity = rest[0] if rest else ""
    if not isinstance(name, str) or not isinstance(tab, int) or not isinstance(identity, str) or len(rest) > 1:
        raise TypeError("expected a path, the name of a blob, the number of a tab, and what tells the document apart")
    packed = store.get(name, limit=LARGEST_DOCUMENT)
    document = StoredDocument(tuple(str(segment) for segment in _list(path)), packed, tab, identity)
    budget.spend(bytes=len(document.text()))
    return document


def _list(value: Value) -> Sequence[Value]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TypeError("expected a list")
    return value
