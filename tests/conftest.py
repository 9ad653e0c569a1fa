"""What all tests share: the Node.js on which Playwright runs here, examples that are the same in every run, and a
temporary folder that is removed at the end, with what browsers and drivers never remove themselves.
"""

import os
import pathlib
import shutil
import signal
import tempfile
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import settings

from exactchange.errors import InfrastructureError
from exactchange_adapters.browser.driver import use_driver

pytest.register_assert_rewrite("tests.end_to_end.deserved")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the Node.js as the product does, and let only `pytest -m fuzz` look for new examples."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background, and so for all that tests start
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(InfrastructureError):  # tests without a browser need none; the others say what is missing
        use_driver()
    always_the_same = "not fuzz" in str(config.getoption("markexpr"))
    _share_temporary_folder(config)
    settings.register_profile("same", derandomize=always_the_same, deadline=None)  # no test fails for a busy machine
    settings.load_profile("same")


_TEMPORARY = pytest.StashKey[pathlib.Path]()


def _share_temporary_folder(config: pytest.Config) -> None:
    """One for the session and its workers. What pytest keeps of failed tests stays where it always is."""
    if hasattr(config, "workerinput"):
        return
    usual = pathlib.Path(tempfile.gettempdir())
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(usual))
    folder = usual / f"x{os.getpid():x}"  # short, since browsers put sockets there
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:  # of a session that was killed
        folder = pathlib.Path(tempfile.mkdtemp(prefix="x", dir=usual))
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, partial(_ended, os.getpid()))
    config.stash[_TEMPORARY] = folder
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    os.environ.setdefault("NODE_COMPILE_CACHE", str(folder / "node"))  # of the driver, which hundreds of tests start


def _ended(session: int, number: int, _frame: object) -> None:
    """End the session as Ctrl-C does; what was forked from it ends at once, as if this were not here."""
    if os.getpid() == session:
        raise KeyboardInterrupt
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder, however the session ended."""
    if _TEMPORARY in config.stash:
        shutil.rmtree(config.stash[_TEMPORARY], ignore_errors=True)
