"""What a verdict covers: its scope, what of it could not be read and who is to blame, and what is not excluded."""

from collections.abc import Sequence
from dataclasses import replace

from tests.judging.kit import Given, Plain, act, case, change, judged, seen, source, task, unread

from exactchange.case import Case, Evidence
from exactchange.conditions import Evaluation
from exactchange.judging import judge
from exactchange.judging.coverage import not_excluded, scope, unread_in_scope
from exactchange.snapshot import Mark, Note, Snapshot, TreeSnapshot
from exactchange.sources import SourceParams
from exactchange.values import ABSENT, Path, Value
from exactchange.verdict import Verdict


class Parts(Plain):
    """A source of which only parts are in scope."""

    def scope(self, params: SourceParams) -> str:
        return "cookies, storage"

    def in_scope(self, path: Path, params: SourceParams) -> bool:
        return bool(path)


def unread_of(run: Case, *declared: str) -> list[tuple[str, str, str, str]]:
    found = unread_in_scope(task(change("a"), sources=declared), Evaluation(run))
    return [(name, item.address, item.reason, item.cause) for name, item in found]


LACKS_END = "there is no capture at both the start and the end"


def test_a_source_that_was_not_captured_where_it_counts_is_the_machines_fault() -> None:
    clicks = [act("click", 1), act("click", 2)]
    there = source("s", [{"a": 1}, {"a": 2}, {"a": 2}])
    assert unread_of(case(there, actions=clicks), "s", "db") == [
        ("db", "", "nothing of it was captured", "infrastructure")
    ]
    assert unread_of(case(source("s", [{"a": 1}]), actions=clicks)) == [("s", "", LACKS_END, "infrastructure")]
    assert unread_of(case(source("s", []), actions=clicks)) == [("s", "", LACKS_END, "infrastructure")]
    late = source("s", [{"a": 1}, {"a": 2}], steps=[1, 2])
    assert unread_of(case(late, actions=clicks)) == [("s", "", LACKS_END, "infrastructure")]
    early = source("s", [{"a": 1}, {"a": 2}], steps=[0, 1])
    assert unread_of(case(early, actions=clicks)) == [
        ("s", "", "there is no capture after the last action", "infrastructure")
    ]
    assert unread_of(case(there, actions=clicks)) == []


def test_a_source_that_was_never_there_is_the_contents_fault_unless_that_may_be() -> None:
    said = ("s", "", "it was never there: is its path misspelt? (`missing: ok` if not)", "content")
    assert unread_of(case(source("s", [ABSENT, ABSENT]))) == [said]
    assert unread_of(case(source("s", [ABSENT, ABSENT], params={"missing": "ok"}))) == []
    assert unread_of(case(source("s", [ABSENT, {"a": 1}, ABSENT]))) == []
    lost = unread_of(case(source("s", [ABSENT, seen(ABSENT, unread())])))
    assert [reason for _, _, reason, _ in lost] == ["cannot be read"]


def test_what_is_unread_counts_at_the_start_and_the_end_and_inside_the_closed_world() -> None:
    parts = seen({}, unread("b"), unread("@hidden"))
    first: list[Given] = [parts, {}, {}]
    for states in (first, first[::-1]):
        assert [item[1] for item in unread_of(case(source("s", states)))] == ["b"]
    assert unread_of(case(source("s", [{}, parts, {}]))) == []
    closed = source("s", [{}, parts], params={"closed": ["hidden"]})
    assert [item[1] for item in unread_of(case(closed))] == ["b", "@hidden"]
    for kind in (Plain(), Parts()):
        assert [item[1] for item in unread_of(case(source("s", [{}, seen({}, unread())], kind=kind)))] == [""]


def claiming(*messages: str) -> Evidence:
    """A source whose captures left files to other sources."""
    notes = tuple(Note("claimed", f"{message} is left to its own source") for message in messages)
    captures = [TreeSnapshot("plain", {"a": step}, Mark(step), (), notes) for step in range(2)]
    return replace(source("s", [], kind=Parts()), captures=tuple(captures))


def test_the_scope_names_the_parts_of_a_source_and_the_files_that_it_leaves_to_others() -> None:
    assert scope(source("s", [{}, {}])) == "s"
    assert scope(source("page", [{}, {}], kind=Parts())) == "page (cookies, storage)"
    assert scope(claiming("c", "b", "b")) == "s (cookies, storage; without b, c, which other sources hold)"
    assert scope(replace(claiming("c"), kind=Plain())) == "s (without c, which other sources hold)"
    other = replace(source("s", []), captures=(TreeSnapshot("plain", {}, Mark(0), (), (Note("formatting", "f"),)),))
    assert scope(other) == "s"
    assert scope(claiming(*"gfedc")) == "s (cookies, storage; without c, d, e, f, g, which other sources hold)"
    assert (
        scope(claiming(*"gfedcba"))
        == "s (cookies, storage; without a, b, c, d, e and 2 more, which other sources hold)"
    )
    assert judged(case(claiming("c")), change("a")).scope == (
        "s (cookies, storage; without c, which other sources hold)",
    )


def warned(run: Case) -> list[tuple[str, str]]:
    return [(item.kind, item.message) for item in not_excluded(Evaluation(run))]


def test_a_failure_is_told_first_then_the_notes_of_the_recording() -> None:
    notes = (Note("clock", "the clock was set"), Note("observed", "read from a log"))
    run = replace(case(source("s", [{"a": 1}, {"a": 2}]), failure="the browser died"), notes=notes)
    assert warned(run) == [
        ("infrastructure", "the browser died"), ("clock", "the clock was set"), ("observed", "read from a log"),
    ]  # fmt: skip


def test_the_sources_that_were_not_read_after_every_step_are_named_once() -> None:
    clicks = [act("click", 1), act("click", 2)]
    blind = source("s", [{"a": 1}, {"a": 2}], steps=[0, 2])
    other = replace(blind, name="t")
    begin = "what was done and undone between two captures is not excluded: "
    assert warned(case(blind, actions=clicks)) == [
        ("between captures", f"{begin}s was not read after every step"),
    ]
    assert warned(case(blind, other, source("u", [{}, {}, {}]), actions=clicks)) == [
        ("between captures", f"{begin}s, t were not read after every step"),
    ]
    noted = replace(case(blind, actions=clicks), notes=(Note("between captures", "nobody looked"),))
    assert warned(noted) == [("between captures", "nobody looked")]


def test_what_happened_without_a_step_is_named_in_bounded_length() -> None:
    begin = "what was done and undone there is not excluded"
    few: dict[str, Value] = {f"k{n}": 1 for n in range(5)}
    silent = case(source("s", [{}, few]), actions=[])
    assert warned(silent) == [
        ("unannounced", f"something happened although no action was reported: {begin} "
         "(s: k0 added; s: k1 added; s: k2 added; s: k3 added; s: k4 added)"),
    ]  # fmt: skip
    (said,) = warned(case(source("s", [{}, {**few, "k5": 1, "k6": 1}]), actions=[]))
    assert said[1].endswith("s: k4 added; and 2 more)")
    late = case(source("s", [{}, {}, {"a": 1}], steps=[0, 1, 1]))
    assert warned(late)[0][1].startswith("something happened outside any announced step: ")
    (long,) = warned(case(source("s", [{}, {"x" * 500: 1}]), actions=[]))
    assert ("x" * 197 + ")" in long[1], "x" * 198 in long[1]) == (True, False)


def test_a_pass_names_all_of_this() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]), failure=None)
    verdict: Verdict = judge(task(change("a"), sources=["s"]), run)
    assert (verdict.outcome, verdict.scope, verdict.unread, verdict.warnings) == ("passed", ("s",), (), ())


class Shown(Plain):
    """A source of which a part is read only while something shows it."""

    def __init__(self, *left: str) -> None:
        self._left = left

    def left_behind(self, captures: Sequence[Snapshot], params: SourceParams) -> Sequence[tuple[str, int]]:
        return [(what, 0) for what in self._left]


def test_what_was_left_where_it_can_be_read_no_more_is_named_with_the_step_after_which_it_was_last_read() -> None:
    begin = "what was stored as it was left is not excluded, last read were "
    clicks = [act("click", 1)]

    def told(*left: str) -> list[tuple[str, str]]:
        return warned(case(source("s", [{"a": 1}, {"a": 2}], kind=Shown(*left)), actions=clicks))

    assert told() == []
    assert told("http://a") == [("between captures", f"s: {begin}http://a after step 0")]
    assert told(*"abcdefgh")[0][1].endswith(" after step 0; and 3 more")
