"""What the built-in kinds of trees suggest to alter: every sort there is, and each makes a difference."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import pytest

from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, TreeSnapshot
from exactchange.sources import Editable, SourceParams, Suggestion, diff_snapshots, kind_named, kinds
from exactchange.sources.registry import AnyKind
from exactchange.values import Path, Value
from exactchange_adapters.browser.snapshot import PageSnapshot


@dataclass(frozen=True)
class _World:
    workdir: pathlib.Path
    cdp_url: str | None = None
    claimed: frozenset[pathlib.Path] = frozenset()
    own_browser: bool = False


PAGE: Mapping[str, Value] = {
    "#email": {"value": "", "@name": "E-mail"},
    "#agree": {"checked": False},
    "@url": "http://127.0.0.1:8000/form?step=1",
    "@title": "Form",
    "@text": ["Form", "E-mail"],
    "@cookies": {"session": {"value": "1", "path": "/"}},
    "@requests": [{"seq": 1, "method": "GET", "url": "http://127.0.0.1:8000/form", "time_ms": 5}],
    "@downloads": [],
    "@tabs": {},
}


def offered(kind: AnyKind) -> Editable[Snapshot]:
    found: object = kind
    assert isinstance(found, Editable)
    return cast("Editable[Snapshot]", found)


def suggested(kind: AnyKind, snapshot: TreeSnapshot, near: Sequence[Path] = (), most: int = 60) -> Sequence[Suggestion]:
    return offered(kind).suggestions(snapshot, near=near, most=most)


def different(kind: AnyKind, params: SourceParams, before: TreeSnapshot, found: Sequence[Suggestion]) -> None:
    for suggestion in found:
        after = offered(kind).edited(before, suggestion.edits)
        diff = diff_snapshots(kind, "s", before, after, params=params, budget=CountedBudget())
        assert diff.changes or diff.unread, suggestion


def sorts(found: Sequence[Suggestion]) -> set[str]:
    return {suggestion.what for suggestion in found}


def taken(name: str, folder: pathlib.Path, **fields: object) -> tuple[AnyKind, SourceParams, TreeSnapshot]:
    kind = kind_named(name)
    params = kind.params.model_validate(fields)
    assert isinstance(params, SourceParams)
    snapshot = kind.from_path(None, params, world=_World(folder), budget=CountedBudget())
    assert isinstance(snapshot, TreeSnapshot)
    return kind, params, snapshot


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "conf").mkdir()
    text = "server: {timeout: 20, host: a, debug: true}\njobs: [{name: a}, {name: b}]\n"
    (tmp_path / "conf" / "app.yaml").write_text(text)
    (tmp_path / "note.txt").write_text("one\ntwo\n")
    (tmp_path / "run.sh").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "picture").write_bytes(bytes(range(256)))
    (tmp_path / "link").symlink_to("note.txt")
    return tmp_path


def test_every_kind_that_is_installed_can_be_altered() -> None:
    assert all(isinstance(kind_named(name), Editable) for name in kinds())


def test_of_a_file_its_keys_its_mode_and_itself(folder: pathlib.Path) -> None:
    kind, params, file = taken("file", folder, path="conf/app.yaml")
    found = suggested(kind, file, [("server", "timeout")], 60)
    assert sorts(found) == {
        "a value changed", "only a type changed", "something added", "something removed", "an item duplicated",
        "a key in other case", "a mode changed", "a file emptied", "a file removed", "a link in the file's place",
    }  # fmt: skip
    different(kind, params, file, found)


def test_of_a_file_that_is_not_there_that_it_comes(folder: pathlib.Path) -> None:
    kind, params, file = taken("file", folder, path="gone.yaml")
    found = suggested(kind, file, [], 60)
    assert sorts(found) == {"a file added", "a link added"}
    different(kind, params, file, found)


def test_of_a_directory_its_files_and_what_is_in_them(folder: pathlib.Path) -> None:
    kind, params, files = taken("tree", folder, path=".")
    found = suggested(kind, files, [("conf/app.yaml", "server", "timeout")], 120)
    assert sorts(found) >= {
        "a value changed", "only a type changed", "something added", "something removed", "a mode changed",
        "a file added", "a program added", "a link added", "a folder added", "a file removed",
        "a link in the file's place",
    }  # fmt: skip
    different(kind, params, files, found)
    assert ("conf/audit",) in [edit.path for suggestion in found for edit in suggestion.edits]


def test_of_a_directory_that_is_not_there_that_it_comes(folder: pathlib.Path) -> None:
    kind, _, files = taken("tree", folder, path="gone")
    assert sorts(suggested(kind, files, [], 9)) == {"a directory added"}


def test_of_a_page_something_of_every_facet(folder: pathlib.Path) -> None:
    kind = kind_named("browser")
    page = PageSnapshot("browser", PAGE)
    found = suggested(kind, page, [], 90)
    assert sorts(found) >= {
        "a cookie added", "storage added", "a download", "another page", "a tab opened", "a request sent",
        "a value changed", "something removed",
    }  # fmt: skip
    assert "only a type changed" not in sorts(found)  # a page holds no numbers
    heads = {str(edit.path[0]) for suggestion in found for edit in suggestion.edits}
    assert heads >= {"#email", "#agree", "@cookies", "@storage", "@downloads", "@tabs", "@text", "@title", "@url"}
    different(kind, SourceParams(), page, found)


@pytest.mark.parametrize("near", [[], [("server", "timeout")]])
def test_the_same_snapshot_gives_the_same_suggestions(near: list[Path], folder: pathlib.Path) -> None:
    for name, path in (("file", "conf/app.yaml"), ("tree", ".")):
        kind, _, snapshot = taken(name, folder, path=path)
        assert suggested(kind, snapshot, near, 40) == suggested(kind, snapshot, near, 40)
        assert len(suggested(kind, snapshot, near, 4)) == 4
