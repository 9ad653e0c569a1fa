"""What an origin keeps: databases with typed values, caches, service workers, permissions; read without a trace."""

import datetime as dt

from tests.adapters.browser.stage import Site, Stage, at, changed, changes

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
