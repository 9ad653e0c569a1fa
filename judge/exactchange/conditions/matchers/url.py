"""Addresses of the web compared by their parts, never by prefix: `url`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from exactchange.conditions.matchers.base import NO, MatchContext, Matched, all_of, answer
from exactchange.values import State

if TYPE_CHECKING:
    from exactchange.conditions.matchers.parse import Matcher

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
PARTS = ("scheme", "host", "port", "path", "query", "fragment")


def split(url: str) -> dict[str, str | list[tuple[str, str]]] | None:
    """Scheme, host, port, path, query pairs and fragment of an absolute URL, normalised; None when it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port if parts.port is not None else _PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not parts.scheme:
        return None
    path = unquote(parts.path) or "/"
    return {
        "scheme": parts.scheme.casefold(),
        "host": (parts.hostname or "").casefold(),
        "port": "" if port is None else str(port),
        "path": path if path == "/" or not path.endswith("/") else path.rstrip("/") or "/",
        "query": sorted(parse_qsl(parts.query, keep_blank_values=True)),
        "fragment": unquote(parts.fragment),
    }


@dataclass(frozen=True, slots=True)
class Url:
    """A URL whose named parts fit. `query` names every parameter unless `rest` is set."""

    parts: tuple[tuple[str, "Matcher"], ...]
    query: tuple[tuple[str, "Matcher"], ...] | None
    rest: bool

    def match(self, value: State, context: MatchContext) -> Matched:
        have = split(value) if isinstance(value, str) else None
        if have is None:
            return NO
        results = [matcher.match(_text(have[name]), context) for name, matcher in self.parts]
        return all_of([*results, self._query(have["query"], context)])

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
            if len(texts) != 1:  # a parameter given twice is read differently by different servers
                return NO
            results.append(matcher.match(texts[0], context))
        return all_of(results)


@dataclass(frozen=True, slots=True)
class SameUrl:
    """The same URL: all parts equal after normalisation, parameters in any order."""

    wanted: str

    def match(self, value: State, context: MatchContext) -> Matched:
        return answer(isinstance(value, str) and split(value) is not None and split(value) == split(self.wanted))


def _text(part: str | list[tuple[str, str]]) -> str:
    assert isinstance(part, str)
    return part
