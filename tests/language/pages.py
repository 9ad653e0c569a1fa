"""Episodes of a real browser: what an agent does step by step, read after every step, and judged by a task file."""

import pathlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from playwright.async_api import Page
from tests.adapters.browser.stage import Stage, World
from tests.language.worlds import STARTED, done

from exactchange.case import Case, Evidence
from exactchange.judging import judge
from exactchange.snapshot import Mark
from exactchange.task import Task, load_task
from exactchange.verdict import Verdict
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

Act: TypeAlias = Callable[[Page], Awaitable[object]]
CLOSED = ("controls",)


def played(stage: Stage, start: str, *acts: Act, unread_after: Sequence[int] = ()) -> list[PageSnapshot]:
    """The captures before the first and after each act. After `unread_after` steps nothing is read."""

    async def play() -> list[PageSnapshot]:
        taken: list[PageSnapshot] = []
        world = World(pathlib.Path("/nowhere"), stage.browser.cdp_url)
        await stage.page.goto(start)
        async with KIND.open(BrowserParams(), world=world) as reader:
            for step in range(len(acts) + 1):
                if step:
                    await acts[step - 1](stage.page)
                if step not in unread_after:
                    last = taken[-1] if taken else None
                    taken.append(await reader.capture(mark=Mark(step), previous=last, deadline_s=15))
        return taken

    return stage.run(play())


def task_of(folder: pathlib.Path, rules: str, *, closed: Sequence[str] = CLOSED) -> Task:
    """The task of these rules over a page."""
    page = f'{{adapter: browser, start: "http://127.0.0.1:{{port}}/", closed: [{", ".join(closed)}]}}'
    file = folder / "task.yaml"
    file.write_text(f"id: t\ninstruction: Do it.\nsources: {{page: {page}}}\n{rules}\n", encoding="utf-8")
    return load_task(file)


def case_of(captures: Sequence[PageSnapshot], *, closed: Sequence[str] = CLOSED, answer: str | None = "done") -> Case:
    """The case of these captures, with a click before each step; what the agent says is `done`."""
    evidence = Evidence("page", KIND, BrowserParams(closed=tuple(closed)), tuple(captures))
    actions = done([{"kind": "click"}] * captures[-1].mark.step)
    return Case({"page": evidence}, actions, answer=answer, started_ns=STARTED, ended_ns=STARTED + 1)


def judged(
    folder: pathlib.Path, rules: str, captures: Sequence[PageSnapshot], *, closed: Sequence[str] = CLOSED
) -> Verdict:
    """The verdict of these rules on the captures of a page in which nothing else may change in `closed`."""
    return judge(task_of(folder, rules, closed=closed), case_of(captures, closed=closed))


def nameless(captures: Sequence[PageSnapshot]) -> list[PageSnapshot]:
    """The captures as they were stored before documents were told apart."""
    return [replace(page, documents=tuple(replace(d, identity="") for d in page.documents)) for page in captures]
