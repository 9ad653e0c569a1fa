"""Rules 22 to 25: texts, numbers, times and URLs as people write them, and what only looks the same.

Every matcher has its table in tests/conditions/test_matchers.py; here are those that are easily taken for one another,
and whole tasks on real answers and files.
"""

import datetime as dt
import pathlib

import pytest
from tests.language.worlds import STARTED, judged, must, refused

from exactchange.conditions import parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.values import State, Value

START = STARTED // 10**9
CONTEXT = MatchContext(STARTED, STARTED + 60 * 10**9)
Row = tuple[Value, State, bool | None]


def fits(raw: Value, value: State) -> bool | None:
    return parse_matcher(raw).match(value, CONTEXT).truth


EXACT: list[Row] = [
    ("café", "café", True), ("café", "cafe\u0301", False), ("a b", "a\u00a0b", False), ("A", "a", False),
    ("it's", "it\u2019s", False), ("a", "a\u200b", False), ({"contains": "a b"}, "xa b", True),
    ({"contains": "a b"}, "xa  b", False), ({"contains": "café"}, "cafe\u0301", False),
    ({"matches": "open|closed"}, "open", True), ({"matches": "open|closed"}, "reopen", False),
    ({"matches": "open|closed"}, "closed!", False), ({"matches": "^open$"}, "open\n", False),
    ({"matches": "id"}, "paid", False), ({"matches": ".*id.*"}, "paid", True),
]  # fmt: skip
READABLE: list[Row] = [
    ({"text": "Ada Lovelace"}, "ADA\u2003lovelace\t\n", True), ({"text": "ﬁne"}, "fine", True),
    ({"text": "ℌ"}, "h", True),
    ({"text": "a … b"}, "a ... b", True), ({"text": "½"}, "1⁄2", True), ({"text": "x"}, "ｘ", True),
    ({"text": '"q"'}, "«q»", True), ({"text": '"q"'}, "“q”", True), ({"text": '"q"'}, "„q‟", True),
    ({"text": "'q'"}, "‹q›", True), ({"text": "a-b"}, "a−b", True), ({"text": "a-b"}, "a—b", True),
    ({"text": "a-b"}, "a﹣b", True), ({"text": "a-b"}, "a b", False), ({"text": "ab"}, "a-b", False),
    ({"text": "delete"}, "de\u00adlete", True), ({"text": "delete"}, "de\u200dlete", True),
    ({"text": "delete"}, "de\u2060le\ufeffte", True), ({"text": "delete"}, "de\u200elete", True),
    ({"text": "delete"}, "de\u200flete", True), ({"text": "delete"}, "de\u2063lete", True),
    ({"text": "delete"}, "de\ufe0flete", True), ({"text": "delete"}, "de\u034flete", True),
    ({"text": "delete"}, "de\u180elete", True), ({"text": "delete"}, "de\u061clete", True),
    ({"text": "delete"}, "\u202edelete", False), ({"text": "delete"}, "etele\u202e", False),
    ({"text": "Acme"}, "Acme® ", True), ({"text": "Acme"}, "Acme™", True), ({"text": "Acmetm"}, "Acme™", False),
    ({"text": "Acme"}, "Acme©", False), ({"text": "5"}, "５", True), ({"text": "42"}, "4²", False),
    ({"text": "10"}, "1⁰", False), ({"text": "1/2"}, "½", False), ({"text": "admin"}, "аdmin", False),
    ({"text": "ss"}, "ß", True), ({"text": "i"}, "ı", False), ({"text": "k"}, "\u212a", True),
    ({"text": ""}, " \u200b", True),
    ({"not": {"text": "delete"}}, "de\u200elete", False),
]  # fmt: skip
MENTIONS: list[Row] = [
    ({"mentions": "10"}, "10", True), ({"mentions": "10"}, "2100", False), ({"mentions": "10"}, "10.5", False),
    ({"mentions": "10"}, "1.10", False), ({"mentions": "10"}, "10,5", False), ({"mentions": "10"}, "10 .5", True),
    ({"mentions": "10"}, "10.", True), ({"mentions": "10"}, "10…", True), ({"mentions": "10"}, "v10", False),
    ({"mentions": "10"}, "10px", False), ({"mentions": "10"}, "10 px", True), ({"mentions": "10"}, "#10", True),
    ({"mentions": "10"}, "１０", True),
    ({"mentions": "10"}, "1\u200b0", True), ({"mentions": "10"}, "10\u200b0", False),
    ({"mentions": "10"}, "−10", False), ({"mentions": "-10"}, "−10", True), ({"mentions": "10"}, "10:30", True),
    ({"mentions": "10.5"}, "10.5", True), ({"mentions": "10.5"}, "10.50", False),
    ({"mentions": "10.5"}, "110.5", False),
    ({"mentions": "1,000"}, "1,000", True), ({"mentions": "1,000"}, "1,000,000", False),
    ({"mentions": "1"}, "1e5", False),
    ({"mentions": "no"}, "No, thanks", True), ({"mentions": "no"}, "now", False), ({"mentions": "no"}, "no-one", True),
    ({"mentions": "no"}, "no_one", False), ({"mentions": "no"}, "NO\u00ad", True), ({"mentions": "n o"}, "no", False),
    ({"mentions": "a.b"}, "see a.b!", True), ({"mentions": "a.b"}, "see aXb!", False),
    ({"mentions": "(x)"}, "f(x)", True),
    ({"mentions": "café"}, "Le CAFE\u0301.", True), ({"mentions": "cafe"}, "Le CAFE\u0301.", False),
    ({"mentions": "x"}, None, False), ({"mentions": "5"}, 5, False),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "value", "truth"), EXACT)
def test_rule_22_a_literal_contains_and_matches_compare_code_points_and_matches_the_whole(
    raw: Value, value: State, truth: bool | None
) -> None:
    assert fits(raw, value) is truth


@pytest.mark.parametrize(("raw", "value", "truth"), READABLE)
def test_rule_22_text_is_what_people_read_and_not_what_only_looks_like_it(
    raw: Value, value: State, truth: bool | None
) -> None:
    assert fits(raw, value) is truth


@pytest.mark.parametrize(("raw", "value", "truth"), MENTIONS)
def test_rule_22_what_is_mentioned_stands_as_a_word_or_number_of_its_own(
    raw: Value, value: State, truth: bool | None
) -> None:
    assert fits(raw, value) is truth


NUMBERS: list[Row] = [
    ({"number": 30}, 30, True), ({"number": 30}, 30.0, True), ({"number": 30}, "30", True),
    ({"number": 30.0}, "30", True),
    ({"number": 30}, True, False), ({"number": 1}, True, False), ({"number": 30}, "thirty", False),
    ({"number": 30}, "30 or 31", False), ({"number": 30}, "30-31", False), ({"number": 30}, "0x1e", False),
    ({"number": 30}, "3 0", False), ({"number": 30}, "30 s", False), ({"number": 30, "unit": "s"}, "30 s", True),
    ({"number": 30, "unit": "s"}, "30 ms", False), ({"number": 30, "unit": "s"}, "s 30", True),
    ({"number": 30, "unit": "s"}, "s30s", True), ({"number": 30, "unit": "s"}, "30 S", True),
    ({"number": 30, "unit": "€"}, "€ 30", True), ({"number": 30, "unit": "€"}, "30 $", False),
    ({"number": 30, "unit": '"'}, "30″", True), ({"number": 1234.5}, "1,234.5", True),
    ({"number": 1234.5}, "1.234,5", None),
    ({"number": 1234.5}, "1 234,5", None), ({"number": 1234}, "12,34", False), ({"number": 1.5}, "1,5", None),
    ({"number": 15}, "1,5", False), ({"number": 0.1}, "0.1", True), ({"number": 0.1}, 0.1, True),
    ({"number": 0.3}, 0.1 + 0.2, False), ({"number": 0.3, "within": 0.001}, 0.1 + 0.2, True),
    ({"number": 10, "within": 1}, 11, True), ({"number": 10, "within": 1}, 11.0000001, False),
    ({"number": 10, "within": 1}, 9, True), ({"number": 2**63}, 2**63 + 1, False),
    ({"number": 10}, float("nan"), False), ({"number": 10, "within": 10**9}, float("inf"), False),
    ({"number": 10}, None, False), ({"number": 10}, [10], False), ({"number": 0}, "", False),
    ({"number": 0}, "-0", True),
    ({"number": 0}, -0.0, True), ({"number": 10}, "1e1", True), ({"number": 10}, "1E+1", True),
    ({"number": 10}, "10e", False),
]  # fmt: skip
NOON = dt.datetime.fromtimestamp(START + 30, dt.UTC)
TIMES: list[Row] = [
    ("within_episode", START + 30, True), ("within_episode", (START + 30) * 10**3, True),
    ("within_episode", (START + 30) * 10**6, True), ("within_episode", (START + 30) * 10**9, True),
    ("within_episode", START - 30, False), ("within_episode", (START + 90) * 10**3, False),
    ("within_episode", (START - 30) * 10**6, False), ("within_episode", (START + 90) * 10**9, False),
    ("within_episode", START + 30.5, True), ("within_episode", START / 60, False), ("within_episode", 0, False),
    ("within_episode", NOON.isoformat(), True), ("within_episode", NOON.strftime("%Y-%m-%d %H:%M:%S"), True),
    ("within_episode", NOON.astimezone(dt.timezone(dt.timedelta(hours=9))).isoformat(), True),
    ("within_episode", NOON.replace(tzinfo=dt.timezone(dt.timedelta(hours=9))).isoformat(), False),
    ("within_episode", (NOON + dt.timedelta(days=1)).isoformat(), False), ("within_episode", str(START + 30), False),
    ({"time": NOON.isoformat()}, START + 30, True), ({"time": NOON.isoformat()}, (START + 30) * 10**3, True),
    ({"time": NOON.isoformat()}, (START + 30) * 10**6, True), ({"time": NOON.isoformat()}, (START + 30) * 10**9, True),
    ({"time": NOON.isoformat()}, START + 31, False), ({"time": NOON.isoformat()}, NOON, True),
    ({"time": NOON.isoformat()}, NOON.strftime("%Y-%m-%dT%H:%M:%SZ"), True),
    ({"time": NOON.isoformat()}, NOON.date().isoformat(), False), ({"time": NOON.isoformat()}, True, False),
    ({"time": "2018-06-23T17:00:00+09:00"}, "2018-06-23T08:00:00Z", True),
    ({"time": "2018-06-23T17:00:00+09:00"}, "2018-06-23T17:00:00", False),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "value", "truth"), NUMBERS)
def test_rule_23_a_number_is_compared_as_a_number_with_its_unit(raw: Value, value: State, truth: bool | None) -> None:
    assert fits(raw, value) is truth


@pytest.mark.parametrize(("raw", "value", "truth"), TIMES)
def test_rule_23_a_time_is_an_instant_in_seconds_ms_us_ns_or_text(raw: Value, value: State, truth: bool | None) -> None:
    assert fits(raw, value) is truth


REPORT = "http://shop.test:80/admin/reports/viewed?from=1&to=2"
PARTS: Value = {"host": "shop.test", "path": "/admin/reports/viewed", "query": {"from": "1", "to": "2"}}
URLS: list[Row] = [
    ({"url": REPORT}, "HTTP://SHOP.test/admin/reports/viewed/?to=2&from=1", True),
    ({"url": REPORT}, "http://shop.test/admin/reports/viewed-summary?from=1&to=2", False),
    ({"url": REPORT}, "http://shop.test/admin/reports/viewed?from=1&to=2&all=1", False),
    ({"url": REPORT}, "http://shop.test/admin/reports/viewed?from=1", False),
    ({"url": REPORT}, "http://shop.test/admin/reports/viewed?from=1&to=2#x", False),
    ({"url": REPORT}, "https://shop.test:80/admin/reports/viewed?from=1&to=2", False),
    ({"url": REPORT}, "http://shop.test:8080/admin/reports/viewed?from=1&to=2", False),
    ({"url": REPORT}, "http://shop.test/admin%2Freports/viewed?from=1&to=2", False),
    ({"url": REPORT}, "http://shop.test/%61dmin/reports/viewed?from=1&to=%32", True),
    ({"url": REPORT}, "http://evil.test/?u=" + REPORT, False), ({"url": REPORT}, REPORT + " ", False),
    ({"url": PARTS}, REPORT, True), ({"url": PARTS}, "https://shop.test/admin/reports/viewed?to=2&from=1", True),
    ({"url": PARTS}, "http://shop.test/admin/reports/viewed?from=1&to=2&to=3", None),
    ({"url": PARTS}, "http://shop.test/admin/reports/viewed?from=1&to=2&x=3", False),
    ({"url": {**PARTS, "rest": "any"}}, "http://shop.test/admin/reports/viewed?from=1&to=2&x=3#y", True),  # type: ignore[dict-item]
    ({"url": {**PARTS, "rest": "any"}}, "http://shop.test/admin/reports/viewed?from=1&to=2&to=3", None),  # type: ignore[dict-item]
    ({"url": {"path": "/a", "scheme": "file"}}, "file:///a/", False),
    ({"url": {"path": "/a"}}, "http://x.test/a/", True),
    ({"url": {"path": "/a"}}, "http://x.test/a?", True), ({"url": {"path": "/a"}}, "http://x.test/a?b", False),
    ({"url": {"path": "/A"}}, "http://x.test/a", False),
    ({"url": {"host": "x.test"}}, "http://x.test.evil.test/", False),
    ({"url": {"host": "x.test"}}, "http://evil.test/x.test", False),
    ({"url": {"host": "x.test"}}, "http://x.test:x@evil.test/", False),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "value", "truth"), URLS)
def test_rule_24_a_url_is_compared_by_its_parts(raw: Value, value: State, truth: bool | None) -> None:
    assert fits(raw, value) is truth


WORDS: list[tuple[str, str]] = [
    ("2024-07-19", "str"), ("off", "str"), ("yes", "str"), ("NO", "str"), ("12:30", "str"), ("1_000", "str"),
    ("~", "null"),
    ("null", "null"), ("Null", "null"), ("true", "bool"), ("True", "bool"), ("on", "str"), ("y", "str"), ("012", "int"),
    ("0o14", "int"), ("0b1", "str"), ("1e3", "float"), (".inf", "float"), ("=", "str"), ("<<", "str"), ("'30'", "str"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "kind"), WORDS)
def test_rule_25_a_word_of_a_task_file_means_what_yaml_1_2_says(word: str, kind: str, tmp_path: pathlib.Path) -> None:
    """The task wants the word, as it stands, where a JSON file (whose types are certain) holds it."""
    held = {"str": f'"{word.strip(chr(39))}"', "null": "null", "bool": "true"}
    numbers = {"012": "12", "0o14": "12", "1e3": "1000.0", ".inf": None}
    text = numbers.get(word, held.get(kind))
    rules = f"must: [{{change: {{in: cfg, at: a, to: {{exactly: {word}, type: '{kind}'}}}}}}]"
    if text is None:
        assert refused(tmp_path, rules, {"cfg.json": "{}"}) == ""
        return
    verdict = judged(tmp_path, rules, {"cfg.json": '{"a": "before"}'}, {"cfg.json": f'{{"a": {text}}}'})
    assert must(verdict).holds is True


def test_rule_25_a_task_file_has_no_tags_merge_keys_or_keys_twice(tmp_path: pathlib.Path) -> None:
    for text in ("to: !!python/object/apply:os.system [x]", "to: 1, to: 2", "<<: {to: 1}"):
        assert refused(tmp_path, f"must: [{{change: {{in: cfg, at: a, {text}}}}}]", {"cfg.json": "{}"}) != ""
