"""What all tests share: the Node.js on which Playwright runs here, and examples that are the same in every run."""

import signal
from contextlib import suppress

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
    settings.register_profile("same", derandomize=always_the_same, deadline=None)  # no test fails for a busy machine
    settings.load_profile("same")
