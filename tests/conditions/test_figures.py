"""Rule 23: `number` reads a text in its source's locale, and what two locales read otherwise is not told."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.conditions import parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.conditions.matchers.figures import number_in
from exactchange.errors import UsageError
from exactchange.values import Value
from exactchange.values.locales import ENGLISH, EVERY, NAMES, Figures, figures_of

Row = tuple[str, str, Value, bool | None]
NB, NNB, THIN, MINUS = "\u00a0", "\u202f", "\u2009", "\u2212"

READ: list[Row] = [
    ("de", "1.234,5", 1234.5, True),
    ("de", "1,234", 1.234, True),
    ("de", "1,234", 1234, False),
    ("de", "1.234", 1234, True),
    ("de", "1.234", 1.234, False),
    ("de", "1234,567", 1234.567, True),
    ("de", "1.234.567,89", 1234567.89, True),
    ("de", "-1,5", -1.5, True),
    ("de", f"{MINUS}1,5", -1.5, True),
    ("de", "12.34,5", 1234.5, False),
    ("de", "1.23", 123, False),
    ("de", "0,1", 0.1, True),
    ("de", "1.5", 1.5, None),
    ("de", "1.5", 15, False),
    ("de", "1234.56", 1234.56, None),
    ("de-AT", "1.234,5", 1234.5, True),
    ("de-CH", "1\u2019234.50", 1234.5, True),
    ("de-CH", "1'234.50", 1234.5, True),
    ("de-CH", "1'234\u2019567", 1234567, False),
    ("de-CH", "1.234", 1.234, True),
    ("de-CH", "1,5", 1.5, None),
    ("fr", f"1{NNB}234,5", 1234.5, True),
    ("fr", f"1{NB}234,5", 1234.5, True),
    ("fr", "1 234,5", 1234.5, True),
    ("fr", f"1{THIN}234{THIN}567", 1234567, True),
    ("fr", f"1{NNB}234{NB}567", 1234567, False),
    ("fr", "1 23", 123, False),
    ("fr", "1,234", 1234, False),
    ("fr", "1.234", 1.234, None),
    ("fr", "1.234", 2, False),
    ("fr-CH", "1\u2019234,5", 1234.5, True),
    ("fr-CA", f"1{NB}234,5", 1234.5, True),
    ("hi-IN", "12,34,567", 1234567, True),
    ("hi-IN", "12,34,567.5", 1234567.5, True),
    ("hi", "1,234", 1234, True),
    ("hi", "1,234,567", 1234567, None),
    ("hi", "१२,३४,५६७", 1234567, True),
    ("hi", "१2", 12, False),
    ("en-IN", "1,00,000", 100000, True),
    ("en", "1,00,000", 100000, None),
    ("en", "१२", 12, False),
    ("ar", "\u0661\u0662\u0663\u066c\u0664\u0665\u0666\u066b\u0667", 123456.7, True),
    ("ar-EG", "\u061c-\u0661\u0662", -12, True),
    ("ar-EG", "123.5", 123.5, True),
    ("ar-MA", "123,5", 123.5, True),
    ("ar", "\u06f1\u06f2", 12, False),
    ("fa", "\u06f1\u06f2", 12, True),
    ("fa", "\u0661\u0662", 12, False),
    ("bn", "১২,৩৪,৫৬৭", 1234567, True),
    ("he", "\u200e-5", -5, True),
    ("en", "1,234", 1234, True),
    ("en", "1,234", 1.234, False),
    ("en", "1.234", 1.234, True),
    ("en", "12,34", 1234, False),
    ("en", "12,34", 12.34, None),
    ("en", "1,234.50", 1234.5, True),
    ("en", "0,001", 1, False),
    ("en", "1_000", 1000, False),
    ("en", "1,234,56", 123456, False),
    ("en", "NaN", 0, False),
    ("en", "Infinity", 0, False),
    ("en", "1e3", 1000, True),
    ("en-GB", "1,234", 1234, True),
    ("en-DE", "1.234", 1234, True),
    ("en-ZA", "1 234,5", 1234.5, True),
    ("es", "1.234,5", 1234.5, True),
    ("es-MX", "1,234.5", 1234.5, True),
    ("pt-PT", f"1{NB}234,5", 1234.5, True),
    ("pt-BR", "1.234,5", 1234.5, True),
    ("zh-Hant-TW", "1,234", 1234, True),
    ("sr-Latn-RS", "1.234", 1234, True),
    ("pl", "1234,5", 1234.5, True),
    ("de", "", 0, False),
    ("de", ",5", 0.5, False),
    ("de", "5,", 5, False),
]
UNITS: list[Row] = [
    ("de", "€ 1.234,50", {"number": 1234.5, "unit": "€"}, True),
    ("fr", f"1{NNB}234,50{NB}€", {"number": 1234.5, "unit": "€"}, True),
    ("fr", "1 234,50 €", {"number": 1234.5, "unit": "€"}, True),
    ("de", "1.234,50 EUR", {"number": 1234.5, "unit": "eur"}, True),
    ("de", "1.234,50 $", {"number": 1234.5, "unit": "€"}, False),
    ("de", "1.234,50 €", {"number": 1234.5}, False),
    ("de-CH", "Fr. 1\u2019234.50", {"number": 1234.5, "unit": "Fr."}, True),
    ("sv", "1 234 kr.", {"number": 1234, "unit": "kr."}, True),
    ("en", "-$5", {"number": -5, "unit": "$"}, True),
    ("en", "$-5", {"number": -5, "unit": "$"}, True),
    ("en", "-$-5", {"number": 5, "unit": "$"}, False),
    ("en", "-$-5", {"number": -5, "unit": "$"}, False),
    ("en", "- 5", {"number": -5}, False),
    ("en", "- $5", {"number": -5, "unit": "$"}, False),
    ("en", "5-", {"number": -5}, False),
    ("en", "-$5", {"number": 5, "unit": "$"}, False),
    ("en", "$.5", {"number": 5, "unit": "$"}, False),
    ("en", "(5)", {"number": 5}, False),
    ("fr", "1 234 5", {"number": 12345}, False),
    ("fr", "12 34 €", {"number": 1234, "unit": "€"}, False),
]
NO_LOCALE: list[tuple[str, Value, bool | None]] = [
    ("1.234", 1.234, None),
    ("1.234", 1234, None),
    ("1,234", 1234, None),
    ("1,234", 1.234, None),
    ("1,234", 7, False),
    ("0.125", 0.125, True),
    ("1.5", 1.5, True),
    ("1234.567", 1234.567, True),
    ("1,234.5", 1234.5, True),
    ("1,234,567", 1234567, True),
    ("1,5", 1.5, None),
    ("1,5", 15, False),
    ("1.234,5", 1234.5, None),
    ("1 234,5", 1234.5, None),
    ("1\u2019234.5", 1234.5, None),
    ("12,34,567", 1234567, None),
    ("12.345", 12.345, None),
    ("1.2345", 1.2345, True),
    ("01.234", 1.234, True),
    ("1,234.567", 1234.567, True),
    ("\u0661\u0662", 12, False),
]
WIDE: list[tuple[str, Value, bool | None]] = [("1,234", {"number": 600, "within": 700}, True)]


def told(raw: Value, text: str, locale: str | None) -> bool | None:
    context = MatchContext(figures=() if locale is None else figures_of(locale))
    return parse_matcher(raw if isinstance(raw, dict) else {"number": raw}).match(text, context).truth


@pytest.mark.parametrize(("locale", "text", "wanted", "truth"), READ + UNITS)
def test_a_text_is_the_number_that_people_of_its_locale_read(
    locale: str, text: str, wanted: Value, truth: bool | None
) -> None:
    assert told(wanted, text, locale) is truth


@pytest.mark.parametrize(("text", "wanted", "truth"), NO_LOCALE + WIDE)
def test_without_a_locale_what_two_locales_read_otherwise_cannot_be_told(
    text: str, wanted: Value, truth: bool | None
) -> None:
    assert told(wanted, text, None) is truth


@pytest.mark.parametrize("text", ["1.234", "1,234"])
def test_what_cannot_be_told_cannot_be_told_of_its_opposite_either(text: str) -> None:
    assert told({"not": {"number": 1234}}, text, None) is None


@pytest.mark.parametrize(
    ("locale", "hint"),
    [
        ("xx", "BCP 47"),
        ("german", "BCP 47"),
        ("de_CH", "'de-CH'"),
        ("DE", "'de'"),
        ("de-ch", "'de-CH'"),
        ("de-XX", "'de-"),
        ("", "BCP 47"),
        ("de-Cyrl", "'de"),
        ("en-US-posix", "'en-US'"),
        ("de\n", "'de"),
    ],
)
def test_a_locale_that_nobody_knows_is_refused_with_the_one_that_was_meant(locale: str, hint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(hint)):
        figures_of(locale)


@pytest.mark.parametrize("locale", NAMES)
def test_every_name_that_a_remedy_suggests_is_one(locale: str) -> None:
    assert figures_of(locale)


def spelt(number: Decimal, way: Figures, group: str | None) -> str:
    whole, _, rest = f"{abs(number):f}".partition(".")
    if group is not None and len(whole) > 3:
        head, tail = whole[:-3], [whole[-3:]]
        size = 2 if way.lakh else 3
        while head:
            head, tail = head[:-size], [head[-size:], *tail]
        whole = group.join(tail)
    return ("-" if number < 0 else "") + whole + (way.decimal + rest if rest else "")


@given(
    st.decimals(min_value=-(10**12), max_value=10**12, allow_nan=False, places=4),
    st.sampled_from(EVERY),
    st.data(),
)
def test_what_a_locale_writes_it_reads_exactly_and_without_it_nothing_else_is_told(
    number: Decimal, way: Figures, data: st.DataObject
) -> None:
    group = data.draw(st.sampled_from([None, *way.groups]))
    text = spelt(number, way, group)
    found = number_in(text, None, (way,))
    assert found is not None and Fraction(found) == Fraction(number)
    english = number_in(text, None, ENGLISH)
    raw: Value = {"number": int(number)} if number == int(number) else {"number": float(number), "within": 0.00001}
    truth = told(raw, text, None)
    assert truth is not False  # what was meant is never denied
    if english is not None and abs(english - number) > 1:
        assert truth is None
