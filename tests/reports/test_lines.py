import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from exactchange.reports.lines import Span, folded, line, padded, render, width_of
from exactchange.reports.sanitise import shown


@given(st.text(max_size=200), st.integers(30, 120))
def test_folding_leaves_nothing_out_and_keeps_to_the_width(text: str, cells: int) -> None:
    parts = folded(shown(text), cells=cells, lead="why: ", more="  | ")
    assert parts[0].startswith("why: ") and all(part.startswith("  | ") for part in parts[1:])
    whole = "".join(part[5 if number == 0 else 4 :] for number, part in enumerate(parts))
    assert whole.replace(" ", "") == shown(text).replace(" ", "")
    assert all(cell_len(part) <= cells for part in parts)


@given(st.text(max_size=40).map(shown), st.integers(1, 30))
def test_padding_gives_exactly_the_width(text: str, cells: int) -> None:
    assert cell_len(padded(text, cells)) in (cells, cells - 1)  # a wide character may leave one cell over


@pytest.mark.parametrize("colour", [False, True])
def test_a_line_is_rendered_with_its_styles_or_without(colour: bool) -> None:
    text = render([line("a ", Span("b", "bad"), Span("", "good"))], colour=colour)
    assert text == ("a \x1b[31mb\x1b[0m\n" if colour else "a b\n")
    assert width_of(line("a ", Span("東"))) == 4
