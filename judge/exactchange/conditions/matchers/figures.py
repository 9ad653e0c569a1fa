"""Numbers as they stand in texts, read in the figures of a locale."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache

from exactchange.conditions.matchers.text import readable
from exactchange.values.locales import ENGLISH, EVERY, Figures

_LONGEST = 400
_SIGNS = r"+\-\u2212"
_TURNS = dict.fromkeys(map(ord, "\u200e\u200f\u061c"))
"""Marks that only say which way to read; texts in Arabic or Hebrew hold them before a sign."""
_WORD = rf"[^\d\s{_SIGNS}.,]+\.?"


def number_in(text: str, unit: str | None, figures: Iterable[Figures]) -> Decimal | None:
    """The one number that a text is, in one of these ways to write it, with at most this unit; else None."""
    text = text.translate(_TURNS).strip()
    if len(text) > _LONGEST:
        return None
    for way in figures:
        found = _pattern(way).fullmatch(text)
        if found is None or not _fits(unit, found["front"], found["back"]):
            continue
        sign = found["before"] or found["sign"] or ""
        whole = "".join(_digit(letter, way) for letter in found["whole"] if letter not in way.groups)
        rest = "".join(_digit(letter, way) for letter in found["rest"] or "")
        power = found["power"] or ""
        return Decimal(f"{'-' if sign in ('-', chr(0x2212)) else ''}{whole}.{rest or '0'}{power}")
    return None


def readings(text: str, unit: str | None, figures: Sequence[Figures]) -> tuple[Decimal | None, tuple[Decimal, ...]]:
    """The number that a text is, and what else it may be.

    With figures known, what is a number in them is nothing else. Without, it is read as English, and whatever any
    locale reads in European digits is possible: 1,234 and 1.234 each are two numbers.
    """
    own = number_in(text, unit, figures or ENGLISH)
    if own is not None and figures:
        return own, ()
    others = (number_in(text, unit, (way,)) for way in EVERY)
    return own, tuple(dict.fromkeys(found for found in others if found is not None and found != own))


def measures(text: str) -> bool:
    """Whether a text is one number in some locale, with or without something that may be its unit."""
    text = text.translate(_TURNS).strip()
    return len(text) <= _LONGEST and any(_pattern(way).fullmatch(text) for way in EVERY)


def _digit(letter: str, way: Figures) -> str:
    return str(ord(letter) - ord(way.zero))


def _fits(unit: str | None, *beside: str | None) -> bool:
    units = {readable(part) for part in beside if part and part.strip()}
    return not units or units == {readable(unit or "")}


@cache
def _pattern(way: Figures) -> re.Pattern[str]:
    first, last = ord(way.zero), ord(way.zero) + 9
    digit, head = f"[{chr(first)}-{chr(last)}]", f"[{chr(first + 1)}-{chr(last)}]"
    group = f"(?P<group>[{re.escape(way.groups)}])"
    if way.lakh:
        grouped = f"{head}{digit}?{group}(?:{digit}{{2}}(?P=group))*{digit}{{3}}"
    else:
        grouped = f"{head}{digit}{{0,2}}{group}{digit}{{3}}(?:(?P=group){digit}{{3}})*"
    power = r"(?P<power>[eE][+-]?[0-9]{1,3})?" if way.zero == "0" else "(?P<power>(?!))?"
    number = f"(?P<whole>{grouped}|{digit}+)(?:{re.escape(way.decimal)}(?P<rest>{digit}+))?{power}"
    # A sign stands before the number, or before the unit that stands before it: -5 €, € -5, -€5.
    front = rf"(?:(?P<before>[{_SIGNS}])(?=[^\d\s]))?(?P<front>{_WORD})?\s*"
    back = r"\s*(?P<back>[^\d.,]+\.?)?"
    return re.compile(rf"{front}(?P<sign>(?(before)(?!)|[{_SIGNS}]))?{number}{back}")
