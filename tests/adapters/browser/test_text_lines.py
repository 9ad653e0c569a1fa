"""Lines of a page's text are known by their words: in every frame and tab, one line more is one change."""

import itertools
import pathlib

from tests.adapters.browser.stage import changes
from tests.language.pages import judged
from tests.language.worlds import left

from exactchange.snapshot import Mark
from exactchange.values import Value
from exactchange_adapters.browser.snapshot import PageSnapshot

LINES = [f"line {n}" for n in range(70)]


def page(text: list[str], *, inner: list[str], other: list[str]) -> PageSnapshot:
    def document(lines: list[str]) -> dict[str, Value]:
        return {"@url": "http://127.0.0.1/", "@text": lines}

    tree = document(text)
    frames: Value = {"iframe": {"name=a": document(inner) | {"@frames": {"#b": document(inner)}}}}
    return PageSnapshot("browser", tree | {"@frames": frames, "@tabs": {"n=2": document(other)}})


def test_one_line_more_is_one_change_in_every_document() -> None:
    more = ["new", *LINES[:40], "changed", *LINES[41:]]
    found = changes(page(LINES, inner=LINES, other=LINES), page(more, inner=more, other=LINES))
    assert [(change.op, change.address) for change in found] == [
        (op, place)
        for above in ("@frames.iframe[name=a].@frames.#b.", "@frames.iframe[name=a].", "")
        for op, place in (("added", f"{above}@text[0]"), ("modified", f"{above}@text[40]"))
    ]


def test_what_is_no_list_of_lines_is_compared_all_the_same() -> None:
    odd = PageSnapshot("browser", {"@url": "u", "@text": ["a", None, {"b": "1"}], "@frames": "none"})
    other = PageSnapshot("browser", {"@url": "u", "@text": ["a", None, {"b": "2"}], "@frames": {"#a": {"@text": "x"}}})
    assert [change.address for change in changes(odd, other)] == ["@frames", "@text[2].b"]


def shown(lines: list[str]) -> PageSnapshot:
    facets: dict[str, Value] = {"@dialogs": [], "@console": [], "@permissions": {}}
    return PageSnapshot("browser", {"@url": "http://127.0.0.1/", "@text": lines} | facets)


SAVED = "must: [change: {in: page, at: '@text[*]', op: added, to: Saved}]"


def test_what_one_line_explains_explains_no_other(tmp_path: pathlib.Path) -> None:
    """Whatever else went or was written anew, and wherever: its number is never that of the line that was asked for."""
    text = list("pqrst")
    good = [text[:at] + ["Saved"] + text[at:] for at in range(len(text) + 1)]
    for after in good:
        assert judged(tmp_path, SAVED, [shown(text), shown(after).at(Mark(1))], closed=["text"]).outcome == "passed"
    for after, count in itertools.product(good, (1, 3)):
        for at in range(len(after) - count + 1):
            if "Saved" not in after[at : at + count]:
                for worse in (after[:at] + after[at + count :], [*after[:at], "x", *after[at + count :]]):
                    found = judged(tmp_path, SAVED, [shown(text), shown(worse).at(Mark(1))], closed=["text"])
                    assert found.outcome == "unmet", worse


def test_a_line_is_asked_for_by_what_it_says_wherever_it_stands(tmp_path: pathlib.Path) -> None:
    before, after = shown(LINES), shown(["new", *LINES[:30], "Saved", *LINES[31:]]).at(Mark(1))
    rule = "must: [change: {in: page, at: '@text[*]', from: line 30, to: Saved}]"
    assert left(judged(tmp_path, rule, [before, after], closed=["text"])) == ["@text[0]"]
    rule = (
        "must: [value: {in: page, at: '@text[31]', is: Saved}, value: {in: page, at: '@text[*]', pick: any, is: new}]"
    )
    assert judged(tmp_path, rule, [before, after], closed=()).outcome == "passed"
