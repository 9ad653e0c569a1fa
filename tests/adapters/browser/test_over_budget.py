"""A document that takes more work than a page of its size needs is unread, and it alone: all else is read."""

import json
from collections.abc import Mapping

import pytest

from exactchange.address import lookup
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange.values import Value
from exactchange_adapters.browser.assemble import Memory, assemble
from exactchange_adapters.browser.look import Look, TabLook
from exactchange_adapters.browser.notices import Notices
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.snapshot import PageSnapshot
from exactchange_adapters.browser.tab import FrameWalk
from exactchange_adapters.browser.traffic import Traffic

Node = list[object]
CANVAS: Node = ["canvas", {}, 3, {"x": "blank"}]
WINDOW: Node = ["div", {"role": "grid", "aria-rowcount": "100"}, 3]
KINDS: list[Node] = [["button", {}, 3, {}], ["iframe", {}, 3], CANVAS, WINDOW]
DEEP = 3_000


def rows(inside: Node, *, count: int = DEEP) -> list[Node]:
    """Rows in rows in rows, each with one of these: what tells them apart is looked for in all of them."""
    nodes: list[Node] = [[-1, "html", {}, 3], [0, "body", {}, 3]]
    above = 1
    for _ in range(count):
        nodes.append([above, "li", {}, 3])
        above = len(nodes) - 1
        nodes.append([above, *inside])
        nodes.append([above + 1, "x"])
    return nodes


def frame(nodes: list[Node], *, parent: int = 0, owner: int = 2, stored: int = 0) -> FrameWalk:
    items = [[f"k{number}", "v"] for number in range(stored)]
    said: dict[str, object] = {"cut": [], "session": []}
    said |= {"url": "http://a.test/", "title": "t", "loaded": "", "origin": "http://a.test", "whole": True}
    head = {**said, "local": items}
    return FrameWalk(parent, owner, "http://a.test/", f"{json.dumps(head)}\n{json.dumps(nodes)}")


INPUT: Node = [1, "input", {"name": "a"}, 3, {"t": "text", "v": "top"}]
TOP: list[Node] = [
    [-1, "html", {}, 3],
    [0, "body", {}, 3],
    [1, "iframe", {"name": "first"}, 3],
    [1, "iframe", {"name": "other"}, 3],
    INPUT,
]
FINE: list[Node] = [[-1, "html", {}, 3], [0, "input", {"name": "b"}, 3, {"t": "text", "v": "inner"}]]


def seen(*walks: FrameWalk, budget: CountedBudget | None = None) -> PageSnapshot:
    secrecy = Secrecy()
    return assemble(
        Look((TabLook(1, "c", "http://a.test/", (frame(TOP, parent=-1, owner=-1), *walks)),), (), 0),
        traffic=Traffic(secrecy),
        notices=Notices(secrecy),
        secrecy=secrecy,
        memory=Memory(),
        mark=Mark(0, 0, 0),
        notes=(),
        budget=budget or CountedBudget(),
    )


FIRST = ("@frames", "iframe", "name=first")
OTHER: Mapping[str, Value] = {"@url": "http://a.test/", "input": {"name=b": {"value": "inner"}}, "@text": []}


@pytest.mark.parametrize("inside", KINDS)
def test_a_frame_whose_names_take_too_much_work_is_unread_and_all_else_is_read(inside: Node) -> None:
    snapshot = seen(frame(rows(inside)), frame(FINE, owner=3), frame(FINE, parent=1, owner=3))
    assert [(item.path, item.cause) for item in snapshot.unread] == [(FIRST, "content")]
    assert "more work" in snapshot.unread[0].reason
    lost: Mapping[str, Value] = {"@url": "http://a.test/", "@frames": {"iframe": {"lost=3": OTHER}}}
    assert lookup(snapshot.tree, ("@frames",)) == {"iframe": {"name=first": lost, "name=other": OTHER}}
    assert FIRST not in [stored.path for stored in snapshot.documents]
    assert lookup(snapshot.tree, ("input",)) == {"name=a": {"value": "top"}}


@pytest.mark.parametrize("inside", KINDS)
def test_the_same_frame_of_a_usual_size_is_read(inside: Node) -> None:
    assert not [item for item in seen(frame(rows(inside, count=20))).unread if item.path == FIRST]


def test_a_frame_that_stores_more_than_is_read_is_unread_and_all_else_is_read() -> None:
    snapshot = seen(frame(FINE, stored=2_000), budget=CountedBudget(max_nodes=1_000))
    assert [item.path for item in snapshot.unread] == [FIRST]
    assert lookup(snapshot.tree, ("input",)) == {"name=a": {"value": "top"}}
