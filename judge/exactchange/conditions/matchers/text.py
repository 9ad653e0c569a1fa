"""Texts compared as people read them: `text` and `mentions`."""

import re

from exactchange.values.unicode import nfkc

# What turns the direction of reading around is no such mark: it shows.
_MARKS = "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u034f\u061c\u180e™®"
_VARIANTS = range(0xFE00, 0xFE10)
_INVISIBLE = dict.fromkeys([*map(ord, _MARKS), *_VARIANTS])
_QUOTES = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2039\u203a`\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)

# NFKC would make plain digits of them, and another number of the whole.
_RAISED = {ord(letter): f"^{number}" for number, letter in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}


def readable(text: str) -> str:
    """NFKC, case folded, white space in single blanks, quotes and dashes of one kind, nothing invisible.

    Raised digits become `^2`: 10² is not 102.
    """
    text = text.translate(_RAISED)
    text = nfkc(text.translate(_INVISIBLE).translate(_QUOTES))
    return " ".join(text.translate(_QUOTES).casefold().split())


def mentions(text: str, wanted: str) -> bool:
    """Whether a text names something as a whole word; a number also not as part of another (`10` is not in `10.5`)."""
    hay, needle = readable(text), readable(wanted)
    if not needle:
        return False
    at = hay.find(needle)
    while at >= 0:
        if _bounded(hay, at, at + len(needle)):
            return True
        at = hay.find(needle, at + 1)
    return False


def _bounded(hay: str, start: int, end: int) -> bool:
    before, after = hay[max(0, start - 2) : start], hay[end : end + 5]
    if _wordy(hay[start]) and before and _wordy(before[-1]):
        return False
    if _wordy(hay[end - 1]) and after and _wordy(after[0]):
        return False
    if hay[end - 1].isdigit() and _GOES_ON.match(after):
        return False
    grouped = hay[start : start + 3].isdigit() and not hay[start + 3 : start + 4].isdigit() and _GROUP.search(before)
    return not (hay[start].isdigit() and (grouped or _goes_on_before(before)))


# A fraction, an exponent, or thousands that are set off by a blank or an apostrophe.
_GOES_ON = re.compile(r"[.,]\d|[/^]\d|[ ']\d{3}(?!\d)")
_GROUP = re.compile(r"\d[ ']\Z")


def _goes_on_before(before: str) -> bool:
    """Whether a number began earlier: with a sign, or with a point or comma that is no end of a word (`No.10`)."""
    return before[-1:] in ("-", "+", "/", "^") or (before[-1:] in (".", ",") and not before[:-1].isalpha())


def _wordy(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
