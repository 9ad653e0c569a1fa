"""Addresses of the web that are easily taken for another one, and other spellings of the same."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from exactchange.conditions.matchers.base import MatchContext
from exactchange.conditions.matchers.url import SameUrl
from exactchange.values import State

_NAME: Final = "audit"
_ELSEWHERE: Final = "audit.test"


def is_url(value: State) -> bool:
    """Whether a value is an address of the web."""
    return isinstance(value, str) and _parts(value) is not None


def near_urls(url: str) -> Iterator[tuple[str, str]]:
    """Addresses that lead elsewhere, each with how it differs; none for what is no address of the web."""
    parts = _parts(url)
    if parts is None:
        return
    host, path = parts.hostname or "", parts.path or "/"
    port = parts.port or (443 if parts.scheme == "https" else 80)
    yield "another host", _with(parts, host=_ELSEWHERE)
    yield "a host that begins like it", _with(parts, host=f"{host}.{_ELSEWHERE}")
    yield "another port", _with(parts, port=port + 1)
    yield "another scheme", _with(parts, scheme="http" if parts.scheme == "https" else "https")
    yield "another host, and this one as the user", _with(parts, host=_ELSEWHERE, user=host)
    yield "a user", _with(parts, user=_NAME)
    yield "a path before it", _with(parts, path=f"/{_NAME}{path}")
    yield "a path after it", _with(parts, path=f"{path.rstrip('/')}/{_NAME}")
    yield "a longer name at the end of the path", _with(parts, path=f"{path.rstrip('/')}{_NAME}")
    if path.count("/") > 1:
        yield "a slash of its path encoded", _with(parts, path="/" + path[1:].replace("/", "%2F", 1))
    yield from _near_queries(parts)
    yield "a fragment", _with(parts, fragment=f"{parts.fragment}{_NAME}")


def spellings(url: str) -> Iterator[tuple[str, str]]:
    """Other spellings of an address, which servers take for the same, each with how it differs."""
    parts = _parts(url)
    if parts is None:
        return
    path = parts.path or "/"
    yield "a slash at its end", _with(parts, path=path[:-1] if len(path) > 1 and path.endswith("/") else f"{path}/")
    at = next((number for number, letter in enumerate(path) if letter.isascii() and letter.isalnum()), None)
    if at is not None:
        yield "a letter of its path encoded", _with(parts, path=f"{path[:at]}%{ord(path[at]):02X}{path[at + 1 :]}")
    host = parts.hostname or ""
    if host[-1:].isalpha():
        yield "a host with a dot at its end", _with(parts, host=f"{host}.")
    if host.upper() != host:
        yield "its host in capitals", _with(parts, host=host.upper())


def same_url(left: str, right: str) -> bool:
    """Whether two addresses are one, as `url` compares them."""
    return SameUrl(left).match(right, MatchContext()).truth is True


def _near_queries(parts: SplitResult) -> Iterator[tuple[str, str]]:
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    yield "one parameter more", _with(parts, query=[*pairs, (_NAME, "1")])
    for number, (name, value) in enumerate(pairs[:2]):
        yield (
            "another value of a parameter",
            _with(parts, query=[*pairs[:number], (name, f"{value}x"), *pairs[number + 1 :]]),
        )
        yield "a parameter less", _with(parts, query=[*pairs[:number], *pairs[number + 1 :]])


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return parts if parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) < 65535 else None
    except ValueError:
        return None


def _with(
    parts: SplitResult,
    *,
    scheme: str | None = None,
    user: str | None = None,
    host: str | None = None,
    port: int | None = None,
    path: str | None = None,
    query: list[tuple[str, str]] | None = None,
    fragment: str | None = None,
) -> str:
    """The address with other parts; everything else stays as it is written."""
    own = parts.netloc.rpartition("@")[2]
    written = own.rpartition("]")[2] if own.startswith("[") else own
    old_port = f":{parts.port}" if ":" in written and parts.port is not None else ""
    where = (host if host is not None else own.removesuffix(old_port)) + (old_port if port is None else f":{port}")
    netloc = where if user is None else f"{user}@{where}"
    told = parts.query if query is None else urlencode(query)
    return urlunsplit(
        (
            parts.scheme if scheme is None else scheme,
            netloc,
            parts.path if path is None else path,
            told,
            parts.fragment if fragment is None else fragment,
        )
    )
