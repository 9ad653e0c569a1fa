"""Private images: shared, rested, and gone with their snapshots and their process."""

import asyncio
import os
import pathlib
import stat
import subprocess
import sys

import pytest
from tests.adapters.sqlite.support import (
    CHECKOUT,
    ORDERS,
    bench_of,
    edit,
    found,
    rows,
    shown,
    snapshot,
)

from exactchange.errors import SnapshotClosed
from exactchange.snapshot import Mark
from exactchange_adapters.sqlite import SqliteParams, SqliteSnapshot
from exactchange_adapters.sqlite.reader import SqliteReader


def test_unchanged_captures_share_one_image_and_the_last_to_close_removes_it(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)

    async def captures() -> None:
        reader = SqliteReader(path, SqliteParams(path=str(path)))
        first = await reader.capture(mark=Mark(-1), previous=None, deadline_s=5)
        second = await reader.capture(mark=Mark(0), previous=first, deadline_s=5)
        edit(path, "DELETE FROM orders")
        third = await reader.capture(mark=Mark(1), previous=second, deadline_s=5)
        await reader.aclose()
        assert first.image is not None and first.image is second.image is not third.image
        home = first.image.directory
        assert stat.S_IMODE(home.stat().st_mode) == 0o700 and tmp_path not in home.parents
        first.close()
        first.close()
        assert found(second, "orders[id=1].status")[0].value == "new" and home.exists()
        with pytest.raises(SnapshotClosed):
            found(first, "orders[id=1]")
        second.close()
        third.close()
        assert not home.exists()

    asyncio.run(captures())


def test_hundreds_of_snapshots_need_few_descriptors_and_all_answer(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS, "CREATE VIRTUAL TABLE r USING rtree(id, a, b)")
    taken: list[SqliteSnapshot] = []
    before = len(os.listdir("/proc/self/fd"))
    for step in range(60):
        edit(path, f"UPDATE orders SET status='{step}' WHERE id=1; INSERT INTO r VALUES({step},0,1)")
        taken.append(snapshot(path))
    assert len(os.listdir("/proc/self/fd")) - before < 50
    for step, snap in enumerate(taken):
        assert found(snap, "orders[id=1].status")[0].value == str(step)
        assert rows(snap, "SELECT count(*) AS n FROM r") == [{"n": step + 1}]
    changes = bench_of(path).diff(taken[0], taken[-1]).changes
    assert shown(changes)[0] == ("modified", "orders[id=1].status", "0", "59") and len(changes) == 60
    for snap in taken:
        snap.close()


LEAVES = """
import os, sys, time
from exactchange_adapters.sqlite.image import Image
image = Image()
(image.directory / "image.db").write_bytes(b"x")
print(image.directory.parent, flush=True)
sys.stdin.read()
"""


def start_holder(folder: pathlib.Path) -> "tuple[subprocess.Popen[str], pathlib.Path]":
    """A process with an image in its scratch folder, which looks as if it were old."""
    environment = os.environ | {"TMPDIR": str(folder)}
    command = [sys.executable, "-c", LEAVES]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    scratch = pathlib.Path(process.stdout.readline().strip())
    os.utime(scratch, (1, 1))
    return process, scratch


def test_images_go_with_their_process_and_those_of_a_killed_one_with_the_next(tmp_path: pathlib.Path) -> None:
    killed, left = start_holder(tmp_path)
    killed.kill()
    killed.communicate()
    assert left.is_dir() and stat.S_IMODE(left.stat().st_mode) == 0o700
    living, kept = start_holder(tmp_path)
    assert not left.exists()
    third, own = start_holder(tmp_path)
    assert kept.is_dir() and own.is_dir()
    for process in (living, third):
        process.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_a_fork_that_ends_leaves_the_images_of_its_parent(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    code = """
import os, sys
from tests.adapters.sqlite.support import found, snapshot
import pathlib
snap = snapshot(pathlib.Path(sys.argv[1]))
child = os.fork()
if child == 0:
    snap.close()
    sys.exit(0)
os.waitpid(child, 0)
print(len(found(snap, "orders[*]")), snap.image.main.exists())
"""
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "2 True\n", done.stderr


def test_a_replaced_file_is_read_anew(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS)
    other = edit(tmp_path / "b.db", ORDERS, "UPDATE orders SET status='swapped' WHERE id=2")
    with bench_of(path).reading() as reader:
        first = reader.capture()
        other.replace(path)
        second = reader.capture(previous=first)
        assert shown(bench_of(path).diff(first, second)) == [("modified", "orders[id=2].status", "new", "swapped")]
