"""The live half: a thread, an event loop and a connection of its own, so that a page that hangs holds up no one."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from exactchange.errors import InfrastructureError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark, Note, Unread
from exactchange.sources.witnessing import Heard
from exactchange.values import Value
from exactchange_adapters.browser.aimed import concealed
from exactchange_adapters.browser.assemble import Memory, assemble
from exactchange_adapters.browser.attach import Attached, attach
from exactchange_adapters.browser.endpoint import shown
from exactchange_adapters.browser.hiding import Hiding
from exactchange_adapters.browser.left import Leaving, notes_of
from exactchange_adapters.browser.look import Look, Waited, settle
from exactchange_adapters.browser.snapshot import PageSnapshot

GRACE_S = 2.0
"""How long after a deadline the reader's thread may still answer before it is given up."""
END_LIMIT_S = 10.0
OPEN_LIMIT_S = 60.0


class BrowserReader:
    """Reads a browser; see `exactchange.sources.Reader`."""

    def __init__(self, cdp_url: str, *, own: bool, witness: bool = True) -> None:
        self._cdp_url = cdp_url
        self._own = own
        self._witness = witness
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="exactchange-browser", daemon=True)
        self._attached: Attached | None = None
        self._stop = asyncio.Event()
        self._memory = Memory()
        self._waited = Waited()
        self._leaving = Leaving()
        self._last: tuple[Look, PageSnapshot] | None = None
        self._hiding: Hiding | None = None

    async def capture(self, *, mark: Mark, previous: PageSnapshot | None, deadline_s: float) -> PageSnapshot:
        """The browser as it is once it has settled; what does not answer within the deadline is unread.

        Raises InfrastructureError when the browser is gone.
        """
        if not self._thread.is_alive():
            raise InfrastructureError("the reader of the browser has ended; nothing can be captured any more")
        future = asyncio.run_coroutine_threadsafe(self._capture(mark, previous, deadline_s), self._loop)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), deadline_s + GRACE_S)
        except TimeoutError:
            return PageSnapshot("browser", {}, mark, (Unread((), "", "the browser did not answer in time", "content"),))

    def witnessed(self) -> Heard | None:
        """See `exactchange.sources.witnessing.Witness`."""
        witness = None if self._attached is None else self._attached.witness
        if witness is None or not self._thread.is_alive():
            return None if witness is None else witness.take()
        taken: Future[Heard] = Future()
        try:
            self._loop.call_soon_threadsafe(lambda: taken.set_result(witness.take()))  # in the thread that hears
            return taken.result(GRACE_S)
        except (TimeoutError, RuntimeError):  # or its loop is closed just now
            return Heard(unheard=("the reader did not answer when it was asked what was done",))

    async def conceal(self, kind: str, args: Mapping[str, Value]) -> Mapping[str, Value]:
        """See `exactchange.sources.concealing.Concealing`."""
        attached, page = self._attached, None if self._last is None else self._last[1]
        if attached is None or not self._thread.is_alive():
            return args
        work = concealed(kind, args, secrecy=attached.secrecy, page=page, sessions=attached.sessions)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def aclose(self) -> None:
        """Detach; the browser and what is in it stay as they are."""
        if self._thread.is_alive():
            with suppress(RuntimeError):  # its loop is closed: it is ending already
                self._loop.call_soon_threadsafe(self._stop.set)
            await asyncio.to_thread(self._thread.join, END_LIMIT_S)

    async def start(self) -> None:
        """Attach. Raises InfrastructureError when there is no browser to attach to."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ready, self._caller = ready, asyncio.get_running_loop()
        self._thread.start()
        try:
            await asyncio.wait_for(ready, OPEN_LIMIT_S)
        except TimeoutError as error:
            await self.aclose()
            raise InfrastructureError(
                f"the browser at {shown(self._cdp_url)} did not answer in {OPEN_LIMIT_S:.0f} s"
            ) from error

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._live())
        finally:
            self._loop.close()
            self._settle_start(InfrastructureError("the reader of the browser ended before it had attached"))

    def _settle_start(self, error: InfrastructureError | None) -> None:
        """Tell the caller, unless it was told before or is gone."""
        with suppress(RuntimeError):  # its loop is closed
            self._caller.call_soon_threadsafe(_settle_future, self._ready, error)

    async def _live(self) -> None:
        try:
            async with attach(self._cdp_url, own=self._own, witness=self._witness) as attached:
                self._attached = attached
                self._hiding = Hiding(attached.secrecy.veil)
                self._settle_start(None)
                await self._stop.wait()
        except InfrastructureError as error:
            self._settle_start(error)

    async def _capture(self, mark: Mark, previous: PageSnapshot | None, deadline_s: float) -> PageSnapshot:
        attached, hiding = self._attached, self._hiding
        assert attached is not None and hiding is not None
        clock = self._loop.time
        end = clock() + deadline_s
        seen, moving = await settle(attached, deadline_s=deadline_s, waited=self._waited)
        seen = await self._leaving.after(seen, attached, left_s=end - clock(), first=self._last is None)
        if self._last is None:
            attached.traffic.forget()
            attached.arrivals.forget()
            attached.notices.forget()
            if attached.witness is not None:
                attached.witness.forget()
            seen = replace(seen, unheard=attached.arrivals.reasons())
        elif self._last[0] == seen and not moving:
            return self._last[1].at(mark)
        moves = [Note("unsettled", f"still moving when it was captured: {moving}")] if moving else []
        snapshot = assemble(
            seen,
            traffic=attached.traffic,
            notices=attached.notices,
            secrecy=attached.secrecy,
            memory=self._memory,
            mark=mark,
            notes=[*notes_of(seen), *moves],
            budget=CountedBudget(),
        )
        snapshot = hiding.over(snapshot)
        self._last = (seen, snapshot)
        return snapshot


def _settle_future(future: "asyncio.Future[None]", error: InfrastructureError | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


@asynccontextmanager
async def open_reader(cdp_url: str, *, own: bool, witness: bool = True) -> AsyncGenerator[BrowserReader]:
    """A reader of the browser at this address. `own`: it is one that was brought up for the run. `witness`: it also
    hears what is done to the pages.
    """
    reader = BrowserReader(cdp_url, own=own, witness=witness)
    try:
        await reader.start()
        yield reader
    finally:
        await reader.aclose()
