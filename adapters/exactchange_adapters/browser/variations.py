"""What one may alter of a browser: cookies, storage, downloads, controls, text, addresses, tabs and requests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from exactchange.address import key
from exactchange.sources.edits import Add, Put, Suggestion
from exactchange.sources.variations import in_turn, tree_suggestions
from exactchange.values import Path, State, Value

_NAME: Final = "audit"
_HIDDEN: Final = frozenset({"@name", "@label", "@description", "@requests"})
"""Facets that say again what another one says, or hold what nobody takes back."""


def page_suggestions(tree: State, *, near: Sequence[Path], most: int) -> list[Suggestion]:
    """Something of each facet, whether the page had it or not."""
    if not isinstance(tree, Mapping):
        return []
    state = tree_suggestions(
        tree, near=near, most=most, hidden=_HIDDEN, typed=False, grows=lambda path: path == ("@text",)
    )
    return in_turn([list(_facets(tree)), state], most)


def _facets(tree: Mapping[str, Value]) -> Iterator[Suggestion]:
    url = str(tree.get("@url", "http://127.0.0.1/"))
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    yield Suggestion("a cookie added", (Put(("@cookies", _NAME), _cookie(parts.hostname or "127.0.0.1")),))
    for area in ("local", "session"):
        yield Suggestion("storage added", (Put(("@storage", area, key(origin), _NAME), "audit"),))
    download: Value = {"name": _NAME, "url": f"{origin}/audit", "state": "completed", "size": 1}
    yield Suggestion("a download", (Add(("@downloads",), download),))
    yield Suggestion("another page", (Put(("@url",), f"{origin}/audit"),))
    yield Suggestion("a tab opened", (Put(("@tabs", "n=99"), {"@url": f"{origin}/audit", "@text": []}),))
    yield Suggestion("a request sent", (Add(("@requests",), request(tree, "POST", f"{origin}/audit")),))


def _cookie(domain: str) -> Mapping[str, Value]:
    told: dict[str, Value] = {"value": "audit", "domain": domain, "path": "/", "session": True, "httpOnly": False}
    return {**told, "secure": False, "sameSite": ""}


def request(tree: Mapping[str, Value], method: str, url: str) -> Mapping[str, Value]:
    """A request that follows all that are there."""
    sent = tree.get("@requests")
    known = [item for item in sent if isinstance(item, Mapping)] if isinstance(sent, Sequence) else []
    numbers = [seq for item in known if isinstance(seq := item.get("seq"), int)]
    times = [time for item in known if isinstance(time := item.get("time_ms"), int)]
    base: dict[str, Value] = {"seq": max(numbers, default=0) + 1, "time_ms": max(times, default=0)}
    return {**base, "method": method, "url": url, "type": "fetch", "status": 200, "failed": False, "body": None}
