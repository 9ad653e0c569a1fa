"""What was stored in the very step that left an origin cannot be read, and the verdict says so."""

import pathlib

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage
from tests.adapters.browser.test_witness_in_runs import SAVE, Step, ran

from exactchange.snapshot import Mark, lost
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack


def page(*urls: str, step: int = 0) -> PageSnapshot:
    frames = {f"#f{number}": {"@url": url} for number, url in enumerate(urls)}
    documents = tuple(StoredDocument(("@frames", name), pack("[]")) for name in frames)
    return PageSnapshot("browser", {"@frames": frames}, Mark(step), documents=documents)


@pytest.mark.parametrize(
    ("captures", "left"),
    [
        ((page("http://a/x"), page("http://a/y")), []),
        ((page("http://a/x"), page("https://a/x")), [("http://a", 0)]),
        ((page("http://a/"), page("http://a:1/", "http://a/"), page("http://a/")), [("http://a:1", 1)]),
        ((page("http://a/"), page("http://b/"), page("http://a/")), [("http://b", 1)]),
        (
            (page("http://a/", "about:blank", "data:,x", "http://[", ""), page("about:blank")),
            [("http://a", 0)],
        ),
        ((page("http://a/"), lost("browser", Mark(1), reason="gone", cause="content")), [("http://a", 0)]),
        ((), []),
    ],
)
def test_an_origin_that_the_last_capture_does_not_show_was_left(
    captures: tuple[PageSnapshot, ...], left: list[tuple[str, int]]
) -> None:
    assert KIND.left_behind(captures, BrowserParams()) == left
    assert KIND.left_behind(captures, BrowserParams.model_validate({"except": ["@storage.**"]})) == []


def test_the_verdict_of_a_run_that_left_an_origin_says_what_it_cannot_exclude(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    async def leave(page: Page) -> None:
        await page.evaluate("localStorage.theme = 'dark'")
        await page.goto("about:blank")

    away: Step = ({"kind": "script", "code": "…"}, leave)
    online, offline = ran(stage, site, tmp_path, SAVE, away)
    assert "theme" not in str(online), "the day it is read, this warning can go"
    for verdict in (online, offline):
        said = [item.message for item in verdict.warnings if "as it was left" in item.message]
        assert said == [
            f"page: what was stored as it was left is not excluded, last read were {site.at()[:-1]} after step 1"
        ]
