"""`live`: the world is up for a block, every step is judged, and nothing is left afterwards."""

import pathlib
from collections.abc import Mapping

import pytest
from playwright.sync_api import Page, sync_playwright

from exactchange import live, load_task
from exactchange.errors import UsageError
from exactchange.values import Value
from exactchange_fixtures.shipped import task_dir

SETTINGS = task_dir() / "article" / "settings-timeout.yaml"


SAVE = {"role": "button", "name": "Save"}
ACTIONS: list[dict[str, Value]] = [
    {"kind": "fill", "target": {"css": "#server-timeout"}, "text": "30"},
    {"kind": "click", "target": SAVE},
]


def _act(page: Page, action: Mapping[str, Value]) -> None:
    if action["kind"] == "fill":
        page.fill("#server-timeout", str(action["text"]))
    else:
        with page.expect_navigation():
            page.get_by_role("button", name=SAVE["name"], exact=True).click()


def test_an_agent_in_python_is_judged_step_by_step_and_its_record_gives_the_same(tmp_path: pathlib.Path) -> None:
    with sync_playwright() as playwright, live(load_task(SETTINGS), record=tmp_path / "episode") as run:
        assert run.cdp_url is not None
        page = playwright.chromium.connect_over_cdp(run.cdp_url).contexts[0].pages[0]
        for action in ACTIONS:
            assert run.before(action).go
            _act(page, action)
            assert run.after().go
        verdict = run.finish("done")
        workdir = run.workdir
    assert (verdict.outcome, verdict.steps) == ("passed", 2)
    assert (tmp_path / "episode" / "verdict.json").exists()
    assert not workdir.exists()


def test_a_red_line_is_answered_before_it_is_crossed() -> None:
    with live(load_task(SETTINGS)) as run:
        decision = run.before({"kind": "tool", "tool": "restart_prod", "args": {}})
        assert not decision.go
        assert "production is not restarted" in decision.reasons[0]
        assert run.finish().outcome == "vetoed"
        with pytest.raises(UsageError):
            run.finish()
