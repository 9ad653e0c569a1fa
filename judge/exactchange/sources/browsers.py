"""What a run needs of a browser that the judge starts for it; the core imports no adapter, so it knows only this."""

import pathlib
from contextlib import AbstractAsyncContextManager
from typing import Protocol

GROUP = "exactchange.browsers"
"""Entry-point group: each point is a LaunchBrowser."""


class LaunchedBrowser(Protocol):
    """A browser that was started for one run and ends with it."""

    @property
    def cdp_url(self) -> str:
        """Address of its debugging endpoint, `http://127.0.0.1:PORT`."""
        ...

    @property
    def pid(self) -> int:
        """Process id; the leader of a process group of its own."""
        ...

    @property
    def version(self) -> str:
        """What it calls itself, such as `Chrome/156.0.7800.1`."""
        ...

    def alive(self) -> bool:
        """Whether the process still runs."""
        ...


class LaunchBrowser(Protocol):
    """Starts a browser; leaving the context ends it, with its whole process group and its profile."""

    def __call__(
        self, *, start: str | None, headless: bool, scratch: pathlib.Path
    ) -> AbstractAsyncContextManager[LaunchedBrowser]:
        """`start`: the page in the first tab, or a blank one. `scratch`: where a private profile may be made; it must
        not be a judged directory. Raises InfrastructureError when there is no browser or it does not start.
        """
        ...
