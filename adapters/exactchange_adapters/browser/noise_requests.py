"""Noise in addresses and requests: numbers that keep a cache from answering, and questions that a page repeats."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from exactchange.values import Value

_BUSTERS: Final = frozenset("_ _t _ts t ts cb cachebust cachebuster nocache timestamp".split())
"""Names of query fields that hold nothing but the time at which a page asked."""
_MS: Final = 1000
_LATE_MS: Final = 60_000
_FEWEST: Final = 3
_STEADY: Final = 3
_ASKING: Final = frozenset(("GET", "HEAD"))
_BY_SCRIPTS: Final = frozenset(("fetch", "xhr"))


def cache_buster(before: str, after: str, *, since_ms: int, until_ms: int) -> bool:
    """Whether two addresses differ in nothing but when they were asked for: not before, and after, a first capture.

    `since_ms`, `until_ms`: when the captures were taken, in ms since 1970.
    """
    try:
        old, new = urlsplit(before), urlsplit(after)
        fields = [parse_qsl(side.query, keep_blank_values=True, strict_parsing=True) for side in (old, new)]
    except ValueError:
        return False
    if old._replace(query="") != new._replace(query="") or len(fields[0]) != len(fields[1]) or since_ms <= 0:
        return False
    differing = [pair for pair in zip(*fields, strict=True) if pair[0] != pair[1]]
    return bool(differing) and all(
        one[0] == other[0]
        and one[0] in _BUSTERS
        and _between(one[1], 0, since_ms + _LATE_MS)
        and _between(other[1], since_ms - _LATE_MS, until_ms + _LATE_MS)
        for one, other in differing
    )


def repeated(entries: Sequence[Value]) -> frozenset[int]:
    """Positions of the requests that a script made again and again, as by a clock: at least three of one kind.

    Each only asks (GET or HEAD), for the same address but for when it asks, sends nothing and was answered.
    """
    groups: dict[object, list[tuple[int, int]]] = {}
    for number, entry in enumerate(entries):
        if isinstance(entry, Mapping) and (asked := _question(entry)) is not None:
            groups.setdefault(asked[0], []).append((number, asked[1]))
    return frozenset(number for group in groups.values() if _steady([time for _, time in group]) for number, _ in group)


def _question(entry: Mapping[str, Value]) -> tuple[object, int] | None:
    """What a request asks, and when; None where it is more than a question of a script's."""
    time, status = entry.get("time_ms"), entry.get("status")
    asks = entry.get("method") in _ASKING and entry.get("type") in _BY_SCRIPTS and entry.get("body", "") is None
    if not asks or entry.get("failed") or not isinstance(time, int) or not isinstance(status, int) or status >= 400:
        return None
    parts = urlsplit(str(entry.get("url")))
    fields = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _is_time(*pair, time)]
    return (entry["method"], parts._replace(query=""), tuple(fields)), time


def _is_time(name: str, value: str, asked_ms: int) -> bool:
    return name in _BUSTERS and _between(value, asked_ms - _LATE_MS * 60, asked_ms + _LATE_MS)


def _between(value: str, least_ms: int, most_ms: int) -> bool:
    """Whether a text is a time, in seconds or ms since 1970, within these."""
    if not value.isascii() or not value.isdecimal() or len(value) not in (10, 13):
        return False
    return least_ms <= int(value) * (_MS if len(value) == 10 else 1) <= most_ms


def _steady(times: Sequence[int]) -> bool:
    gaps = [later - earlier for earlier, later in zip(times, times[1:], strict=False)]
    return len(times) >= _FEWEST and min(gaps) > 0 and max(gaps) <= _STEADY * min(gaps)
