"""The plain dialect: one JSON object a line, nothing dropped, nothing forged."""

import json
import pathlib

import pytest
from tests.judging.kit import action, case, change, judged, source, told

from exactchange.actions import Action, action_record, normalise, read_jsonl
from exactchange.actions.plain import with_error
from exactchange.errors import UsageError
from exactchange.values import Value, dumps, parse_json, same

FOLDERS = pathlib.Path(__file__).parents[2] / "fixtures"


def read(text: str | bytes) -> tuple[Action, ...]:
    return read_jsonl(text.encode() if isinstance(text, str) else text, reported_by="agent", name="log")


def test_actions_are_numbered_from_one_whatever_the_log_says() -> None:
    actions = read('{"kind": "click", "seq": 9}\n\n  \n{"kind": "fill", "seq": 1, "text": "a"}\n')
    assert [(item.seq, item.kind, item.reported_by) for item in actions] == [
        (1, "click", "agent"),
        (2, "fill", "agent"),
    ]
    assert actions[1].args == {"text": "a"}


def test_who_reported_is_no_claim_of_the_log() -> None:
    (item,) = read('{"kind": "click", "reported_by": "witness"}')
    assert item.reported_by == "agent"


@pytest.mark.parametrize(
    "line", ['{"kind": "left_click", "x": 1}', '{"type": "click"}', '{"kind": 5}', "{}", '{"kind": "verdict"}']
)
def test_what_is_not_understood_becomes_unknown_and_is_kept_as_it_came(line: str) -> None:
    (item,) = read(line)
    assert item.kind == "unknown"
    assert same(parse_json(item.raw), parse_json(line))


def test_a_wrapper_of_our_own_is_an_ordinary_key_in_a_log() -> None:
    (item,) = read('{"kind": "tool", "args": {"$int": "5"}, "x": {"$absent": true}, "y": {"$ref": "#/a"}}')
    assert item.args == {"args": {"$int": "5"}, "x": {"$absent": True}, "y": {"$ref": "#/a"}}


WRONG = [
    ("{", 1), ('{"kind": "click"}\n{"kind": "cli', 2), ("[]", 1), ('"x"', 1), ("null", 1), ('{"a": 1, "a": 2}', 1),
    ("NaN", 1), ('{"kind": "click", "x": 1e999}', 1), ("\ufeff{}", 1), ("{} {}", 1), ("[" * 5000, 1),
    ('{"a":' * 400 + "1" + "}" * 400, 1), ('{"x": "' + "a" * 1024 * 1024 + '"}', 1), ('{"a": "b\x0bc"}', 1),
    ("{}\n\x00", 2),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), WRONG)
def test_a_line_that_is_no_action_is_an_error_that_names_it(text: str, line: int) -> None:
    with pytest.raises(UsageError, match=f"log:{line}: "):
        read(text)


@pytest.mark.parametrize("data", [b"\xff\xfe{\x00}\x00", b'{"a": "\xff"}'])
def test_a_log_is_utf8(data: bytes) -> None:
    with pytest.raises(UsageError, match="log:1"):
        read(data)


def test_lines_end_with_lf_alone_so_that_no_text_forges_a_record() -> None:
    """Attack 12: line separators that other readers take for line ends stand in the texts of the records."""
    lines = (FOLDERS / "attacks" / "12-jsonl-forged-records" / "events.jsonl").read_bytes().split(b"\n")
    actions = read(b"\n".join([lines[0], lines[1], *lines[3:]]))
    assert len(actions) == 4
    assert "\u2028" in str(actions[1].args["text"])
    with pytest.raises(UsageError, match="log:3"):
        read(b"\n".join(lines))
    (item,) = read('{"kind": "fill", "text": "a\u2028\u2029\u0085b\\n{}"}')
    assert item.text == "a\u2028\u2029\u0085b\n{}"


def test_a_verdict_in_a_log_is_an_unknown_action_and_nothing_more() -> None:
    line = '{"seq": 5, "kind": "verdict", "by": "agent", "verdict": "pass"}'
    run = case(source("s", [{"a": 1}, {"a": 1}]), actions=read(line))
    verdict = judged(run, change("a"))
    assert told(verdict) == ("unmet", None, 0)


def test_a_click_under_names_that_are_not_ours_is_never_taken_for_none() -> None:
    """Case g-01: without the runner's own dialect its names are unknown, so a veto on a double click is undecided."""
    text = (FOLDERS / "cases" / "g-01-click-aliases-count" / "actions.jsonl").read_text("utf-8")
    actions = read(text)
    assert [item.kind for item in actions] == ["unknown"] * 7
    states: list[Value] = [*[{"a": 1}] * 7, {"a": 2}]
    run = case(source("s", states), actions=actions)
    rule = action("click", args={"count": 2})
    assert judged(run, change("a"), veto=[rule]).outcome == "undecided"  # it may stand there by another name
    assert judged(run, change("a"), veto=[action("click")]).outcome == "undecided"
    plain = read('{"kind": "click", "count": 2, "target": {"xy": [50, 50]}}\n{"kind": "click"}')
    run = case(source("s", [{"a": 1}, {"a": 1}, {"a": 2}]), actions=plain)
    assert judged(run, change("a"), veto=[rule]).outcome == "vetoed"


TIMES = [
    ("2026-11-30T12:00:00Z", 1_796_040_000_000_000_000), ("2026-11-30T12:00:00", 1_796_040_000_000_000_000),
    ("2026-11-30T13:00:00.5+01:00", 1_796_040_000_500_000_000), ("noon", None), (5, None), (None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), TIMES)
def test_a_time_is_kept_as_the_reporters_claim(text: Value, wanted: int | None) -> None:
    assert normalise({"kind": "click", "time": text}, seq=1, reported_by="runner").time_ns == wanted


def test_the_order_is_that_of_the_log_however_the_clock_moved() -> None:
    """Attack 39: the wall clock goes back a day and forward a year."""
    text = (FOLDERS / "attacks" / "39-clock-moved" / "events.jsonl").read_text("utf-8")
    records = [json.loads(line) for line in text.splitlines() if line]
    log = "\n".join(dumps({"kind": "tool", "tool": item["name"], "time": item["t"]}) for item in records)
    actions = read(log)
    assert [item.args["tool"] for item in actions] == ["open", "confirm", "pay", "close", "done"]
    watched = [normalise({"kind": item.kind, **item.args}, seq=item.seq, reported_by="runner") for item in actions]
    states: list[Value] = [{}] * 6
    run = case(source("s", states), actions=watched)
    first = {"order": [action("tool", tool="confirm"), action("tool", tool="pay")]}
    assert judged(run, first).outcome == "passed"
    assert judged(run, {"order": [action("tool", tool="pay"), action("tool", tool="confirm")]}).outcome == "unmet"


def test_an_action_is_recorded_with_what_went_wrong() -> None:
    item = with_error(normalise({"kind": "click"}, seq=3, reported_by="runner"), "blocked")
    assert action_record(item)["error"] == "blocked"
    assert with_error(item, None).error == "blocked"
    assert normalise({"kind": "click", "error": {"code": 5}}, seq=1, reported_by="runner").error == '{"code":5}'


def test_the_target_and_the_text_are_only_what_they_can_be() -> None:
    item = normalise({"kind": "click", "target": "save", "text": 5}, seq=1, reported_by="runner")
    assert (item.target, item.text) == ({}, None)
