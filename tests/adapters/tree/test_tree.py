import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

import pytest

from exactchange.address import lookup, parse_pattern
from exactchange.diff import Diff
from exactchange.limits import CountedBudget
from exactchange.sources.looked import Looked
from exactchange.testing import Bench
from exactchange.values import ABSENT, Value
from exactchange_adapters.file.snapshot import FilesSnapshot
from exactchange_adapters.tree import KIND, TreeParams
from exactchange_adapters.tree.walk import DEEPEST


def _bench(root: pathlib.Path, **params: object) -> Bench:
    return Bench(KIND, TreeParams.model_validate({"path": str(root), **params}), root)


def _tree(bench: Bench) -> Mapping[str, Value]:
    snapshot = bench.capture()
    assert isinstance(snapshot, FilesSnapshot) and isinstance(snapshot.tree, Mapping)
    return snapshot.tree


def _told(found: Diff) -> list[tuple[str, str]]:
    return [(item.op, item.address) for item in found.changes]


class _Changing:
    """A directory, its state before, and the changes since."""

    def __init__(self, root: pathlib.Path, **params: object) -> None:
        self.root, self.bench = root, _bench(root, **params)
        self.before = self.bench.capture()

    def diff(self) -> Diff:
        return self.bench.diff(self.before, self.bench.capture())


def test_a_new_directory_is_told_by_what_is_in_it(tmp_path: pathlib.Path) -> None:
    changing = _Changing(tmp_path)
    (tmp_path / "backup").mkdir(0o755)
    (tmp_path / "backup/settings.yaml").write_text("server: {timeout: 20}\n")
    found = changing.diff()
    assert _told(found) == [("added", "backup/settings.yaml")]
    assert found.changes[0].after == {"server": {"timeout": 20}}
    assert dict(found.changes[0].at) == {"file": "backup/settings.yaml", "key": []}
    assert parse_pattern("backup/**", slashed=True).matches(found.changes[0].path, slashed=True)


def test_an_empty_or_unusual_directory_is_told_itself(tmp_path: pathlib.Path) -> None:
    changing = _Changing(tmp_path)
    (tmp_path / "empty").mkdir(0o755)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "open/a.txt").write_text("x\n")
    found = changing.diff()
    assert _told(found) == [("added", "empty"), ("added", "open"), ("added", "open/a.txt")]
    assert found.changes[0].after == {"@type": "dir", "@mode": "0755"}


def test_a_directory_that_was_emptied_is_no_further_change(tmp_path: pathlib.Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/old.log").write_text("x\n")
    changing = _Changing(tmp_path)
    (tmp_path / "logs/old.log").unlink()
    assert _told(changing.diff()) == [("removed", "logs/old.log")]
    (tmp_path / "logs").rmdir()
    assert _told(changing.diff()) == [("removed", "logs/old.log")]


def test_a_changed_key_is_addressed_in_its_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/app.yaml").write_text("server: {timeout: 20, hosts: [{id: 1, n: a}]}\n")
    (tmp_path / "sub/note.txt").write_text("one\ntwo\n")
    changing = _Changing(tmp_path)
    (tmp_path / "sub/app.yaml").write_text("server: {timeout: 30, hosts: [{id: 1, n: b}]}\n")
    (tmp_path / "sub/note.txt").write_text("one\nzwei\ntwo\n")
    (tmp_path / "sub").chmod(0o700)
    found = changing.diff()
    assert _told(found) == [
        ("modified", "sub.@mode"),
        ("modified", "sub/app.yaml.server.hosts[id=1].n"),
        ("modified", "sub/app.yaml.server.timeout"),
        ("added", "sub/note.txt.@text[1]"),
    ]
    assert dict(found.changes[2].at) == {"file": "sub/app.yaml", "key": ["server", "timeout"]}


def test_a_reformatted_file_is_a_note_with_its_name(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}')
    changing = _Changing(tmp_path)
    (tmp_path / "a.json").write_text('{ "a": 1 }')
    found = changing.diff()
    assert found.changes == () and found.notes[0].message.startswith("a.json: ")


def test_files_of_other_sources_are_left_to_them(tmp_path: pathlib.Path) -> None:
    real = tmp_path / "real"
    (real / "sub").mkdir(parents=True)
    os.symlink("real", tmp_path / "link")
    for name in ("app.db", "app.db-wal", "sub/app.db", "other.db"):
        (real / name).write_text("x")
    claimed = frozenset({tmp_path / "link/app.db", tmp_path / "link/app.db-wal", pathlib.Path("sub/../sub/app.db")})
    root = tmp_path / "link"
    bench = Bench(KIND, TreeParams(path=str(root)), root, claimed=claimed)
    snapshot = bench.capture()
    assert isinstance(snapshot, FilesSnapshot) and isinstance(snapshot.tree, dict)
    assert set(snapshot.tree) == {"@type", "@mode", "@link", "other.db", "sub"}
    assert [note.kind for note in snapshot.notes] == ["claimed"] * 3


def test_a_directory_that_is_excepted_is_not_even_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "node_modules/x").mkdir(parents=True)
    (tmp_path / "node_modules/x/a.json").write_text("{}")
    (tmp_path / "a.json").write_text("{}")
    assert set(_tree(_bench(tmp_path, **{"except": ["node_modules"]}))) == {"@type", "@mode", "a.json"}
    inside = _tree(_bench(tmp_path, **{"except": ["node_modules/**"]}))
    assert set(inside) == {"@type", "@mode", "a.json", "node_modules"}, "the directory itself is looked at"


def _closed_to_all(cache: pathlib.Path) -> None:
    cache.chmod(0o777)


def _link_instead(cache: pathlib.Path) -> None:
    shutil.rmtree(cache)
    cache.symlink_to("/etc")


def _file_instead(cache: pathlib.Path) -> None:
    shutil.rmtree(cache)
    cache.write_text("x\n")


def _other_content(cache: pathlib.Path) -> None:
    (cache / "q").unlink()
    (cache / "sub").mkdir()
    (cache / "sub/r.yaml").write_text("a: 1\n")


SWAPPED: list[tuple[Callable[[pathlib.Path], None], list[str]]] = [
    (_closed_to_all, ["cache.@mode"]),
    (_link_instead, ["cache.@link", "cache.@mode", "cache.@owner", "cache.@type"]),
    (_file_instead, ["cache.@mode", "cache.@text", "cache.@type"]),
    (shutil.rmtree, ["cache"]),
    (_other_content, []),
]  # fmt: skip


@pytest.mark.parametrize(("swap", "addresses"), SWAPPED)
def test_what_is_left_out_of_a_directory_is_not_the_directory(
    tmp_path: pathlib.Path, swap: Callable[[pathlib.Path], None], addresses: list[str]
) -> None:
    (tmp_path / "cache").mkdir(0o755)
    (tmp_path / "cache/q").write_text("q")
    changing = _Changing(tmp_path, **{"except": ["cache/**"]})
    swap(tmp_path / "cache")
    assert [address for _, address in _told(changing.diff())] == addresses


def test_the_mode_of_the_directory_itself_counts(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    tmp_path.chmod(0o755)
    changing = _Changing(tmp_path)
    with changing.bench.reading() as reader:
        first, second = reader.capture(), reader.capture()
    assert isinstance(first, FilesSnapshot) and isinstance(second, FilesSnapshot) and first.tree is second.tree
    tmp_path.chmod(0o777)
    found = changing.diff()
    assert _told(found) == [("modified", "@mode")] and found.changes[0].after == "0777"


@pytest.mark.parametrize("workdir", [".", "data"])
def test_a_link_in_the_place_of_the_directory_itself_counts(tmp_path: pathlib.Path, workdir: str) -> None:
    """As the work directory itself the root is followed, below it it is not: both show."""
    root = tmp_path / "data"
    root.mkdir(0o755)
    (root / "a.txt").write_text("x\n")
    params = TreeParams(path=os.path.relpath(root, tmp_path / workdir))
    bench = Bench(KIND, params, tmp_path if workdir == "." else root)
    before = bench.capture()
    root.rename(tmp_path / "moved")
    root.symlink_to("moved")
    assert ("added", "@link") in _told(bench.diff(before, bench.capture()))


def test_the_mode_of_the_directory_itself_can_be_left_out(tmp_path: pathlib.Path) -> None:
    looked = Looked(TreeParams.model_validate({"path": "x", "except": ["@mode"]}), slashed=True)
    assert not looked.at(("@mode",)) and looked.at(("@type",)) and looked.at(("a.txt", "@mode"))


def test_a_file_that_tells_no_keys_is_told_by_its_lines(tmp_path: pathlib.Path) -> None:
    (tmp_path / "chart.yaml").write_text("a: {{ .Values.x }}\n")
    (tmp_path / "twice.json").write_text('{"a": 1, "a": 2}')
    changing = _Changing(tmp_path)
    assert changing.diff().complete
    (tmp_path / "chart.yaml").write_text("a: {{ .Values.y }}\n")
    found = changing.diff()
    assert found.complete and _told(found)[-1] == ("modified", "chart.yaml.@text[0]")


def test_a_file_that_was_cut_is_unread(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}')
    changing = _Changing(tmp_path)
    (tmp_path / "a.json").write_text('{"a": ')
    found = changing.diff()
    assert [item.address for item in found.unread] == ["a.json"] and not found.changes


def test_types_are_told_and_links_not_followed(tmp_path: pathlib.Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "a.yaml").write_text("a: OUTSIDE\n")
    os.symlink("../outside", root / "dir")
    os.symlink("../outside/a.yaml", root / "file.yaml")
    os.symlink(".", root / "loop")
    os.mkfifo(root / "fifo")
    tree = _tree(_bench(root))
    assert tree["dir"] == {"@type": "link", "@link": "../outside"}
    assert tree["file.yaml"] == {"@type": "link", "@link": "../outside/a.yaml"}
    assert set(tree) == {"@type", "@mode", "dir", "file.yaml", "loop", "fifo"}
    assert "OUTSIDE" not in repr(tree)


def test_a_root_that_the_agent_replaced_by_a_link_is_not_followed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a").write_text("OUTSIDE")
    os.symlink("out", tmp_path / "data")
    bench = Bench(KIND, TreeParams(path="data"), tmp_path)
    assert _tree(bench) == {"@type": "link", "@link": "out"}
    (tmp_path / "data").unlink()
    (tmp_path / "data").write_text("a file")
    assert _tree(bench) == {"@type": "file"}


def test_no_swapped_link_leads_a_capture_outside(tmp_path: pathlib.Path) -> None:
    """A process swaps a directory for a link to one outside, as fast as it can, while captures are taken."""
    code = (
        "import os, sys\n"
        "os.chdir(sys.argv[1])\n"
        "os.makedirs('ws/keep'); os.makedirs('out')\n"
        "open('ws/keep/a', 'w').write('inside'); open('out/a', 'w').write('OUTSIDE')\n"
        "os.rename('ws/keep', 'ws/sub'); os.symlink('../out', 'ws/link')\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    os.rename('ws/sub', 'ws/t'); os.rename('ws/link', 'ws/sub')\n"
        "    os.rename('ws/sub', 'ws/link'); os.rename('ws/t', 'ws/sub')\n"
    )
    swapper = subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE)
    try:
        assert swapper.stdout is not None and swapper.stdout.readline()
        kinds: set[str] = set()
        with _bench(tmp_path / "ws").reading() as reader:
            end = time.monotonic() + 2
            while time.monotonic() < end:
                snapshot = reader.capture()
                assert isinstance(snapshot, FilesSnapshot)
                assert "OUTSIDE" not in repr(snapshot.tree)
                kinds.add(str(lookup(snapshot.tree, ("sub", "@type"))))
        assert "dir" in kinds
    finally:
        swapper.kill()
        swapper.wait()


@pytest.mark.slow
def test_deep_and_badly_named_trees_are_read_within_limits(tmp_path: pathlib.Path) -> None:
    root = os.fsencode(tmp_path)
    names = [b"a\nPASS  all checks", b"\xff\xfe", b"\x1b[2K", b"caf\xc3\xa9", b"cafe\xcc\x81", b"x" * 255, b"..."]
    names += [b"@a", b"#b", b"c=d", b"e.f[0]", b'g"h', b"*", b" "]
    for name in names:
        with open(os.path.join(root, name), "wb"):
            pass
    (tmp_path / "many").mkdir()
    for number in range(20_000):
        (tmp_path / f"many/{number:05d}").touch()
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
    bench = _bench(tmp_path)
    try:
        start = time.perf_counter()
        snapshot = bench.capture()
        assert time.perf_counter() - start < 10
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)
    assert isinstance(snapshot, FilesSnapshot) and isinstance(snapshot.tree, dict)
    assert [item.reason for item in snapshot.unread] == [f"nested deeper than {DEEPEST} levels"]
    assert len(snapshot.tree) == 2 + len(names) + 1 + 20_000 + DEEPEST
    for match in KIND.find(snapshot, parse_pattern("*", slashed=True), budget=CountedBudget()):
        assert match.address.isprintable(), "one line each in a report"


def test_an_absent_directory_is_a_state_and_a_new_one_its_content(tmp_path: pathlib.Path) -> None:
    root = tmp_path / "data"
    bench = Bench(KIND, TreeParams(path="data"), tmp_path)
    before = bench.capture()
    assert isinstance(before, FilesSnapshot) and before.tree is ABSENT
    (root / "sub").mkdir(parents=True)
    (root / "sub/a.yaml").write_text("a: 1\n")
    found = bench.diff(before, bench.capture())
    assert _told(found) == [("added", "")] and found.changes[0].after == {"sub/a.yaml": {"a": 1}}
    shutil.rmtree(root)


def test_owners_count_only_where_the_task_closes_them(tmp_path: pathlib.Path) -> None:
    path = ("a.txt", "@owner")
    assert not KIND.in_scope(path, TreeParams(path="x"))
    assert KIND.in_scope(path, TreeParams(path="x", closed=("owner",)))
    assert KIND.in_scope(("a.txt", "@mode"), TreeParams(path="x"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_changed_owner_is_a_change(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    changing = _Changing(tmp_path)
    os.chown(tmp_path / "a.txt", 65534, 65534)
    assert _told(changing.diff()) == [("modified", "a.txt.@owner")]


def test_a_link_that_a_command_names_is_where_to_look_and_no_state(tmp_path: pathlib.Path) -> None:
    (tmp_path / "v1").mkdir(0o755)
    (tmp_path / "latest").symlink_to("v1")
    params = TreeParams(path="x")
    places = [tmp_path / "v1", tmp_path / "latest"]
    worlds = [Bench(KIND, params, place) for place in places]
    plain, linked = (
        KIND.from_path(place, params, world=world, budget=CountedBudget())
        for place, world in zip(places, worlds, strict=True)
    )
    assert not worlds[0].diff(plain, linked).changes
