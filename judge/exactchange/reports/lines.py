"""Lines of a report as spans with a style, so that colour is added last and never carries meaning alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rich.cells import cell_len

from exactchange.reports.sanitise import cut

Style: TypeAlias = Literal["plain", "bold", "dim", "good", "bad", "warn", "veto", "link"]
_CODES: Final[dict[Style, str]] = {
    "plain": "",
    "bold": "1",
    "dim": "2",
    "good": "32",
    "bad": "31",
    "warn": "33",
    "veto": "1;35",
    "link": "36",
}


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of shown text in one style."""

    text: str
    style: Style = "plain"


Line: TypeAlias = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of spans; a `str` is plain. What comes from outside must have gone through the sanitiser."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def render(lines: Iterable[Line], *, colour: bool) -> str:
    """The text of the lines, each ended by LF; without colour there is no escape sequence in it."""
    return "".join(_render(item, colour=colour) + "\n" for item in lines)


def width_of(item: Line) -> int:
    """Terminal cells that the line takes."""
    return sum(cell_len(span.text) for span in item)


def padded(text: str, cells: int) -> str:
    """The text, cut or filled up to exactly this many cells."""
    text = cut(text, cells)
    return text + " " * (cells - cell_len(text))


def folded(text: str, *, cells: int, lead: str, more: str) -> list[str]:
    """Shown text broken at spaces into lines of at most this many cells.

    The first begins with `lead`, the others with `more`, so that no line begins with what was judged. A word that is
    longer than a line is broken inside: nothing is left out.
    """
    room = max(16, cells - max(cell_len(lead), cell_len(more)))
    lines: list[str] = []
    here = ""
    for word in _words(text, room):
        joined = f"{here} {word}" if here else word
        if here and cell_len(joined) > room:
            lines.append(here)
            here = word
        else:
            here = joined
    lines.append(here)
    return [f"{more if number else lead}{part}" for number, part in enumerate(lines)]


def _words(text: str, room: int) -> Sequence[str]:
    out: list[str] = []
    for word in text.split(" "):
        while cell_len(word) > room:
            head = _head(word, room)
            out.append(head)
            word = word[len(head) :]
        out.append(word)
    return out


def _head(word: str, room: int) -> str:
    used = 0
    for number, char in enumerate(word):
        used += cell_len(char)
        if used > room:
            return word[: max(1, number)]
    return word


def _render(item: Line, *, colour: bool) -> str:
    if not colour:
        return "".join(span.text for span in item).rstrip()
    return "".join(_painted(span) for span in item)


def _painted(span: Span) -> str:
    code = _CODES[span.style]
    return f"\x1b[{code}m{span.text}\x1b[0m" if code and span.text else span.text
