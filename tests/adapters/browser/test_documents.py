"""Documents are told apart by what the browser calls them, in a real browser, and as they are stored."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.adapters.browser.stage import Blobs, Site, Stage

from exactchange.errors import UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark, Unread, lost
from exactchange.values import Value
from exactchange_adapters.browser import KIND, tab, world
from exactchange_adapters.browser.attach import attach
from exactchange_adapters.browser.look import look
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import STRANGE, PageSnapshot, StoredDocument, pack
from exactchange_adapters.browser.tab import FrameWalk

if TYPE_CHECKING:
    from playwright.async_api import CDPSession


def identities(page: PageSnapshot) -> dict[str, str]:
    """What tells the documents apart, by their addresses."""
    return {".".join(map(str, item.path)): item.identity for item in page.documents}


def test_a_frame_of_another_site_has_an_identity_that_it_keeps_until_it_navigates(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "", "/inner": "<input id=n value=1>"}

    async def act() -> list[PageSnapshot]:
        site.pages["/"] = f"<iframe name=inner src='{site.at('/inner', host='localhost')}'></iframe>"
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            first = await reading.take()
            await stage.page.frames[1].fill("#n", "2")
            second = await reading.take()
            async with stage.page.expect_event("framenavigated"):
                await stage.page.frames[1].evaluate("location.reload()")
            return [first, second, await reading.take()]

    frame = "@frames.iframe.name=inner"
    seen = [identities(page) for page in stage.run(act())]
    assert seen == [{"": "1", frame: "2"}, {"": "1", frame: "2"}, {"": "1", frame: "3"}]


def test_a_document_that_is_replaced_while_it_is_read_may_be_either(
    stage: Stage, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages |= {"/": "<title>One</title>", "/two": "<title>Two</title>"}
    real, pending = world.send, ["/two"]

    async def slow(session: "CDPSession", method: str, params: dict[str, object]) -> Mapping[str, object]:
        answer = await real(session, method, params)
        if method == "Page.getFrameTree" and pending:
            await asyncio.to_thread(stage.run, stage.page.goto(site.at(pending.pop())))
        return answer

    async def act() -> list[FrameWalk]:
        async with attach(stage.browser.cdp_url, own=False) as attached:
            looks = [await look(attached, limit_s=20) for _ in range(2)]
            return [seen.tabs[0].walks[0] for seen in looks]

    stage.run(stage.page.goto(site.at()))
    monkeypatch.setattr(tab, "send", slow)
    first, second = asyncio.run(act())
    assert [walk.url for walk in (first, second)] == [site.at(), site.at("/two")]
    assert '"title":"Two"' in first.text, "what was read is the new document, where the old one was expected"
    assert (first.loader, second.loader != "") == ("", True)


PAGE: Mapping[str, Value] = {"@url": "http://127.0.0.1/", "#a": {"value": "1"}}


def stored(identity: str = "1", path: tuple[str, ...] = (), number: int = 1) -> StoredDocument:
    return StoredDocument(path, pack("[]"), number, identity)


def taken(*documents: StoredDocument, step: int = 0, unread: tuple[Unread, ...] = ()) -> PageSnapshot:
    return PageSnapshot("browser", dict(PAGE), Mark(step), unread, documents=documents)


def test_an_older_record_loads_with_documents_that_nobody_tells_apart() -> None:
    store = Blobs()
    new, old = taken(stored("7")), taken(stored(""))
    for page in (new, old):
        record = KIND.save(page, base=None, store=store)
        loaded = KIND.load(record, base=None, store=store, budget=CountedBudget())
        assert loaded.documents == page.documents
    assert new.digest == old.digest
    assert [len(item) for item in _documents(KIND.save(old, base=None, store=store))] == [3]


@pytest.mark.parametrize("rest", [[5], [None], ["1", "2"], [["1"]]])
def test_a_record_of_which_nobody_made_what_tells_documents_apart_is_refused(rest: list[Value]) -> None:
    store = Blobs()
    record = dict(KIND.save(taken(stored()), base=None, store=store))
    record["documents"] = [[*item[:3], *rest] for item in _documents(record)]
    with pytest.raises(UsageError, match="malformed"):
        KIND.load(record, base=None, store=store, budget=CountedBudget())


def _documents(record: Mapping[str, Value]) -> list[list[Value]]:
    found = record["documents"]
    assert isinstance(found, list)
    return [item for item in found if isinstance(item, list)]


HUNG = "the page did not answer in time"
HIDING: list[tuple[tuple[str, ...], str, bool]] = [
    ((), HUNG, True), (("@tabs", "n=2"), HUNG, True), (("@tabs", "n=3"), HUNG, False),
    (("@tabs", "n=2", "@frames", "iframe", "name=x"), HUNG, False), (("@tabs", "n=10000"), STRANGE, True),
    (("@requests",), HUNG, False), (("@tabs", "n=2", "@text"), HUNG, False),
]  # fmt: skip


@pytest.mark.parametrize(("path", "reason", "hides"), HIDING)
def test_what_could_not_be_read_may_be_the_document_that_stood_there(
    path: tuple[str, ...], reason: str, hides: bool
) -> None:
    """The second tab, which another capture shows at the top: it is the same one in both places."""
    blind = taken(step=1, unread=(Unread(path, "", reason),))
    for place in ((), ("@tabs", "n=2")):
        page = stored("1", place, 2)
        went = KIND.documents([taken(page), blind, taken(stored("2"), step=2)])[0].went
        came = KIND.documents([blind, taken(page, step=2)])[0].came
        assert ((went is not None), (came is not None)) == (hides, hides)


def test_a_capture_that_is_lost_hides_whatever_was_there() -> None:
    gone = lost("browser", Mark(1), reason="the disk is full", cause="infrastructure")
    span = KIND.documents([taken(stored()), gone])[0]
    assert span.went is not None
    assert span.went.cause == "infrastructure"


@pytest.mark.parametrize(
    ("path", "closed", "document"),
    [
        (("#a", "value"), ["controls"], ()),
        (("#a", "value"), ["text"], None),
        (("@tabs", "n=2", "#a", "checked"), ["controls"], ("@tabs", "n=2")),
        (("@frames", "iframe", "#f", "#a", "value"), ["controls"], ("@frames", "iframe", "#f")),
        (("#a", "@disabled"), ["controls"], None),
        (("@text",), ["controls", "text"], None),
        (("@tabs", "n=2", "@url"), ["controls", "tabs"], None),
        (("@cookies", "c", "value"), ["controls"], None),
    ],
)
def test_only_closed_controls_are_judged_document_by_document(
    path: tuple[str, ...], closed: list[str], document: tuple[str, ...] | None
) -> None:
    params = BrowserParams.model_validate({"closed": closed})
    assert KIND.document_of(path, params) == document
    assert KIND.closes_documents(params) is ("controls" in closed)


def test_without_stored_documents_there_are_none() -> None:
    assert KIND.documents([taken(), taken(step=1)]) == []


def test_what_is_alone_is_what_a_document_holds_itself_in_its_new_place() -> None:
    inner: Mapping[str, Value] = {"@url": "http://127.0.0.1/inner", "#b": {"value": "2"}}
    tree: Mapping[str, Value] = {
        **PAGE,
        "@frames": {"iframe": {"#f": inner}},
        "@cookies": {"c": {"value": "1"}},
        "@storage": {"session": {}},
        "@tabs": {"n=2": PAGE},
        "@requests": [],
        "@downloads": {},
    }
    frame, other = ("@frames", "iframe", "#f"), ("@tabs", "n=2")
    missing = (Unread((*frame, "@text"), "", "it is too long to read"), Unread(("@tabs", "n=3"), "", HUNG))
    page = replace(taken(stored(), stored("2", frame), stored("3", other, 2), unread=missing), tree=tree)
    assert KIND.alone(page, (), placed=()).tree == PAGE
    assert KIND.alone(page, other, placed=()).documents == (stored("3", (), 2),)
    moved = KIND.alone(page, frame, placed=other)
    assert moved.tree == {"@tabs": {"n=2": inner}}
    assert [item.address for item in moved.unread] == ["@tabs[n=2].@text"]
    assert KIND.alone(page, (), placed=()).unread == ()
