"""The reader's own connection to a browser: it hears and looks, and changes nothing for whoever works in it."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from exactchange.errors import InfrastructureError
from exactchange_adapters.browser.arrivals import Arrivals
from exactchange_adapters.browser.aside import Kept, can_hide, read_aside
from exactchange_adapters.browser.driver import use_driver
from exactchange_adapters.browser.endpoint import REMEDY, endpoint_of, shown, told
from exactchange_adapters.browser.kept import labelled
from exactchange_adapters.browser.leaving import leave
from exactchange_adapters.browser.notices import Notices
from exactchange_adapters.browser.origins import origin_of
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.stirred import Stirred
from exactchange_adapters.browser.tab import WORLD, Tab, Target
from exactchange_adapters.browser.traffic import Traffic
from exactchange_adapters.browser.witness import Witness
from exactchange_adapters.browser.world import Gone, send

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Dialog, Frame, Page

CONNECT_LIMIT_MS = 20_000
MOST_VISITED = 100
"""Origins between two captures."""


class Attached:
    """A browser that the reader is attached to: its tabs in the order in which they were first seen."""

    def __init__(self, browser: "Browser", session: "CDPSession", *, own: bool, witness: bool) -> None:
        self.secrecy = Secrecy()
        self.witness = Witness(self.secrecy, self._tell) if witness else None
        self.traffic = Traffic(self.secrecy, own)
        self.arrivals = Arrivals(self.secrecy)
        self.notices = Notices(self.secrecy)
        self.contexts: set[str] = set()
        """The browser contexts that had a tab at some look, as long as they are there."""
        self._browser = browser
        self._session = session
        self._own = own
        self._tabs: dict[Page, Tab] = {}
        self._opened = 0
        self._tasks: set[asyncio.Future[None]] = set()
        self._gone = asyncio.Event()
        self._attaching = asyncio.Lock()
        self._begun = False
        self.stirred = Stirred(labelled)
        self.looked_at = 0.0
        """When the last look began, by `time.monotonic`."""
        self._visited: set[tuple[str, str]] = set()
        self._hides: bool | None = None if own else False
        browser.on("disconnected", lambda _: self._gone.set())

    async def begin(self) -> None:
        """Listen to every context, and attach to the tabs that are there."""
        for context in self._browser.contexts:  # tabs of contexts that come later belong to the first
            self._listen(context)
        self._session.on("Target.targetCreated", self.arrivals.on_created)
        self._session.on("Target.targetInfoChanged", self.arrivals.on_changed)
        self._session.on("Target.targetDestroyed", self.arrivals.on_destroyed)
        # A window that was just opened downloads sooner than anybody listens to it; our own browser itself tells.
        self._session.on("Browser.downloadWillBegin", self.traffic.on_download)
        self._session.on("Browser.downloadProgress", self.traffic.on_download_progress)
        await self.traffic.contents.listen(self._session)
        await self._ask("Target.setDiscoverTargets", {"discover": True})
        self.arrivals.begin([page for context in self._browser.contexts for page in context.pages])
        await self.targets()
        self._begun = True

    def check(self) -> None:
        """Raises InfrastructureError when the browser is not there any more."""
        if self._gone.is_set() or not self._browser.is_connected():
            raise InfrastructureError("the browser is gone: its process ended or closed the debugging connection")

    async def targets(self) -> list[Target]:
        """What the browser runs now. Raises InfrastructureError when it does not answer."""
        self.check()
        answer = await self._ask("Target.getTargets", {})
        listed = cast("list[Mapping[str, object]]", answer["targetInfos"])
        found = [_target(item) for item in listed if _counts(item)]
        async with self._attaching:
            await self._attach_new(found)
        self.arrivals.decide({tab.target: page for page, tab in self._tabs.items()})
        return found

    async def _ask(self, method: str, params: dict[str, object]) -> Mapping[str, object]:
        try:
            return await send(self._session, method, params)
        except Gone as error:
            raise InfrastructureError(f"the browser does not answer: {error}") from error

    async def cookies(self, context_id: str) -> list[Mapping[str, object]]:
        """The cookies of one browser context, as `Storage.getCookies` gives them. Raises Gone when it was closed."""
        answer = await send(self._session, "Storage.getCookies", {"browserContextId": context_id})
        return cast("list[Mapping[str, object]]", answer["cookies"])

    async def can_read_aside(self) -> bool:
        """Whether what an origin keeps can be read without a document of anybody's that shows it."""
        if self._hides is None:
            try:
                self._hides = await can_hide(self._session)
            except Gone as error:
                raise InfrastructureError(f"the browser does not answer: {error}") from error
        return self._hides

    async def read_aside(self, context: str, origin: str, *, limit_s: float) -> Kept:
        """What an origin keeps in a browser context."""
        return await read_aside(self._session, context, origin, limit_s=limit_s)

    def visited_since(self) -> set[tuple[str, str]]:
        """Browser contexts with the origins that their tabs went to since this was asked last."""
        visited, self._visited = self._visited, set()
        return visited

    def _visits(self, tab: Tab, frame: "Frame") -> None:
        origin = origin_of(frame.url) if frame.parent_frame is None else ""
        if origin and len(self._visited) < MOST_VISITED:
            self._visited.add((tab.context_id, origin))

    def sessions(self) -> "list[CDPSession]":
        """The ways to ask the open tabs, and the frames in them that have a process of their own."""
        return [session for tab in self.tabs() for session in tab.sessions()]

    def tabs(self) -> list[Tab]:
        """The open tabs, oldest first."""
        return sorted(self._tabs.values(), key=lambda tab: tab.number)

    def _listen(self, context: "BrowserContext") -> None:
        # Without a listener of its own, a second Playwright client dismisses every dialog of the agent's.
        context.on("dialog", self._leave_alone)
        context.on("page", self.arrivals.on_page)
        context.on("page", self._listen_to_sockets)
        context.on("page", self._hear_soon)
        for page in context.pages:
            self._listen_to_sockets(page)
        context.on("request", self.arrivals.on_request)
        context.on("request", self.traffic.on_request)
        context.on("response", self.traffic.on_response)
        context.on("requestfinished", self.traffic.on_end)
        context.on("requestfailed", self.traffic.on_failure)

    def _leave_alone(self, _: "Dialog") -> None:
        """Who works in the browser answers its dialogs."""
        self.notices.on_handed()

    def _listen_to_sockets(self, page: "Page") -> None:
        page.on("websocket", self.traffic.on_socket)

    def _hear_soon(self, page: "Page") -> None:
        """Attach to a new tab before the next look asks for it, so that what is done in it is heard."""
        self._later(self._attach_one(page))

    async def _attach_one(self, page: "Page") -> None:
        async with self._attaching:
            if self._begun and page not in self._tabs:
                await self._attach(page, page.context, {})

    async def _attach_new(self, targets: list[Target]) -> None:
        pages = [(page, context) for context in self._browser.contexts for page in context.pages]
        known = {tab.target for tab in self._tabs.values()}
        for page in self._tabs.keys() - {page for page, _ in pages}:
            del self._tabs[page]
        contexts = {target.id: target.context for target in targets if target.kind == "page"}
        if contexts.keys() <= known:
            return
        for page, context in pages:
            if page not in self._tabs:
                await self._attach(page, context, contexts)

    async def _attach(self, page: "Page", context: "BrowserContext", contexts: Mapping[str, str]) -> None:
        from playwright.async_api import Error

        try:
            session = await context.new_cdp_session(page)
            # Asked of the browser's own process: a page that hangs cannot hold this up.
            info = await send(session, "Target.getTargetInfo", {})
        except (Error, Gone):
            self.notices.unheard()  # closed as soon as it was opened
            return
        target = _target(cast("Mapping[str, object]", info["targetInfo"]))
        self._opened += 1
        tab = Tab(self._opened, page, context, session, target.id, contexts.get(target.id, target.context))
        self._tabs[page] = tab
        self.notices.listen_to_dialogs(session, tab=tab.number)
        self.notices.listen(session, tell=self._tell)
        if self.witness is not None:
            self.witness.listen(session, tab=target.id, begun=not self._begun)
        tab.hear = partial(self._hear, tab)
        page.on("framenavigated", partial(self._visits, tab))
        self._visits(tab, page.main_frame)
        page.on("crash", tab.crash)
        session.on("Page.javascriptDialogOpening", tab.asked)
        session.on("Page.javascriptDialogClosed", tab.answered)
        session.on("Page.windowOpen", partial(self.arrivals.on_opening, target.id))
        session.on("Page.downloadWillBegin", self.traffic.on_download)
        session.on("Page.downloadProgress", self.traffic.on_download_progress)
        self._tell(session, "Page.enable", {})
        self._hear_stores(tab, session)
        self._pass_workers_by(session)

    def _pass_workers_by(self, session: "CDPSession") -> None:
        """A service worker must not answer in the server's place in a browser that we brought up."""
        if self._own:
            self._tell(session, "Network.enable", {})
            self._tell(session, "Network.setBypassServiceWorker", {"bypass": True})

    def _hear_stores(self, tab: Tab, session: "CDPSession") -> None:
        self.stirred.listen(session, tab=tab.number, context=tab.context_id)
        self._tell(session, "DOMStorage.enable", {})

    def _hear(self, tab: Tab, session: "CDPSession") -> None:
        """Listen to a frame that has a session of its own."""
        self._hear_stores(tab, session)
        self._pass_workers_by(session)
        self.notices.listen(session, tell=self._tell)
        if self.witness is not None:
            self.witness.listen(session)

    def _tell(self, session: "CDPSession", method: str, params: dict[str, object]) -> None:
        """Send without waiting: a page that hangs answers late or never."""
        self._later(self._quietly(session, method, params))

    async def _quietly(self, session: "CDPSession", method: str, params: dict[str, object]) -> None:
        try:
            await send(session, method, params)
        except Gone:  # the tab is closed, and there is nothing to hear from it any more
            if method == "Runtime.enable":
                self.notices.unheard()

    def _later(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _counts(item: Mapping[str, object]) -> bool:
    """A page that is rendered ahead is no tab yet, and a person's open developer tools are not of the world."""
    return item.get("subtype") != "prerender" and not str(item["url"]).startswith("devtools://")


def _target(item: Mapping[str, object]) -> Target:
    return Target(
        id=str(item["targetId"]),
        kind=str(item["type"]),
        url=str(item["url"]),
        context=str(item.get("browserContextId", "")),
        parent_frame=str(item.get("parentFrameId", item.get("parentId", ""))),
    )


@asynccontextmanager
async def attach(cdp_url: str, *, own: bool, witness: bool = True) -> AsyncGenerator[Attached]:
    """Attach to the browser at this address. `own`: it is one that we brought up. `witness`: hear what is done in it.

    Raises InfrastructureError when there is none, or it does not answer.
    """
    from playwright.async_api import Error, async_playwright

    endpoint = await endpoint_of(cdp_url)
    await asyncio.to_thread(use_driver)
    # A room of ours for what the driver keeps: one of its own it would leave behind.
    with tempfile.TemporaryDirectory(prefix="exactchange-reader-") as room:
        async with async_playwright() as playwright:
            try:
                browser = await playwright.chromium.connect_over_cdp(
                    endpoint,
                    no_defaults=True,  # else it takes the agent's downloads and pretends focus
                    timeout=CONNECT_LIMIT_MS,
                    artifacts_dir=room,
                )
                session = await browser.new_browser_cdp_session()
            except Error as error:
                why = told(error.message)
                raise InfrastructureError(f"no browser to attach to at {shown(cdp_url)}: {why}; {REMEDY}") from error
            attached = Attached(browser, session, own=own, witness=witness)
            await attached.begin()
            yield attached
            if not own:
                await leave(attached.sessions(), world=WORLD)
            # Leaving stops the driver, which closes the connection; Browser.close() is not needed and could do more.
