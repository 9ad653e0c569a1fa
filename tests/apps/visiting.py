"""Opening a screen, and waiting until it stands still by a measure that owes nothing to the reader."""

import asyncio
from dataclasses import dataclass

from tests.adapters.browser.stage import Stage
from tests.apps.screens import Screen, sign_in

STILL_LIMIT_S = 60.0
# Applications go on with timers of their own for so long after everything seems to be there.
STILL_MS = {"datasette": 500, "radicale": 800, "wagtail": 2500, "jupyterlab": 3000, "node-red": 2500}
# Resolves when page and storage have been the same for so many milliseconds.
STILL = """quiet => new Promise(done => {
    const state = () => document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage]) + location
    let last = '', since = 0
    const look = () => {
        const now = state()
        if (now !== last) [last, since] = [now, performance.now()]
        if (performance.now() - since >= quiet) done(); else setTimeout(look, 100)
    }
    look()
})"""


@dataclass(frozen=True, slots=True)
class Visit:
    """A running application and the browser to look at it with."""

    stage: Stage
    application: str
    address: str

    async def open(self, screen: Screen) -> None:
        """Show the screen as to somebody who comes with a fresh browser."""
        await self.stage.clear()
        if screen.signed_in:
            await sign_in(self.stage.page, self.application, self.address)
        if screen.path:
            await self.stage.page.goto(self.address + screen.path)
        await self.still(screen)

    async def reload(self, screen: Screen) -> None:
        await self.stage.page.reload()
        await self.still(screen)

    async def still(self, screen: Screen) -> None:
        """Wait until the screen was built and nothing moves on it."""
        page = self.stage.page
        await page.locator(screen.ready).first.wait_for()
        await asyncio.wait_for(page.evaluate(STILL, STILL_MS[self.application]), STILL_LIMIT_S)
