"""Lines of a page's text are known by their words: in every frame and tab, one line more is one change."""

from tests.adapters.browser.stage import changes

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
