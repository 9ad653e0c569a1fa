"""What is measured of one page: captures by us and by others, and comparisons of two captures."""

import pathlib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import cast

from deepdiff import DeepDiff
from scripts.bench.clocks import Clock
from scripts.bench.pages import CHANGE, DRAWN, INSERT
from scripts.bench.rounds import Timed, measured
from scripts.bench.stage import Stage

from exactchange.limits import CountedBudget
from exactchange.sources import diff_snapshots
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.assemble import Memory
from exactchange_adapters.browser.document import parse_document
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

BASE = "page.content()"
FULL, AGAIN, IDLE = "capture, first of a document", "capture, after one change", "capture, nothing changed"
DIFF, WHOLE, NODES = "step diff", "DeepDiff, the same trees", "DeepDiff, the pages as trees of nodes"
RRWEB, RRWEB_MISSING = "rrweb-snapshot", "not measured: name its bundle by --rrweb"
ARIA = "aria_snapshot()"
LARGEST_FOR_SLOW = 20_000
"""Nodes; on larger pages the slow ones take from half a minute to many."""
NOT_ABOVE = f"not measured above {LARGEST_FOR_SLOW:,} nodes"
SLOW_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of one page: nodes, seconds by way, changes that an inserted item is, what was not measured."""

    nodes: int
    captures: Mapping[str, list[float]]
    diffs: Mapping[str, list[float]]
    inserted: int
    missing: Mapping[str, str] = field(default_factory=dict[str, str])


async def figures(stage: Stage, *, rounds: int, clock: Clock, rrweb: pathlib.Path | None) -> Figures:
    """Measure everything on the page of a stage."""
    nodes = await stage.page.evaluate(
        "() => { const w = document.createTreeWalker(document, 5); let n = 0; while (w.nextNode()) n++; return n; }"
    )
    missing: dict[str, str] = {}
    ways = _ours(stage) | _playwright(stage)
    if rrweb is None:
        missing[RRWEB] = RRWEB_MISSING
    else:
        ways[RRWEB] = _rrweb(stage, rrweb.read_text(encoding="utf-8"))
    if nodes > LARGEST_FOR_SLOW:
        missing[ARIA] = NOT_ABOVE
        del ways[ARIA]
    captures = await measured(ways, rounds=rounds, clock=clock)
    diffs, why = await _diffs(stage, int(nodes), rounds=rounds, clock=clock)
    return Figures(int(nodes), captures, diffs, await _inserted(stage), missing | why)


def _ours(stage: Stage) -> dict[str, Timed]:
    steps = count()

    async def forget() -> None:
        await stage.page.reload()
        await stage.page.evaluate(DRAWN)
        stage.memory, stage.last = Memory(), None

    async def change() -> None:
        await stage.page.evaluate(CHANGE, next(steps))

    async def look() -> None:
        await stage.capture()

    return {FULL: Timed(stage.capture, forget), AGAIN: Timed(stage.capture, change), IDLE: Timed(stage.capture, look)}


def _playwright(stage: Stage) -> dict[str, Timed]:
    page, session = stage.page, stage.session

    async def dom_snapshot() -> None:
        await session.send("DOMSnapshot.captureSnapshot", {"computedStyles": list[str]()})

    return {
        BASE: Timed(page.content),
        ARIA: Timed(lambda: page.locator("body").aria_snapshot()),
        "DOMSnapshot.captureSnapshot": Timed(dom_snapshot),
    }


def _rrweb(stage: Stage, script: str) -> Timed:
    async def load() -> None:
        if not await stage.page.evaluate("() => 'rrwebSnapshot' in window"):
            tag = await stage.page.add_script_tag(content=script)
            await tag.evaluate("script => script.remove()")  # no part of what the others read

    return Timed(lambda: stage.page.evaluate("() => JSON.stringify(rrwebSnapshot.snapshot(document))"), load)


async def _diffs(
    stage: Stage, nodes: int, *, rounds: int, clock: Clock
) -> tuple[Mapping[str, list[float]], dict[str, str]]:
    await stage.page.reload()
    before = await stage.capture()
    await stage.page.evaluate(CHANGE, 1)
    after = await stage.capture()
    trees = before.tree, deepcopy(after.tree)  # what captures share would be known to DeepDiff, too
    pages = node_tree(before), node_tree(after)

    async def ours() -> None:
        assert compare(before, after) == 1

    async def whole() -> None:
        assert DeepDiff(*trees)

    async def page() -> None:
        assert DeepDiff(*pages)

    ways = {DIFF: Timed(ours)}
    if nodes > LARGEST_FOR_SLOW:
        return await measured(ways, rounds=rounds, clock=clock), {WHOLE: NOT_ABOVE, NODES: NOT_ABOVE}
    return await measured(
        ways | {WHOLE: Timed(whole), NODES: Timed(page)}, rounds=min(rounds, SLOW_ROUNDS), clock=clock
    ), {}


async def _inserted(stage: Stage) -> int:
    """As how many changes an item shows that is inserted at the head of a list."""
    await stage.page.reload()
    before = await stage.capture()
    await stage.page.evaluate(INSERT)
    return compare(before, await stage.capture())


def compare(before: PageSnapshot, after: PageSnapshot) -> int:
    """How many changes there are between two captures."""
    params = BrowserParams.model_validate({})
    return len(diff_snapshots(KIND, "page", before, after, params=params, budget=CountedBudget()).changes)


def node_tree(snapshot: PageSnapshot) -> Value:
    """The page as whoever compares pages with DeepDiff has it: each node a mapping that holds those below it."""
    document = parse_document(snapshot.documents[0].text(), budget=CountedBudget())
    made: list[dict[str, Value]] = []
    below: list[list[Value]] = []
    for node in document.nodes:
        state = cast("Mapping[str, Value]", node.state or {})
        held: list[Value] = []
        made.append({"tag": node.tag, "attributes": node.attributes, "state": state, "text": node.text, "below": held})
        below.append(held)
        if node.parent >= 0:
            below[node.parent].append(made[-1])
    return made[0]
