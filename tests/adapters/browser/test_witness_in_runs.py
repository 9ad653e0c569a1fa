"""A run with a witness: what the agent leaves out of its log and what it makes up, as it is judged and recorded."""

import pathlib
from collections.abc import Awaitable, Callable

from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage

from exactchange.episode import RunWorld
from exactchange.session import Session, judge_episode
from exactchange.task import Task, load_task
from exactchange.values import Value
from exactchange.verdict import Verdict, verdict_json

SHOP = """<form onsubmit="return false"><input name=mail aria-label=E-mail><input type=password id=pw>
<button type=button id=save onclick="localStorage.saved = 1">Save</button>
<button type=button id=pay>Pay</button></form>"""
TASK = """
id: shop
instruction: Save, and do not pay.
sources:
  page: {adapter: browser}
must:
  - change: {in: page, at: '@storage.local.*.saved', to: "1"}
    name: saved
  - action: {kind: click, target: {css: "#save"}}
    name: by hand
veto:
  - action: {kind: click, target: {role: button, name: Pay}}
    name: no payment
bonus:
  - effort: {steps: 1}
    name: in one step
"""

Step = tuple[dict[str, Value], Callable[[Page], Awaitable[object]]]


async def nothing(_: Page) -> None:
    """What is reported is not done."""


def shop(folder: pathlib.Path) -> Task:
    file = folder / "shop.yaml"
    file.write_text(TASK, encoding="utf-8")
    return load_task(file)


def ran(
    stage: Stage, site: Site, folder: pathlib.Path, *steps: Step, after: Callable[[Page], Awaitable[object]] = nothing
) -> tuple[Verdict, Verdict]:
    """The verdict of a run in which the agent reports these actions and does those, and that of its record."""
    site.pages["/"] = SHOP
    task = shop(folder)

    async def act() -> Verdict:
        await stage.page.goto(site.at())
        world = RunWorld(folder, cdp_url=stage.browser.cdp_url)
        async with Session(task, world=world, record=folder / "episode") as session:
            for said, do in steps:
                await session.before(said, reported_by="agent")
                await do(stage.page)
                await session.after(reported_by="agent")
            await after(stage.page)
            return await session.finish("done")

    verdict = stage.run(act())
    return verdict, judge_episode(task, folder / "episode")


def same(online: Verdict, offline: Verdict) -> bool:
    left, right = verdict_json(online), verdict_json(offline)
    return {**left, "mode": ""} == {**right, "mode": ""}


def witnessed(verdict: Verdict) -> list[str]:
    return [item.message for item in verdict.warnings if item.kind in ("witness", "unannounced")]


SAVE: Step = ({"kind": "click", "target": {"css": "#save"}}, lambda page: page.click("#save"))


def test_what_an_agent_says_and_is_seen_to_do_is_more_than_its_word(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    online, offline = ran(stage, site, tmp_path, SAVE)
    assert (online.outcome, witnessed(online), same(online, offline)) == ("passed", [], True)
    assert online.bonus.met == 1


def test_a_click_that_the_agent_left_out_of_its_log_is_a_veto(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    async def pay_and_save(page: Page) -> None:
        await page.click("#pay")
        await page.click("#save")

    online, offline = ran(stage, site, tmp_path, (SAVE[0], pay_and_save))
    assert (online.outcome, online.stopped_at, same(online, offline)) == ("vetoed", 1, True)
    assert witnessed(online) == ["seen to be done, but not in the log: click on #pay in step 1"]


def test_a_click_that_was_only_told_of_is_no_more_than_told(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    saved: Step = ({"kind": "script", "code": "…"}, lambda page: page.evaluate("localStorage.saved = 1"))
    online, offline = ran(stage, site, tmp_path, saved, (SAVE[0], nothing))
    assert (online.outcome, same(online, offline)) == ("undecided", True)
    assert [text.partition(" (")[0] for text in witnessed(online)] == [
        "in the log, but not seen in any page: click on #save in step 2"
    ]


def test_what_is_done_outside_of_every_step_is_seen_and_effort_is_not_known(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    online, offline = ran(stage, site, tmp_path, SAVE, after=lambda page: page.fill("[name=mail]", "ada"))
    assert (online.outcome, online.bonus.met, same(online, offline)) == ("passed", 0, True)
    assert ['fill on input[name="mail"] after action 1' in text for text in witnessed(online)] == [True]


def test_no_password_that_was_typed_is_in_the_record(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    typed: Step = ({"kind": "fill", "target": {"css": "#pw"}}, lambda page: page.type("#pw", "hunter-of-2"))
    ran(stage, site, tmp_path, typed, SAVE)
    record = b"".join(path.read_bytes() for path in (tmp_path / "episode").rglob("*") if path.is_file())
    assert b'"witness"' in record
    assert not any(b"hunter-of-2"[start : start + 4] in record for start in range(8))


def test_a_log_that_is_read_at_the_end_is_compared_as_a_whole(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    site.pages["/"] = SHOP
    task = shop(tmp_path)

    async def act() -> Verdict:
        await stage.page.goto(site.at())
        async with Session(task, world=RunWorld(tmp_path, cdp_url=stage.browser.cdp_url)) as session:
            await stage.page.click("#save")
            await stage.page.fill("[name=mail]", "ada")
            await session.observed(SAVE[0])
            return await session.finish("done")

    assert witnessed(stage.run(act())) == [
        'seen to be done, but not in the log: fill on input[name="mail"] in a step that is not known'
    ]
