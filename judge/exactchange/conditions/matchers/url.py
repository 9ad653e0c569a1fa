"""Addresses of the web compared by their parts, never by prefix: `url`."""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from exactchange.conditions.matchers.base import NO, UNKNOWN, YES, MatchContext, Matched, Test, all_of, answer, any_of
from exactchange.conditions.matchers.tests import Not, OneOf
from exactchange.errors import UsageError
from exactchange.values import State, Value
from exactchange.values.unicode import nfkc

if TYPE_CHECKING:
    from exactchange.conditions.matchers.parse import Matcher

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_WHOLE_TEXTS = frozenset({"one_of", "not", "exactly"})
"""Keys of matchers below which a text stands for the whole part; patterns and pieces of text are taken as they are."""
_LONGEST_HOST = 253
PARTS = ("scheme", "host", "port", "path", "query", "fragment")


def split(url: str) -> dict[str, str | list[tuple[str, str]]] | None:
    """Scheme, user, host, port, path, query pairs and fragment of an absolute URL, normalised; None when it is none.

    Backslashes, blanks and control characters make it none: readers differ on where such a URL leads.
    """
    if any(letter <= " " or letter in "\\\x7f" for letter in url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port if parts.port is not None else _PORTS.get(parts.scheme)
        user, _, host = parts.netloc.rpartition("@")
        host = _one_host(_host(host))
    except ValueError:
        return None
    if not parts.scheme:
        return None
    path = _decoded(parts.path) or "/"
    return {
        "scheme": parts.scheme,
        "user": user,
        "host": host,
        "port": "" if port is None else str(port),
        "path": path.rstrip("/") or "/" if parts.scheme != "file" else path,
        "query": sorted(parse_qsl(parts.query, keep_blank_values=True, errors="surrogateescape")),
        "fragment": _decoded(parts.fragment),
    }


@dataclass(frozen=True, slots=True)
class Url:
    """A URL whose named parts fit. What is not named of query and fragment is not there, unless `rest` is set."""

    parts: tuple[tuple[str, "Matcher"], ...]
    query: tuple[tuple[str, "Matcher"], ...] | None
    rest: bool

    def match(self, value: State, context: MatchContext) -> Matched:
        have = split(value) if isinstance(value, str) else None
        if have is None:
            return NO
        context = replace(context, texts=True)
        named = {name for name, _ in self.parts}
        if have["fragment"] and not self.rest and "fragment" not in named:
            return NO
        if "scheme" not in named and have["scheme"] not in ("http", "https"):  # javascript://a.test/confirm is no page
            return NO
        results = [
            _path_fits(matcher, _spellings(have), context)
            if name == "path"
            else matcher.match(_text(have[name]), context)
            for name, matcher in self.parts
        ]
        # No part names who signs in: such a URL may be meant, but nobody said so.
        return all_of([*results, self._query(have["query"], context), UNKNOWN if have["user"] else YES])

    def _query(self, pairs: str | list[tuple[str, str]], context: MatchContext) -> Matched:
        wanted = dict(self.query or ())
        given: dict[str, list[str]] = {}
        for name, text in pairs if isinstance(pairs, list) else []:
            given.setdefault(name, []).append(text)
        if not self.rest and given.keys() - wanted.keys():
            return NO
        results: list[Matched] = []
        for name, matcher in wanted.items():
            texts = given.get(name, [])
            found = any_of([matcher.match(text, context) for text in texts])
            # A parameter given twice is read differently by different servers.
            results.append(UNKNOWN if len(texts) > 1 and found.truth is not False else found)
        return all_of(results)


@dataclass(frozen=True, slots=True)
class SameUrl:
    """The same URL: all parts equal after normalisation, parameters in any order."""

    wanted: str

    def match(self, value: State, context: MatchContext) -> Matched:
        have, wanted = split(value) if isinstance(value, str) else None, split(self.wanted)
        if have is None or wanted is None:
            return NO
        if have["user"] and not wanted["user"] and have | {"user": ""} == wanted:
            return UNKNOWN
        return answer(have == wanted)


def written(name: str, body: Value) -> Value:
    """What a task asks of a part, with its texts in the spelling in which URLs are compared.

    Raises UsageError for a text that the part of no URL can be.
    """
    if isinstance(body, str):
        return _as_compared(name, body)
    if isinstance(body, Mapping):
        return {key: written(name, item) if key in _WHOLE_TEXTS else item for key, item in body.items()}
    return [written(name, item) for item in body] if isinstance(body, list | tuple) else body


def _as_compared(name: str, text: str) -> str:
    if name == "path":
        if text and not text.startswith("/"):
            raise UsageError(f"`path:` begins with a slash: write {'/' + text!r}")
        return re.sub("/+$", "/", _decoded(text)) or "/"
    if name == "host" and not text.startswith("[") and re.search("[/:@]", text):
        raise UsageError(f"`host:` is a name or address alone, without scheme and port, not {text!r}")
    if name == "host":
        try:
            return _one_host(text)
        except ValueError as error:
            raise UsageError(f"`host:` can be no name: {error}") from error
    return text.translate(_LOWER) if name == "scheme" else _decoded(text)


def _spellings(have: Mapping[str, str | list[tuple[str, str]]]) -> tuple[str, ...]:
    """The path as a task may write it: `/a` and `/a/` are one place, and the root is written in one way."""
    path = _text(have["path"])
    return (path,) if have["scheme"] == "file" or path == "/" else (path, path + "/")


def _path_fits(matcher: "Matcher", spellings: Sequence[str], context: MatchContext) -> Matched:
    """Whether a path fits in one of its spellings, test by test: what is not to fit must fit in none of them."""
    return all_of([_one_fits(test, spellings, context) for test in matcher.tests])


def _one_fits(test: Test, spellings: Sequence[str], context: MatchContext) -> Matched:
    if isinstance(test, OneOf):
        return any_of([_path_fits(choice, spellings, context) for choice in test.choices])
    if isinstance(test, Not):
        truth = _path_fits(test.inner, spellings, context).truth
        return Matched(None if truth is None else not truth)
    return any_of([test.match(text, context) for text in spellings])


def _text(part: str | list[tuple[str, str]]) -> str:
    assert isinstance(part, str)
    return part


def _decoded(text: str) -> str:
    """Percent-decoded, but for an encoded slash: that one separates nothing."""
    return unquote(re.sub("%2[Ff]", "%252F", text), errors="surrogateescape")


def _one_host(text: str) -> str:
    """A host as browsers send it: in lower case and ASCII (Punycode), without the dot that may end a name.

    What is not in Unicode's normal form stays as it is and is no other host: readers differ on what becomes of it.
    Raises ValueError for a name that is too long for one.
    """
    if text.isascii():
        return text.translate(_LOWER).removesuffix(".")
    if len(text) > _LONGEST_HOST:
        raise ValueError("no name is that long")
    if nfkc(text) != text:
        return text.removesuffix(".")
    labels = (each if each.isascii() else f"xn--{each.encode('punycode').decode()}" for each in text.lower().split("."))
    return ".".join(labels).removesuffix(".")


def _host(text: str) -> str:
    return text[: text.index("]") + 1] if text.startswith("[") else text.partition(":")[0]
