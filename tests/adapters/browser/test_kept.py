"""What an origin keeps: databases with typed values, caches, service workers, permissions; read without a trace."""

import datetime as dt
import json
from collections.abc import Mapping

from tests.adapters.browser.stage import Site, Stage, at, changed, changes
from tests.adapters.browser.test_secrets import stored_bytes

from exactchange.limits import CountedBudget
from exactchange.values import Value
from exactchange_adapters.browser.areas import Areas
from exactchange_adapters.browser.kept import MOST_ORIGINS, Kept
from exactchange_adapters.browser.secrets import Secrecy

UTC = dt.UTC

DATABASE = """<!doctype html><script>
const open = (name, version, upgrade) => new Promise((done) => {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => upgrade(request.result, request.transaction);
  request.onsuccess = () => done(request.result);
});
const put = (db, store, ...record) => new Promise((done) => {
  const transaction = db.transaction(store, 'readwrite');
  transaction.objectStore(store).put(...record);
  transaction.oncomplete = () => done();
});
</script>"""
SHOP = """open('shop', 3, (db) => {
  const items = db.createObjectStore('items', {keyPath: 'id'});
  items.createIndex('by-name', 'name', {unique: true});
  for (const id of [1, 2, 3]) items.put({id, name: 'item ' + id});
  db.createObjectStore('kv').put('dark', 'theme');
}).then((db) => db.close())"""


def test_a_database_is_read_with_its_stores_keys_and_values(stage: Stage, site: Site) -> None:
    site.pages["/"] = DATABASE

    async def act() -> tuple[object, dict[str, tuple[object, object]]]:
        await stage.page.goto(site.at())
        await stage.page.evaluate(SHOP)
        async with stage.reading() as reading:
            before = await reading.take()
            assert (before.unread, before.notes) == ((), ())
            assert (await reading.take()).digest == before.digest
            await stage.page.evaluate("open('shop').then(db => put(db, 'items', {id: 0, name: 'first'}))")
            await stage.page.evaluate("open('shop').then(db => put(db, 'kv', 'light', 'theme'))")
            return at(before, "@storage.indexeddb.*.shop")[0], changed(before, await reading.take())

    shop, found = stage.run(act())
    place = f'@storage.indexeddb["{site.at()[:-1]}"].shop'
    assert shop == {
        "@version": 3,
        "items": {
            "@schema": {
                "path": "id",
                "counts": False,
                "indexes": {"by-name": {"path": "name", "unique": True, "multiple": False}},
            },
            **{f"id={n}": {"id": n, "name": f"item {n}"} for n in (1, 2, 3)},
        },
        "kv": {"@schema": {"path": None, "counts": False, "indexes": {}}, "theme": "dark"},
    }
    assert {address: after for address, (_, after) in found.items()} == {
        f"{place}.items[id=0]": {"id": 0, "name": "first"},
        f"{place}.kv.theme": "light",
    }


def names(value: Value, inside: str) -> set[str]:
    """The keys of a mapping in a mapping."""
    found = value[inside] if isinstance(value, Mapping) else None
    return set(found) if isinstance(found, Mapping) else set()


VALUES: list[tuple[str, object]] = [
    ("1", 1),
    ("1.5", 1.5),
    ("-0", -0.0),
    ("9007199254740991", 9007199254740991),
    ("'1'", "1"),
    ("true", True),
    ("null", None),
    ("undefined", {"@undefined": True}),
    ("10n ** 20n", {"@bigint": "100000000000000000000"}),
    ("new Date(0)", dt.datetime(1970, 1, 1, tzinfo=UTC)),
    ("new Date(NaN)", {"@date": None}),
    ("new Date(8640000000000000)", {"@date": 8640000000000000}),
    ("new Uint8Array([1, 2]).buffer", b"\x01\x02"),
    ("new Uint16Array([1, 2]).subarray(1)", {"@view": "Uint16Array", "bytes": b"\x02\x00"}),
    ("[1, [2]]", [1, [2]]),
    ("[, 1]", {"@list": 2, "1": 1}),
    ("Object.assign([1], {more: 2})", {"@list": 1, "0": 1, "more": 2}),
    ("{a: {b: [true]}, '@undefined': true}", {"a": {"b": [True]}, "@@@undefined": True}),
    ("new Map([[1, 'a'], ['b', {}]])", {"@map": [[1, "a"], ["b", {}]]}),
    ("new Set([1, 'a'])", {"@set": [1, "a"]}),
    ("/a+/gi", {"@regexp": "a+", "flags": "gi"}),
    ("new TypeError('no')", {"@error": "TypeError", "message": "no"}),
    (
        "new File(['hi'], 'n.txt', {type: 'text/plain'})",
        {"@file": "n.txt", "type": "text/plain", "size": 2, "content": b"hi"},
    ),
]


def test_values_keep_their_types(stage: Stage, site: Site) -> None:
    site.pages["/"] = DATABASE
    puts = ", ".join(f"[{number}, {value}]" for number, (value, _) in enumerate(VALUES))

    async def act() -> tuple[Value, Value, list[str]]:
        await stage.page.goto(site.at())
        await stage.page.evaluate(
            f"""open('kinds', 1, (db) => {{
              const store = db.createObjectStore('of');
              for (const [key, value] of [{puts}]) store.put(value, key);
              const odd = db.createObjectStore('odd');
              odd.put(new ImageData(1, 1), 'picture');
              let deep = 1;
              for (let n = 0; n < 60; n++) deep = [deep];
              odd.put(deep, 'deep');
              const keys = db.createObjectStore('keys');
              for (const key of [1, '1', 1.5, new Date(0), new Uint8Array([7]), [1, 'a']]) keys.put(true, key);
              db.createObjectStore('pairs', {{keyPath: ['a', 'b']}}).put({{a: 1, b: 'two'}});
            }}).then((db) => db.close())"""
        )
        async with stage.reading() as reading:
            taken = await reading.take()
        return (
            at(taken, "@storage.indexeddb.*.kinds.of")[0],
            at(taken, "@storage.indexeddb.*.kinds")[0],
            [f"{item.address} {item.reason}" for item in taken.unread],
        )

    of, kinds, unread = stage.run(act())
    assert isinstance(of, Mapping) and isinstance(kinds, Mapping)
    for number, (value, wanted) in enumerate(VALUES):
        found = of[f"@!int:{number}"]
        assert (type(found), repr(found)) == (type(wanted), repr(wanted)), value
    assert names(kinds, "keys") - {"@schema"} == {
        "@!int:1",
        "1",
        "@!float:1.5",
        "@!datetime:t'1970-01-01T00:00:00+00:00'",
        "@!bytes:x'07'",
        'key="[1, \\"a\\"]"',
    }
    assert names(kinds, "pairs") == {"@schema", "a=1,b=two"}
    place = f'@storage.indexeddb["{site.at()[:-1]}"].kinds.odd'
    assert [text.replace("[0]", "") for text in unread] == [
        f"{place}.deep it is nested too deeply",
        f"{place}.picture a kind of value that is not read",
    ]


def test_reading_makes_no_database_and_holds_up_nobody_who_changes_one(stage: Stage, site: Site) -> None:
    site.pages["/"] = DATABASE

    async def act() -> object:
        page = stage.page
        await page.goto(site.at())
        await page.evaluate(SHOP)
        await page.evaluate(
            """() => { window.blocked = 0; window.stop = false; window.rounds = 0;
            window.going = (async () => {
              for (let version = 4; !window.stop; version++) {
                for (const ask of [() => indexedDB.deleteDatabase('shop'), () => indexedDB.open('shop', version)])
                  await new Promise((done) => {
                    const request = ask();
                    request.onblocked = () => window.blocked++;
                    request.onsuccess = () => { if (request.result) request.result.close(); done(); };
                  });
                rounds++;
              }
            })() }"""
        )
        async with stage.reading() as reading:
            for _ in range(2):
                await reading.take()
            await page.evaluate(
                "(stop = true, going.then(() => new Promise(d => { const r = indexedDB.deleteDatabase("
                "'shop'); r.onsuccess = d; })))"
            )
            taken = await reading.take()
            assert (taken.unread, at(taken, "@storage.indexeddb")) == ((), [])
            return await page.evaluate(
                "[blocked, rounds > 3, indexedDB.databases()].length && "
                "indexedDB.databases().then(d => [blocked, rounds > 3, d.length])"
            )

    assert stage.run(act()) == [0, True, 0]


HELD = """open('shop', 3).then((db) => {
  const transaction = db.transaction('items', 'readwrite');
  const again = () => { transaction.objectStore('items').get(1).onsuccess = again; };
  again();
})"""


def test_a_store_that_a_page_holds_for_itself_is_unread_and_the_rest_is_read(stage: Stage, site: Site) -> None:
    site.pages["/"] = DATABASE + "<p>here</p>"

    async def act() -> tuple[object, list[str], object]:
        await stage.page.goto(site.at())
        await stage.page.evaluate(SHOP)
        await stage.page.evaluate(
            "open('other', 1, db => db.createObjectStore('kv').put(1, 'one')).then(d => d.close())"
        )
        await stage.page.evaluate(HELD)
        async with stage.reading() as reading:
            taken = await reading.take()
            before = [f"{item.address} {item.reason}" for item in taken.unread]
            await stage.page.goto("about:blank")
            await stage.page.goto(site.at())
            after = await reading.take()
            assert after.unread == ()
            return at(taken, "@text")[0], before, at(taken, "@storage.indexeddb.*.other.kv.one")

    text, unread, other = stage.run(act())
    assert text == ["here"]
    assert unread == [f'@storage.indexeddb["{site.at()[:-1]}"].shop it did not answer in time']
    assert other == [1]


def test_what_is_too_large_is_unread_as_a_whole(stage: Stage, site: Site) -> None:
    site.pages["/"] = DATABASE

    async def act() -> list[str]:
        await stage.page.goto(site.at())
        await stage.page.evaluate(
            """open('big', 1, (db) => {
              const store = db.createObjectStore('of', {autoIncrement: true});
              for (let n = 0; n < 30; n++) store.add('x'.repeat(2 ** 19));
            }).then((db) => db.close())"""
        )
        async with stage.reading() as reading:
            first, second = await reading.take(), await reading.take()
            assert first.digest == second.digest
            return [f"{item.address} {item.reason}" for item in first.unread]

    assert stage.run(act()) == [f'@storage.indexeddb["{site.at()[:-1]}"].big.of it is too large to read']


def test_secrets_in_databases_are_stored_nowhere(stage: Stage, site: Site) -> None:
    site.pages["/"] = DATABASE

    async def act() -> tuple[bytes, object, dict[str, tuple[object, object]]]:
        await stage.page.goto(site.at())
        await stage.page.evaluate(
            """open('app', 1, (db) => {
              const kv = db.createObjectStore('kv');
              kv.put('a-FAKE', 'access_token');
              kv.put({user: 'ada', password: 'b-FAKE', deep: {secret: ['c-FAKE', 12345678]}}, 'login');
              kv.put(JSON.stringify({refresh_token: 'd-FAKE', theme: 'dark'}), 'state');
              kv.put(new TextEncoder().encode(JSON.stringify({api_key: 'e-FAKE'})).buffer, 'raw');
              kv.put([{name: 'sessionid', value: 'f-FAKE'}], 'cookies');
              kv.put(new Map([['token', 'g-FAKE']]), 'map');
              db.createObjectStore('tokens', {keyPath: 'token'}).put({token: 'h-FAKE', of: 'i-FAKE'});
            }).then((db) => db.close())"""
        )
        async with stage.reading() as reading:
            before = await reading.take()
            await stage.page.evaluate("open('app').then(db => put(db, 'kv', 'z-FAKE', 'access_token'))")
            after = await reading.take()
            return (
                stored_bytes(before) + stored_bytes(after),
                at(before, "@storage.indexeddb.*.app.kv.login.user"),
                changed(before, after),
            )

    stored, user, found = stage.run(act())
    assert [letter for letter in "abcdefghiz" if f"{letter}-FAKE".encode() in stored] == []
    assert b"12345678" not in stored
    assert user == ["ada"]
    assert list(found) == [f'@storage.indexeddb["{site.at()[:-1]}"].app.kv.access_token']


def test_caches_workers_and_permissions_are_read_by_origin(stage: Stage, site: Site) -> None:
    site.pages |= {"/": "<p>app", "/sw.js": (200, {"content-type": "text/javascript"}, b"")}

    async def act() -> tuple[dict[str, list[Value]], list[str], list[str]]:
        page = stage.page
        await page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await page.evaluate("caches.open('v1')")
            await page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)")
            await page.context.grant_permissions(["geolocation"], origin=site.at())
            after = await reading.take()
            again = await reading.take()
            assert again.digest == after.digest
            await page.goto("about:blank")
            assert changed(after, await reading.take()).keys() & {"@storage", "@permissions"} == set()
            await page.goto(site.at())
            await page.evaluate("navigator.serviceWorker.getRegistration().then(r => r.unregister())")
            await page.evaluate("caches.delete('v1')")
            await page.context.clear_permissions()
            gone = await reading.take()
            found = {name: at(after, f"@{name}.*") for name in ("storage.workers", "storage.caches", "permissions")}
            closed = [change.address.partition("[")[0] for change in changes(before, after)]
            return found, closed, [name for name in found if at(gone, f"@{name}.*")]

    found, closed, left = stage.run(act())
    worker = {"active": {"script": site.at("/sw.js"), "state": "activated"}}
    assert found == {
        "storage.workers": [{site.at("/"): worker}],
        "storage.caches": [["v1"]],
        "permissions": [["geolocation"]],
    }
    assert sorted(closed) == ["@permissions", "@storage"]
    assert left == []


def test_a_frame_of_another_site_keeps_its_stores_apart_from_those_of_its_own_tab(stage: Stage, site: Site) -> None:
    inner = site.at("/in", host="localhost")
    keep = "<script>onload = () => { localStorage.at = '%s'; open('db', 1, d => d.createObjectStore('%s')) }</script>"
    site.pages |= {"/": f"<iframe src={inner}></iframe>", "/in": DATABASE + keep % ("frame", "frame")}
    site.pages["/top"] = DATABASE + keep % ("top", "top")

    async def act() -> dict[str, object]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await reading.take()
            await stage.page.goto(site.at("/top", host="localhost"))
            taken = await reading.take()
            (local,), (databases,) = at(taken, "@storage.local"), at(taken, "@storage.indexeddb")
            assert isinstance(databases, Mapping)
            return {"local": local, **{origin: sorted(names(found, "db")) for origin, found in databases.items()}}

    origin = site.at("", host="localhost")
    assert stage.run(act()) == {
        "local": {f"{origin} in http://127.0.0.1": {"at": "frame"}, origin: {"at": "top"}},
        f"{origin} in http://127.0.0.1": ["@version", "frame"],
        origin: ["@version", "top"],
    }


def test_documents_that_may_store_nothing_are_no_trouble(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<iframe sandbox srcdoc="<p>a"></iframe><iframe srcdoc="<p>b"></iframe>
        <iframe src="data:text/html,<p>c"></iframe><iframe src="about:blank"></iframe>"""

    async def act() -> list[object]:
        out: list[object] = []
        async with stage.reading() as reading:
            for address in ("about:blank", "data:text/html,<p>x", site.at()):
                await stage.page.goto(address)
                out.append((await reading.take()).unread)
        return out

    assert stage.run(act()) == [(), (), ()]


def told(**parts: object) -> Areas:
    nothing = {name: list[object]() for name in ("databases", "caches", "files", "workers", "permissions")}
    return Areas(json.dumps({**nothing, "why": {}, **parts}))


def taken(kept: Kept, number: int, areas: Areas) -> None:
    kept.take("c", f"http://h{number}", areas, secrecy=Secrecy(), budget=CountedBudget())


def test_more_origins_than_are_remembered_are_no_nothing() -> None:
    kept = Kept()
    for number in range(MOST_ORIGINS + 5):
        taken(kept, number, told())  # those that keep nothing do not count
    for number in range(MOST_ORIGINS):
        taken(kept, number, told(caches=["v1"]))
    assert list(kept.missing("c")) == []
    taken(kept, MOST_ORIGINS, told(caches=["v1"]))
    assert list(kept.missing("c")) == [(("@storage",), "more origins keep something than are remembered")]
    assert list(kept.missing("other")) == []


def test_what_a_frame_cannot_tell_stays_as_it_was_told_before() -> None:
    kept, worker = Kept(), [["http://h1/", None, None, ["http://h1/sw.js", "activated"]]]
    taken(kept, 1, told(workers=worker, permissions=["geolocation"]))
    before = (kept.storage("c"), kept.permissions("c"))
    taken(kept, 1, told(workers=None, permissions=None))
    assert (kept.storage("c"), kept.permissions("c")) == before
    taken(kept, 1, told(why={"workers": "late", "permissions": "late"}))
    unread = [(("@storage", "workers", "http://h1"), "late"), (("@permissions", "http://h1"), "late")]
    assert list(kept.missing("c")) == unread
    taken(kept, 1, told(workers=None, permissions=None))
    assert list(kept.missing("c")) == unread


def test_what_was_told_badly_is_unread() -> None:
    for areas in (Areas("{"), Areas("[]"), told(databases=[7]), told(caches=7), Areas("", "", "it did not answer")):
        kept = Kept()
        taken(kept, 1, areas)
        assert kept.storage("c") == {}
        assert {path[:2] for path, _ in kept.missing("c")} >= {
            ("@storage", "indexeddb"),
            ("@storage", "caches"),
            ("@storage", "workers"),
        }
