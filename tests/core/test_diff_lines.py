"""Texts are compared line by line: what is the same is no change, wherever it stands, and every law of a diff holds."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from exactchange.diff import Lines, Op, apply, compare, reverse
from exactchange.diff.lines import hunks
from exactchange.values import ABSENT, same_bytes

TEXT = [f"line {n}" for n in range(70)]
DELETES = [word for n in range(20) for word in (f"row {n}", "Edit", "Delete")]


def with_(text: list[str], at: int, *more: str) -> list[str]:
    return [*text[:at], *more, *text[at:]]


EDITS: list[tuple[list[str], list[str], list[str]]] = [
    (TEXT, with_(TEXT, 0, "new"), ["added"]),
    (TEXT, [*with_(TEXT, 0, "new")[:-1], "end"], ["added", "modified"]),
    (TEXT, with_(with_(TEXT, 40, "b"), 3, "a"), ["added", "added"]),
    (TEXT, [*TEXT[:20], *TEXT[21:]], ["removed"]),
    (TEXT, [*TEXT[:5], "other", *TEXT[6:50], *TEXT[51:]], ["modified", "removed"]),
    (TEXT, [*TEXT[10:13], *TEXT[:10], *TEXT[13:]], ["added"] * 3 + ["removed"] * 3),
    (TEXT, TEXT, []),
    (DELETES, [*DELETES[:6], "row x", "Edit", "Delete", *DELETES[6:-1], "Undo"], ["added"] * 3 + ["modified"]),
    (DELETES, [*DELETES[:6], *DELETES[9:30], *DELETES[33:]], ["removed"] * 6),
    (["a", "a", "a"], ["a", "a"], ["removed"]),
    (["a", "b"], [], ["removed", "removed"]),
    (["1"], ["1.0"], ["modified"]),
]


@pytest.mark.parametrize(("before", "after", "wanted"), EDITS)
def test_what_was_edited_is_what_changed_wherever_it_stands(
    before: list[str], after: list[str], wanted: list[str]
) -> None:
    ops = compare(Lines(before), Lines(after))
    assert sorted(op.op for op in ops) == wanted
    _lawful(before, after, ops)


def test_a_line_written_anew_says_what_it_was_and_where_it_stands_now() -> None:
    before, after = TEXT, [*with_(TEXT, 0, "new")[:31], "other", *TEXT[31:]]
    came, anew = compare(Lines(before), Lines(after))
    assert (came.op, came.path, came.position) == ("added", (0,), 0)
    assert (anew.op, anew.path, anew.before, anew.after, anew.position) == ("modified", (30,), "line 30", "other", 31)


def _lawful(before: list[str], after: list[str], ops: tuple[Op, ...]) -> None:
    assert same_bytes(apply(before, ops), after)
    assert same_bytes(apply(after, reverse(ops)), before)
    assert reverse(reverse(ops)) == ops
    assert len({op.path for op in ops}) == len(ops), "one place means one change"
    for op in ops:
        (number,) = op.path
        assert isinstance(number, int)
        assert op.before == before[number] if op.op != "added" else op.after == after[number]


texts = st.lists(st.sampled_from("abcdefgh"), max_size=25)


@settings(max_examples=1_000, deadline=None)
@given(texts, texts)
@example(list("pqrab"), list("ayb"))
@example(list("abcdefgh"), list("xxxxabcdeYfgh"))
@example(list("abcdefgh"), list("defYYYgh"))
def test_every_law_of_a_diff_holds_of_lines(before: list[str], after: list[str]) -> None:
    ops = compare(Lines(before), Lines(after))
    _lawful(before, after, ops)
    assert (not ops) is (before == after)
    assert len(ops) <= max(len(before), len(after))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=3), max_size=30, unique=True), st.integers(0, 30), st.integers(0, 30), st.data())
def test_an_insert_and_a_change_elsewhere_are_two_changes(
    text: list[str], at: int, of: int, data: st.DataObject
) -> None:
    where, there = at % (len(text) + 1), of % max(1, len(text))
    after = [*text]
    if text:
        after[there] = "changed"
    after.insert(where, "inserted")
    assert len(compare(Lines(text), Lines(after))) == 1 + bool(text)


def test_lines_are_one_value_with_lists_of_the_same_words() -> None:
    assert compare(Lines(["a"]), ["a"]) == ()
    assert compare({"@text": Lines(["a", "b"])}, {"@text": Lines(["b"])}) == (
        Op("removed", ("@text", 0), "a", ABSENT, 0),
    )


HOSTILE = {
    "all alike": (["a"] * 5_000, ["a", "b"] * 2_500),
    "reversed": ([str(n) for n in range(5_000)], [str(n) for n in reversed(range(5_000))]),
    "two words": (["a", "b"] * 2_500, ["b", "b", "a"] * 1_700),
    "nothing shared": ([f"a{n}" for n in range(5_000)], [f"b{n}" for n in range(5_000)]),
    "every other line": ([str(n) for n in range(5_000)], [str(n) if n % 2 else f"x{n}" for n in range(5_000)]),
    "pairs": ([str(n // 2) for n in range(5_000)], [str((n * 7 % 5_000) // 2) for n in range(5_000)]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_on_a_text_is_bounded_whatever_stands_in_it(name: str) -> None:
    before, after = HOSTILE[name]
    began = time.process_time()
    found = hunks(before, after)
    assert time.process_time() - began < 1.5
    assert found
