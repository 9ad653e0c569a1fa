"""The requests that a page's recorder heard of: what is one, and when it is not known which there were."""

import pytest
from tests.judging.kit import TABLES, seen, source, unread

from exactchange.conditions.sent import requests, requests_unread
from exactchange.snapshot import Unread
from exactchange.values import ABSENT, State, Value

ONE: Value = {"seq": 1, "method": "GET"}
TWO: Value = {"seq": 2, "method": "POST"}

HEARD: list[tuple[State, list[Value]]] = [
    ({"@requests": [ONE, TWO]}, [ONE, TWO]), ({"@requests": [TWO, 5, ONE]}, [TWO, ONE]), ({"@requests": []}, []),
    ({"@requests": {"a": ONE}}, []), ({"@requests": "ab"}, []), ({"@requests": b"ab"}, []), ({"@requests": None}, []),
    ({"@requests~": [ONE]}, []), ({}, []), ([ONE], []), (5, []), (ABSENT, []),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "expected"), HEARD)
def test_the_requests_of_a_page_are_those_that_its_capture_lists_in_their_order(
    tree: State, expected: list[Value]
) -> None:
    evidence = source("s", [tree])
    assert requests(evidence, evidence.captures[0]) == expected


def test_a_page_that_is_unread_as_a_whole_shows_no_requests() -> None:
    evidence = source("s", [seen({"@requests": [ONE]}, unread())])
    assert requests(evidence, evidence.captures[0]) == []


UNREAD: list[tuple[tuple[Unread, ...], str]] = [
    ((), ""), ((unread("a"), unread("a", "@requests")), ""),
    ((unread("@requests"),), "s: requests are unread: cannot be read"),
    ((unread("@requests", 2, reason="cut off"),), "s: requests are unread: cut off"),
    ((unread("a"), unread(reason="gone"), unread("@requests")), "s: requests are unread: gone"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "expected"), UNREAD)
def test_requests_are_not_known_where_they_or_the_whole_page_are_unread(
    parts: tuple[Unread, ...], expected: str
) -> None:
    snapshot = source("s", [seen({}, *parts)], kind=TABLES).captures[0]
    assert requests_unread("s", snapshot) == expected
