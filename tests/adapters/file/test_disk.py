import os
import pathlib
import socket
import subprocess
import sys
import time
from collections.abc import Mapping

import pytest
from tests.adapters.file.helpers import told

from exactchange.snapshot import TreeSnapshot
from exactchange.testing import Bench, footprint
from exactchange.values import ABSENT, Value
from exactchange_adapters.file import KIND, FileParams
from exactchange_adapters.file.disk import read_entry


def _bench(folder: pathlib.Path, name: str = "a.yaml", **params: object) -> Bench:
    return Bench(KIND, FileParams.model_validate({"path": name, **params}), folder)


def _tree(bench: Bench) -> Mapping[str, Value]:
    snapshot = bench.capture()
    assert isinstance(snapshot, TreeSnapshot) and isinstance(snapshot.tree, Mapping)
    return snapshot.tree


def test_same_size_and_same_time_do_not_hide_a_change(tmp_path: pathlib.Path) -> None:
    path, bench = tmp_path / "a.yaml", _bench(tmp_path)
    path.write_text("limit: 10\n")
    os.utime(path, ns=(10**18, 10**18))
    with bench.reading() as reader:
        before = reader.capture()
        path.write_text("limit: 99\n")
        os.utime(path, ns=(10**18, 10**18))
        after = reader.capture(previous=before)
        assert told(bench.diff(before, after)) == [("modified", "limit", 10, 99)]


def test_what_did_not_change_shares_its_tree(tmp_path: pathlib.Path) -> None:
    path, bench = tmp_path / "a.yaml", _bench(tmp_path)
    path.write_text("a: 1\n")
    with bench.reading() as reader:
        before, again = reader.capture(), reader.capture()
        os.replace(_copy(path), path)  # an atomic rename of the same bytes is no change
        renamed = reader.capture()
        path.chmod(0o600)
        stricter = reader.capture()
    assert isinstance(before, TreeSnapshot) and isinstance(again, TreeSnapshot) and isinstance(renamed, TreeSnapshot)
    assert before.tree is again.tree is renamed.tree
    assert told(bench.diff(before, stricter)) == [("modified", "@mode", "0644", "0600")]


def _copy(path: pathlib.Path) -> pathlib.Path:
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.chmod(path.stat().st_mode)
    return copy


def test_a_link_is_told_by_its_target_and_never_followed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "secret").write_text("a: OUTSIDE\n")
    os.symlink("secret", tmp_path / "a.yaml")
    assert _tree(_bench(tmp_path)) == {"@type": "link", "@link": "secret"}


def test_a_link_that_becomes_a_copy_is_a_change_of_type(tmp_path: pathlib.Path) -> None:
    (tmp_path / "dot.json").write_text('{"a": 1}')
    path, bench = tmp_path / "app.json", _bench(tmp_path, "app.json")
    os.symlink("dot.json", path)
    with bench.reading() as reader:
        before = reader.capture()
        path.unlink()
        path.write_text('{"a": 2}')
        found = told(bench.diff(before, reader.capture()))
    assert ("modified", "@type", "link", "file") in found
    assert ("removed", "@link", "dot.json", ABSENT) in found and ("added", "a", ABSENT, 2) in found


def test_a_directory_on_the_way_that_became_a_link_is_told(tmp_path: pathlib.Path) -> None:
    for name in ("conf", "decoy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text("a: 1\n")
    bench = _bench(tmp_path, "conf/a.yaml")
    with bench.reading() as reader:
        before = reader.capture()
        os.rename(tmp_path / "conf", tmp_path / "old")
        os.symlink("decoy", tmp_path / "conf")
        assert told(bench.diff(before, reader.capture())) == [("added", "@via", ABSENT, "decoy")]


def test_a_work_directory_that_is_a_link_is_the_authors_business(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.yaml").write_text("a: 1\n")
    os.symlink("real", tmp_path / "link")
    tree = _tree(_bench(tmp_path / "link"))
    assert tree["a"] == 1 and "@via" not in tree


@pytest.mark.parametrize("kind", ["dir", "fifo", "socket"])
def test_what_is_no_file_is_told_by_its_type_and_not_opened(kind: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    listener = socket.socket(socket.AF_UNIX)
    if kind == "dir":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        listener.bind(os.fspath(path))
    tree = _tree(_bench(tmp_path))
    listener.close()
    assert tree["@type"] == kind and set(tree) == {"@type", "@mode", "@owner"}


def test_reading_does_not_let_the_writer_of_a_fifo_go_on(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    writer = subprocess.Popen([sys.executable, "-c", "open('a.yaml', 'w').write('a: 1')"], cwd=tmp_path)
    try:
        for _ in range(20):
            _tree(_bench(tmp_path))
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()


def test_access_times_are_left_alone(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    os.utime(path, ns=(10**18, 10**18 + 10**9))
    _tree(_bench(tmp_path))
    assert path.stat().st_atime_ns == 10**18


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_a_file_without_read_permission_is_unread_not_absent(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    path.chmod(0o200)
    for folder in [tmp_path, *tmp_path.parents[:-1]]:
        folder.chmod(folder.stat().st_mode | 0o055)
    code = (
        "import os, pathlib, sys\n"
        "import yaml\n"
        "from exactchange.testing import Bench\n"
        "from exactchange_adapters.file import KIND, FileParams\n"
        "import exactchange_adapters.file.dialects.yamls\n"
        "os.setuid(65534)\n"
        "snapshot = Bench(KIND, FileParams(path='a.yaml'), pathlib.Path(sys.argv[1])).capture()\n"
        "sys.stdout.write(repr([(item.address, item.reason, item.cause) for item in snapshot.unread]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[('', 'permission denied', 'content')]"


@pytest.mark.parametrize(("times", "read"), [(1, "b" * 3_000_000), (3, "d" * 3_000_000), (99, "")])
def test_a_file_that_is_written_while_it_is_read_is_read_again(
    times: int, read: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer comes in between two real reads of one file, in place and without changing its size."""
    path = tmp_path / "a.txt"
    path.write_text("a" * 3_000_000)
    written = 0
    real_read = os.read

    def read_and_be_overtaken(descriptor: int, size: int) -> bytes:
        nonlocal written
        chunk = real_read(descriptor, size)
        if written < times and os.lseek(descriptor, 0, os.SEEK_CUR) == len(chunk) > 0:
            written += 1
            with path.open("r+b") as file:
                file.write(b"abcdefgh"[written % 8 : written % 8 + 1] * 3_000_000)
        return chunk

    monkeypatch.setattr(os, "read", read_and_be_overtaken)
    entry = read_entry(os.fspath(path), dir_fd=None, keep=10**7, largest=10**7, until=time.monotonic() + 60)
    assert (entry.data or b"").decode() == read
    assert bool(entry.trouble) == (times == 99)


def test_reading_gives_up_at_the_deadline_and_at_the_limit(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(8 * 1024**3)
    late = read_entry(os.fspath(path), dir_fd=None, keep=10, largest=10**12, until=time.monotonic() + 0.2)
    assert "deadline" in late.trouble
    large = read_entry(os.fspath(path), dir_fd=None, keep=10, largest=10**6, until=time.monotonic() + 60)
    assert "more than" in large.trouble


def test_reading_a_path_from_a_copy_reads_the_copy(tmp_path: pathlib.Path) -> None:
    from exactchange.limits import CountedBudget

    (tmp_path / "copy.yaml").write_text("a: 2\n")
    before = footprint(tmp_path)
    snapshot = KIND.from_path(
        tmp_path / "copy.yaml", FileParams(path="/gone/a.yaml"), world=_bench(tmp_path), budget=CountedBudget()
    )
    assert isinstance(snapshot.tree, dict) and snapshot.tree["a"] == 2
    assert not before.differences(footprint(tmp_path))
