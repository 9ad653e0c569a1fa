"""Addresses taken apart into what may differ from run to run, and put together again as patterns for more of them."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from os.path import commonprefix
from typing import Final, Literal, TypeAlias

from exactchange.address import AddressPattern, Style, format_path, parse_key_segment, parse_pattern, unkey
from exactchange.address.keys import quote
from exactchange.errors import UsageError
from exactchange.values import Path

Kind: TypeAlias = Literal["field", "name", "file", "element", "number", "fixed"]
_SAFE: Final = re.compile(r"[A-Za-z0-9_\-/:+]*\Z")
"""What a run of characters beside `*` may hold, so that no reader takes it for anything but text."""
_EDGES: Final = "_-./:+"
_WORDS: Final = ("null", "true", "false")  # printed values that are neither names nor numbers
_SHORTEST = 3  # of what several texts share, in characters: less tells nothing


@dataclass(frozen=True, slots=True)
class Part:
    """The smallest piece of a path that may differ: a field of a row's key, a key, a component of a file's path.

    `segment`: which segment of the path it is in. `name`: of a field. `text`: of a field as key segments print it.
    """

    segment: int
    kind: Kind
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Like:
    """Any text that begins with `head` and ends with `tail`."""

    head: str = ""
    tail: str = ""


Want: TypeAlias = str | Like
"""What a pattern asks of a part: this text, or one like it."""


def parts_of(path: Path, style: Style) -> tuple[Part, ...]:
    """The parts of a path, from left to right."""
    return tuple(part for number, segment in enumerate(path) for part in _split(number, segment, style))


def address_of(path: Path, wants: Sequence[Want], style: Style) -> str | None:
    """The narrowest pattern of the paths that are like this one in its parts; None where none can be written."""
    parts = parts_of(path, style)
    text = "".join(
        _spelt(path, number, list(pairs), style)
        for number, pairs in groupby(zip(parts, wants, strict=True), lambda pair: pair[0].segment)
    )
    return text if takes(text, path, style) else None


def takes(at: str, path: Path, style: Style) -> bool:
    """Whether an address pattern stands for a path, or for something that it lies in."""
    slashed = style is Style.SLASHED
    pattern = _pattern(at, slashed=slashed)
    return pattern is not None and (pattern.matches(path, slashed=slashed) or pattern.covers(path, slashed=slashed))


@lru_cache(maxsize=64)
def _pattern(at: str, *, slashed: bool) -> AddressPattern | None:
    try:
        return parse_pattern(at, slashed=slashed)
    except UsageError:
        return None


def alike(kind: Kind, texts: Sequence[str], *, first: bool) -> Like | None:
    """What several texts of one part have in common; None where they are so unlike that none stands for another.

    Only texts that a program made up may have nothing in common: numbers that are no names, what holds digits.
    `first`: it is the first part of an address, in which nothing else would say where that is.
    """
    common = shared(kind, texts)
    if common is not None:
        return common
    if kind == "fixed" or first or not all(_made_up(kind, text) for text in texts):
        return None
    return Like()


def crowd(kind: Kind, texts: Sequence[str], *, first: bool) -> Like | None:
    """What stands for any number of rows or items; None where somebody may have given their names."""
    rows = kind in ("field", "number") and not first
    return Like() if rows and all(_made_up(kind, text) for text in texts) else None


def shared(kind: Kind, texts: Sequence[str]) -> Like | None:
    """The beginning and the end that names share, each up to an edge between words; None where that is too little."""
    plain = [_plain(kind, text) for text in texts]
    known = [text for text in plain if text is not None]
    if kind in ("fixed", "number") or len(known) < len(plain):
        return None
    head = commonprefix(known)
    head = head[: max((head.rfind(edge) for edge in _EDGES), default=-1) + 1]
    tail = commonprefix([text[len(head) :][::-1] for text in known])[::-1]
    edges = [at for edge in _EDGES if (at := tail.find(edge)) >= 0]
    tail = tail[min(edges) :] if edges else ""
    dots = "." if kind in ("field", "file") else ""  # elsewhere a dot begins the next segment
    bare = head.removeprefix("#") if kind == "element" else head
    if not all(_SAFE.match(text.replace(dots, "")) for text in (bare, tail)) or len(head + tail) < _SHORTEST:
        return None
    # The ending of a file's name says what it is, and not whose.
    between = [text[len(head) : len(text) - len(tail)] for text in known]
    named = head or not tail.startswith(".")
    return Like(head, tail) if named or all(_has_digit(text) for text in between) else None


def first_word(kind: Kind, want: Want) -> str:
    """A text up to its first edge between words, that included; "" where it has none or stands for several."""
    text = _plain(kind, want) if isinstance(want, str) else None
    ends = [at for edge in _EDGES if text is not None and (at := text.find(edge)) > 0]
    return text[: min(ends) + 1] if text is not None and ends else ""


def last_word(kind: Kind, want: Want) -> str:
    """A text from its last edge between words on; "" where it has none or stands for several."""
    text = _plain(kind, want) if isinstance(want, str) else None
    return text[at:] if text is not None and (at := max(text.rfind(edge) for edge in _EDGES)) > 0 else ""


def _split(number: int, segment: str | int, style: Style) -> Iterator[Part]:
    if isinstance(segment, int):
        yield Part(number, "number", "", str(segment))
    elif segment.startswith("#"):
        yield Part(number, "element" if style is Style.PAGE else "number", "", segment)
    elif segment.startswith("@") and not segment.startswith("@@"):
        yield Part(number, "number" if segment.startswith("@!") else "fixed", "", segment)
    elif unkey(segment) is None:
        yield from _fields(number, segment)
    elif number == 0 and style is Style.SLASHED:
        yield from (Part(number, "file", "", name) for name in str(unkey(segment)).split("/"))
    else:
        yield Part(number, "name", "", str(unkey(segment)))


def _fields(number: int, segment: str) -> Iterator[Part]:
    try:
        pairs = parse_key_segment(segment)
    except UsageError:  # a kind of its own spelling: nothing of it is left open
        pairs = []
    if not pairs:
        yield Part(number, "fixed", "", segment)
    yield from (Part(number, "field", name, text) for name, text in pairs)


def _spelt(path: Path, number: int, pairs: list[tuple[Part, Want]], style: Style) -> str:
    if all(isinstance(want, str) for _, want in pairs):
        return format_path(path[: number + 1], style=style)[len(format_path(path[:number], style=style)) :]
    kind = pairs[0][0].kind
    if kind == "field":
        said = [f"{_name(part.name)}={_value(want)}" for part, want in pairs if want != Like()]
        return f"[{','.join(said) or '*'}]"
    if kind == "number" and not pairs[0][0].text.startswith("@"):
        return "[*]"
    dot = "." if number else ""
    if kind == "file":
        return "/".join(want if isinstance(want, str) else f"{want.head}*{want.tail}" for _, want in pairs)
    (want,) = (want for _, want in pairs)
    assert isinstance(want, Like)
    return f"{dot}{want.head}*{want.tail}"


def _name(field: str) -> str:
    return field if re.fullmatch(r"\w+", field) else quote(field)


def _value(want: Want) -> str:
    return want if isinstance(want, str) else f"{want.head}*{want.tail}"


def _plain(kind: Kind, text: str) -> str | None:
    if kind != "field":
        return text
    if text.startswith('"'):
        return str(json.loads(text))
    return text if re.match(r"[A-Za-z_][A-Za-z0-9_.\-]*\Z", text) and text not in _WORDS else None


def _made_up(kind: Kind, text: str) -> bool:
    plain = None if kind == "number" else _plain(kind, text)
    return text not in _WORDS and (plain is None or _has_digit(plain))


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)
