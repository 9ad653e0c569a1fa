import os
import pathlib
import sqlite3

import pytest

from exactchange.errors import UsageError
from exactchange.sources.guess import kind_for_path


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.yaml", b"a: 1\n", "file"),
        ("a.db", b"no database", "file"),
        ("a.db", b"", "sqlite"),
        ("a.sqlite", b"corrupt", "sqlite"),
        ("a.sqlite3", None, "sqlite"),
        ("a.yaml", None, "file"),
        ("a", b"SQLite format 3\0...", "sqlite"),
        ("a.json", b"SQLite format 3\0...", "sqlite"),
        ("a.HTML", b"SQLite format 3\0...", "sqlite"),
    ],
)
def test_a_path_is_told_by_its_first_bytes_and_then_by_its_name(
    name: str, content: bytes | None, kind: str, tmp_path: pathlib.Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    guess = kind_for_path(tmp_path / name)
    assert guess.kind == kind and guess.params == {"path": str(tmp_path / name)}


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.xhtml", "a.mhtml", "a.mht"])
def test_a_saved_page_is_told_by_its_name(name: str, tmp_path: pathlib.Path) -> None:
    for content in (b"", b"<p>x"):
        (tmp_path / name).write_bytes(content)
        guess = kind_for_path(tmp_path / name)
        assert guess.kind == "browser" and guess.params == {}
    assert kind_for_path(tmp_path / name, dialect="text").kind == "file", "a page has no dialect: its text is meant"


def test_a_real_database_and_a_directory_are_told(tmp_path: pathlib.Path) -> None:
    sqlite3.connect(tmp_path / "x").execute("CREATE TABLE t (a)").connection.close()
    assert kind_for_path(tmp_path / "x").kind == "sqlite"
    assert kind_for_path(tmp_path).kind == "tree"
    os.symlink(tmp_path, tmp_path / "link")
    assert kind_for_path(tmp_path / "link").kind == "tree"


def test_a_dialect_is_for_files_only(tmp_path: pathlib.Path) -> None:
    assert kind_for_path(tmp_path / "a.conf", dialect="ini-git").params["dialect"] == "ini-git"
    with pytest.raises(UsageError, match="dialect"):
        kind_for_path(tmp_path, dialect="ini-git")


def test_a_fifo_is_not_opened(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "a.db")
    assert kind_for_path(tmp_path / "a.db").kind == "sqlite"
