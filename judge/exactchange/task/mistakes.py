"""What is wrong inside a matcher, each mistake at its own place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from exactchange.conditions.matchers.parse import PARSERS, parse_matcher
from exactchange.conditions.matchers.url import PARTS
from exactchange.errors import UsageError
from exactchange.task.problem import did_you_mean, one_of
from exactchange.values import Path, Value

_URL_KEYS = (*PARTS, "rest")
_OPTIONS = {"within": "number", "unit": "number"}
_OF_VALUES = "a mapping as a value is written `exactly: {…}`, and `has: {…}` where it may hold more"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: the node (`at_key`: its key is wrong, not its value), what is wrong, and the remedy."""

    path: Path
    message: str
    suggestion: str | None = None
    at_key: bool = False


def matcher_mistakes(raw: Value, path: Path) -> list[Mistake]:
    """The mistakes in a matcher that stands at a path; [] when it is one."""
    try:
        parse_matcher(raw)
    except UsageError as error:
        if not isinstance(raw, Mapping):
            return [Mistake(path, str(error))]
        return _inside(raw, path) or [Mistake(path, str(error))]
    return []


def inner_matchers(raw: Value) -> Iterator[tuple[Path, Value]]:
    """The matchers right inside a matcher that speak of parts of the value, or of the value itself, by their path."""
    if not isinstance(raw, Mapping):
        return
    for name, body in raw.items():
        if name in ("json", "not"):
            yield (name,), body
        elif name in ("items", "one_of") and isinstance(body, list):
            yield from (((name, number), item) for number, item in enumerate(body))
        elif name == "has" and isinstance(body, Mapping):
            yield from (((name, key), item) for key, item in body.items())
        elif name == "url" and isinstance(body, Mapping):
            yield from _url_parts(body)


def _inside(raw: Mapping[str, Value], path: Path) -> list[Mistake]:
    out: list[Mistake] = []
    for name in raw:
        if name not in PARSERS and name not in _OPTIONS:
            hint = did_you_mean(name, [*PARSERS, *_OPTIONS]) or _OF_VALUES
            out.append(Mistake((*path, name), f"unknown matcher {name!r}", hint, at_key=True))
    url = raw.get("url")
    for name in url if isinstance(url, Mapping) else ():
        if name not in _URL_KEYS:
            hint = did_you_mean(name, _URL_KEYS) or f"there are {one_of(_URL_KEYS)}"
            out.append(Mistake((*path, "url", name), f"a URL has no part called {name!r}", hint, at_key=True))
    inner = [found for part, item in inner_matchers(raw) for found in matcher_mistakes(item, path + part)]
    if out or inner:
        return out + inner
    for name in raw:
        try:
            PARSERS[_OPTIONS.get(name, name)](raw.get(_OPTIONS.get(name, name)), raw)
        except UsageError as error:
            out.append(Mistake((*path, name), str(error)))
    return out[:1]


def _url_parts(body: Mapping[str, Value]) -> Iterator[tuple[Path, Value]]:
    for name, item in body.items():
        if name == "query" and isinstance(item, Mapping):
            yield from ((("url", name, key), inner) for key, inner in item.items())
        elif name not in ("query", "rest", "port"):
            yield ("url", name), item
