"""Containers that came or went as a whole: which the verdict names, so that one line can stand for their leaves."""

from collections.abc import Sequence

from tests.judging.kit import Data, case, change, judged, source
from tests.judging.kit import allow as pattern

from exactchange.values import Value
from exactchange.verdict import Verdict

BEFORE: dict[str, Value] = {"old": {"a": 1, "b": 2}, "n": 1, "old2": {"a": 1}}
AFTER: dict[str, Value] = {"n": 2, "new": {"x": {"y": 1, "z": []}}, "one": {"a": 1}, "old2": {"a": 1, "b": 2, "c": 3}}


def whole(*must: Data, allow: Sequence[Data] = (), ignore: Sequence[Data] = ()) -> Verdict:
    return judged(case(source("s", [BEFORE, AFTER])), *(must or (change("n", to=2),)), allow=allow, ignore=ignore)


def test_what_came_or_went_with_several_leaves_is_named_and_new_keys_of_what_was_there_are_not() -> None:
    found = whole()
    assert [(item.op, item.address) for item in found.whole] == [("added", "new"), ("removed", "old")]
    assert {item.address for item in found.unexplained} == {
        "new.x.y", "new.x.z", "one.a", "old.a", "old.b", "old2.b", "old2.c",
    }  # fmt: skip


def test_what_is_explained_allowed_or_ignored_in_part_is_not_named() -> None:
    assert [item.address for item in whole(change("new.x.y", to=1)).whole] == ["old"]
    assert [item.address for item in whole(allow=[pattern("new.x.z")]).whole] == ["old"]
    assert [item.address for item in whole(ignore=[pattern("old.a")]).whole] == ["new"]


def test_the_line_of_a_whole_takes_all_of_it_and_nothing_else() -> None:
    found = whole(allow=[pattern("new", op="added"), pattern("old", op="removed")])
    assert found.whole == ()
    assert {item.address for item in found.unexplained} == {"one.a", "old2.b", "old2.c"}
