"""The shared cases of pages: each as it was handed over, played in a real Chromium, with the answer that it states."""

import json
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import yaml
from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage, pick

from exactchange_adapters.browser.snapshot import PageSnapshot

FIXTURES = pathlib.Path(__file__).parents[3] / "fixtures"


def folder_of(name: str, *, kind: str = "cases") -> pathlib.Path:
    """The folder of a case, or of an attack (`kind="attacks"`), by the number that its name begins with."""
    (folder,) = (FIXTURES / kind).glob(f"{name}-*")
    return folder


@dataclass(frozen=True, slots=True)
class Stated:
    """One change of those that a case calls right."""

    selector: str
    frame: str = ""
    field: str = "text"
    before: str | None = None
    after: str | None = None
    op: str = "modified"
    text: str = ""


def stated(name: str) -> Sequence[Stated]:
    """Every change that `what_is_right` of a case names."""
    case = cast("Mapping[str, object]", yaml.safe_load((folder_of(name) / "case.yaml").read_text("utf-8")))
    right = cast("Mapping[str, object]", case["what_is_right"])
    items = cast("Sequence[Mapping[str, str]]", right["changed"])
    return [
        Stated(
            item["selector"],
            frame=item.get("frame", ""),
            field=item.get("field", "text"),
            before=item.get("before"),
            after=item.get("after"),
            op=item.get("op", "modified"),
            text=item.get("text", ""),
        )
        for item in items
    ]


def told(before: PageSnapshot, after: PageSnapshot, item: Stated) -> tuple[object, object]:
    """What our snapshots hold where a case states a change; one value on each side."""
    selector = item.selector.rpartition(" >> ")[2]
    sides = [pick(side, css=selector, field=item.field) for side in (before, after)]
    return sides[0], sides[1]


async def live(
    stage: Stage, site: Site, name: str, *, address: tuple[str, str] = ("", "")
) -> tuple[PageSnapshot, PageSnapshot]:
    """Mode live: `before.html`, then the actions. `address`: one that only the report has, and what stands for it."""
    html = (folder_of(name) / "before.html").read_text("utf-8")
    site.pages["/"] = html.replace(*address) if address[0] else html
    await stage.page.goto(site.at())
    async with stage.reading() as reading:
        before = await reading.take()
        for action in json.loads((folder_of(name) / "actions.json").read_text("utf-8")):
            await _do(stage.page, action)
        return before, await reading.take()


async def pair(stage: Stage, site: Site, name: str) -> tuple[PageSnapshot, PageSnapshot]:
    """Mode pair: each file is loaded at the same address, and read."""
    before, after = ((folder_of(name) / f"{side}.html").read_text("utf-8") for side in ("before", "after"))
    return await loaded(stage, site, before, after)


async def loaded(stage: Stage, site: Site, *pages: str) -> tuple[PageSnapshot, PageSnapshot]:
    """What two texts of a page hold, each loaded at the same address."""
    taken: list[PageSnapshot] = []
    for html in pages:
        site.pages["/"] = html
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            taken.append(await reading.take())
    before, after = taken
    return before, after


async def _do(page: Page, action: Mapping[str, str | Sequence[str]]) -> None:
    where = page.frame_locator(str(action["frame"])) if "frame" in action else page
    if "fill" in action:
        filled = action["fill"]
        await where.locator(filled[0]).fill(filled[1])
    elif "evaluate" in action:
        await page.evaluate(str(action["evaluate"]))
    else:
        await where.locator(str(action["click"])).click()
