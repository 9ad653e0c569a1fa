"""Origins that were left: what the verdict says of the stores that nobody read after that."""

import pathlib
from dataclasses import replace

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage
from tests.adapters.browser.test_witness_in_runs import SAVE, Step, ran

from exactchange.snapshot import Mark, Note, lost
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.origins import READ_AFTER
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack


def page(*urls: str, step: int = 0) -> PageSnapshot:
    frames = {f"#f{number}": {"@url": url} for number, url in enumerate(urls)}
    documents = tuple(StoredDocument(("@frames", name), pack("[]")) for name in frames)
    return PageSnapshot("browser", {"@frames": frames}, Mark(step), documents=documents)


def after(taken: PageSnapshot, *origins: str) -> PageSnapshot:
    """The same, where these origins were read although nothing shows them."""
    return replace(taken, notes=tuple(Note("left", f"{READ_AFTER}{origin}") for origin in origins))


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
        ((page("http://a/"), after(page("http://b/"), "http://a")), [("the session storage of http://a", 0)]),
        (
            (page("http://a/"), after(page("http://b/"), "http://a"), page("http://a/"), page("http://b/")),
            [("http://a", 2)],
        ),
        ((page("http://a/"), after(page("http://a/"), "http://b")), []),
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
    assert [item.after for item in online.unexplained] == ["dark"]
    for verdict in (online, offline):
        said = [item.message for item in verdict.warnings if "as it was left" in item.message]
        assert (
            said
            == [  # the browser is not the judge's: items are heard, all else is not
                f"page: what was stored as it was left is not excluded, last read were {site.at()[:-1]} after step 1"
            ]
        )
