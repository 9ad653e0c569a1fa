"""What goes wrong while a condition is judged never makes it hold, and never clears a veto."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict
from tests.judging.kit import Data, Plain, act, action, allow, case, change, source, task, value

from exactchange.address import AddressPattern
from exactchange.case import Case
from exactchange.conditions import KINDS as CONDITIONS
from exactchange.conditions import parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.conditions.matchers.parse import PARSERS
from exactchange.conditions.request import RequestRule
from exactchange.errors import InfrastructureError, OverBudget, SnapshotClosed, UsageError
from exactchange.judging import judge
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import Match, Narrowed, RowShape, SourceParams
from exactchange.task import Task
from exactchange.values import ABSENT, Path, State, Value
from exactchange.verdict import Verdict

ERRORS: list[type[Exception]] = [
    OverBudget, UsageError, InfrastructureError, SnapshotClosed, RuntimeError, MemoryError, AssertionError,
]  # fmt: skip


class Css(BaseModel):
    """As a page is selected, or a table."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    css: str | None = None
    table: str | None = None
    column: str | None = None


class Exploding(Plain):
    """A source of which one question, once armed, has no answer but an exception."""

    selector = Css
    needs_browser = True

    def __init__(self, question: str = "", error: type[Exception] = RuntimeError, *, only: int = 0) -> None:
        self.question, self.error, self.only, self.asked = question, error, only, 0

    def _explode(self, question: str) -> None:
        if question == self.question:
            self.asked += 1
            if self.only in (0, self.asked):
                raise self.error("broken")

    def find(self, snapshot: TreeSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        self._explode("find")
        return super().find(snapshot, pattern, budget=budget)

    def select(self, snapshot: TreeSnapshot, selector: BaseModel, *, budget: Budget) -> Sequence[Match]:
        self._explode("select")
        tree = snapshot.tree
        here = tree.get("#a", ABSENT) if isinstance(tree, Mapping) else ABSENT
        return [] if here is ABSENT else [Match(("#a",), "#a", here)]

    def rows(
        self, snapshot: TreeSnapshot, sql: str, arguments: Mapping[str, Value], *, budget: Budget
    ) -> Sequence[Value]:
        self._explode("rows")
        tree = snapshot.tree
        return [{"n": tree["n"]}] if isinstance(tree, Mapping) else []

    def row_at(self, snapshot: TreeSnapshot, path: Path) -> Mapping[str, Value] | None:
        self._explode("row_at")
        return super().row_at(snapshot, path)

    def row_shape(self, snapshot: TreeSnapshot, path: Path) -> RowShape | None:
        self._explode("row_shape")
        return RowShape(frozenset({"id"})) if len(path) == 2 and path[0] == "t" else None

    def narrow(self, before: TreeSnapshot, after: TreeSnapshot, *, params: SourceParams, budget: Budget) -> Narrowed:
        self._explode("narrow")
        return super().narrow(before, after, params=params, budget=budget)

    def describe(self, path: Path, *, before: TreeSnapshot, after: TreeSnapshot) -> tuple[str, Mapping[str, Value]]:
        self._explode("describe")
        return super().describe(path, before=before, after=after)

    def in_scope(self, path: Path, params: SourceParams) -> bool:
        self._explode("in_scope")
        return super().in_scope(path, params)


QUESTIONS = ["find", "select", "rows", "row_at", "row_shape", "narrow", "describe", "in_scope"]
BEFORE: Value = {
    "z": 0, "n": 1, "#a": {"value": "x"}, "t": {"id=1": {"id": 1, "v": 1}}, "@requests": [],
}  # fmt: skip
AFTER: Value = {
    "z": 1, "n": 2, "#a": {"value": "y"}, "t": {"id=1": {"id": 1, "v": 2}, "id=2": {"id": 2, "v": 9}},
    "@requests": [{"seq": 1, "method": "POST", "url": "http://a.test/pay", "status": 200}],
}  # fmt: skip
KINDS: dict[str, Data] = {
    "change": change("n", from_=1, to=2),
    "change of all": change("t[id=1].v", count="all", to=2),
    "change of a row": change("t[*]", op="added", row={"id": {"generated": "next"}, "v": 9}),
    "change in a table": {"change": {"in": "s", "table": "t", "where": {"id": 1}, "column": "v", "to": 2}},
    "change of a selection": {"change": {"in": "s", "css": "#a"}},
    "change at any time": change("n", when="ever", to=2),
    "change without leave": change("n", unless_after=action("reply")),
    "value": value("n", 2),
    "value at any time": value("n", 2, when="ever"),
    "value always": value("t[id=1].v", {"type": "int"}, when="always"),
    "value of several": value("t[*].v", {"ge": 2}, pick="every"),
    "value in a table": {"value": {"in": "s", "table": "t", "where": {"v": 9}, "column": "v", "is": 9}},
    "value of a selection": {"value": {"in": "s", "css": "#a", "is": {"has": {"value": "y"}}}},
    "value of a query": {"value": {"in": "s", "query": "SELECT n", "is": 2}},
    "action": action("click", target={"css": "#b"}),
    "request": {"request": {"in": "s", "url": {"path": "/pay"}}},
    "sql": {"sql": {"effect": "update", "dialect": "sqlite"}},
    "action with an effect": {"action": {"kind": "sql", "effect": "update"}},
    "order": {"order": [action("click"), change("n")]},
    "effort": {"effort": {"steps": 9, "redundant": 9}},
    "all": {"all": [value("n", 2), change("n")]},
    "any": {"any": [value("n", 3), change("n", to=2)]},
    "not": {"not": value("n", 3)},
    "python": {"python": "checks.py:check"},
}
DONE = change("z", from_=0, to=1)
assert {next(iter(rule)) for rule in KINDS.values()} >= set(CONDITIONS)


def run(kind: Exploding) -> Case:
    pressed = act("click", 1, target={"css": "#a"})
    sent = act("sql", 2, text="UPDATE t SET v = 2 WHERE id = 1")
    states = source("s", [BEFORE, AFTER, AFTER], kind=kind, params={"missing": "ok"})
    return case(states, actions=[pressed, sent])


def answer(kind: Exploding, rule: Data, tier: str) -> Verdict | None:
    """The verdict, or None where there is none: an exception that nothing caught is no pass."""
    musts = [rule, DONE] if tier == "must" else [DONE]
    asked = {name: [rule] if name == tier else [] for name in ("given", "veto", "bonus")}
    given, veto, bonus = asked.values()
    rules = task(*musts, given=given, veto=veto, bonus=bonus, allow=[allow("**", rest="any")])
    try:
        return judge(rules, run(kind))
    except kind.error:
        return None


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", KINDS)
def test_an_exception_makes_nothing_hold_and_no_veto_fail(name: str, question: str) -> None:
    rule = KINDS[name]
    for tier in ("must", "veto", "bonus", "given"):
        kind = Exploding(question, only=-1)
        sound = answer(kind, rule, tier)
        every: list[tuple[type[Exception], int]] = (
            [(error, 0) for error in ERRORS] if kind.asked else []
        )  # each time, and at one time only
        every += [(OverBudget, time) for time in range(1, min(kind.asked, 4) + 1)]
        for error, only in every:
            verdict = answer(Exploding(question, error, only=only), rule, tier)
            check(verdict, sound, tier, f"{name} as {tier}: {question} raises {error.__name__} ({only})")


def check(verdict: Verdict | None, sound: Verdict | None, tier: str, what: str) -> None:
    """What is told in spite of an exception is what would be told without it, or less."""
    if verdict is None:
        return
    assert sound is not None, what
    told = [item.holds for item in verdict.findings if item.tier == tier]
    right = [item.holds for item in sound.findings if item.tier == tier]
    if told:  # a bonus is looked at after a pass only
        assert all(found in (None, known) for found, known in zip(told, right, strict=True)), what
    if verdict.outcome == "passed":
        assert sound.outcome == "passed" and verdict.unexplained == sound.unexplained, what


def lax(section: str, pattern: Data) -> Task:
    patterns: list[Data] = [pattern]
    return task(change("n"), allow=patterns) if section == "allow" else task(change("n"), ignore=patterns)


@pytest.mark.parametrize("section", ["allow", "ignore"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_exception_lets_no_change_through(question: str, section: str) -> None:
    patterns: list[Data] = [
        allow("t[*].v", to={"ge": 2}), {"in": "s", "table": "t", "where": {"id": 1}}, {"in": "s", "css": "#a"},
        allow("t[id=2]", op="added", row={"v": 9}),
    ]  # fmt: skip
    for error in ERRORS:
        for pattern in patterns:
            try:
                verdict = judge(lax(section, pattern), run(Exploding(question, error)))
            except error:
                continue
            assert not verdict.passed
            sound = judge(lax(section, pattern), run(Exploding()))
            settled = {item.change.address for item in (*verdict.allowed, *verdict.ignored)}
            assert settled <= {item.change.address for item in (*sound.allowed, *sound.ignored)}


def test_the_rules_of_these_tests_are_met_when_nothing_goes_wrong() -> None:
    """Else an exception could not be told from a rule that fails anyway."""
    for name, rule in KINDS.items():
        verdict = answer(Exploding(), rule, "must")
        assert verdict is not None
        found = verdict.findings[0].holds
        assert (found is True) is (name != "python"), (name, found)


SAMPLES: dict[str, Value] = {
    "exactly": {"a": [1]}, "has": {"a": {"has": {"b": 1}}}, "items": [1, {"gt": 2}], "one_of": [1, {"text": "a"}],
    "not": {"matches": "a+"}, "gt": 1, "ge": 1.5, "lt": 10**30, "le": 0, "contains": "a", "text": "Ada L.",
    "mentions": "10", "matches": "(a|b)*c?", "number": 10, "time": "2026-11-30T09:00:00Z", "url": {"path": "/a"},
    "json": {"has": {"a": 1}}, "same": "x", "generated": "uuid", "absent": False, "type": "str",
}  # fmt: skip
scalars = (
    st.none() | st.booleans() | st.integers() | st.integers(10**400, 10**401) | st.floats() | st.binary(max_size=5)
    | st.text(max_size=8) | st.text(st.characters(categories=["Cs"]), max_size=3)
    | st.datetimes() | st.dates() | st.times()
    | st.sampled_from(["[" * 500, "1e999", "http://[", "http://a:99999999/", "9" * 5000, "\0", "2026-13-45", "{}"])
)  # fmt: skip
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab@"), inner, max_size=3)
)


def test_there_is_a_sample_of_every_matcher() -> None:
    assert SAMPLES.keys() == PARSERS.keys()


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from([*SAMPLES, "within_episode"]), given_=values | st.just(ABSENT))
def test_no_value_whatever_makes_a_matcher_raise(name: str, given_: State) -> None:
    raw: Value = name if name == "within_episode" else {name: SAMPLES[name]}
    for body in (raw, {"not": raw}, {"one_of": [raw]}, {"has": {"a": raw}}, {"items": [raw]}, {"json": raw}):
        found = parse_matcher(body).match(given_, MatchContext(1, 2))
        assert found.truth in (True, False, None)


def test_what_nobody_can_tell_of_what_stood_before_fits_nothing() -> None:
    def largest() -> int | None:
        raise OverBudget("broken")

    assert parse_matcher({"generated": "next"}).match(7, MatchContext(largest_before=largest)).truth is None
    assert RequestRule.model_validate({"in": "s", "status": 1}).url_matcher() is None
