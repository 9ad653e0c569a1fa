"""Noise on pages by rule: what changes though nobody did anything, and which rule says so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from exactchange.address import Style, format_path, lookup, parse_pattern
from exactchange.diff import Change
from exactchange.sources import Recognised
from exactchange.values import Path, Value
from exactchange_adapters.browser.facets import place_of
from exactchange_adapters.browser.noise_anew import made_anew
from exactchange_adapters.browser.noise_fields import CSRF, NONCE, cookie_token, hidden_token, renamed
from exactchange_adapters.browser.noise_like import fits
from exactchange_adapters.browser.noise_lines import LineRule, paired
from exactchange_adapters.browser.noise_params import NoiseParams
from exactchange_adapters.browser.noise_requests import cache_buster, repeated
from exactchange_adapters.browser.noise_texts import WORDS, TextRule, clock, counter, relative_time
from exactchange_adapters.browser.snapshot import PageSnapshot

_TEXTS: Final[Mapping[str, TextRule]] = {"relative-time": relative_time, "clock": clock, "counter": counter}
_MOST_NAMED: Final = 20
_NS: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class _Two:
    """Two captures, and the rules that are on."""

    before: PageSnapshot
    after: PageSnapshot
    said: NoiseParams

    @property
    def elapsed_s(self) -> float | None:
        """How much time passed in between; None where nobody knows."""
        old, new = self.before.mark, self.after.mark
        if old.mono_ns > 0 and new.mono_ns >= old.mono_ns:
            return (new.mono_ns - old.mono_ns) / _NS
        return (new.wall_ns - old.wall_ns) / _NS if 0 < old.wall_ns <= new.wall_ns else None


def page_noise(
    changes: Sequence[Change], *, before: PageSnapshot, after: PageSnapshot, said: NoiseParams
) -> list[str | None]:
    """For each leaf that changed between two captures the rule that takes it; see `exactchange.sources.Noisy`."""
    two = _Two(before, after, said)
    found = {number: rule for number, change in enumerate(changes) if (rule := _of_one(change, two)) is not None}
    found |= _of_lines({n: change for n, change in enumerate(changes) if n not in found}, two)
    if "generated-id" in said.rules:
        anew = renamed(changes, before, after)
        found |= {n: "generated-id" for n, change in enumerate(changes) if anew and change.path[:-1] in anew}
    if "polling-request" in said.rules:
        found |= dict.fromkeys(_polling(changes, after), "polling-request")
    return [found.get(number) for number in range(len(changes))]


def page_made_anew(source: str, *, before: PageSnapshot, after: PageSnapshot, said: NoiseParams) -> list[Recognised]:
    """Classes and ids that were made up anew in documents that stood in one place: an entry for each and each rule."""
    old = {stored.path: stored for stored in before.documents}
    out: list[Recognised] = []
    for stored in after.documents:
        if stored.path in old and {"hashed-class", "generated-id"} & said.rules:
            found = made_anew(old[stored.path].packed, stored.packed)
            for rule, field, pairs in (("hashed-class", "@class", found.classes), ("generated-id", "@id", found.ids)):
                if pairs and rule in said.rules:
                    out.append(Recognised(_summary(source, stored.path, field, list(pairs)), rule))
    return out


def _summary(source: str, frame: Path, field: str, pairs: Sequence[tuple[str, str]]) -> Change:
    """All names of a document that are other ones, as one change: the first of them, and how many there are."""
    path = (*frame, field)
    old, new = ([pair[side] for pair in pairs[:_MOST_NAMED]] for side in (0, 1))
    at: dict[str, Value] = {"frame": format_path(frame, style=Style.PAGE), "selector": "", "field": field}
    return Change(source, "modified", format_path(path, style=Style.PAGE), path, old, new, {**at, "names": len(pairs)})


def _of_one(change: Change, two: _Two) -> str | None:
    """The rule that takes a leaf by itself."""
    rules, facet = two.said.rules, place_of(change.path).facet
    if facet == "controls":
        for rule, named in (("csrf-token", CSRF), ("nonce", NONCE)):
            if rule in rules and hidden_token(change, named, two.before, two.after):
                return rule
    if facet == "cookies" and "csrf-cookie" in rules and cookie_token(change):
        return "csrf-cookie"
    if change.op == "modified" and isinstance(change.before, str) and isinstance(change.after, str):
        return _of_texts(change.path, change.before, change.after, two)
    return None


def _of_texts(path: Path, before: str, after: str, two: _Two) -> str | None:
    """The rule by which one text in a place gives way to another."""
    rules, facet = two.said.rules, place_of(path).facet
    if facet in ("text", "title"):
        for rule, takes in _TEXTS.items():
            if rule in rules and takes(before, after, two.elapsed_s):
                return rule
    if facet in ("url", "tabs") and path[-1] == "@url" and "cache-buster" in rules:
        since, until = (side.mark.wall_ns // _NS_PER_MS for side in (two.before, two.after))
        if cache_buster(before, after, since_ms=since, until_ms=until):
            return "cache-buster"
    own = (rule.like for rule in two.said.add if _meant(rule.at, path))
    return next((f'"{like}"' for like in own if fits(like, before) and fits(like, after)), None)


def _meant(at: str, path: Path) -> bool:
    """Whether an address pattern stands for a place, or for a list or mapping that it is in."""
    pattern = parse_pattern(at)
    return any(pattern.matches(path[:end]) for end in range(1, len(path) + 1))


def _of_lines(left: Mapping[int, Change], two: _Two) -> dict[int, str]:
    """Lines of text that went, and lines that came for them by a rule.

    A comparison may have put two lines together of which one is another one's: what is left of such a pair is a change.
    """
    lines = [(n, change) for n, change in left.items() if place_of(change.path).facet == "text"]
    out: dict[int, str] = {}
    for gone, here, rule in paired(lines, _line_rules(two)):
        out |= {number: rule for number in (gone, here) if left[number].op != "modified"}
    return out


def _line_rules(two: _Two) -> list[LineRule]:
    usual = [
        LineRule(name, WORDS[name], partial(_within, takes, two.elapsed_s), _anywhere)
        for name, takes in _TEXTS.items()
        if name in two.said.rules
    ]
    own = [
        LineRule(f'"{rule.like}"', partial(_fitting, rule.like), _fit, partial(_meant, rule.at))
        for rule in two.said.add
    ]
    return usual + own


def _anywhere(_path: Path) -> bool:
    return True


def _fit(_before: str, _after: str) -> bool:
    """Two lines of one shape, as both are that are asked about."""
    return True


def _within(takes: TextRule, elapsed_s: float | None, before: str, after: str) -> bool:
    return takes(before, after, elapsed_s)


def _fitting(like: str, text: str) -> bool | None:
    """True where a text has a shape, which is all that two such texts share; else None."""
    return fits(like, text) or None


def _polling(changes: Sequence[Change], after: PageSnapshot) -> Iterator[int]:
    """Numbers of the changes that are requests which a page repeats."""
    sent = lookup(after.tree, ("@requests",))
    again = repeated(sent) if isinstance(sent, Sequence) and not isinstance(sent, str | bytes) else frozenset[int]()
    for number, change in enumerate(changes):
        path = change.path
        if change.op == "added" and path[:1] == ("@requests",) and len(path) > 1 and path[1] in again:
            yield number
