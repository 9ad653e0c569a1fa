"""Addresses in a directory: a file's path and then keys, and where one ends and the other begins."""

import re

import pytest

from exactchange.address import Style, format_path, parse_pattern, pattern
from exactchange.address.reading import read_segments
from exactchange.address.segments import Segment
from exactchange.address.spelling import MOST_CUTS
from exactchange.errors import UsageError
from exactchange.values import Path

IN_DIRECTORY = [
    ("backup/**", ("backup/app.yaml",), True),
    ("backup/**", ("backup/app.yaml", "server", "port"), True),
    ("backup/**", ("backup2/app.yaml",), False),
    ("backup/**", ("backup",), False),
    ("backup/**", ("backup", "@mode"), False),
    ("backup/**", ("backup/a/b", "@mode"), True),
    ("backup/**/**", ("backup",), False),
    ("backup/**.port", ("backup", "port"), False),
    ("backup/**.port", ("backup/app.yaml", "port"), True),
    ("backup/**/app.yaml", ("backup/app.yaml",), True),
    ("**/cache/**", ("a/cache",), False),
    ("**/cache/**", ("a/cache/x",), True),
    ("**/cache/**", ("cache/x", "k"), True),
    ("**", (), True),
    ("**/**", ("a", "@mode"), True),
    ("**.@mode", ("@mode",), True),
    ("backup/*", ("backup/app.yaml",), True),
    ("backup/*", ("backup/a/app.yaml",), False),
    ("backup/*", ("backup", "key"), False),
    ("*/*/*", ("a", "k"), False),
    ("*/*/*", ("a/b", "k"), False),
    ("node/*/x", ("node/@types/x",), True),
    ("*", ("@type",), False),
    ("@type", ("@type",), True),
    ("**", ("@type",), True),
    ('["@type"]', ("@type",), False),
    ('["@type"]', ("@@@type",), True),
    ("a/b.yaml.server.*", ("a/b.yaml", "server", "port"), True),
    ("a/b.yaml.server.*", ("a/b.yaml", "server"), False),
    ("a/b.yaml.*", ("a/b.yaml", "@mode"), False),
    ("a/b.yaml.@mode", ("a/b.yaml", "@mode"), True),
    ("*.yaml.@mode", ("b.yaml", "@mode"), True),
    (".env.KEY", (".env", "KEY"), True),
    ("a.", ("a",), False),
    ("a.", ("a.",), True),
    ("jobs.json[id=7].x", ("jobs.json", "id=7", "x"), True),
    ('["odd name.txt"].k', ("odd name.txt", "k"), True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "fits"), IN_DIRECTORY)
def test_a_pattern_in_a_directory_stands_for_just_these_paths(text: str, path: Path, fits: bool) -> None:
    assert parse_pattern(text, slashed=True).matches(path, slashed=True) is fits


@pytest.mark.parametrize("text", ["[id=7]", "[*].a", "[2]", "[#1a].x", "[!int:1]"])
def test_an_address_in_a_directory_begins_with_a_file(text: str) -> None:
    with pytest.raises(UsageError, match="begins with a file path"):
        parse_pattern(text, slashed=True)


@pytest.mark.parametrize("text", ["a/", "a/[", 'x".y', "a[b", "a.[b"])
def test_what_is_no_address_in_a_directory_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not an address in a tree"):
        parse_pattern(text, slashed=True)


@pytest.mark.parametrize(
    ("text", "inside"), [("/a", "a"), ("./a.b", "a.b"), ("../a", "a"), ("./../.env", ".env"), ("//a/b", "a/b")]
)
def test_an_address_in_a_directory_begins_at_its_root(text: str, inside: str) -> None:
    with pytest.raises(UsageError, match=f"begins at its root, .*write {re.escape(repr(inside))}"):
        parse_pattern(text, slashed=True)


LONG = "a." * 2_000 + "yaml"
DOTTED: list[Path] = [
    ("a.b.c", "d"),
    (LONG,),
    (f"x/{LONG}", "server", "id=7", 3, "@mode"),
    ("a.yaml", *["k"] * 300),
    ("a." * (MOST_CUTS - 3) + "b",),
    ("a." * (MOST_CUTS - 2) + "b",),
    ("a." * (MOST_CUTS - 2) + "b", "id=1"),
    ("a." * MOST_CUTS + "b", "a.b", "c"),
]


@pytest.mark.parametrize("path", DOTTED, ids=lambda path: f"{str(path[0])[:20]}-{len(path)}")
def test_an_address_with_however_many_dots_is_printed_so_that_it_can_be_read(path: Path) -> None:
    printed = format_path(path, style=Style.SLASHED)
    found = parse_pattern(printed, slashed=True)
    assert found.matches(path, slashed=True) and len(found.alternatives) <= MOST_CUTS


@pytest.mark.parametrize("text", ["a" + ".b" * MOST_CUTS, "a" + ".b" * 100_000, "a/**/b" + ".c" * 300 + "[id=7]"])
def test_with_more_dots_than_are_tried_a_file_path_is_quoted(text: str) -> None:
    with pytest.raises(UsageError, match=r"dots; quote its file path"):
        parse_pattern(text, slashed=True)


def test_reading_an_address_takes_steps_with_its_length_not_with_its_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = 0
    whole = read_segments

    def counted(text: str) -> list[Segment]:
        nonlocal read
        read += len(text)
        return whole(text)

    monkeypatch.setattr(pattern, "read_segments", counted)
    costs: list[float] = []
    for size in (200, 800, 2_400):
        for text in (f'["{"a." * size}"].k' + ".b" * size, "a[x=1]" + ".b" * size, "a.b" * 50 + '["x"]' + ".c" * size):
            read = 0
            parse_pattern(text, slashed=True)
            costs.append(read / len(text))
    assert max(costs) <= MOST_CUTS
    assert costs[-3:] == pytest.approx(costs[:3], rel=0.5)
