"""Unicode's normal form in time that grows with the text, whatever the text."""

import unicodedata
from typing import Final

_MOST_MARKS: Final = 30
_JOINER: Final = "\u034f"
_SHORT: Final = 1_000


def nfkc(text: str) -> str:
    """The text in NFKC, in which no more than 30 marks in a row are sorted; behind each 30 stands U+034F.

    That is the stream-safe format of Unicode Standard Annex 15, section 13: without it a letter with very many accents
    takes time with the square of their number. No language writes so many.
    """
    if len(text) > _SHORT and not text.isascii():
        text = _stream_safe(text)
    return unicodedata.normalize("NFKC", text)


def _stream_safe(text: str) -> str:
    out: list[str] = []
    begun = marks = 0
    for place, letter in enumerate(text):
        if letter < "\u0300" or not unicodedata.combining(letter):
            marks = 0
        elif marks == _MOST_MARKS:
            out += [text[begun:place], _JOINER]
            begun, marks = place, 1
        else:
            marks += 1
    return text if not out else "".join([*out, text[begun:]])
