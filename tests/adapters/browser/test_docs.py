"""The page on pages says what is so."""

import pathlib
import re

import yaml
from tests.adapters.browser.stage import Site, Stage

from exactchange.address import parse_pattern
from exactchange.limits import CountedBudget
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.facets import ALWAYS, OPTIONAL
from exactchange_adapters.browser.params import BrowserParams, ElementSelector

PAGE = (pathlib.Path(__file__).parents[3] / "docs/browser.md").read_text(encoding="utf-8")
BLOCKS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
HTML = """<title>x</title><input id=email aria-describedby=help><i id=help>Help</i>
<input type=checkbox name=agree><input type=radio name=plan value=a>
<input id=pw type=password>
<input type=file name=upload><details id=more><summary>m</summary></details><button disabled>Save</button>
<div role=switch aria-label="Dark mode" aria-checked=true></div><p id=row-7><button>Delete</button></p>
<p id=row-8><button>Delete</button></p><iframe name=card srcdoc="<input id=number>"></iframe>
<div id=host><template shadowrootmode=closed><input id=inner></template></div>
<canvas id=pad></canvas><script>document.cookie = 'theme=dark'; localStorage.theme = 'dark'</script>"""
KEEP = """new Promise((done) => { const asked = indexedDB.open('shop');
  asked.onsuccess = done; asked.onupgradeneeded = () => {
  asked.result.createObjectStore('items', {keyPath: 'id'}).put({id: 7, name: 'seven'});
  const kv = asked.result.createObjectStore('kv');
  kv.put('dark', 'theme'); kv.put(1, 7);
} }).then(() => caches.open('v1')).then(() => navigator.serviceWorker.register('/sw.js'))
  .then(() => navigator.storage.getDirectory()).then((top) => top.getDirectoryHandle('notes', {create: true}))
  .then((notes) => notes.getFileHandle('a.txt', {create: true})).then((file) => file.createWritable())
  .then(async (file) => { await file.write('a'); await file.close() })
  .then(() => { console.error('no'); confirm('Sure?') })"""


def test_every_address_of_the_table_is_found(stage: Stage, site: Site) -> None:
    site.pages |= {"/": HTML, "/two": "<p>two", "/api": "{}", "/file": (200, ATTACHED, b"a")}
    site.pages["/sw.js"] = (200, {"content-type": "text/javascript"}, b"")
    addresses = [
        address.replace("http://127.0.0.1:8000", site.at()[:-1])
        for row in re.findall(r"^\| (`[^|]*) \|", PAGE.partition("## Places")[2].partition("## Selectors")[0], re.M)
        for address in re.findall(r"`([^`]*)`", row)
        if "…" not in address
    ]
    addresses += ["#row-7.button[label=Delete]", "#host.#inner.value"]
    addresses += [
        f"@storage.indexeddb.*.shop.{inner}" for inner in ("kv.theme", "kv[!int:7]", "kv.@schema", "@version")
    ]

    async def act() -> list[str]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await stage.page.evaluate("fetch('/api')")
            await stage.page.evaluate(KEEP)
            await stage.page.context.grant_permissions(["geolocation"], origin=site.at())
            async with stage.page.expect_download():
                await stage.page.evaluate("location = '/file'")
            other = await stage.agent.new_context()
            await (await other.new_page()).goto(site.at("/two"))
            snapshot = await reading.take()
            await stage.page.context.clear_permissions()
            return [a for a in addresses if not KIND.find(snapshot, parse_pattern(a), budget=CountedBudget())]

    assert len(addresses) > 18
    assert stage.run(act()) == []


ATTACHED = {"content-disposition": "attachment; filename=report.csv"}


def test_the_examples_are_understood() -> None:
    (source,) = BLOCKS[0]["sources"].values()
    assert BrowserParams.model_validate(source).closed == ("controls", "url")
    places = [{n: v for n, v in rule["value"].items() if n not in ("in", "is")} for rule in BLOCKS[1]["must"]]
    assert len([ElementSelector.model_validate(place) for place in places]) == 6


def test_every_facet_is_named() -> None:
    for facet in (*OPTIONAL, *ALWAYS):
        assert facet in PAGE
