"""Noise in what a page says: how long ago something was, what time it is, how many there are."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, TypeAlias

TextRule: TypeAlias = Callable[[str, str, "float | None"], bool]
"""Whether one text gave way to the other by itself, within so many seconds (None: nobody knows how many)."""

_LATE_S: Final = 60.0
"""How far a page that tells time by the minute may lag behind."""
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_NEARLY_A_DAY_S: Final = 20 * _HOUR
_LONGEST: Final = 2000
_WORDS: Final = 20
_SOME: Final = frozenset("few paar wenigen quelques unos".split())
_COUNT = r"(\d{1,3}|an?|one|a\ few|few|einer|einem|ein\ paar|wenigen|une?|quelques|una?|unos)"
_SHORT = r"(s|sec|secs|seconds?|m|min|mins|minutes?)"
# Days and more are no noise: in an episode of minutes hardly one of them passes, and people set what is due by the day.
_AGO = re.compile(
    rf"""\b(?:
        {_COUNT}\ ?(?:{_SHORT}|(h|hrs?|hours?|d|day))\ ago |
        vor\ {_COUNT}\ (Sek\.?|Sekunden?|Min\.?|Minuten?|Std\.?|Stunden?|Tag) |
        il\ y\ a\ {_COUNT}\ (s|secondes?|min|minutes?|h|heures?|jour) |
        hace\ {_COUNT}\ (s|segundos?|min|minutos?|h|horas?|d\u00eda) |
        (just\ now|(?:a\ )?moments?\ ago|less\ than\ a\ minute\ ago|
            gerade\ eben|\u00e0\ l[\u2019']instant|ahora\ mismo) |
        (in)\ {_COUNT}\ (secs?|seconds?|mins?|minutes?)
        )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
# What such words say of an age is a limit that somebody set.
_LIMIT = re.compile(
    r"(?:(?:more|older|longer|earlier|later)\ than|at\ least|at\ most|after|before"
    r"|mehr\ als|l\u00e4nger\ als|\u00e4lter\ als|mindestens|plus\ de|au\ moins|m\u00e1s\ de|al\ menos)\s*\Z",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])(?:\ ?([ap])\.?m\b\.?)?", re.IGNORECASE)
# Alone: no part of a date, an amount of money, a version, a word, a time.
_MONEY = r"[$\u20ac\u00a3\u00a5\u20b9]"
_CURRENCY = r"(?:AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|TRY|UAH|USD|ZAR)"
_ALONE = re.compile(
    rf"(?<![\w.,:/$\u20ac\u00a3%#-])(?<!{_MONEY}\s)(?<!{_CURRENCY}\s)"
    rf"(?:\d{{1,3}}(?:,\d{{3}})+(?![\w.,:/%-])|\d{{1,9}}(?![\w/%-]|[.,:]\d))(?!\s?(?:%|{_MONEY}|{_CURRENCY}\b))",
)


@dataclass(frozen=True, slots=True)
class _Age:
    """How long ago something was, in seconds, by what a text says: as it says, at least, at most."""

    said: float
    least: float
    most: float


def relative_time(before: str, after: str, elapsed_s: float | None) -> bool:
    """Whether only ages differ, each forward, and by no more than the time that passed and a minute."""
    if elapsed_s is None:
        return False
    (words, ages), (new_words, new_ages) = _aged(before), _aged(after)
    if not ages or words != new_words:
        return False
    return all(_grew(old, new, elapsed_s) for old, new in zip(ages, new_ages, strict=True))


def clock(before: str, after: str, elapsed_s: float | None) -> bool:
    """Whether only times of day differ, each forward, and by no more than the time that passed and a minute."""
    if elapsed_s is None or _CLOCK.sub("\0", before[:_LONGEST]) != _CLOCK.sub("\0", after[:_LONGEST]):
        return False
    if max(len(before), len(after)) > _LONGEST or "\0" in before + after:
        return False
    pairs = list(zip(_CLOCK.finditer(before), _CLOCK.finditer(after), strict=True))
    return bool(pairs) and all(
        (_of_day(new) - _of_day(old)) % _DAY <= elapsed_s + _LATE_S and _written(old) == _written(new)
        for old, new in pairs
    )


def _written(time: re.Match[str]) -> Sequence[bool]:
    """Which parts of a time are there: one that gets a `pm` is another time, whatever the clock says."""
    return [part is None for part in time.groups()]


def counter(before: str, after: str, elapsed_s: float | None) -> bool:
    """Whether one whole number differs that stands alone, and nothing else."""
    if max(len(before), len(after)) > _LONGEST:
        return False
    old, new = list(_ALONE.finditer(before)), list(_ALONE.finditer(after))
    if len(old) != len(new) or _ALONE.sub("\0", before) != _ALONE.sub("\0", after):
        return False
    return sum(one.group() != other.group() for one, other in zip(old, new, strict=True)) == 1


@lru_cache(maxsize=5_000)
def _aged(text: str) -> tuple[str, tuple[_Age, ...]]:
    """The words of a text around what says how long ago something was, and the ages."""
    if len(text) > _LONGEST or "\0" in text:
        return text, ()
    ages = [
        found for found in _AGO.finditer(text) if not _LIMIT.search(text, max(0, found.start() - _WORDS), found.start())
    ]
    ends = [0, *(found.end() for found in ages)]
    starts = [*(found.start() for found in ages), len(text)]
    words = "\0".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return words, tuple(map(_age, ages))


def _age(found: re.Match[str]) -> _Age:
    given = [part for part in found.groups() if part is not None]
    ahead = given[0].casefold() == "in"
    counted = given[1:] if ahead else given
    if len(counted) == 1:  # "just now"
        return _Age(0, 0, 1.5 * _MINUTE)
    count, unit = counted[0].casefold(), _seconds(counted[1])
    if count.split()[-1] in _SOME:
        age = _Age(0, 0, 60 * unit if unit < _MINUTE else 0)
    else:
        number = int(count) if count.isdecimal() else 1
        age = _Age(number * unit, (number - 0.5) * unit, (number + 1) * unit)
    return _Age(-age.said, -age.most, -age.least) if ahead else age


def _seconds(word: str) -> float:
    word = word.casefold()
    if word.startswith(("h", "st")):
        return _HOUR
    return _UNITS[word[0]]


_UNITS: Mapping[str, float] = {"s": 1.0, "m": _MINUTE, "d": _DAY, "t": _DAY, "j": _DAY}


def _grew(old: _Age, new: _Age, elapsed_s: float) -> bool:
    """Whether an age may have become the other by itself."""
    if new == old:
        return True
    if new.said >= _DAY and not (old.said >= _NEARLY_A_DAY_S and old.said < _DAY and new.said == _DAY):
        return False
    return new.said >= old.said and new.least - old.most <= elapsed_s + _LATE_S


def _of_day(found: re.Match[str]) -> float:
    hour, minute, second, half = found.groups()
    hours = int(hour) % 12 + (12 if half.casefold() == "p" else 0) if half else int(hour)
    return hours * _HOUR + int(minute) * _MINUTE + int(second or 0)


def _around_ages(text: str) -> str | None:
    words, ages = _aged(text)
    return words if ages else None


def _around(pattern: re.Pattern[str], text: str) -> str | None:
    if len(text) > _LONGEST or "\0" in text:
        return None
    words = pattern.sub("\0", text)
    return words if words != text else None


WORDS: Final[Mapping[str, Callable[[str], "str | None"]]] = {
    "relative-time": _around_ages,
    "clock": partial(_around, _CLOCK),
    "counter": partial(_around, _ALONE),
}
"""What stays of a text that a rule takes: two of which it takes one for the other say the same. None: it takes none."""
