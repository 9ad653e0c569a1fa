import ast
import json
import pathlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.reports.sanitise import cut, quoted, right_to_left, shown

ATTACK = pathlib.Path(__file__).parents[2] / "fixtures/attacks/23-terminal-and-ci-commands/strings.json"
STRINGS: dict[str, str] = json.loads(ATTACK.read_text(encoding="utf-8"))
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)  # lone surrogates too


@pytest.mark.parametrize("name", STRINGS)
def test_no_string_of_the_attack_reaches_a_terminal_as_it_is(name: str) -> None:
    text = shown(STRINGS[name])
    assert text.isprintable()
    assert "##vso[" not in text
    assert not text.lstrip().startswith("::")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain text, 3 > 2", "plain text, 3 > 2"),
        ("Straße, Žluťoučký, 東京", "Straße, Žluťoučký, 東京"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("\x1b[2K", "\\x1b[2K"),
        ("\x9b2K", "\\x9b2K"),
        ("\u202e SSAP", "\\u202e SSAP"),
        ("pa\u200bss", "pa\\u200bss"),
        ("a\xa0b", "a\\xa0b"),
        ("\u3164", "\\u3164"),
        ("\u0301a", "\\u0301a"),
        ("e\u0301", "e\u0301"),
        ("\U000e0041", "\\U000e0041"),
        ("##vso[task.complete]", "\\x23#vso[task.complete]"),
        ("::error::x", "\\x3a:error::x"),
        ("std::string", "std::string"),
        ("[/admin]", "[/admin]"),
    ],
)
def test_text_is_shown_as(text: str, wanted: str) -> None:
    assert shown(text) == wanted


@given(ANY_TEXT)
def test_shown_text_is_one_printable_line_without_format_characters(text: str) -> None:
    out = shown(text)
    assert out.isprintable()
    assert not [char for char in out if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")]


@given(ANY_TEXT)
def test_a_quoted_text_can_be_read_back_exactly(text: str) -> None:
    assert ast.literal_eval(quoted(text)) == text


@given(st.integers(min_value=5, max_value=60))
def test_a_pile_of_marks_does_not_paint_over_other_lines(height: int) -> None:
    out = shown("a" + "\u0335" * height)
    assert sum(1 for char in out if unicodedata.combining(char)) <= 4


@pytest.mark.parametrize(
    ("text", "wanted"), [("abc", False), ("שלום", True), ("سلام", True), ("٤٢", True), ("東", False)]
)
def test_right_to_left_text_is_noticed(text: str, wanted: bool) -> None:
    assert right_to_left(text) is wanted


def test_wide_characters_count_twice_when_a_text_is_cut() -> None:
    assert cut("東京都", 6) == "東京都"
    assert cut("東京都", 5) == "東京…"
    assert cut("abcdef", 4) == "abc…"
