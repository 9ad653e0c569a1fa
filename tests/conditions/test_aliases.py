"""The other names of a list item: by its own list alone, or, where that tells none apart, all that it has."""

import pytest

from exactchange.conditions.aliases import Aliases
from exactchange.snapshot import Mark, TreeSnapshot
from exactchange.values import ABSENT, Path, State, Value

NAMED: Value = [{"name": "a", "n": 1}, {"name": "b", "n": 2}]
HALF: Value = [{"name": "a", "n": 1}, {"n": 2}]
DOUBLE: Value = [{"name": "a", "id": 1}, {"name": "b", "id": 1}]
TWINS: Value = [{"name": "a", "id": 1}, {"name": "a", "id": 1}]


def spelled(path: Path, *trees: State, named: str | None = None, every: bool = False) -> list[Path]:
    captures = [TreeSnapshot("plain", tree, Mark(0)) for tree in trees]
    return list(Aliases(*captures, named=named, every=every).of(path))


SPELLED: list[tuple[Path, State, list[Path]]] = [
    (("j", 0, "n"), {"j": NAMED}, [("j", "name=a", "n")]),
    (("j", 1), {"j": NAMED}, [("j", "name=b")]),
    (("j", "name=b", "n"), {"j": NAMED}, []),  # it is called so already
    (("j", 2), {"j": NAMED}, []),  # no such item
    (("j", "name=c"), {"j": NAMED}, []),
    (("j", 0, "n"), {"j": HALF}, [("j", 0, "n"), ("j", "name=a", "n")]),
    (("j", "name=a", "n"), {"j": HALF}, [("j", 0, "n"), ("j", "name=a", "n")]),
    (("j", 1, "n"), {"j": HALF}, []),  # it has no name
    (("j", 2, "n"), {"j": HALF}, []),
    (("j", 0), {"j": DOUBLE}, [("j", "name=a")]),
    (("j", "id=1"), {"j": DOUBLE}, [("j", "name=a")]),  # the first of several
    (("j", "name=a"), {"j": TWINS}, [("j", 0), ("j", "id=1"), ("j", "name=a")]),
    (("j", 1), {"j": TWINS}, [("j", 1), ("j", "id=1"), ("j", "name=a")]),
    ((0, "n"), NAMED, [("name=a", "n")]),
    (("j", 0, 0), {"j": [HALF, 5]}, [("j", 0, 0), ("j", 0, "name=a")]),
    (("j", 0, 0), {"j": [NAMED, NAMED]}, [("j", 0, "name=a")]),
    (("j", "name=a", "k", 0), {"j": [{"name": "a", "k": NAMED}]}, [("j", "name=a", "k", "name=a")]),
    (("j", 0, "lost", 0), {"j": NAMED}, [("j", "name=a", "lost", 0)]),  # what is not there has no other name
    (("j", 0, "n", "x"), {"j": NAMED}, [("j", "name=a", "n", "x")]),
    (("j", 0, "name", "x"), {"j": NAMED}, [("j", "name=a", "name", "x")]),
    ((0, "n"), {"j": NAMED}, []), (("j", "n"), {"j": 5}, []), ((), {"j": NAMED}, []), (("a", "b"), {"a": {"b": 1}}, []),
    (("j", 0), {"j": "ab"}, []), (("j", 0), {"j": b"ab"}, []), (("j", 0), {"j": [1, 2]}, []), (("j", 0), ABSENT, []),
    (("j", 0), {"j": [{"id": [1]}, {"id": {"a": 1}}]}, []),  # what is no scalar tells nothing apart
]  # fmt: skip


@pytest.mark.parametrize(("path", "tree", "expected"), SPELLED)
def test_an_item_is_called_by_what_tells_all_apart_or_else_by_all_that_it_has(
    path: Path, tree: State, expected: list[Path]
) -> None:
    assert spelled(path, tree) == expected


def test_an_item_has_all_its_names_where_that_is_asked_for() -> None:
    assert spelled(("j", 0), {"j": DOUBLE}, every=True) == [("j", 0), ("j", "id=1"), ("j", "name=a")]
    assert spelled(("j", "name=b"), {"j": NAMED}, every=True) == [("j", 1), ("j", "name=b")]


OWN: list[tuple[str, list[Path]]] = [
    ("sku", [("j", 0), ("j", "sku=s")]),
    ("name", []),  # a name as ever
    ("lost", []),
    ("@sku", []),  # no field that a segment names as it is
]


@pytest.mark.parametrize(("named", "expected"), OWN)
def test_the_field_that_the_task_names_is_a_name_too(named: str, expected: list[Path]) -> None:
    assert spelled(("j", 0), {"j": [{"sku": "s", "@sku": "t"}, {"sku": "s"}]}, named=named) == expected


def test_no_name_is_told_twice() -> None:
    assert spelled(("j", 0), {"j": HALF}, named="name") == [("j", 0), ("j", "name=a")]


def test_each_capture_spells_a_path_by_itself() -> None:
    assert spelled(("j", 0), {"j": NAMED}, {"j": HALF}) == [("j", "name=a"), ("j", 0), ("j", "name=a")]
    assert spelled(("j", 0), ABSENT, {"j": NAMED}) == [("j", "name=a")]
    other: Value = [{"name": "c"}, {"name": "d"}]
    assert spelled(("j", 1), {"j": NAMED}, {"j": other}) == [("j", "name=b"), ("j", "name=d")]


def test_what_was_asked_before_changes_no_answer() -> None:
    tree: State = {"j": HALF, "k": TWINS}
    aliases = Aliases(TreeSnapshot("plain", tree, Mark(0)), named=None)
    paths: list[Path] = [("j", "name=a", "n"), ("k", "name=a"), ("k", "id=1"), ("j", "name=b"), ("j", 0), ("k", 0)]
    for path in (*paths, *reversed(paths)):
        assert list(aliases.of(path)) == spelled(path, tree)


def test_a_path_through_many_lists_has_no_more_names_than_can_be_tried() -> None:
    tree: Value = 1
    path: Path = ()
    for _ in range(12):
        tree = [{"id": 1, "key": 1, "name": 1, "x": tree}, {"id": 1, "key": 1, "name": 1}]
        path = (0, "x", *path)
    assert len(spelled(path, tree)) == 64
