"""docs/audit.md can be followed: its task is audited, and what is printed is what the page shows."""

import asyncio
import pathlib
import re
import sqlite3

import pytest
from tests.docs.examples import run, told

import exactchange
from exactchange.episode import RunWorld
from exactchange.session import Session
from exactchange.task import load_task

PAGE = (pathlib.Path(exactchange.__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
YAML = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CONSOLE = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHOP = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, state TEXT NOT NULL, note TEXT);
INSERT INTO orders VALUES (7, 'Ada Lovelace', 'open', NULL), (8, 'Grace Hopper', 'open', 'gift');
CREATE TABLE log (id INTEGER PRIMARY KEY, said TEXT NOT NULL);
"""
CLOSE = "UPDATE orders SET state = 'paid' WHERE id = 7; INSERT INTO log(said) VALUES ('order 7: paid');"


def sql(file: pathlib.Path, script: str) -> None:
    with sqlite3.connect(file) as connection:
        connection.executescript(script)
    connection.close()


async def good_run(task: pathlib.Path, folder: pathlib.Path, episode: pathlib.Path) -> None:
    folder.mkdir()
    sql(folder / "shop.db", SHOP)
    async with Session(load_task(task), world=RunWorld(folder), record=episode, settle_s=0) as session:
        await session.before({"kind": "click", "target": {"css": "#order-7"}})
        await session.after()
        await session.before({"kind": "click", "target": {"css": "#paid"}})
        sql(folder / "shop.db", CLOSE)
        await session.after()
        assert (await session.finish(None)).passed


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the task of the page and a good run of it."""
    (tmp_path / "pay.yaml").write_text(YAML[0], encoding="utf-8")
    asyncio.run(good_run(tmp_path / "pay.yaml", tmp_path / "shop", tmp_path / "good"))
    return tmp_path


def test_the_page_shows_what_is_printed_before_and_after_the_holes_are_seen_to(folder: pathlib.Path) -> None:
    (first, shown_first), (second, shown_second) = CONSOLE
    before = run(first, folder)
    assert (told(before.stdout), before.returncode) == (told(shown_first), 1), before.stdout
    (folder / "pay.yaml").write_text(YAML[1], encoding="utf-8")
    after = run(second, folder)
    assert (told(after.stdout), after.returncode) == (told(shown_second), 0), after.stdout
