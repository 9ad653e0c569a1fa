"""Steps on a real page: which of them lead somewhere, by what a person could see."""

import pathlib
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import pytest
import yaml
from playwright.sync_api import Page, sync_playwright
from tests.adapters.browser.stage import serve

from exactchange import live, load_task
from exactchange.conditions import Evaluation
from exactchange.conditions.redundancy import Redundant, redundant
from exactchange.episode import read_episode
from exactchange.values import Value

PAGE = """<!doctype html><title>Notes</title>
<nav onmouseenter="document.cookie = 'clock=' + performance.now()">Notes</nav>
<button id="menu" onclick="list.hidden = !list.hidden">Menu</button><ul id="list" hidden><li>Log out</li></ul>
<button id="idle" onclick="document.cookie = 'clock=' + performance.now()">Refresh</button>
<details id="more"><summary>More</summary>Some more words</details>
<input id="title"><p style="height: 3000px"></p><a id="next" href="#next">Next</a>
"""
RULES = {
    "id": "notes",
    "instruction": "Write a note.",
    "must": [{"value": {"in": "page", "at": "#title.value", "is": "Ada"}}],
    "ignore": [{"in": "page", "at": "@cookies.clock"}],
}
Step: TypeAlias = tuple[dict[str, Value], Callable[[Page], object]]


def click(css: str) -> Step:
    return {"kind": "click", "target": {"css": css}}, lambda page: page.click(css)


def typed(text: str) -> Step:
    return {"kind": "type", "text": text}, lambda page: page.keyboard.type(text)


def fill(text: str) -> Step:
    return {"kind": "fill", "text": text, "target": {"css": "#title"}}, lambda page: page.fill("#title", text)


SCROLL: Step = ({"kind": "scroll"}, lambda page: page.mouse.wheel(0, 900))
HOVER: Step = ({"kind": "move", "target": {"css": "nav"}}, lambda page: page.hover("nav"))
STEPS: Sequence[tuple[Step, bool]] = [
    (click("#menu"), False),  # opened
    (click("#menu"), True),  # closed again
    (click("#idle"), True),  # sets a cookie that the task ignores, and shows nothing
    (SCROLL, False),  # costs nothing
    (HOVER, False),  # neither
    (click("#more > summary"), False),
    (click("#title"), False),  # begins to fill a field
    (typed("A"), False),
    (SCROLL, False),
    (typed("da"), False),
    (fill("Ada"), True),  # as it was
    (click("#title"), True),  # only the focus
    (click("#next"), False),  # another address
]


@pytest.fixture
def address() -> Iterator[str]:
    """Where the page is served."""
    site, server = serve()
    site.pages["/"] = PAGE
    yield site.at("/")
    server.shutdown()
    server.server_close()


def test_what_a_person_would_see_tells_which_steps_were_in_vain(tmp_path: pathlib.Path, address: str) -> None:
    sources = {"page": {"adapter": "browser", "start": address}}
    (tmp_path / "notes.yaml").write_text(yaml.safe_dump({**RULES, "sources": sources}))
    task = load_task(tmp_path / "notes.yaml")
    with sync_playwright() as playwright, live(task, record=tmp_path / "episode") as run:
        assert run.cdp_url is not None
        page = playwright.chromium.connect_over_cdp(run.cdp_url).contexts[0].pages[0]
        for (action, act), _ in STEPS:
            assert run.before(action).go
            act(page)
            assert run.after().go
        verdict = run.finish("done")
    case = read_episode(tmp_path / "episode", task)
    vain = tuple(number for number, (_, idle) in enumerate(STEPS, 1) if idle)
    assert redundant(Evaluation(case, ignored=task.ignore), case.actions) == Redundant(vain, ())
    assert verdict.steps == 8
    unignored = redundant(Evaluation(case), case.actions)
    assert unignored is not None and set(vain) - set(unignored.certain) == {3}
