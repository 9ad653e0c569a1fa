"""Does what a twin does without a word to the runner, to which it is connected: ``silent.py TASK TWIN``."""

import os
import pathlib
import sys
from contextlib import closing

from playwright.sync_api import sync_playwright

from exactchange_fixtures.agents.channel import Action, Handshake
from exactchange_fixtures.agents.hand import Hand
from exactchange_fixtures.agents.twins import TWINS


class Silence:
    """A channel on which nothing is said."""

    def before(self, action: Action) -> None:
        """Say nothing."""

    def after(self, error: str | None) -> None:
        """Say nothing."""

    def finish(self, answer: str | None) -> None:
        """Say nothing."""


def main() -> None:
    """Connect, play the twin, and say only that it is over."""
    task, name = sys.argv[1:]
    with closing(Handshake(pathlib.Path(os.environ["EXACTCHANGE_SOCKET"]))) as channel:
        with sync_playwright() as playwright:
            browser = playwright.chromium.connect_over_cdp(os.environ["EXACTCHANGE_CDP_URL"], no_defaults=True)
            page = next(page for page in browser.contexts[0].pages if page.url.startswith("http"))
            answer = TWINS[task][name](Hand(page, Silence()))
        channel.finish(answer)


if __name__ == "__main__":
    main()
