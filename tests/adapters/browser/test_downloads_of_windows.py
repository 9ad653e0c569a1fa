"""What a window downloads as soon as it is open is known, in a browser that the judge started."""

import pytest
from tests.adapters.browser.stage import Site, Stage, at

from exactchange.values import Value

SAVES = """<script>
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["all of it"]));
  link.download = "saved.txt";
  link.click();
  setTimeout(close, 300);
</script>"""


@pytest.mark.parametrize("how", ["", "noopener"])
def test_what_a_window_saves_that_closes_itself_is_a_download(stage: Stage, site: Site, how: str) -> None:
    site.pages |= {"/": "<title>app</title>", "/saves": SAVES}

    async def act() -> list[Value]:
        page = stage.page
        await page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            async with page.context.expect_page() as coming:
                await page.evaluate(f"window.open('/saves', '', '{how}') && 0")
            window = await coming.value
            if not window.is_closed():
                await window.wait_for_event("close")
            return at(await reading.take(), "@downloads[*].name")

    assert stage.run(act()) == ["saved.txt"]
