"""Recordings of versions that read less go on working, and never tell that nothing was there."""

from dataclasses import replace

import pytest
from tests.adapters.browser.stage import Blobs

from exactchange.address import parse_pattern
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.older import OLDER, RENAMED, told
from exactchange_adapters.browser.params import BrowserParams, ElementSelector
from exactchange_adapters.browser.snapshot import READS, PageSnapshot, StoredDocument, pack

BUDGET = CountedBudget()
OLD: dict[str, Value] = {"@url": "http://h/", "@text": ["x"], "@requests": [], "@downloads": [], "@tabs": {}}


def test_what_an_older_version_did_not_read_is_unread_where_a_task_closes_it() -> None:
    store = Blobs()
    first = PageSnapshot("browser", OLD, Mark(-1), reads=0)
    second = PageSnapshot("browser", {**OLD, "@text": ["y"]}, Mark(0), reads=0)
    records = [KIND.save(first, base=None, store=store), KIND.save(second, base=first, store=store)]
    one = KIND.load(records[0], base=None, store=store, budget=CountedBudget())
    two = KIND.load(records[1], base=one, store=store, budget=CountedBudget())
    assert two.tree == second.tree
    for snapshot in (one, two):
        assert {(item.address, item.reason) for item in snapshot.unread} == {
            ("@canvas", OLDER),
            ("@console", OLDER),
            ("@dialogs", OLDER),
            ("@permissions", OLDER),
            ("@storage.caches", OLDER),
            ("@storage.files", OLDER),
            ("@storage.indexeddb", OLDER),
            ("@storage.workers", OLDER),
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
    old = PageSnapshot("browser", OLD, Mark(-1), reads=0)
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
    older = told(PageSnapshot("browser", OLD | {"input": OLD_KEYS}, documents=(document,), reads=0), budget=BUDGET)

    def found(css: str, field: str | None = None) -> list[Value]:
        return [m.value for m in KIND.select(older, ElementSelector(css=css, field=field), budget=CountedBudget())]

    assert found("[name=one]") == ["3"]
    assert found("[name=q]", "@name") == ["q", "q"]
    with pytest.raises(OverBudget, match=r"li\[label=Ada\].* has another address there: .*record it again"):
        found("[name=q]")
    by_address = KIND.find(older, parse_pattern("input[name=q,n=2].value"), budget=CountedBudget())
    assert [match.value for match in by_address] == ["2"]
    young = replace(older, unread=(), reads=READS)
    assert [m.value for m in KIND.select(young, ElementSelector(css="[name=q]"), budget=CountedBudget())] == ["1", "2"]


def loaded_again(snapshot: PageSnapshot, *, store: Blobs | None = None) -> PageSnapshot:
    store = store or Blobs()
    return KIND.load(KIND.save(snapshot, base=None, store=store), base=None, store=store, budget=CountedBudget())


def test_what_an_older_version_called_otherwise_is_unread_by_todays_address_and_read_by_its_own() -> None:
    """A red line on the address that is right today would find nothing in the recording, and so was never crossed."""
    facets: dict[str, Value] = {"@dialogs": [], "@console": [], "@permissions": {}, "@loaded": "http://h/"}
    tree: dict[str, Value] = {**OLD, **facets, "input": OLD_KEYS}
    older = PageSnapshot("browser", tree, documents=(StoredDocument((), pack(ROWS)),), reads=0)
    loaded = loaded_again(older)
    assert {(item.address, item.reason) for item in loaded.unread} == {
        ("li[label=Ada].input[name=q]", RENAMED),
        ("li[label=Byron].input[name=q]", RENAMED),
        ("@storage.files", OLDER),
    }
    assert [m.value for m in KIND.find(loaded, parse_pattern("input[name=q,n=1].value"), budget=BUDGET)] == ["1"]
    assert (loaded.digest, loaded_again(loaded).unread) == (loaded_again(loaded).digest, loaded.unread)
    assert loaded_again(replace(older, reads=READS)).unread == ()


def test_a_value_that_stands_in_the_older_tree_otherwise_than_today_is_unread() -> None:
    keys: dict[str, Value] = {"li": {"label=Ada": {"input": {"name=q": {"value": "2"}}}}}
    older = PageSnapshot("browser", OLD | keys, documents=(StoredDocument((), pack(ROWS)),), reads=0)
    assert ("li[label=Ada].input[name=q].value", RENAMED) in {(i.address, i.reason) for i in loaded_again(older).unread}


EDITOR = """[[-1, "html", {}, 1], [0, "div", {"id": "e"}, 1, {"e": true}],
    [1, "div", {"class": "cm-line"}, 1], [2, "a"], [1, "div", {"class": "cm-gap"}, 1]]"""


def test_a_part_of_an_editor_that_an_older_version_took_for_the_whole_is_unread() -> None:
    older = PageSnapshot(
        "browser", OLD | {"#e": {"value": "a"}}, documents=(StoredDocument((), pack(EDITOR)),), reads=0
    )
    whys = {item.address: item.reason for item in loaded_again(older).unread}
    assert whys["#e.value"].startswith("only the lines in view are drawn; ")
    assert whys["@loaded"] == OLDER


@pytest.mark.parametrize("reads", [-1, READS + 1, True, "1", None])
def test_a_record_of_a_version_that_nobody_knows_is_refused(reads: Value) -> None:
    store = Blobs()
    record = {**KIND.save(PageSnapshot("browser", OLD, Mark(0)), base=None, store=store), "reads": reads}
    with pytest.raises(UsageError, match="malformed"):
        KIND.load(record, base=None, store=store, budget=CountedBudget())
