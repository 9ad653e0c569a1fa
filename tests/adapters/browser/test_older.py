"""Recordings of versions that read less go on working, and never tell that nothing was there."""

from dataclasses import replace

import pytest
from tests.adapters.browser.stage import Blobs

from exactchange.address import parse_pattern
from exactchange.errors import OverBudget
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.older import OLDER, told
from exactchange_adapters.browser.params import BrowserParams, ElementSelector
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack

OLD: dict[str, Value] = {"@url": "http://h/", "@text": ["x"], "@requests": [], "@downloads": [], "@tabs": {}}


def test_what_an_older_version_did_not_read_is_unread_where_a_task_closes_it() -> None:
    store = Blobs()
    first = PageSnapshot("browser", OLD, Mark(-1))
    second = PageSnapshot("browser", {**OLD, "@text": ["y"]}, Mark(0))
    records = [KIND.save(first, base=None, store=store), KIND.save(second, base=first, store=store)]
    one = KIND.load(records[0], base=None, store=store, budget=CountedBudget())
    two = KIND.load(records[1], base=one, store=store, budget=CountedBudget())
    assert two.tree == second.tree
    for snapshot in (one, two):
        assert {(item.address, item.reason) for item in snapshot.unread} == {
            ("@canvas", OLDER),
            ("@canvas", OLDER),
            ("@console", OLDER),
            ("@dialogs", OLDER),
            ("@permissions", OLDER),
        }
        for closed, wanted in (
            (("controls", "text", "requests"), 0),
            (("console",), 1),
            (("dialogs", "permissions"), 2),
            (("canvas",), 1),
        ):
            params = BrowserParams(closed=closed)
            assert sum(KIND.in_scope(item.path, params) for item in snapshot.unread) == wanted


def test_to_store_an_older_recording_again_stores_what_was_read() -> None:
    store = Blobs()
    old = PageSnapshot("browser", OLD, Mark(-1))
    loaded = KIND.load(KIND.save(old, base=None, store=store), base=None, store=store, budget=CountedBudget())
    record = KIND.save(loaded, base=loaded, store=store)
    again = KIND.load(record, base=loaded, store=store, budget=CountedBudget())
    assert again.digest == loaded.digest
    assert KIND.save(loaded, base=None, store=store) == KIND.save(old, base=None, store=store)


def test_of_a_page_that_could_not_be_read_nothing_more_is_said() -> None:
    store = Blobs()
    blind = PageSnapshot("browser", {}, Mark(0))
    loaded = KIND.load(KIND.save(blind, base=None, store=store), base=None, store=store, budget=CountedBudget())
    assert loaded == blind


ROWS = """[[-1, "html", {}, 1], [0, "ul", {}, 1],
    [1, "li", {}, 3], [2, "input", {"name": "q"}, 1, {"t": "text", "v": "1"}], [2, "Ada"],
    [1, "li", {}, 3], [5, "input", {"name": "q"}, 1, {"t": "text", "v": "2"}], [5, "Byron"],
    [0, "input", {"name": "one"}, 1, {"t": "text", "v": "3"}]]"""
OLD_KEYS: dict[str, Value] = {"name=q,n=1": {"value": "1"}, "name=q,n=2": {"value": "2"}, "name=one": {"value": "3"}}


def test_what_an_older_version_called_otherwise_is_not_told_by_a_selector() -> None:
    document = StoredDocument((), pack(ROWS))
    older = told(PageSnapshot("browser", OLD | {"input": OLD_KEYS}, documents=(document,)))

    def found(css: str, field: str | None = None) -> list[Value]:
        return [m.value for m in KIND.select(older, ElementSelector(css=css, field=field), budget=CountedBudget())]

    assert found("[name=one]") == ["3"]
    assert found("[name=q]", "@name") == ["q", "q"]
    with pytest.raises(OverBudget, match=r"li\[label=Ada\].* has another address there: .*record it again"):
        found("[name=q]")
    by_address = KIND.find(older, parse_pattern("input[name=q,n=2].value"), budget=CountedBudget())
    assert [match.value for match in by_address] == ["2"]
    young = replace(older, unread=())
    assert [m.value for m in KIND.select(young, ElementSelector(css="[name=q]"), budget=CountedBudget())] == ["1", "2"]
