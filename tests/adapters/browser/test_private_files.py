"""Files that an origin keeps in a folder of its own are read like the rest of its storage, and none is made."""

from collections.abc import Mapping

from tests.adapters.browser.stage import Site, Stage, at, changed

from exactchange.values import Value
from exactchange_adapters.browser.areas import MOST_BYTES

FILES = """async (steps) => {
  const top = await navigator.storage.getDirectory();
  const write = async (folder, name, text) => {
    const writer = await (await folder.getFileHandle(name, {create: true})).createWritable();
    await writer.write(text);
    await writer.close();
  };
  for (const [name, text] of steps)
    if (text !== null) await write(await top.getDirectoryHandle('notes', {create: true}), name, text);
    else await top.removeEntry(name, {recursive: true});
}"""


def test_the_files_of_an_origin_are_read_and_none_is_made(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<title>app</title>"

    async def act() -> tuple[list[Value], dict[str, tuple[object, object]], list[Value]]:
        page = stage.page
        await page.goto(site.at())
        async with stage.reading() as reading:
            first = await reading.take()
            await page.evaluate(FILES, [["a.txt", "one"], ["empty", ""]])
            before = await reading.take()
            await page.evaluate(FILES, [["a.txt", "two"]])
            after = await reading.take()
            await page.evaluate(FILES, [["notes", None]])
            last = await reading.take()
            for taken in (first, before, after, last):
                assert taken.unread == ()
            kept = at(before, "@storage.files.*")
            return kept, changed(before, after), [*at(first, "@storage.files"), *at(last, "@storage.files")]

    kept, found, none = stage.run(act())
    assert isinstance(kept[0], Mapping) and list(kept[0]) == ["notes/", "notes/a.txt", "notes/empty"]
    assert list(found.values()) == [(b"one", b"two")]
    assert none == []


def test_files_that_are_too_large_to_read_are_unread(stage: Stage, site: Site) -> None:
    site.pages["/"] = "<title>app</title>"

    async def act() -> list[tuple[str, str]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await stage.page.evaluate(FILES, [["large", " " * (MOST_BYTES + 1)]])
            taken = await reading.take()
            await stage.page.evaluate(FILES, [["notes", None]])
            return [(item.address, item.reason) for item in taken.unread]

    assert stage.run(act()) == [(f'@storage.files["{site.at()[:-1]}"]', "it is too large to read")]
