"""A number on a real page is read in the locale that the task gives the page."""

import pathlib

import pytest
from tests.adapters.browser.stage import Site, Stage

from exactchange.case import Case, Evidence
from exactchange.judging import judge
from exactchange.task import load_task
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams

PAGE = "<!doctype html><html lang=de><title>Shop</title><p>Zu zahlen: <b id=total>0,00&nbsp;€</b></p>"
TASK = """id: t
instruction: Order it.
sources: {page: {adapter: browser, start: "http://127.0.0.1:{port}/"%s}}
must: [{value: {in: page, css: "#total", field: text, is: {number: 1234.5, unit: €}}}]
"""


@pytest.mark.parametrize(("said", "holds"), [(", locale: de", True), (", locale: en", None), ("", None)])
def test_a_price_on_a_german_page_is_a_number_where_the_task_says_so(
    stage: Stage, site: Site, tmp_path: pathlib.Path, said: str, holds: bool | None
) -> None:
    site.pages["/"] = PAGE
    (tmp_path / "task.yaml").write_text(TASK % said, encoding="utf-8")
    task = load_task(tmp_path / "task.yaml")
    params = task.sources["page"].params(lambda text: text.replace("{port}", "1"))
    assert isinstance(params, BrowserParams)

    async def act() -> Case:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            start = await reading.take()
            await stage.page.evaluate("document.getElementById('total').textContent = '1.234,50\\u00a0€'")
            return Case({"page": Evidence("page", KIND, params, (start, await reading.take()))})

    found = [item for item in judge(task, stage.run(act())).findings if item.tier == "must"]
    assert found[0].holds is holds, found
