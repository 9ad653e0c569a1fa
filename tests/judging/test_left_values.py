"""Rule 15 on pages made by hand: a value in a document that is gone is the one that it held when it was last read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.judging.kit import Data, finding
from tests.judging.test_left import ANSWER, AT_TOP, CUT, EMPTY, FULL, NONE, OTHER, Shown, of_captures, page

from exactchange.snapshot import Mark, Unread
from exactchange.values import Value
from exactchange.verdict import Finding, Truth
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack


def found(captures: Sequence[PageSnapshot], rule: Data, *, at: str = "#a.value") -> Finding:
    said: Data = {"value": {"in": "page", "at": at, **rule}}
    return finding(of_captures(captures, must=[said, ANSWER], closed=()), "must")


def pages(*shown: Shown) -> list[PageSnapshot]:
    return [page(item, step) for step, item in enumerate(shown)]


GONE: list[tuple[Sequence[Shown], Value, Truth, int]] = [
    ([("1", EMPTY), ("1", FULL), ("2", NONE)], "x", True, 1),
    ([("1", EMPTY), ("1", FULL), ("2", NONE)], "", False, 1),
    ([("1", EMPTY), ("1", FULL), ("2", NONE), ("3", NONE)], "x", True, 1),
    ([("1", FULL), ("2", OTHER), ("3", NONE)], "y", True, 1), ([("1", FULL), ("2", OTHER), ("3", NONE)], "x", False, 1),
    ([("1", OTHER), ("2", EMPTY), ("2", FULL), ("3", NONE)], "x", True, 2),
    ([("1", FULL), ("2", NONE), ("3", NONE)], "x", True, 0),
    ([("2", NONE), ("1", FULL), ("2", NONE)], "x", True, 1),
    ([("1", FULL), ("2", NONE), ("1", OTHER)], "y", True, 2), ([("1", FULL), ("2", NONE), ("1", OTHER)], "x", False, 2),
    ([("1", EMPTY), ("1", FULL), ("2", OTHER)], "x", False, 2),
    ([("1", EMPTY), ("1", FULL), ("1", NONE)], "x", False, 2), ([("1", FULL), ("1", NONE), ("2", NONE)], "x", False, 2),
    ([("1", EMPTY), ("1", FULL), ("2", NONE)], {"absent": True}, True, 2),
    ([("1", EMPTY), ("1", FULL), ("2", NONE)], {"one_of": [{"absent": True}, "y"]}, True, 2),
]  # fmt: skip


@pytest.mark.parametrize(("shown", "wanted", "truth", "step"), GONE)
def test_a_value_in_a_document_that_left_is_judged_at_its_last_capture(
    shown: Sequence[Shown], wanted: Value, truth: Truth, step: int
) -> None:
    result = found(pages(*shown), {"is": wanted})
    assert (result.holds, [item["step"] for item in result.evidence]) == (truth, [step])


def test_at_the_end_and_no_sooner_looks_at_no_document_that_left() -> None:
    captures = pages(("1", EMPTY), ("1", FULL), ("2", NONE))
    assert found(captures, {"is": "x", "when": "end"}).holds is False
    assert found(pages(("1", EMPTY), ("1", FULL)), {"is": "x", "when": "end"}).holds is True


def test_what_may_stand_there_unread_or_may_have_changed_unread_cannot_be_told() -> None:
    captures = pages(("1", EMPTY), ("1", FULL), ("2", NONE))
    hidden = PageSnapshot("browser", {}, Mark(2), unread=(AT_TOP,))
    assert found([*captures[:2], replace(captures[2], unread=(CUT,))], {"is": "x"}).holds is None
    late = found([*captures[:2], hidden, replace(captures[2], mark=Mark(3))], {"is": "x"})
    assert (late.holds, "how it last was is not known" in late.why) == (None, True)
    # The one that left first may have changed unread; it is the last one that counts.
    between = [captures[0], replace(hidden, mark=Mark(1)), page(("2", FULL), 2), page(("3", NONE), 3)]
    assert found(between, {"is": "x"}).holds is True


ALWAYS: list[tuple[Sequence[Shown], Truth]] = [
    ([("1", FULL), ("1", FULL), ("2", NONE)], True), ([("1", FULL), ("2", NONE), ("2", FULL)], True),
    ([("1", EMPTY), ("1", FULL), ("2", NONE)], False), ([("1", FULL), ("1", NONE), ("2", NONE)], False),
    ([("2", NONE), ("1", FULL)], False), ([("1", FULL), ("2", NONE), ("2", OTHER)], False),
]  # fmt: skip


@pytest.mark.parametrize(("shown", "truth"), ALWAYS)
def test_always_does_not_count_captures_in_which_the_document_that_held_it_is_gone(
    shown: Sequence[Shown], truth: Truth
) -> None:
    assert found(pages(*shown), {"is": "x", "when": "always"}).holds is truth


def framed(step: int, own: Mapping[str, Value] | None, inner: Mapping[str, Value] | None) -> PageSnapshot:
    """A page with a field, and a frame with one; None where another document stands there."""
    place = ("@frames", "iframe", "name=f")
    frame: Value = {"#a": {"value": inner["a"]}} if inner is not None else {}
    tree: dict[str, Value] = {"@url": "http://127.0.0.1/", "@frames": {"iframe": {"name=f": frame}}}
    if own is not None:
        tree["#a"] = {"value": own["a"]}
    names = ("1" if own is not None else "2", "3" if inner is not None else "4")
    stored = tuple(StoredDocument(at, pack("[]"), 1, name) for at, name in zip(((), place), names, strict=True))
    return PageSnapshot("browser", tree, Mark(step), documents=stored)


def test_of_documents_that_left_only_those_that_left_last_are_judged() -> None:
    together = [framed(0, FULL, OTHER), framed(1, None, None)]
    assert found(together, {"is": "x", "pick": "every"}, at="**.value").holds is False
    assert found(together, {"is": "y", "pick": "any"}, at="**.value").holds is True
    assert found(together, {"is": "x"}, at="**.value").holds is None, "two values stood there"
    apart = [framed(0, FULL, OTHER), framed(1, FULL, None), framed(2, None, None)]
    assert found(apart, {"is": "x", "pick": "every"}, at="**.value").holds is True
    assert found(apart, {"is": "x"}, at="**.value").holds is True


def test_what_a_document_that_left_held_unread_cannot_be_told() -> None:
    """Neither where it is all that may have stood there, nor beside what was read, nor by an older document."""
    other = Unread(("#b", "value"), "#b.value", "it is too long to read")
    cut = [page(("1", FULL), 0), replace(page(("2", NONE), 1), unread=(CUT,)), page(("3", NONE), 2)]
    assert found(cut, {"is": "x"}).holds is None
    beside = [replace(page(("1", FULL), 0), unread=(other,)), page(("2", NONE), 1)]
    assert found(beside, {"is": "x", "pick": "every"}, at="*.value").holds is None
    assert found(beside, {"is": "x"}, at="*.value").holds is None
    assert found(beside, {"is": "x", "pick": "any"}, at="*.value").holds is True
    assert found(beside, {"is": "x"}).holds is True, "what is unread is another place"
