"""What is unread of a browser hides an element from a selector only where elements are."""

import pytest

from exactchange.address import parse_pattern
from exactchange.case import Case, Evidence
from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.meeting import may_meet
from exactchange.snapshot import Mark
from exactchange.values import Path
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

UNREAD: list[tuple[Path, bool]] = [
    ((), True),
    (("@tabs", "n=2"), True),
    (("@contexts", "n=2"), True),
    (("@frames", "iframe", "name=card"), True),
    (("#host",), True),
    (("@text",), True),
    (("@rows", "#list"), True),
    (("@console",), False),
    (("@dialogs",), False),
    (("@requests",), False),
    (("@permissions", "http://h"), False),
    (("@storage", "indexeddb", "http://h", "db"), False),
    (("@contexts", "n=2", "@storage", "caches", "http://h"), False),
    (("@frames", "iframe", "name=card", "@canvas", "#pad", "@pixels"), False),
]


@pytest.mark.parametrize(("path", "hides"), UNREAD)
def test_only_where_elements_are_may_a_selector_miss_one(path: Path, hides: bool) -> None:
    case = Case({"page": Evidence("page", KIND, BrowserParams(), (PageSnapshot("browser", {}, Mark(-1)),))})
    evaluation = Evaluation(case)
    assert may_meet(None, path, evaluation, "page") is hides
    assert may_meet(parse_pattern("**"), path, evaluation, "page") is True
