"""Controls of the less usual kinds, with what the browser makes of what is put into them."""

from playwright.async_api import FilePayload
from tests.adapters.browser.stage import Site, Stage, at, changed

PAGE = """<input type=color id=ink value=#0000ff><input type=range id=level min=0 max=10 step=5>
<input type=time id=at><input type=datetime-local id=when><input type=month id=month><input type=week id=week>
<input type=date id=day value=1843-09-05><input type=search id=find><input type=tel id=phone><input type=url id=link>
<input type=file id=one><input type=file id=many multiple>
<div id=tip popover>Help</div><div id=hint popover=manual>More</div><input type=hidden id=step value=1>"""
SET = """() => { const set = (id, value) => { document.getElementById(id).value = value };
set('ink', '#FF8800'); set('level', '9'); set('at', '09:05'); set('when', '2026-12-01T09:05'); set('month', '2026-12');
set('week', '2026-W49'); set('day', 'no date'); set('find', 'Ada'); set('phone', '+1 555'); set('link', 'nonsense');
set('step', '2'); tip.showPopover(); hint.showPopover(); hint.hidePopover() }"""


def test_every_kind_of_field_is_read_as_the_browser_holds_it(stage: Stage, site: Site) -> None:
    site.pages["/"] = PAGE

    async def act() -> tuple[object, dict[str, tuple[object, object]]]:
        page = stage.page
        await page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await page.evaluate(SET)
            files: list[FilePayload] = [{"name": f"{n}.txt", "mimeType": "text/plain", "buffer": b"x"} for n in "ab"]
            await page.set_input_files("#one", files[:1])
            await page.set_input_files("#many", files)
            return [at(before, f"#{name}.open") for name in ("tip", "hint")], changed(before, await reading.take())

    shut, found = stage.run(act())
    assert shut == [[False], [False]]
    assert {address: after for address, (_, after) in found.items() if not address.startswith("@text")} == {
        "#ink.value": "#ff8800",
        "#level.value": "10",
        "#at.value": "09:05",
        "#when.value": "2026-12-01T09:05",
        "#month.value": "2026-12",
        "#week.value": "2026-W49",
        "#day.value": "",  # what is no date is none
        "#find.value": "Ada",
        "#phone.value": "+1 555",
        "#link.value": "nonsense",
        "#step.value": "2",
        "#one.files[0]": "a.txt",
        "#many.files[0]": "a.txt",
        "#many.files[1]": "b.txt",
        "#tip.open": True,
    }
