"""Selectors on a stored snapshot."""

from collections.abc import Sequence

from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.sources import Match
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.snapshot import PageSnapshot


def select(snapshot: PageSnapshot, selector: ElementSelector, *, budget: Budget) -> Sequence[Match]:
    """Every element of the snapshot that the selector stands for."""
    raise UsageError("selectors of pages are not there yet; use `at:`")
