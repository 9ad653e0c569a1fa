"""Points in time in whatever form a system stores them: `time` and `within_episode`."""

import datetime as dt
import re
from dataclasses import dataclass

from exactchange.conditions.matchers.base import NO, UNKNOWN, MatchContext, Matched, answer
from exactchange.values import State

_SECOND = 1_000_000_000
_MICRO = 1_000
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_UNITS = (1, 1_000, 1_000_000, _SECOND)  # one of ns, us, ms, s in ns
_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?P<second>:[0-9]{2}(?:[.,](?P<fraction>[0-9]{1,9}))?)? ?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant in ns since 1970, and how coarse its notation is."""

    ns: int
    precision_ns: int


def moment_of(value: State, *, near_ns: int) -> Moment | None:
    """The instant of a time, an ISO text or a bare number; None when it is none.

    A text or time without an offset is UTC, as SQLite's CURRENT_TIMESTAMP. A number counts seconds, ms, us or ns since
    1970, whichever lies nearest to `near_ns`.
    """
    if isinstance(value, dt.datetime):
        return Moment(_ns(value), _MICRO)
    if isinstance(value, dt.date):
        return Moment(_ns(dt.datetime.combine(value, dt.time())), 86_400 * _SECOND)
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if isinstance(value, float) and not abs(value) < 1e20:
            return None
        fits = min((Moment(int(value * unit), unit) for unit in _UNITS), key=lambda m: abs(m.ns - near_ns))
        return Moment(fits.ns, _MICRO) if isinstance(value, float) else fits
    return None


@dataclass(frozen=True, slots=True)
class At:
    """The same instant, in whatever zone or notation."""

    ns: int

    def match(self, value: State, context: MatchContext) -> Matched:
        found = moment_of(value, near_ns=self.ns)
        return answer(found is not None and found.ns == self.ns)


@dataclass(frozen=True, slots=True)
class WithinEpisode:
    """Between the episode's beginning and end, as far as the notation can tell."""

    def match(self, value: State, context: MatchContext) -> Matched:
        if not context.started_ns or not context.ended_ns:
            return UNKNOWN
        found = moment_of(value, near_ns=context.started_ns)
        if found is None or found.ns <= context.started_ns - found.precision_ns:
            return NO
        if found.ns <= context.ended_ns:
            return answer(True)
        return NO if context.ends else UNKNOWN


def parse_instant(text: str) -> int | None:
    """ns since 1970 of an ISO 8601 text, or None."""
    found = _from_text(text)
    return None if found is None else found.ns


def _from_text(text: str) -> Moment | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    try:
        moment = dt.datetime.fromisoformat(
            text.replace(",", ".").replace(" +", "+").replace(" -", "-").replace(" Z", "Z")
        )
    except ValueError:
        return None  # the 31st of February
    if match["fraction"]:
        return Moment(_ns(moment), max(_MICRO, 10 ** (9 - len(match["fraction"]))))
    return Moment(_ns(moment), _SECOND if match["second"] else 60 * _SECOND if len(text) > 10 else 86_400 * _SECOND)


def _ns(moment: dt.datetime) -> int:
    since = (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds * _MICRO
