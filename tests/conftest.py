"""What all tests share: the Node.js on which Playwright runs here, chosen as the product chooses it."""

from contextlib import suppress

from exactchange.errors import InfrastructureError
from exactchange_adapters.browser.driver import use_driver


def pytest_configure() -> None:
    """Let the tests' own agents use what the judge uses, where Playwright's Node.js lacks a library of the system."""
    with suppress(InfrastructureError):  # tests without a browser need none; the others say what is missing
        use_driver()
