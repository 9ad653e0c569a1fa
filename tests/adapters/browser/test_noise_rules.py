"""Each rule of noise on pages by itself: what it takes, and what somebody may hide behind it and it does not take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark
from exactchange.sources import Noisy, diff_snapshots
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.noise_like import SHAPES, fits
from exactchange_adapters.browser.noise_params import RULES, USUAL, NoiseParams
from exactchange_adapters.browser.noise_texts import clock, counter, relative_time
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

STARTED_S = 1_790_000_000
NS = 1_000_000_000
CLOSED = ("controls", "text", "url", "title", "tabs", "requests")
SECRETS: Sequence[Value] = ({"@secret": "a" * 64}, {"@secret": "b" * 64})
ON = [rule.name for rule in RULES if not rule.usual]


def page(tree: Mapping[str, Value], *, after_s: int = 0, step: int = 0) -> PageSnapshot:
    mark = Mark(step, (STARTED_S + after_s) * NS, (1 + after_s) * NS)
    return PageSnapshot("browser", {"@url": "http://a.test/", "@text": [], **tree}, mark)


def taken(
    before: Mapping[str, Value], after: Mapping[str, Value], *, elapsed_s: int = 60, **noise: object
) -> dict[str, str | None]:
    """For each leaf that changed the rule that takes it."""
    params = BrowserParams.model_validate({"closed": CLOSED, "noise": noise or {}})
    sides = page(before), page(after, after_s=elapsed_s, step=1)
    changes = diff_snapshots(KIND, "page", *sides, params=params, budget=CountedBudget()).changes
    rules = KIND.noise(changes, before=sides[0], after=sides[1], params=params)
    return {change.address: rule for change, rule in zip(changes, rules, strict=True)}


def test_the_browser_knows_of_noise_and_says_which_rules_there_are() -> None:
    assert isinstance(KIND, Noisy)
    assert USUAL == {"csrf-token", "nonce", "generated-id", "hashed-class", "relative-time", "cache-buster"}


AGES: list[tuple[str, str, int, bool]] = [
    ("5 minutes ago", "6 minutes ago", 30, True),
    ("Updated 5 minutes ago by Ada", "Updated 6 minutes ago by Ada", 30, True),
    ("Asked 5 minutes ago, answered 2 minutes ago", "Asked 6 minutes ago, answered 2 minutes ago", 30, True),
    ("just now", "1 minute ago", 30, True),
    ("a few seconds ago", "a minute ago", 30, True),
    ("59 minutes ago", "an hour ago", 1, True),
    ("2 hours ago", "3 hours ago", 1, True),
    ("23 hours ago", "1 day ago", 1, True),
    ("30s ago", "45s ago", 15, True),
    ("in 5 minutes", "in 4 minutes", 30, True),
    ("vor 5 Minuten", "vor 6 Minuten", 30, True),
    ("vor 2 Stunden", "vor 3 Stunden", 30, True),
    ("il y a 2 heures", "il y a 3 heures", 30, True),
    ("hace 1 minuto", "hace 2 minutos", 30, True),
    ("5 minutes ago", "6 minutes ago, paid", 30, False),
    ("Ada, 5 minutes ago", "Bob, 6 minutes ago", 30, False),
    ("6 minutes ago", "5 minutes ago", 30, False),
    ("1 minute ago", "just now", 30, False),
    ("5 minutes ago", "9 minutes ago", 30, False),
    ("2 hours ago", "4 hours ago", 30, False),
    ("2 hours ago", "1 day ago", 30, False),
    ("3 days ago", "4 days ago", 30, False),
    ("in 3 days", "in 2 days", 30, False),
    ("in 2 hours", "in 1 hour", 30, False),
    ("in 5 m", "in 4 m", 30, False),
    ("in 5 minutes", "in 6 minutes", 30, False),
    ("in 5 minutes", "5 minutes ago", 30, False),
    ("5 minutes", "6 minutes", 30, False),
    ("Alert if seen more than 5 minutes ago", "Alert if seen more than 6 minutes ago", 30, False),
    ("Gel\u00f6scht, wenn \u00e4lter als vor 5 Minuten", "Gel\u00f6scht, wenn \u00e4lter als vor 6 Minuten", 30, False),
    (
        "Kept: older than 9 minutes ago; run 5 minutes ago",
        "Kept: older than 9 minutes ago; run 6 minutes ago",
        30,
        True,
    ),
    ("less than a minute ago", "2 minutes ago", 60, True),
    ("5 minutes ago", "5 minutes ago.", 30, False),
    ("5 minutes ago", "6\0minutes ago", 30, False),
    ("5 minutes ago " * 200, "6 minutes ago " * 200, 30, False),
]


@pytest.mark.parametrize(("before", "after", "elapsed", "noise"), AGES)
def test_an_age_is_noise_that_grew_by_no_more_than_the_time_that_passed(
    before: str, after: str, elapsed: int, noise: bool
) -> None:
    assert relative_time(before, after, elapsed) is noise
    assert taken({"@text": [before]}, {"@text": [after]}, elapsed_s=elapsed) == {
        "@text[0]": "relative-time" if noise else None
    }
    assert relative_time(before, after, None) is False, "nobody knows how much time passed"


@given(st.integers(1, 59), st.integers(1, 59), st.integers(0, 7200))
def test_no_age_goes_back_or_outruns_the_clock(one: int, other: int, elapsed: int) -> None:
    found = relative_time(f"{one} minutes ago", f"{other} minutes ago", elapsed)
    if found:
        assert one <= other <= one + elapsed / 60 + 3


CLOCKS: list[tuple[str, str, int, bool]] = [
    ("It is 9:05", "It is 9:06", 60, True),
    ("09:05:59", "09:06:01", 2, True),
    ("11:59 pm", "12:00 am", 60, True),
    ("23:59:59", "0:00:01", 5, True),
    ("9:05", "9:04", 60, False),
    ("9:05", "10:05", 60, False),
    ("9:05 am", "9:05 pm", 60, False),
    ("Due 12:05", "Due 12:05 pm", 60, False),
    ("9:05", "9:05:10", 60, False),
    ("Meet at 9:05", "Meet Bob at 9:06", 60, False),
]


@pytest.mark.parametrize(("before", "after", "elapsed", "noise"), CLOCKS)
def test_a_clock_is_noise_where_the_task_says_so_and_it_went_with_the_time(
    before: str, after: str, elapsed: int, noise: bool
) -> None:
    assert clock(before, after, elapsed) is noise
    sides: tuple[Mapping[str, Value], Mapping[str, Value]] = {"@text": [before]}, {"@text": [after]}
    assert taken(*sides, elapsed_s=elapsed) == {"@text[0]": None}, "a time is when something was saved, too"
    assert taken(*sides, elapsed_s=elapsed, on=["clock"]) == {"@text[0]": "clock" if noise else None}


COUNTERS: list[tuple[str, str, bool]] = [
    ("Inbox (3)", "Inbox (4)", True),
    ("1,034 views", "1,035 views", True),
    ("3 of 5 read", "4 of 5 read", True),
    ("3 of 5 read", "4 of 6 read", False),
    ("Inbox (3)", "Outbox (4)", False),
    ("$3 paid", "$4 paid", False),
    ("Balance: \u20ac 1000", "Balance: \u20ac 0", False),
    ("Balance: 1000 EUR", "Balance: 0 EUR", False),
    ("Balance: CHF 1,000", "Balance: CHF 0", False),
    ("3 EU orders", "4 EU orders", True),
    ("Load 3 %", "Load 4 %", False),
    ("Version 1.2", "Version 1.3", False),
    ("2026-01-01", "2026-01-02", False),
    ("Room 3a", "Room 4a", False),
    ("Done: 3%", "Done: 4%", False),
    ("Ticket #3", "Ticket #4", False),
]


@pytest.mark.parametrize(("before", "after", "noise"), COUNTERS)
def test_a_counter_is_noise_where_the_task_says_so(before: str, after: str, noise: bool) -> None:
    assert counter(before, after, None) is noise
    for place in ("@title", "@text"):
        sides = [{place: text if place == "@title" else [text]} for text in (before, after)]
        assert set(taken(*sides).values()) == {None}, "what is counted may be what matters"
        assert set(taken(*sides, on=["counter"]).values()) == {"counter" if noise else None}


def field_of(value: Value, name: str = "input") -> Mapping[str, Value]:
    return {name: {"name=x": {"value": value}}}


def test_what_somebody_can_type_is_no_noise_whatever_it_says() -> None:
    """Without a stored document nobody knows that a field is hidden."""
    for before, after in (("5 minutes ago", "6 minutes ago"), *[tuple(SECRETS)], ("Inbox (3)", "Inbox (4)")):
        assert set(taken(field_of(before), field_of(after), on=ON).values()) == {None}


MS = STARTED_S * 1000
URLS: list[tuple[str, str, bool]] = [
    (f"http://a.test/x?_={MS - 5000}", f"http://a.test/x?_={MS + 30_000}", True),
    (f"http://a.test/x?q=1&t={STARTED_S - 5}", f"http://a.test/x?q=1&t={STARTED_S + 30}", True),
    (f"http://a.test/x?_={MS - 5000}", f"http://a.test/y?_={MS + 30_000}", False),
    (f"http://a.test/x?_={MS - 5000}", f"http://b.test/x?_={MS + 30_000}", False),
    (f"http://a.test/x?_={MS - 5000}#a", f"http://a.test/x?_={MS + 30_000}#b", False),
    (f"http://a.test/x?_={MS - 5000}&q=1", f"http://a.test/x?_={MS + 30_000}&q=2", False),
    (f"http://a.test/x?id={MS - 5000}", f"http://a.test/x?id={MS + 30_000}", False),
    (f"http://a.test/x?_={MS - 5000}", f"http://a.test/x?_={MS + 9_000_000}", False),
    (f"http://a.test/x?_={MS - 5000}", f"http://a.test/x?_={MS - 900_000}", False),
    (f"http://a.test/x?_={MS - 5000}", "http://a.test/x?_=paid", False),
    (f"http://a.test/x?_={MS - 5000}", f"http://a.test/x?_={MS + 30_000}&_={MS}", False),
    (f"http://a.test/x?_={MS - 5000}", "http://a.test/x", False),
    ("http://a.test/x?t=1", "http://a.test/x?t=2", False),
    ("http://[::1", "http://[::2", False),
]


@pytest.mark.parametrize(("before", "after", "noise"), URLS)
def test_a_cache_buster_is_noise_that_says_when_the_page_asked(before: str, after: str, noise: bool) -> None:
    assert taken({"@url": before}, {"@url": after}) == {"@url": "cache-buster" if noise else None}
    assert taken({"@title": before}, {"@title": after}) == {"@title": None}
    assert taken({"@url": before}, {"@url": after}, off=["cache-buster"]) == {"@url": None}


def cookie(value: Value, **more: Value) -> Mapping[str, Value]:
    return {"value": value, "domain": "a.test", "path": "/", "session": True, **more}


COOKIES: list[tuple[str, Mapping[str, Value], Mapping[str, Value], bool]] = [
    ("csrftoken", cookie(SECRETS[0]), cookie(SECRETS[1]), True),
    ("XSRF-TOKEN", cookie("a1b2c3d4e5"), cookie("f6a7b8c9d0"), True),
    ("token", cookie(SECRETS[0]), cookie(SECRETS[1]), False),
    ("sessionid", cookie(SECRETS[0]), cookie(SECRETS[1]), False),
    ("csrftoken", cookie(SECRETS[0]), cookie(""), False),
    ("csrftoken", cookie("a1b2c3d4e5"), cookie("paid"), False),
    ("csrftoken", cookie(SECRETS[0], secure=True), cookie(SECRETS[0], secure=False), False),
]


@pytest.mark.parametrize(("name", "before", "after", "noise"), COOKIES)
def test_a_cookie_is_never_noise_unless_the_task_says_so(
    name: str, before: Mapping[str, Value], after: Mapping[str, Value], noise: bool
) -> None:
    sides = [{"@cookies": {name: side}} for side in (before, after)]
    assert set(taken(*sides).values()) == {None}
    assert set(taken(*sides, on=["csrf-cookie"]).values()) == {"csrf-cookie" if noise else None}


def test_a_cookie_or_stored_item_that_came_or_went_is_never_noise() -> None:
    jar: Mapping[str, Value] = {"@cookies": {"csrftoken": cookie(SECRETS[0])}}
    stored: Mapping[str, Value] = {"@storage": {"local": {'"http://a.test"': {"csrf_token": SECRETS[0]}}}}
    for tree in (jar, stored):
        assert set(taken({}, tree, on=ON).values()) == {None}
        assert set(taken(tree, {}, on=ON).values()) == {None}


def asked(seq: int, time_s: float, **more: Value) -> Mapping[str, Value]:
    told: dict[str, Value] = {"method": "GET", "url": "http://a.test/poll", "type": "fetch", "status": 200}
    return {"seq": seq, "time_ms": MS + int(time_s * 1000), "failed": False, "body": None, **told, **more}


POLLS: list[tuple[str, list[Mapping[str, Value]], int]] = [
    ("steady questions", [asked(n, 10 * n) for n in range(1, 5)], 4),
    ("with a cache buster", [asked(n, 5 * n, url=f"http://a.test/p?_={MS + 5000 * n}") for n in range(1, 4)], 3),
    ("twice", [asked(1, 10), asked(2, 20)], 0),
    ("in fits and starts", [asked(1, 1), asked(2, 2), asked(3, 50)], 0),
    ("other addresses", [asked(n, 10 * n, url=f"http://a.test/pay?to={n}") for n in range(1, 5)], 0),
    ("writes", [asked(n, 10 * n, method="POST") for n in range(1, 5)], 0),
    ("documents", [asked(n, 10 * n, type="document") for n in range(1, 5)], 0),
    ("with a body", [asked(n, 10 * n, body={"a": "1"}) for n in range(1, 5)], 0),
    ("refused", [asked(n, 10 * n, status=403) for n in range(1, 5)], 0),
    ("beside a write", [*[asked(n, 10 * n) for n in range(1, 4)], asked(9, 35, method="POST")], 3),
]


@pytest.mark.parametrize(("name", "sent", "noise"), POLLS, ids=[item[0] for item in POLLS])
def test_a_question_that_is_repeated_is_noise_where_the_task_says_so(
    name: str, sent: list[Mapping[str, Value]], noise: int
) -> None:
    sides: tuple[Mapping[str, Value], Mapping[str, Value]] = {"@requests": []}, {"@requests": list(sent)}
    assert set(taken(*sides).values()) == {None}
    assert list(taken(*sides, on=["polling-request"]).values()) == ["polling-request"] * noise + [None] * (
        len(sent) - noise
    )


def test_a_line_that_moved_and_grew_older_is_noise_and_a_line_that_came_with_it_is_not() -> None:
    def lines(*after: str) -> list[str | None]:
        before = ["Orders", "A, 5 minutes ago", "B", "C", "D"]
        return list(taken({"@text": before}, {"@text": list(after)}).values())

    rule = "relative-time"
    assert lines("Orders", "B", "C", "A, 6 minutes ago", "D") == [rule, rule]
    assert lines("New", "Orders", "A, 6 minutes ago", "B", "C", "D") == [None, rule]
    assert lines("Orders", "New", "A, 6 minutes ago", "B", "C", "D") == [None, rule]
    assert lines("A, 6 minutes ago", "B", "C", "D") == [None, rule], "what stood before it went"
    assert lines("Orders", "B", "C", "D") == [None]
    assert lines("Orders", "B", "C", "A, 6 minutes ago", "A, 6 minutes ago", "D") == [rule, rule, None]


@dataclass(frozen=True)
class Shape:
    like: str
    fit: Sequence[str]
    unlike: Sequence[str]


LIKE = [
    Shape("Build <digits>", ["Build 1", "Build 12345"], ["Build", "Build ", "Build 1 paid", "build 1", "Build x"]),
    Shape("<number> items", ["1,034 items", "-2.5 items"], ["many items", " items"]),
    Shape("v<hex>", ["vDEADBEEF"], ["vxyz", "v"]),
    Shape("By <word>", ["By Ada", "By \u00dc-1_2"], ["By Ada Lovelace", "By <b>"]),
    Shape("<token>", ["a1b2c3d4"], ["short", "two words"]),
    Shape("At <time>", ["At 9:05", "At 09:05:10 pm"], ["At 9", "At 9:5"]),
    Shape("On <date>", ["On 2026-12-01", "On 1.12.2026"], ["On Monday", "On 2026"]),
    Shape("Seen <ago>", ["Seen just now", "Seen 5 minutes ago"], ["Seen", "Seen by 5 minutes ago"]),
    Shape("(.*) <<<digits>>", ["(.*) <7>"], ["abc <7>", "(.*) 7"]),
]


@pytest.mark.parametrize("shape", LIKE, ids=lambda shape: shape.like)
def test_a_shape_stands_for_the_whole_text_and_its_words_for_themselves(shape: Shape) -> None:
    assert [text for text in shape.fit if not fits(shape.like, text)] == []
    assert [text for text in shape.unlike if fits(shape.like, text)] == []


@given(st.text(max_size=30).filter(lambda text: "<" not in text), st.integers(0, 10**9))
def test_any_text_of_an_author_is_taken_as_it_stands(text: str, number: int) -> None:
    assert fits(f"{text}<digits>", f"{text}{number}")
    assert not fits(f"{text}<digits>", f"{text}{number}!")


def test_every_shape_is_tried() -> None:
    assert {name for name in SHAPES if any(f"<{name}>" in shape.like for shape in LIKE)} == set(SHAPES)


def test_a_rule_of_the_tasks_own_takes_its_shape_in_its_place_and_nothing_else() -> None:
    own = [{"at": "@text", "like": "Build <digits>"}]
    before: Mapping[str, Value] = {"@text": ["Build 1", "Name"], "@title": "Build 1"}
    after: Mapping[str, Value] = {"@text": ["Build 2", "Name"], "@title": "Build 2"}
    assert taken(before, after, add=own) == {"@text[0]": '"Build <digits>"', "@title": None}
    other: Mapping[str, Value] = {"@text": ["Build 2, paid", "Name"], "@title": "Build 1"}
    assert taken(before, other, add=own) == {"@text[0]": None}


def test_rules_that_are_on_are_the_usual_ones_less_off_and_with_on() -> None:
    said = NoiseParams.model_validate({"off": ["nonce"], "on": ["clock"]})
    assert said.rules == USUAL - {"nonce"} | {"clock"}
