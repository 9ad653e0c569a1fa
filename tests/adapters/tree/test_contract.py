import os
import pathlib
import shutil

from exactchange.testing import Bench, check_adapter
from exactchange_adapters.tree import KIND, TreeParams


def test_the_tree_kind_keeps_the_adapter_contract(tmp_path: pathlib.Path) -> None:
    root = tmp_path / "w"
    (root / "sub/deep").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "sub/app.yaml").write_text("server: {timeout: 20}\nitems: [{id: 1, v: yes}]\n")
    (root / "sub/deep/x=y.txt").write_text("hello\n")
    (root / "@odd").write_text("")
    (root / "#odd").write_bytes(b"\0")
    os.symlink("sub/app.yaml", root / "link")
    os.mkfifo(root / "pipe")

    def change() -> None:
        (root / "sub/app.yaml").write_text("server: {timeout: 30}\nitems: [{id: 1, v: no}]\n")
        (root / "backup").mkdir()
        (root / "backup/app.yaml").write_text("server: {timeout: 20}\n")
        (root / "sub/deep/x=y.txt").unlink()
        os.unlink(root / "link")
        (root / "link").write_text("copied\n")

    def spoil() -> None:
        (root / "/".join("d" * 120)).mkdir(parents=True)

    check_adapter(
        Bench(KIND, TreeParams(path=str(root)), tmp_path),
        change=change,
        remove=lambda: shutil.rmtree(root),
        spoil=spoil,
    )
