"""Whether each tab that appeared was listened to before it could send anything: what was not heard is never nothing.

A browser lets a window that a page opened go as soon as any one of its clients does, though another may not listen yet.
All that tells of it comes over one connection, in the order in which it happened: a tab was heard in time when its
request, and Playwright's `page` event, which stands for an answer to all that is asked of a new tab, came before the
tab was said to show a document. A tab that no page can reach into is held for each client on its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit, urlunsplit

from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.traffic import lasting

if TYPE_CHECKING:
    from playwright.async_api import Page, Request

MOST_TABS = 500
MOST_ASKED = 5000
MOST_NAMED = 3
LONGEST_NAMED = 200
ASKED_FOR = ("http:", "https:", "blob:", "file:")
"""Schemes of documents whose being asked for is heard."""
SENDERS = (*ASKED_FOR, "data:")
"""Schemes of documents and workers that can ask for something themselves."""
WORKER = "the shared worker"
"""How a reason begins that is of no tab."""
ANY = ""
"""Stands for whatever address a tab was opened for, where nobody said which."""


@dataclass(slots=True)
class _Arrival:
    """A tab that appeared while we listened. `shown_at`, `first_at`: when it first showed anything, and a document."""

    scriptable: bool
    """Whether the page that opened it can reach into it, and so holds it together with all clients."""
    wanted: str
    """The address for which a page opened it; "" when nobody said so."""
    first: str = ""
    first_at: int = 0
    shown_at: int = 0
    gone: bool = False

    def show(self, url: str, turn: int, *, schemes: tuple[str, ...] = ASKED_FOR) -> None:
        if url:
            self.shown_at = self.shown_at or turn
        if url.startswith(schemes) and not self.first:
            self.first, self.first_at = url, turn

    def blank(self) -> bool:
        """Whether it showed an empty document first, from which whoever opened it may have sent something."""
        return self.shown_at != self.first_at

    def expected(self) -> list[str]:
        """Addresses that must have been asked for; what no page reached into begins with what it shows."""
        if not self.scriptable:
            return [_bare(self.first)]
        if not self.first and not self.wanted:
            return [ANY]
        return [url for url in dict.fromkeys(map(_bare, (self.first, self.wanted))) if url.startswith(ASKED_FOR)]


@dataclass
class Arrivals:
    """The tabs and shared workers that appeared since the reader attached, and which of them were not heard."""

    secrecy: Secrecy
    _turn: int = 0
    _begun: bool = False
    _new: dict[str, _Arrival] = field(default_factory=dict[str, _Arrival])
    _opening: dict[str, str] = field(default_factory=dict[str, str])
    """What a page is just opening, by its target."""
    _pages: "dict[Page, int]" = field(default_factory=lambda: {})
    """When Playwright was done with them; those that are not known to be heard."""
    _asked: "list[tuple[int, Request]]" = field(default_factory=lambda: [])
    """Requests for documents by tabs that are not known to be heard."""
    _heard: "set[Page]" = field(default_factory=lambda: set())
    _workers: dict[str, str] = field(default_factory=dict[str, str])
    """Shared workers that run; no client of this kind is told what they ask for."""
    _lost: list[str] = field(default_factory=list[str])
    _doubtful: list[str] = field(default_factory=list[str])
    """As `_lost`, of tabs that are just being opened: the next look knows more."""

    def begin(self, pages: "Sequence[Page]") -> None:
        """What is there is listened to from now on, and what comes is new."""
        self._begun = True
        self._heard.update(pages)

    def forget(self) -> None:
        """Begin the record, as `Traffic.forget`; shared workers that run go on."""
        self._lost = list(self._workers.values())

    def reasons(self) -> tuple[str, ...]:
        """Why requests are missing from the record, for people; none when none is."""
        found = list(dict.fromkeys([*self._lost, *self._doubtful]))
        more = len(found) - MOST_NAMED
        return (*found[:MOST_NAMED], *([f"{more} more tabs or workers were not heard"] if more > 0 else ()))

    def on_created(self, event: Mapping[str, object]) -> None:
        """`Target.targetCreated`."""
        info = cast("Mapping[str, object]", event["targetInfo"])
        target, url = str(info["targetId"]), str(info["url"])
        if info["type"] == "shared_worker" and url.startswith(SENDERS):
            self._workers[target] = f"{WORKER} {self._named(url)} sends what no reader is told of"
            self._lost.append(self._workers[target])
        if info["type"] != "page" or not self._begun:
            return
        opener = str(info.get("openerId", ""))
        scriptable = bool(opener) and info.get("canAccessOpener") is not False
        if len(self._new) >= MOST_TABS:
            self._lost.append("more tabs were opened at once than are watched")
            return
        self._turn += 1
        self._new[target] = _Arrival(scriptable, self._opening.pop(opener, ""))
        self._new[target].show(url, self._turn, schemes=SENDERS)  # opened at an address, it did not wait for us

    def on_changed(self, event: Mapping[str, object]) -> None:
        """`Target.targetInfoChanged`."""
        info = cast("Mapping[str, object]", event["targetInfo"])
        arrival = self._new.get(str(info["targetId"]))
        if arrival is not None:
            self._turn += 1
            arrival.show(str(info["url"]), self._turn)

    def on_destroyed(self, event: Mapping[str, object]) -> None:
        """`Target.targetDestroyed`."""
        self._workers.pop(str(event["targetId"]), None)
        arrival = self._new.get(str(event["targetId"]))
        if arrival is not None:
            arrival.gone = True

    def on_opening(self, opener: str, event: Mapping[str, object]) -> None:
        """`Page.windowOpen`, which comes before the tab."""
        self._opening[opener] = str(event["url"])

    def on_page(self, page: "Page") -> None:
        """Playwright has got an answer to all that it asks of a new tab, listening included."""
        self._turn += 1
        self._pages[page] = self._turn

    def on_request(self, request: "Request") -> None:
        """Only those for documents tell anything."""
        if request.is_navigation_request() and _page_of(request) not in self._heard and len(self._asked) < MOST_ASKED:
            self._turn += 1
            self._asked.append((self._turn, request))

    def decide(self, open_tabs: "Mapping[str, Page]") -> None:
        """Tell which of the tabs were heard. `open_tabs`: those that the reader is attached to, by target."""
        self._doubtful = []
        for target, arrival in list(self._new.items()):
            page = open_tabs.get(target)
            if not arrival.gone and not arrival.scriptable and not arrival.first:
                continue  # held for us, and nothing shown yet
            heard = self._was_heard(arrival, page, open_tabs)
            settled = arrival.gone or (page is not None and arrival.shown_at > 0)
            if not heard:
                url = arrival.first or arrival.wanted or "about:blank"
                (self._lost if settled else self._doubtful).append(
                    f"the tab of {self._named(url)} was let go by another client before it could be listened to"
                )
            if settled:
                del self._new[target]
                self._settle(page)

    def _was_heard(self, arrival: _Arrival, page: "Page | None", open_tabs: "Mapping[str, Page]") -> bool:
        if arrival.scriptable and arrival.shown_at and arrival.blank():
            return page is not None and self._pages.get(page, arrival.shown_at) < arrival.shown_at
        others = set(open_tabs.values()) | self._heard
        limit = arrival.first_at or self._turn + 1
        for url in arrival.expected():
            found = next((n for n, asked in enumerate(self._asked) if self._fits(asked, url, limit, page, others)), -1)
            if found < 0:
                return False
            owner = _page_of(self._asked[found][1])
            if arrival.gone:
                del self._asked[found]  # no other tab may call it its own
            late = owner is None or self._pages.get(owner, 0) > limit
            if arrival.scriptable and arrival.first and late:
                return False  # its document was asked for in our hearing, but what this asked for in turn was not
        return True

    def _fits(
        self, asked: "tuple[int, Request]", url: str, limit: int, page: "Page | None", others: "set[Page]"
    ) -> bool:
        """Whether a request is for this address, early enough, and that tab's own; a closed tab has what is left."""
        turn, request = asked
        if turn >= limit or url not in (ANY, _bare(request.url)):
            return False
        owner = _page_of(request)
        return owner == page if page is not None else owner not in others

    def _settle(self, page: "Page | None") -> None:
        if page is not None:
            self._heard.add(page)
        self._asked = [asked for asked in self._asked if _page_of(asked[1]) not in self._heard]
        self._pages = {page: turn for page, turn in self._pages.items() if page not in self._heard}

    def _named(self, url: str) -> str:
        return lasting(self.secrecy.url(url))[:LONGEST_NAMED]


def _page_of(request: "Request") -> "Page | None":
    """The tab that asked; None as long as Playwright is not done with it, and of workers."""
    from playwright.async_api import Error

    try:
        return request.frame.page
    except Error:
        return None


def _bare(url: str) -> str:
    """An address without what is not sent: its fragment, and a user's name and password."""
    url = url.partition("#")[0]
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url
