"""Attaching and reading change nothing for whoever works in the browser."""

import asyncio

from playwright.async_api import Dialog
from tests.adapters.browser.stage import Site, Stage, at


def test_the_agents_dialog_is_answered_by_the_agent(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<button onclick='window.said = confirm(\"Sure?\")'>ask</button>"

    async def act() -> tuple[list[str], object]:
        seen: list[str] = []

        async def answer(dialog: Dialog) -> None:
            seen.append(dialog.message)
            await asyncio.sleep(0.3)  # a reader that dismissed it would be first
            await dialog.accept()

        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            stage.page.on("dialog", answer)
            await stage.page.click("button")
            stage.page.remove_listener("dialog", answer)
            await reading.take()
            return seen, await stage.page.evaluate("window.said")

    assert stage.run(act()) == (["Sure?"], True)


def test_the_agents_download_reaches_the_agent_and_is_recorded(stage: Stage, site: Site) -> None:
    headers = {"content-disposition": "attachment; filename=report.csv", "content-type": "text/csv"}
    site.pages |= {"/": "<a id=get href=/file>get</a>", "/file": (200, headers, b"a,b\n")}

    async def act() -> tuple[str, str, object]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            async with stage.page.expect_download() as coming:
                await stage.page.click("#get")
            download = await coming.value
            content = (await download.path()).read_text()
            return content, download.suggested_filename, at(await reading.take(), "@downloads")[0]

    content, name, recorded = stage.run(act())
    assert (content, name) == ("a,b\n", "report.csv")
    assert recorded == [{"name": "report.csv", "url": site.at("/file"), "state": "completed", "size": 4}]


def test_a_download_in_a_new_tab_is_recorded_too(stage: Stage, site: Site) -> None:
    headers = {"content-disposition": "attachment; filename=report.csv", "content-type": "text/csv"}
    site.pages |= {"/": "<a id=get href=/file target=_blank>get</a>", "/file": (200, headers, b"a,b\n")}

    async def act() -> object:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await stage.page.click("#get")
            await asyncio.sleep(0.5)
            return at(await reading.take(), "@downloads[*].name")

    assert stage.run(act()) == ["report.csv"]


def test_focus_selection_scroll_and_history_stay_as_they_are(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<input id=a value=abcdef><p style='height:4000px'>x</p><input id=b>"
    state = """() => [document.hasFocus(), document.activeElement.id, document.visibilityState, scrollX, scrollY,
        innerWidth, innerHeight, devicePixelRatio, history.length, a.selectionStart, a.selectionEnd,
        navigator.userAgent, navigator.language, matchMedia('(prefers-color-scheme: dark)').matches,
        Object.keys(window).length, document.documentElement.outerHTML]"""

    async def act() -> tuple[object, object, object]:
        await stage.page.goto(site.at())
        await stage.page.focus("#a")
        await stage.page.evaluate("a.setSelectionRange(1, 4); scrollTo(0, 600)")
        before = await stage.page.evaluate(state)
        async with stage.reading() as reading:
            await reading.take()
            await reading.take()
            during = await stage.page.evaluate(state)
        return before, during, await stage.page.evaluate(state)

    before, during, after = stage.run(act())
    assert before == during == after


def test_reading_asks_the_server_for_nothing(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<link rel=icon href=data:,><img src='data:,'><a href=/never>x</a>"

    async def act() -> None:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            for _ in range(3):
                await reading.take()

    stage.run(act())
    assert site.asked == ["GET /"]


def test_a_page_hears_nothing_of_being_read(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<input id=a value=1><x-a></x-a><script>
        window.heard = [];
        new MutationObserver(all => heard.push('mutation')).observe(document, {subtree: true, childList: true,
            attributes: true, characterData: true});
        for (const name of ['focus', 'blur', 'scroll', 'input', 'change', 'visibilitychange', 'resize', 'pagehide'])
            addEventListener(name, () => heard.push(name), true);
        </script>"""

    async def act() -> object:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await reading.take()
        return await stage.page.evaluate("heard")

    assert stage.run(act()) == []


def test_the_agents_contexts_and_tabs_outlive_the_reader(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<title>mine</title>"

    async def act() -> tuple[str, int]:
        context = await stage.agent.new_context()
        page = await context.new_page()
        async with stage.reading() as reading:
            await page.goto(site.at())
            await reading.take()
        return await page.title(), len(stage.agent.contexts)

    assert stage.run(act()) == ("mine", 2)
