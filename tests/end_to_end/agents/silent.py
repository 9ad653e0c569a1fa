"""Does what a twin does and announces some actions only, by their numbers, or none: ``silent.py TASK TWIN [N…]``."""

import os
import pathlib
import sys
from collections.abc import Collection
from contextlib import closing

from playwright.sync_api import sync_playwright

from exactchange_fixtures.agents.channel import Action, Handshake
from exactchange_fixtures.agents.hand import Hand
from exactchange_fixtures.agents.twins import TWINS


class Partly:
    """A channel on which only the actions of these numbers, counted from 1, are announced."""

    def __init__(self, channel: Handshake, announced: Collection[int]) -> None:
        self._channel = channel
        self._announced = announced
        self._number = 0

    def before(self, action: Action) -> None:
        """Announce it if it is one of those, and count."""
        self._number += 1
        if self._number in self._announced:
            self._channel.before(action)

    def after(self, error: str | None) -> None:
        """Say that it is over, if it was announced."""
        if self._number in self._announced:
            self._channel.after(error)

    def finish(self, answer: str | None) -> None:
        """Say nothing."""


def main() -> None:
    """Connect, play the twin, and say that it is over."""
    task, name, *numbers = sys.argv[1:]
    with closing(Handshake(pathlib.Path(os.environ["EXACTCHANGE_SOCKET"]))) as channel:
        with sync_playwright() as playwright:
            browser = playwright.chromium.connect_over_cdp(os.environ["EXACTCHANGE_CDP_URL"], no_defaults=True)
            page = next(page for page in browser.contexts[0].pages if page.url.startswith("http"))
            answer = TWINS[task][name](Hand(page, Partly(channel, set(map(int, numbers)))))
        channel.finish(answer)


if __name__ == "__main__":
    main()
