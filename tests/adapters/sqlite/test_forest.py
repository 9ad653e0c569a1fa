"""What stands below what in a database, carried forward by the pages that changed: the same as read anew."""

import pathlib
import random

import pytest
from tests.adapters.sqlite.pairs import Pair
from tests.adapters.sqlite.support import edit, many, snapshot

from exactchange_adapters.sqlite import SqliteSnapshot
from exactchange_adapters.sqlite.forest import carried, is_by_key, planted
from exactchange_adapters.sqlite.grown import carries, first_pages
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.order import in_order
from exactchange_adapters.sqlite.pages import Foreign, Pages, differing

SEEDS = 60
BLOCK = 250


def image_of(snap: SqliteSnapshot) -> Image:
    assert snap.image is not None, snap.unread
    return snap.image


def check(folder: pathlib.Path, number: int) -> None:
    """Of a random pair: what is carried forward is what is read anew, and all of it is in order."""
    old, new = (image_of(snapshot(path)) for path in Pair(folder, number).make())
    with Pages(old) as before, Pages(new) as after:
        if before.size == after.size:
            changed = differing(before, after)
            roots = {1, *(root for root, _ in first_pages(new).values())}
            first, anew = planted(before, {1, *(root for root, _ in first_pages(old).values())}), planted(after, roots)
            got = carried(first, before, after, changed, roots)
            assert [got.root(page) for page in range(after.count + 1)] == [
                anew.root(page) for page in range(after.count + 1)
            ], number
            assert all(got.above[page] == anew.above[page] for page in range(after.count + 1) if anew.root(page))
            with_rowids = {
                page for page in changed if page <= after.count and not is_by_key(after, anew.root(page) or 1)
            }
            assert in_order(got, after, with_rowids), number
    old.release()
    new.release()
    for path in folder.iterdir():
        path.unlink()


def test_trees_carried_forward_are_those_that_are_there(tmp_path: pathlib.Path) -> None:
    for number in range(SEEDS):
        check(tmp_path, 2_000_000 + number)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(20))
def test_trees_carried_forward_are_those_that_are_there_in_thousands(tmp_path: pathlib.Path, block: int) -> None:
    for number in range(block * BLOCK, (block + 1) * BLOCK):
        check(tmp_path, 3_000_000 + number)


def database(tmp_path: pathlib.Path) -> Image:
    rows = many("INSERT INTO t VALUES(?, ?)", [(n, "x" * 100) for n in range(3000)])
    path = edit(tmp_path / "a.db", "PRAGMA page_size = 512", "CREATE TABLE t(id INTEGER PRIMARY KEY, a)", rows)
    return image_of(snapshot(path))


def leaves(image: Image) -> list[int]:
    """Numbers of the leaves of the table, in no order."""
    with Pages(image) as pages:
        root = first_pages(image)["t"][0]
        forest = planted(pages, {1, root})
        return [n for n in range(2, pages.count + 1) if forest.root(n) == root and pages.page(n)[0] == 13]


def test_a_change_in_its_place_is_sound(tmp_path: pathlib.Path) -> None:
    image = database(tmp_path)
    with Pages(image) as pages:
        number = leaves(image)[20]
        page = pages.page(number).replace(b"x", b"y")
    assert carries(image, image.over({number: page}, pages.count))


@pytest.mark.parametrize("seed", range(30))
def test_leaves_in_each_others_places_are_found(seed: int, tmp_path: pathlib.Path) -> None:
    image = database(tmp_path)
    one, other = random.Random(seed).sample(leaves(image), 2)
    with Pages(image) as pages:
        swapped = image.over({one: pages.page(other), other: pages.page(one)}, pages.count)
        twice = image.over({one: pages.page(other)}, pages.count)
    assert not carries(image, swapped) and not carries(image, twice)


def test_rows_that_do_not_ascend_are_found(tmp_path: pathlib.Path) -> None:
    image = database(tmp_path)
    number = leaves(image)[5]
    with Pages(image) as pages:
        page = bytearray(pages.page(number))
        page[8:10], page[10:12] = page[10:12], page[8:10]
        assert not carries(image, image.over({number: bytes(page)}, pages.count))


def test_a_page_that_leads_to_another_ones_leaf_is_found(tmp_path: pathlib.Path) -> None:
    image = database(tmp_path)
    with Pages(image) as pages:
        above = next(n for n in range(2, pages.count + 1) if pages.page(n)[0] == 5)
        page = bytearray(pages.page(above))
        page[8:12] = leaves(image)[0].to_bytes(4, "big")
        assert not carries(image, image.over({above: bytes(page)}, pages.count))


@pytest.mark.parametrize("seed", range(40))
def test_noise_in_any_page_is_never_taken_for_more_than_sqlite_reads(seed: int, tmp_path: pathlib.Path) -> None:
    """Either it is found, or SQLite finds no fault in what matters: it reads all rows, in their order, by key too."""
    draw = random.Random(seed)
    image = database(tmp_path)
    with Pages(image) as pages:
        number = draw.randint(2, pages.count)
        page = bytearray(pages.page(number))
        for _ in range(draw.randint(1, 3)):
            page[draw.randrange(len(page))] = draw.randrange(256)
        over = image.over({number: bytes(page)}, pages.count)
    if carries(image, over):
        rows = [row[0] for row in over.engine.rows("SELECT id FROM t NOT INDEXED")]
        assert all(isinstance(row, int) for row in rows) and rows == sorted(set(rows))  # type: ignore[type-var]
        for row in rows:
            assert list(over.engine.rows("SELECT id FROM t WHERE id = ?", (row,))) == [(row,)]


def test_a_tree_that_leads_to_itself_ends(tmp_path: pathlib.Path) -> None:
    image = database(tmp_path)
    with Pages(image) as pages:
        above = next(n for n in range(2, pages.count + 1) if pages.page(n)[0] == 5)
        page = bytearray(pages.page(above))
        page[8:12] = above.to_bytes(4, "big")
        over = image.over({above: bytes(page)}, pages.count)
    assert not carries(image, over)
    with Pages(over) as pages, pytest.raises(Foreign):
        planted(pages, {1, first_pages(image)["t"][0]})
