"""Words, quoted texts and signs of SQL as each engine reads them, so that no comment or quote hides a statement.

The parser's own tokens differ from the engines' in comments, and it swallows whole statements as one token. What is
found here is checked against it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["word", "quoted", "sign"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text, from `start` to before `end`. Strings and quoted names are `quoted`."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """The text of a word or sign in capitals; of what is quoted nothing, since it is never a keyword."""
        return "" if self.kind == "quoted" else self.text.upper()


class Unreadable(Exception):
    """The text is none in this dialect, or one that engines read differently. Says why."""


_BLANK: Final = r"[ \t\r\n\f\v]+"
_BLOCK: Final = r"/\*(?:[^*]|\*(?!/))*\*/"
_WORD: Final = r"[^\W\d][\w$#]*"
_NUMBER: Final = r"\.?\d[\w.]*(?:(?<=[eE])[+-]\d+)?"
_SINGLE: Final = r"'(?:[^']|'')*'"
_DOUBLE: Final = r'"(?:[^"]|"")*"'
_TICKS: Final = r"`(?:[^`]|``)*`"
_BACKSLASHED: Final = r"'(?:[^'\\]|''|\\[\s\S])*'"
_BACKSLASHED_DOUBLE: Final = r'"(?:[^"\\]|""|\\[\s\S])*"'
_SIGN: Final = r"""[!"'`#$%&()*+,\-./:;<=>?@\[\]^|~{}\\]"""


def _compiled(comments: str, quoted: str, words: str = _WORD) -> "re.Pattern[str]":
    return re.compile(
        f"(?P<gap>{_BLANK}|{comments})|(?P<quoted>{quoted})|(?P<word>{words}|{_NUMBER})|(?P<sign>{_SIGN})"
    )


_LINE: Final = r"--[^\n]*"
_PATTERNS: Final[Mapping[str, "re.Pattern[str]"]] = {
    # https://sqlite.org/lang_comment.html: a comment that is not closed ends with the text.
    "sqlite": _compiled(
        rf"{_LINE}|{_BLOCK}|/\*(?:[^*]|\*(?!/))*\Z", rf"{_SINGLE}|{_DOUBLE}|{_TICKS}|\[[^\]]*\]", r"[^\W\d][\w$]*"
    ),
    "postgres": _compiled(
        rf"{_LINE}|{_BLOCK}", rf"[eE]{_BACKSLASHED}|{_SINGLE}|{_DOUBLE}|(?P<tag>\$(?:[^\W\d]\w*)?\$)[\s\S]*?(?P=tag)"
    ),
    # `--` begins a comment only before a blank; `/*!` holds code that is run.
    "mysql": _compiled(
        rf"--(?=[ \t\r\n\f\v]|\Z)[^\n]*|\#[^\n]*|{_BLOCK}",
        rf"{_BACKSLASHED}|{_BACKSLASHED_DOUBLE}|{_TICKS}",
        r"[^\W\d][\w$]*",
    ),
    "tsql": _compiled(rf"{_LINE}|{_BLOCK}", rf"{_SINGLE}|{_DOUBLE}|\[(?:[^\]]|\]\])*\]", r"[^\W\d][\w$#@]*"),
}
_NESTING: Final = frozenset({"postgres", "tsql"})
_NO_SIGNS: Final = {"sqlite": "{}\\#^", "postgres": "{}\\", "mysql": "{}\\", "tsql": "{}\\`"}
_PARAMETER: Final = re.compile(r"[$@:](?:[\w$]|::)+\(")
"""A name of a parameter as SQLite takes it: `$a::b(--)` holds no comment."""
_ODD: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def tokens_of(text: str, dialect: str) -> list[Token]:
    """The tokens of a text; comments and blanks are none. Raises Unreadable."""
    if _ODD.search(text):
        raise Unreadable("it holds a control character, at which engines may stop reading")
    pattern = _PATTERNS[dialect]
    out: list[Token] = []
    place = 0
    while place < len(text):
        found = pattern.match(text, place)
        if found is None:
            raise Unreadable(f"{text[place]!r} begins nothing that ends")
        kind = found.lastgroup if found.lastgroup != "tag" else "quoted"
        if kind == "gap":
            _check_comment(found[0], dialect)
        elif kind in ("word", "quoted"):
            out.append(Token("word" if kind == "word" else "quoted", found[0], place, found.end()))
        else:
            out.append(_sign(text, place, dialect))
        place = found.end()
    return out


def _sign(text: str, place: int, dialect: str) -> Token:
    if text.startswith(("/*", "*/"), place):
        raise Unreadable("a comment is not closed, or closed twice")
    if text[place] in "'\"`":
        raise Unreadable("a quote is not closed")
    if dialect == "sqlite" and _PARAMETER.match(text, place):
        raise Unreadable("what stands in the brackets of a parameter belongs to its name")
    if text[place] in _NO_SIGNS[dialect]:
        raise Unreadable(f"{text[place]!r} is no sign of this SQL")
    return Token("sign", text[place], place, place + 1)


def _check_comment(gap: str, dialect: str) -> None:
    if gap.startswith(("/*!", "/*M!")) and dialect == "mysql":
        raise Unreadable("the comment /*! … */ holds code that MySQL runs")
    if dialect in _NESTING and gap.startswith("--") and "\r" in gap[:-1]:
        raise Unreadable("a comment may end where a line ends without a line feed")
    if dialect in _NESTING and "/*" in gap[2:] and gap.startswith("/*"):
        raise Unreadable("a comment stands within a comment")
