"""What a task asks takes time that grows with the text it is asked of, whatever an agent made of that text."""

import gc
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.address import AddressPattern, overlap, parse_pattern
from exactchange.address.pattern import pattern_below
from exactchange.address.segments import Deep, Part, fit
from exactchange.conditions import parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.values import Value
from exactchange.values.unicode import nfkc

TIMES, MOST = 16, 90
"""Sixteen times the text may take 90 times as long: what is linear takes 16 times as long, what is square 256 times."""
T = TypeVar("T")


def _cpu(work: Callable[[T], object], given: T) -> float:
    """Without the garbage collector, which walks through all that other tests hold, too."""
    gc.disable()
    try:
        began = time.process_time()
        work(given)
        return time.process_time() - began
    finally:
        gc.enable()


def grows(made: Callable[[int], T], work: Callable[[T], object], size: int) -> float:
    """How many times as long sixteen times the size takes; 0 where hardly any of the text is looked at.

    Of several times the least counts: what else the machine does at the time can only add.
    """
    while size < 3_000_000:
        small = made(size)
        least = min(_cpu(work, small) for _ in range(4))
        if least > 0.001:
            large = made(size * TIMES)
            return min(_cpu(work, large) for _ in range(2)) / least
        size *= 3
    return 0


MARKS = "\u0301", "\u0316"
HOSTILE: list[tuple[str, Value, Callable[[int], str]]] = [
    ("matches: counts of counts", {"matches": "((a*)*)*b"}, lambda n: "a" * n),
    ("matches: many ways", {"matches": "(a|aa|aaa)*(x+x+)+y"}, lambda n: "ax" * n),
    ("matches: bounded counts", {"matches": "(.{1,100}){1,10}c"}, lambda n: "a" * n),
    ("matches: late failure", {"matches": "(.*)(.*)(.*)(.*)[0-9]"}, lambda n: "a" * n),
    ("contains: nearly", {"contains": "a" * 60 + "b"}, lambda n: "a" * n),
    ("contains: nearly, and long", {"contains": "a" * 9000 + "b"}, lambda n: "a" * n),
    ("text: marks out of order", {"text": "a"}, lambda n: "a" + MARKS[0] * n + MARKS[1] * n),
    ("text: marks that come apart", {"text": "a"}, lambda n: "a" + "\u0344" * n + MARKS[1] * n),
    ("text: blanks", {"text": "a"}, lambda n: " \u00a0a" * n),
    ("mentions: marks out of order", {"mentions": "a"}, lambda n: "a" + MARKS[0] * n + MARKS[1] * n),
    ("mentions: within itself", {"mentions": "a" * 60}, lambda n: "a" * n),
    ("mentions: a number in numbers", {"mentions": "10"}, lambda n: "010.10 -10,10 " * n),
    ("url: parameters", {"url": {"path": "/a", "query": {"q": "1"}, "rest": "any"}},
     lambda n: "http://a.test/a?" + "q=1&" * n),
    ("url: percent signs", {"url": {"path": "/a"}}, lambda n: "http://a.test/" + "%2F%41%zz" * n),
    ("url: users", {"url": {"path": "/a"}}, lambda n: "http://" + "a@" * n),
    ("url: letters beyond ASCII", {"url": {"host": "a"}}, lambda n: "http://" + "ü" * n),
    ("url: brackets", {"url": {"path": "/a"}}, lambda n: "http://" + "[:" * n + "]/"),
    ("url: slashes", {"url": {"path": "/a"}}, lambda n: "http://a.test" + "/" * n),
    ("url: dots", {"url": {"path": "/a"}}, lambda n: "http://a.test/" + "../" * n + "#" * n),
    ("url: the same", {"url": "http://a.test/a?b=1"}, lambda n: "http://a.test/a?" + "b=1&" * n),
    ("json: a list", {"json": {"items": [1]}}, lambda n: "[" + "[]," * n + "1]"),
    ("json: keys", {"json": {"has": {"a": 1}}}, lambda n: "{" + ",".join(f'"k{i}":{i}' for i in range(n)) + "}"),
    ("json: too deep", {"json": {"has": {"a": 1}}}, lambda n: "[" * n + "]" * n),
    ("json: digits", {"json": 1}, lambda n: "1." + "1" * n),
    ("json: escapes", {"json": "a"}, lambda n: '"' + "\\ud83d" * n + '"'),
    ("json: not ended", {"json": "a"}, lambda n: '"' + "\\\\" * n),
    ("number: groups", {"number": 1}, lambda n: "1,000," * n),
    ("time: a fraction", {"time": "2026-11-30T09:00:00Z"}, lambda n: "2026-11-30T09:00:00." + "1" * n),
    ("generated: dashes", {"generated": "uuid"}, lambda n: "urn:uuid:" + "-" * n),
    ("one_of: of all", {"one_of": [{"text": "b"}, {"mentions": "7"}, {"matches": "(a+)+"}, "x"]},
     lambda n: "\u00e9" * n),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "made"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_a_matcher_takes_time_that_grows_with_the_text(raw: Value, made: Callable[[int], str]) -> None:
    matcher = parse_matcher(raw)
    doubtful = isinstance(raw, dict) and bool(raw.keys() & {"url", "json"})  # of which readers differ in what they say

    def work(text: str) -> None:
        assert matcher.match(text, MatchContext(1, 2)).truth is not None or doubtful

    work(made(3))  # what is compiled or imported on first use is no matter
    assert grows(made, work, 2_000) < MOST


ADDRESSES: list[tuple[str, str, bool, Callable[[int], tuple[str, ...]]]] = [
    ("any depth many times", "**." * 20 + "x", False, lambda n: ("a",) * n),
    ("any depth and parts of keys", "**.a*." * 20 + "x", False, lambda n: ("ab",) * n),
    ("many parts of one key", "*" + "ab*" * 30 + "c", False, lambda n: ("ab" * n,)),
    ("one long part of a key", "*" + "a" * 300 + "b*", False, lambda n: ("a" * n,)),
    ("files at any depth", "**/a*/" * 10 + "x", True, lambda n: ("ab/" * n + "y",)),
    ("a part of a file's name", "**/*a*a*a*b", True, lambda n: ("x/" + "a" * n,)),
    ("a row by a part of its key", "t[id=x*y].a", False, lambda n: ("t", 'id="' + "x" * n + '"', "a")),
    ("a row with many keys", "t[id=1].a", False, lambda n: ("t", ",".join(f"k{i}=1" for i in range(n)), "a")),
    ("a row with a key full of quotes", "t[id=1].a", False, lambda n: ("t", 'id="' + '\\"' * n + '"', "a")),
]


@pytest.mark.parametrize(("at", "slashed", "made"), [row[1:] for row in ADDRESSES], ids=[row[0] for row in ADDRESSES])
def test_an_address_takes_time_that_grows_with_the_path(
    at: str, slashed: bool, made: Callable[[int], tuple[str, ...]]
) -> None:
    pattern = parse_pattern(at, slashed=slashed)

    def work(path: tuple[str, ...]) -> None:
        assert pattern.matches(path, slashed=slashed) is False

    assert grows(made, work, 1_000) < MOST


def test_two_addresses_are_held_against_each_other_in_time_that_grows_with_them() -> None:
    pattern = parse_pattern("**.a*." * 20 + "x")

    def work(place: AddressPattern) -> None:
        overlap(pattern, place)

    assert grows(lambda size: pattern_below(("ab",) * size), work, 500) < MOST


@dataclass
class Counted:
    """A segment that counts how often it is asked."""

    text: str
    asked: list[int]

    def fits(self, part: Part) -> bool:
        self.asked[0] += 1
        return part == self.text


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["**", "a", "b"]), max_size=8), st.lists(st.sampled_from("ab"), max_size=60)
)  # fmt: skip
def test_a_segment_is_asked_no_more_often_than_there_are_places_for_it(wanted: list[str], path: list[str]) -> None:
    asked = [0]
    segments = [Deep() if item == "**" else Counted(item, asked) for item in wanted]
    fit(segments, path)  # type: ignore[arg-type]  # counts as any segment
    assert asked[0] <= (len(path) + 1) * max(1, len(wanted))


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("aA\u00e9\u0301\u0316\u0344\u212b\uff21 \u00a0\u034f"), max_size=60))
def test_texts_that_people_write_have_unicodes_own_form(text: str) -> None:
    assert nfkc(text) == unicodedata.normalize("NFKC", text)
    runs = 40 * ("a\u0316\u0301" + text[:20])
    assert nfkc(runs) == unicodedata.normalize("NFKC", runs)


def test_more_than_thirty_marks_in_a_row_are_no_writing_and_still_compared() -> None:
    long = "a" + MARKS[0] * 2_000
    assert parse_matcher({"text": long}).match(long.upper(), MatchContext()).truth is True
    assert parse_matcher({"text": long}).match(long + MARKS[0], MatchContext()).truth is False
