"""Values that fit a matcher, and addresses that fit a pattern, made from the rule itself."""

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from exactchange.address import AddressPattern, key
from exactchange.address.segments import Deep, Exactly, File, Glob, Item, Segment
from exactchange.conditions import Matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.conditions.matchers.base import Test
from exactchange.conditions.matchers.moments import At, WithinEpisode
from exactchange.conditions.matchers.number import Bound, Number
from exactchange.conditions.matchers.tests import (
    Equal,
    Generated,
    Has,
    Items,
    JsonText,
    Matches,
    OneOf,
    TextTest,
)
from exactchange.conditions.matchers.url import SameUrl, Url
from exactchange.values import Path, Scalar, Value, dumps, same

_WORD: Final = "audit"
_POOL: Final[tuple[Value, ...]] = (
    _WORD, "AUDIT", "1", "", "/audit", "audit audit", "audit@example.org", 1, 0, -1, 1_000_000_007, True, False, 1.5,
    None, b"audit", dt.datetime(2001, 1, 1, tzinfo=dt.UTC), dt.date(2001, 1, 1), dt.time(1), [], {}, [_WORD],
)  # fmt: skip
_UUID: Final = "5f0c3b7e-2d1a-4c6b-9e8f-0a1b2c3d4e5f"
_MOST: Final = 6


def samples(matcher: Matcher | None, context: MatchContext) -> list[Value]:
    """Some values that fit a matcher; the first that come to mind where there is none. May be empty."""
    if matcher is None:
        return [_WORD, 1]
    guessed = [value for test in matcher.tests for value in _of(test, context)]
    out: list[Value] = []
    for value in (*guessed, *_POOL):
        if matcher.match(value, context).truth is True and not any(same(value, item) for item in out):
            out.append(value)
    return out[:_MOST]


def _of(test: Test, context: MatchContext) -> Iterator[Value]:
    match test:
        case Equal(wanted=wanted):
            yield wanted
        case TextTest(wanted=wanted):
            yield wanted
        case OneOf(choices=choices):
            yield from (value for choice in choices for value in samples(choice, context)[:1])
        case Has(wanted=wanted):
            yield from _mapping(wanted, context)
        case Items(wanted=wanted):
            found = [samples(item, context) for item in wanted]
            if all(found):
                yield [values[0] for values in found]
        case JsonText(inner=inner):
            yield from (dumps(value) for value in samples(inner, context))
        case Matches(pattern=pattern):
            yield from _texts(pattern)
        case _:
            yield from _of_others(test, context)


def _of_others(test: Test, context: MatchContext) -> Iterator[Value]:
    match test:
        case Number(wanted=number, within=within, unit=unit):
            yield from (int(number), float(number), f"{number} {unit or ''}".strip())
            yield from (float(number + within / 2), float(number - within / 2))
        case Bound(limit=limit):
            yield from (item for step in (0, 1, -1) for item in (int(limit) + step, float(limit) + step))
        case Generated(how=how):
            yield _UUID if how == "uuid" else 2**40
        case WithinEpisode():
            middle = (context.started_ns + context.ended_ns) // 2
            yield from (middle // 10**9, middle // 10**6, middle // 10**3, middle)
            yield (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=middle // 1000)).isoformat()
        case At(ns=ns):
            moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=ns // 1000)
            yield from (moment.isoformat(), moment, ns // 10**9)
        case Url() | SameUrl():
            for base in ("http://127.0.0.1/", "http://audit.test/"):
                told = url_of(test, base, context)
                yield from (told, f"{told}{'&' if '?' in told else '?'}audit=1")
        case _:
            pass  # the pool has one of each type


def _mapping(wanted: Mapping[str, Matcher], context: MatchContext) -> Iterator[Value]:
    found = {name: samples(item, context) for name, item in wanted.items() if not item.about_absence}
    if all(found.values()):
        yield {name: values[0] for name, values in found.items()}


def _texts(pattern: str) -> Iterator[str]:
    """Texts that a simple pattern may be about: without its signs, or with one choice of each."""
    yield pattern
    plain = re.sub(r"\\(.)", r"\1", pattern)
    yield plain
    ways = (r"\(([^()|]*)(?:\|[^()]*)?\)", r"\((?:[^()]*\|)?([^()|]*)\)")  # of a choice the first, then the last
    choices = [choice for way in ways for choice in re.sub(way, r"\1", plain).split("|")]
    for choice in dict.fromkeys(choices):
        simple = re.sub(r"\[([^\]^-])[^\]]*\]", r"\1", choice)
        yield from (re.sub(r"\.[*+?]?|[*+?]|\{[0-9,]*\}", filler, simple) for filler in ("a", "1", "A", ""))


def url_of(test: Test, base: str, context: MatchContext) -> str:
    """A URL that has the wanted parts; the others are those of `base`."""
    if isinstance(test, SameUrl):
        return test.wanted
    if not isinstance(test, Url):
        return base
    parts = urlsplit(base)
    wanted = {name: _first(samples(matcher, context)) for name, matcher in test.parts}
    host = str(wanted.get("host", parts.hostname or "127.0.0.1"))
    port = wanted.get("port", parts.port)
    query = {name: _first(samples(matcher, context)) for name, matcher in (test.query or ())}
    netloc = host if port is None else f"{host}:{port}"
    path = str(wanted.get("path", "/"))
    return urlunsplit((str(wanted.get("scheme", parts.scheme)), netloc, path, urlencode(query), ""))


def _first(values: Sequence[Value]) -> str:
    return str(values[0]) if values else _WORD


def concrete(pattern: AddressPattern) -> Iterator[tuple[Path, Mapping[str, Scalar] | None]]:
    """Places that an address pattern stands for, whatever is there.

    Of a row or item that has no name yet: the place of what holds it, and the key that the pattern asks for.
    """
    for alternative in pattern.alternatives:
        with suppress(ValueError):
            yield _concrete(alternative)


def _concrete(segments: Sequence[Segment]) -> tuple[Path, Mapping[str, Scalar] | None]:
    path: list[str | int] = []
    files: list[str] = []
    for number, segment in enumerate(segments):
        match segment:
            case File(parts=parts):
                files.append(_WORD.join(parts) or _WORD)
                continue
            case Deep() if files and number < len(segments) - 1:
                continue
            case Item(pairs=pairs):
                return (*_file(files), *path), {name: _typed(text) for name, text in pairs or ()}
            case Exactly(segment=name):
                path.append(name)
            case Glob(parts=parts):
                text = _WORD.join(parts)
                path.append(text if text[:1] in ("@", "#") else key(text))
            case _:
                path.append(_WORD)
    return (*_file(files), *path), None


def _file(names: Sequence[str]) -> Path:
    return (key("/".join(names)),) if names else ()


def _typed(text: str) -> Scalar:
    """A key's value from its printed form; an open part of it becomes some word."""
    if text.startswith('"'):
        return str(json.loads(text))
    if text.startswith("x'"):
        return bytes.fromhex(text[2:-1])
    if text in ("null", "true", "false"):
        return {"null": None, "true": True, "false": False}[text]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text):
        return float(text)
    open_number = re.fullmatch(r"-?[\d*]*\d[\d*]*", text)
    return int(text.replace("*", "1")) if open_number else text.replace("*", _WORD)
